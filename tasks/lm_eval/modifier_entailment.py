"""modifier_entailment: is a fake wall a wall? For every adjective and noun of the vocabulary of MONT."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from harness_ext.data.documents import as_documents, load_rows
from harness_ext.evaluators.entailment import ANSWERS, ENTAILMENT, EXPECTED
from harness_ext.evaluators.language_model import metric_list, record

if TYPE_CHECKING:
    from collections.abc import Iterator

    from datasets import DatasetDict

TEMPLATES = (
    ("Question: Is {phrase} {noun}? Answer yes, no or unknown.\nAnswer:", ("yes", "no", "unknown")),
    (
        "If something is {phrase}, is it {noun}? Say always, never or sometimes.\nAnswer:",
        ("always", "never", "sometimes"),
    ),
    (
        "Premise: This is {phrase}.\nHypothesis: This is {noun}.\n"
        "Does the premise make the hypothesis true, false or undecided?\nAnswer:",
        ("true", "false", "undecided"),
    ),
)
"""A wording, and how it says yes, no and unknown."""

METRICS = metric_list(ENTAILMENT)


def documents(**metadata: Any) -> DatasetDict:
    """A document per `adjective noun` and wording; ambiguous adjectives (*old*) are not asked about.

    Args:
        metadata: What lm-eval passes; not used.
    """

    def groups() -> Iterator[list[dict[str, Any]]]:
        for row in load_rows("modifier_phrases", "corrected", "test"):
            if row["pattern"] == "AN" and row["types"][0] in EXPECTED:
                yield list(_questions(row))

    return as_documents(groups(), {})


def _questions(row: dict[str, Any]) -> Iterator[dict[str, Any]]:
    adjective, noun = row["words"]
    for number, (template, answers) in enumerate(TEMPLATES, start=1):
        yield {
            "id": f"{row['phrase']}-template{number}",
            "dataset": row["dataset"],
            "adjective": adjective,
            "noun": noun,
            "type": row["types"][0],
            "template": number,
            "prompt": template.format(phrase=with_article(row["phrase"]), noun=with_article(noun)),
            "choices": list(answers),
            "gold": ANSWERS.index(EXPECTED[row["types"][0]]),
        }


def with_article(phrase: str) -> str:
    """The phrase after *a* or *an*, which the vocabulary's spelling decides."""
    return f"{'an' if phrase[0] in 'aeiou' else 'a'} {phrase}"


def process_results(doc: dict[str, Any], results: list[tuple[float, bool]]) -> dict[str, Any]:
    """The row of a document, from the log-likelihood of each answer."""
    values = [log_likelihood for log_likelihood, _ in results]
    return record(ENTAILMENT, {**doc, **dict(zip(ANSWERS, values, strict=True))})
