"""modifier_entailment: is a fake wall a wall? For every adjective and noun of the vocabulary of MONT."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

from harness_ext.data.card import dataset_folder
from harness_ext.datasets_scripts.modifier_phrases.modifier_phrases import NOUN_TYPE, Word, read_vocabulary
from harness_ext.measures.language_models.document_task import Document, DocumentTask
from harness_ext.measures.language_models.entailment import ANSWERS, ENTAILMENT, EXPECTED

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


class ModifierEntailment(DocumentTask):
    """A document per `adjective noun` and wording; ambiguous adjectives (*old*) are not asked about."""

    measure = ENTAILMENT
    options = ANSWERS

    def documents(self, small: bool = False) -> Iterator[list[Document] | str]:
        """Ask about all nouns in all wordings; about `SMALL_NOUNS` nouns, in the first wording, if `small`."""
        # not from the dataset, of which these phrases are a sixtieth
        words = read_vocabulary(dataset_folder("modifier_phrases") / "vocabulary.csv")
        adjectives = [word for word in words if word.type in EXPECTED]
        nouns = [word.word for word in words if word.type == NOUN_TYPE]
        for adjective, noun in product(adjectives, nouns[:SMALL_NOUNS] if small else nouns):
            questions = list(_questions(adjective, noun))
            yield questions[:1] if small else questions

    def not_defined(self, **_: Any) -> list[str]:
        """The accuracy of a type with six adjectives, which are too few."""
        return ["accuracy_S-NI"]


def _questions(adjective: Word, noun: str) -> Iterator[Document]:
    phrase = f"{adjective.word} {noun}"
    for wording, (template, frame, answers) in enumerate(TEMPLATES, start=1):
        yield {
            "id": f"{phrase}-template{wording}",
            "dataset": "modifier_phrases/corrected",
            "adjective": adjective.word,
            "noun": noun,
            "type": adjective.type,
            "template": wording,
            "prompt": template.format(phrase=_with_article(phrase), noun=_with_article(noun)),
            "frame": frame.format(noun=_with_article(noun)),
            "choices": list(answers),
            "gold": ANSWERS.index(EXPECTED[adjective.type]),
        }


def _with_article(phrase: str) -> str:
    return f"an {phrase}" if phrase[0] in "aeiou" else f"a {phrase}"  # right for all words of the vocabulary
