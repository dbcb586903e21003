"""compound_question: what does a compound mean in its sentence? The gold synonym among distractors."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from harness_ext.data.documents import as_documents, few_compounds, load_rows
from harness_ext.harnesses.lm_eval_requests import FramedTask  # noqa: F401 - for the YAML file
from harness_ext.language_models.document_measure import metric_list, record
from harness_ext.language_models.option_scores import option_columns
from harness_ext.language_models.question import QUESTION, ROLES

if TYPE_CHECKING:
    from datasets import DatasetDict

QUESTION_ASKED = 'Sentence: {sentence}\nQuestion: What does "{surface}" mean in this sentence?\n'
FRAME = "Question: What does it mean?\n"
"""The same without the sentence and the compound."""
LISTED = "A. {0}\nB. {1}\nC. {2}\nD. {3}\n"
LETTERS = ["A", "B", "C", "D"]

METRICS = metric_list(QUESTION)


def documents(path: str, name: str, small: bool = False, **metadata: Any) -> DatasetDict:
    """For each sentence, a document that asks for the meaning, and four that ask for its letter.

    In these the options are turned round, so that every option stands once at every letter. The small version asks for
    the letter once, with the options turned by one more place from compound to compound.

    Args:
        path: `ncimp` or `compound_mini`.
        name: Its config.
        small: Whether to take `few_compounds`.
        metadata: What else lm-eval passes; not used.
    """
    excluded = {"n_excluded_unscored": 0, "n_excluded_same": 0}

    def groups() -> Iterator[list[dict[str, Any]]]:
        rows = load_rows(path, name, "naturalistic")
        for number, row in enumerate(few_compounds(rows) if small else rows):
            probes = [row["syn"], row["words_syn"][0], *row["rand"][:2]]
            options = [probe["expression"] for probe in probes]
            if row["expert_class"] is None:
                excluded["n_excluded_unscored"] += 1
            elif len({option.lower() for option in options}) < len(options):
                excluded["n_excluded_same"] += 1
            else:
                yield list(_questions(row, options, [number % 4] if small else range(4)))

    return as_documents(groups(), excluded)


def _questions(row: dict[str, Any], options: list[str], turns: Iterable[int]) -> Iterator[dict[str, Any]]:
    def question(form: str, order: int, listed: str, choices: list[str], roles: list[str]) -> dict[str, Any]:
        return {
            "id": f"{row['id']}-{form}{order}",
            "dataset": row["dataset"],
            "compound": row["compound"],
            "class": row["expert_class"],
            "format": form,
            "order": order,
            "prompt": f"{asked}{listed}Answer:",
            "frame": f"{FRAME}{listed}Answer:",
            "choices": choices,
            "roles": roles,  # of the choices
            "gold": roles.index("syn"),
        }

    asked = QUESTION_ASKED.format(sentence=row["sentence"], surface=row["surface"])
    yield question("cloze", 0, "", options, list(ROLES))
    for order in turns:
        turned = [*options[order:], *options[:order]]
        roles = [*ROLES[order:], *ROLES[:order]]
        yield question("letter", order, LISTED.format(*turned), LETTERS, roles)


def process_results(doc: dict[str, Any], results: list[tuple[float, bool]]) -> dict[str, Any]:
    """The row of a document, from the log-likelihood of each choice."""
    return record(QUESTION, {**doc, **option_columns(doc["roles"], doc["choices"], results)})
