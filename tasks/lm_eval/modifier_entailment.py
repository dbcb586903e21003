"""modifier_entailment: is a fake wall a wall? For every adjective and noun of the vocabulary of MONT."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import TYPE_CHECKING, Any

from harness_ext.data.agreement import with_article
from harness_ext.data.card import dataset_folder
from harness_ext.data.documents import as_documents
from harness_ext.datasets_scripts.modifier_phrases.modifier_phrases import NOUN_TYPE, Word, read_vocabulary
from harness_ext.harnesses.lm_eval_requests import FramedTask  # noqa: F401 - for the YAML file
from harness_ext.language_models.document_measure import metric_list, record
from harness_ext.language_models.entailment import ANSWERS, ENTAILMENT, EXPECTED
from harness_ext.language_models.option_scores import option_columns

if TYPE_CHECKING:
    from datasets import DatasetDict

TEMPLATES = (
    (
        "Question: Is {phrase} {noun}? Answer yes, no or unknown.\nAnswer:",
        "Question: Is it {noun}? Answer yes, no or unknown.\nAnswer:",
        ("yes", "no", "unknown"),
    ),
    (
        "If something is {phrase}, is it {noun}? Say always, never or sometimes.\nAnswer:",
        "Is it {noun}? Say always, never or sometimes.\nAnswer:",
        ("always", "never", "sometimes"),
    ),
    (
        "Premise: This is {phrase}.\nHypothesis: This is {noun}.\n"
        "Does the premise make the hypothesis true, false or undecided?\nAnswer:",
        "Hypothesis: This is {noun}.\nDoes the premise make the hypothesis true, false or undecided?\nAnswer:",
        ("true", "false", "undecided"),
    ),
)
"""A wording, the same without the phrase, and how it says yes, no and unknown."""

SMALL_NOUNS = 4

METRICS = metric_list(ENTAILMENT)


def documents(small: bool = False, **metadata: Any) -> DatasetDict:
    """A document per `adjective noun` and wording; ambiguous adjectives (*old*) are not asked about.

    Args:
        small: Whether to ask about `SMALL_NOUNS` nouns only, in the first wording.
        metadata: What else lm-eval passes; not used.
    """
    # not from the dataset, of which these phrases are a sixtieth
    words = read_vocabulary(dataset_folder("modifier_phrases") / "vocabulary.csv")
    adjectives = [word for word in words if word.type in EXPECTED]
    nouns = [word.word for word in words if word.type == NOUN_TYPE]
    if small:
        nouns = nouns[:SMALL_NOUNS]
    questions = (list(_questions(adjective, noun)) for adjective, noun in product(adjectives, nouns))
    return as_documents((asked[:1] if small else asked for asked in questions), {})


def _questions(adjective: Word, noun: str) -> Iterator[dict[str, Any]]:
    phrase = f"{adjective.word} {noun}"
    for number, (template, frame, answers) in enumerate(TEMPLATES, start=1):
        yield {
            "id": f"{phrase}-template{number}",
            "dataset": "modifier_phrases/corrected",
            "adjective": adjective.word,
            "noun": noun,
            "type": adjective.type,
            "template": number,
            "prompt": template.format(phrase=with_article(phrase), noun=with_article(noun)),
            "frame": frame.format(noun=with_article(noun)),
            "choices": list(answers),
            "gold": ANSWERS.index(EXPECTED[adjective.type]),
        }


def process_results(doc: dict[str, Any], results: list[tuple[float, bool]]) -> dict[str, Any]:
    """The row of a document, from the log-likelihood of each answer."""
    row = {**doc, **option_columns(ANSWERS, doc["choices"], results)}
    return record(ENTAILMENT, row, not_defined=["accuracy_S-NI"])  # of six adjectives
