"""Idiom paraphrase on IMPLI, on SemEval-2022 task 2B, and on 60 idioms written for this project."""

from __future__ import annotations

from dataclasses import replace

from harness_ext.evaluators.idiom_paraphrase import EXPRESSION_PARAPHRASE, IDIOM_PARAPHRASE
from harness_ext.framework.wording import Consequences, Wording
from harness_ext.tasks.task import ENGLISH, NOUN_COMPOUNDS, VERBAL_IDIOMS, Task, cite, languages_of


def _wording(figure: str, other: str) -> Wording:
    """Say what the rewrite is that does not follow.

    Args:
        figure: What the sentences have.
        other: The other rewrite.
    """
    return replace(
        IDIOM_PARAPHRASE.wording,
        question=f"Is a sentence with {figure} nearer to its meaning than to {other}?",
        chance=Consequences(
            "Tossing a coin",
            above=f"More often than not, the meaning of {figure} is nearer than {other}.",
            below=f"More often than not, {other} is nearer than the meaning of {figure}.",
        ),
    )


_IDIOM_PARAPHRASE = Task(
    name="IdiomParaphrase",
    harness="mteb",
    measure=IDIOM_PARAPHRASE,
    construct=VERBAL_IDIOMS,
    description="Is a sentence with a verbal idiom nearer to a rewrite that follows from it than to its literal "
    "reading, to an antonym, or, for metaphors, to another literal use? The semi-automatic pairs are the splits "
    "magpie, pie and semeval.",
    dataset={"path": "impli", "name": "impli", "revision": "d43c272c895c773b311018d51ab65f592c6699bb"},
    languages=ENGLISH,
    splits=("idioms", "antonyms", "metaphors"),
    configs=("impli",),
    wordings={
        "idioms": _wording("a verbal idiom", "its literal reading"),
        "antonyms": _wording("a verbal idiom", "the opposite of its meaning"),
        "metaphors": _wording("a metaphor", "another use of its words"),
    },
    about={
        "reference": "https://aclanthology.org/2022.acl-long.369",
        "date": ("2013-01-01", "2022-05-31"),
        "domains": ["Written"],
        "license": "apache-2.0",
        "annotations_creators": "expert-annotated",
        "sample_creation": "created",
        "bibtex_citation": cite("stowe-etal-2022-impli"),
    },
)

_COMPOUND_PARAPHRASE = Task(
    name="CompoundParaphrase",
    harness="mteb",
    measure=EXPRESSION_PARAPHRASE,
    construct=NOUN_COMPOUNDS,
    description="Is a sentence with a noun compound nearer to the sentence with a paraphrase of the compound than to "
    "the one with its words replaced one by one? The training data of SemEval-2022 task 2B.",
    dataset={"path": "semeval_2022_idioms", "revision": "872625c8f9c5d656b7866ff063a2ab0238ac4c80"},
    languages=languages_of("semeval_2022_idioms"),
    splits=("train",),
    about={
        "reference": "https://aclanthology.org/2022.semeval-1.13",
        "date": ("2020-01-01", "2022-01-31"),
        "domains": ["News", "Written"],
        "license": "gpl-3.0",
        "annotations_creators": "expert-annotated",
        "sample_creation": "found",
        "bibtex_citation": cite("tayyar-madabushi-etal-2022-semeval"),
    },
)

TASKS = (
    _IDIOM_PARAPHRASE,
    _IDIOM_PARAPHRASE.on_own_data(splits=("idioms", "antonyms")),
    _COMPOUND_PARAPHRASE,
)
