"""compound_question: what does a compound mean in its sentence? The gold synonym among distractors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from harness_ext.data.documents import as_documents, load_rows
from harness_ext.evaluators.language_models.document_measure import metric_list, record
from harness_ext.evaluators.language_models.question import QUESTION, ROLES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from datasets import DatasetDict

CLOZE = 'Sentence: {sentence}\nQuestion: What does "{surface}" mean in this sentence?\nAnswer:'
LETTER = (
    'Sentence: {sentence}\nQuestion: What does "{surface}" mean in this sentence?\n'
    "A. {0}\nB. {1}\nC. {2}\nD. {3}\nAnswer:"
)
LETTERS = ["A", "B", "C", "D"]

METRICS = metric_list(QUESTION)


def documents(path: str, name: str, **metadata: Any) -> DatasetDict:
    """For each sentence, a document that asks for the meaning, and four that ask for its letter.

    In these the options are turned round, so that every option stands once at every letter.

    Args:
        path: `ncimp` or `compound_mini`.
        name: Its config.
        metadata: What else lm-eval passes; not used.
    """
    excluded = {"n_excluded_unscored": 0, "n_excluded_same": 0}

    def groups() -> Iterator[list[dict[str, Any]]]:
        for row in load_rows(path, name, "naturalistic"):
            probes = [row["syn"], row["words_syn"][0], *row["rand"][:2]]
            options = [probe["expression"] for probe in probes]
            if row["expert_class"] is None:
                excluded["n_excluded_unscored"] += 1
            elif len({option.lower() for option in options}) < len(options):
                excluded["n_excluded_same"] += 1
            else:
                yield list(_questions(row, options))

    return as_documents(groups(), excluded)


def _questions(row: dict[str, Any], options: list[str]) -> Iterator[dict[str, Any]]:
    def question(form: str, order: int, prompt: str, choices: list[str], roles: list[str]) -> dict[str, Any]:
        return {
            "id": f"{row['id']}-{form}{order}",
            "dataset": row["dataset"],
            "compound": row["compound"],
            "class": row["expert_class"],
            "format": form,
            "order": order,
            "prompt": prompt,
            "choices": choices,
            "roles": roles,  # of the choices
            "gold": roles.index("syn"),
        }

    about = {"sentence": row["sentence"], "surface": row["surface"]}
    yield question("cloze", 0, CLOZE.format(**about), options, list(ROLES))
    for order in range(len(options)):
        turned = [*options[order:], *options[:order]]
        roles = [*ROLES[order:], *ROLES[:order]]
        yield question("letter", order, LETTER.format(*turned, **about), LETTERS, roles)


def process_results(doc: dict[str, Any], results: list[tuple[float, bool]]) -> dict[str, Any]:
    """The row of a document, from the log-likelihood of each choice."""
    lengths = [1 + len(choice) if doc["format"] == "cloze" else 1 for choice in doc["choices"]]  # blank and choice
    values = [log_likelihood / length for (log_likelihood, _), length in zip(results, lengths, strict=True)]
    return record(QUESTION, {**doc, **dict(zip(doc["roles"], values, strict=True))})
