"""polarity_sensitivity: is the sentiment of a sentence right, and that of its rewrite with the opposite one too?"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING, Any

from harness_ext.data.documents import as_documents, load_rows
from harness_ext.harnesses.lm_eval_requests import FramedTask  # noqa: F401 - for the YAML file
from harness_ext.language_models.document_measure import metric_list, record
from harness_ext.language_models.option_scores import option_columns
from harness_ext.language_models.polarity_answers import DIRECTION, LABELS, POLARITY_ANSWERS, SIDES

if TYPE_CHECKING:
    from datasets import DatasetDict

TEMPLATE = "Review: {text}\nSentiment:"
FRAME = "Review:\nSentiment:"
EXAMPLES = {"reference": "dev", "mini": "train"}
"""Pairs -> the split that few-shot examples come from; no sentence of a pair is in it."""

METRICS = metric_list(POLARITY_ANSWERS)


def documents(name: str, **metadata: Any) -> DatasetDict:
    """Two documents per pair, one after the other; examples in turn negative and positive.

    Args:
        name: The config of `polarity_pairs`: `reference` or `mini`.
        metadata: What else lm-eval passes; not used.
    """
    excluded = {"n_excluded_duplicate": 0, "n_excluded_no_added_word": 0}

    def groups() -> Iterator[list[dict[str, Any]]]:
        for row in load_rows("polarity_pairs", name, "pairs"):
            if row["removed_by"]:
                excluded[f"n_excluded_{row['removed_by']}"] += 1
            else:
                yield [_question(row, side) for side in SIDES]

    examples = load_rows("polarity_pairs", name, EXAMPLES[name])
    by_label = [[_question(row, "original") for row in examples if row["label"] == label] for label in (0, 1)]
    return as_documents(groups(), excluded, examples=list(chain.from_iterable(zip(*by_label, strict=False))))


def _question(row: dict[str, Any], side: str) -> dict[str, Any]:
    label, text = (row["label"], row["text"]) if side == "original" else (1 - row["label"], row["rewrite"])
    return {
        "id": f"{row['id']}-{side}",
        "dataset": row["dataset"],
        "pair": row["id"],
        "direction": list(DIRECTION.values)[row["label"]],
        "side": side,
        "label": label,
        "prompt": TEMPLATE.format(text=text),
        "frame": FRAME,
        "choices": list(LABELS),
        "gold": label,
    }


def process_results(doc: dict[str, Any], results: list[tuple[float, bool]]) -> dict[str, Any]:
    """The row of a document, from the log-likelihood of each label."""
    one_direction = doc["dataset"].startswith("polarity_pairs/reference")
    return record(
        POLARITY_ANSWERS,
        {**doc, **option_columns(LABELS, doc["choices"], results)},
        not_defined=("pss_neg_to_pos", "pss_pos_to_neg") if one_direction else (),
    )
