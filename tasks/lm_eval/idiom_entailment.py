"""idiom_entailment: which rewrite of a sentence with an idiom or a metaphor follows from it?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from harness_ext.data.documents import as_documents, load_rows
from harness_ext.harnesses.lm_eval_requests import FramedTask  # noqa: F401 - for the YAML file
from harness_ext.language_models.document_measure import metric_list, record
from harness_ext.language_models.figurative import FIGURATIVE, OPTIONS, SET, SIDES
from harness_ext.language_models.option_scores import option_columns

if TYPE_CHECKING:
    from datasets import DatasetDict

FRAME = "Hypothesis: {rewrite}\nDoes the hypothesis follow from the premise? Answer yes or no.\nAnswer:"
TEMPLATE = f"Premise: {{sentence}}\n{FRAME}"

METRICS = metric_list(FIGURATIVE)


def documents(name: str, **metadata: Any) -> DatasetDict:
    """Two documents per sentence: one for each rewrite.

    Args:
        name: The config of `impli`: `impli` or `mini`, which has no metaphors.
        metadata: What else lm-eval passes; not used.
    """
    excluded = {"n_excluded_unpaired": 0, "n_excluded_repeated": 0}

    def groups() -> Iterator[list[dict[str, Any]]]:
        for of_set in SET.values:
            for row in load_rows("impli", name, of_set) if (name, of_set) != ("mini", "metaphors") else []:
                if row["removed_by"]:
                    excluded[f"n_excluded_{'repeated' if row['removed_by'] == 'repeated' else 'unpaired'}"] += 1
                else:
                    yield [_question(row, of_set, side) for side in SIDES]

    return as_documents(groups(), excluded)


def _question(row: dict[str, Any], of_set: str, side: str) -> dict[str, Any]:
    return {
        "id": f"{row['id']}-{side}",
        "dataset": row["dataset"],
        "triple": row["id"],
        "set": of_set,
        "side": side,
        "prompt": TEMPLATE.format(sentence=row["sentence"], rewrite=row[side]),
        "frame": FRAME.format(rewrite=row[side]),
        "choices": list(OPTIONS),
        "gold": SIDES.index(side),
    }


def process_results(doc: dict[str, Any], results: list[tuple[float, bool]]) -> dict[str, Any]:
    """The row of a document, from the log-likelihood of each answer after the prompt, then after the frame."""
    is_small = doc["dataset"].startswith("impli/mini")
    return record(
        FIGURATIVE,
        {**doc, **option_columns(OPTIONS, doc["choices"], results)},
        not_defined=[key for key in FIGURATIVE.scores.by_key() if is_small and key.endswith("_metaphors")],
    )
