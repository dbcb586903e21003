"""How literal does a language model say that a compound is, and do people say so too?"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from harness_ext.arrays import Floats, Integers, Names
from harness_ext.framework.items import Items, Table, column
from harness_ext.framework.measure import Measure
from harness_ext.framework.scores import Place, Scores, correlation, count, like
from harness_ext.framework.wording import Consequences, Wording
from harness_ext.language_models.document_measure import not_asked
from harness_ext.statistics.statistic import (
    Statistic,
    partial_spearman_of_units,
    spearman_of_rows,
    spearman_of_units,
)

LOWEST, HIGHEST = 0, 5
"""The scale that people were given too: 0 idiomatic to 5 compositional."""

_THOUGHTS = re.compile(r".*</think>", re.DOTALL)
_SCALE = re.compile(
    r"\b(?:0|zero)\s*(?:-|–|—|to|and|through|a|e|até)\s*(?:5|five|cinco)\b"  # the scale said again: 0 to 5
    r"|(?:/|\b(?:out\s+of|em|de))\s*(?:5|five|cinco)(?![.,]?\d)",  # its end: 4/5, 4 out of 5, 4 de 5
    re.IGNORECASE,
)
_WORDS = ("zero|zero", "one|um", "two|dois", "three|três", "four|quatro", "five|cinco")
_NUMBER = re.compile(rf"(?P<digits>-?\d+(?:[.,]\d+)?)|\b(?P<word>{'|'.join(_WORDS)})\b", re.IGNORECASE)


def parse_rating(answer: str) -> float | None:
    """The rating that an answer gives: its first number, in digits or an English or Portuguese word.

    What stands before `</think>` and mentions of the scale itself are passed over.

    Returns:
        A number in [0, 5]; None if there is no number, or the first is not on the scale.

    Examples:
        >>> [parse_rating(answer) for answer in ("4", " **3,5**/5.", "On a scale from 0 to 5: two", "7", "lol")]
        [4.0, 3.5, 2.0, None, None]
    """
    match = _NUMBER.search(_SCALE.sub(" ", _THOUGHTS.sub("", answer)))
    if not match:
        return None
    if match["digits"]:
        rating = float(match["digits"].replace(",", "."))
    else:
        rating = next(value for value, words in enumerate(_WORDS) if match["word"].lower() in words.split("|"))
    return float(rating) if LOWEST <= rating <= HIGHEST else None


@dataclass(frozen=True)
class RatingDocuments(Table):
    """One row per sentence."""

    id: Names = column("Id of the document: the dataset's row.")
    compound: Names = column("The compound.")
    class_: Names = column("C, PC or NC by the experts; empty where there is none.")
    rating: Floats = column("The model's rating, 0 idiomatic to 5 literal; NaN for no such answer.")
    token_score: Floats = column("People's score of the compound in this sentence, 0 to 5.")
    letters: Integers = column("Letters of the compound.")
    type_score: Floats = column("People's score of the compound, 0 to 5; NaN where there is none.")
    n_excluded_unscored: Integers = column("Rows of the dataset without a score; in each document.")


@dataclass(frozen=True)
class RatingItems(Items):
    """The documents."""

    documents: RatingDocuments


def _type_spearman(items: RatingItems, _: Place) -> Statistic:
    return spearman_of_units(items.documents.compound, items.documents.rating, items.documents.type_score)


def _token_spearman(items: RatingItems, _: Place) -> Statistic:
    return spearman_of_rows(items.documents.compound, items.documents.rating, items.documents.token_score)


def _type_given_length(items: RatingItems, _: Place) -> Statistic:
    documents = items.documents
    return partial_spearman_of_units(documents.compound, documents.rating, documents.type_score, documents.letters)


@dataclass(frozen=True)
class RatingScores(Scores):
    """The scores of ratings."""

    type_spearman: float = correlation(
        "ratings and people's scores of compounds",
        "Spearman's ρ over compounds of the mean rating and the type score",
        direction="higher",
        source="this project, after NCTTI",
        interval=True,
        statistic=_type_spearman,
    )
    token_spearman: float = correlation(
        "ratings and people's scores of compounds in sentences",
        "Spearman's ρ over sentences of the rating and the token score; resampled are compounds",
        direction="higher",
        source="this project, after NCTTI",
        statistic=_token_spearman,
    )
    type_spearman_given_length: float = like(
        type_spearman,
        "ratings and people's scores of compounds of one length",
        "partial Spearman's ρ over compounds of the mean rating and the type score, given the letters of the compound",
        statistic=_type_given_length,
    )
    n_unparsable: int = count(
        "answers without a rating",
        "no number, or none from 0 to 5",
        direction="lower",
        value=lambda items, _: np.isnan(items.documents.rating).sum(),
    )
    n_excluded_unscored: int = not_asked("unscored", "rows without a score")


_WORDING = Wording(
    question="Asked how literal a compound is, does the language model answer as people do?",
    score="Its order of the compounds agrees with people's at a rank correlation of {value}.",
    chance=Consequences(
        "A random order",
        above="The model's answers about compounds follow people's answers. The figure says how closely.",
        below="The order is upside down: the model rates idioms higher than literal compounds.",
    ),
    right=(
        "The more literal people find a compound (0 to 5), the higher its rating should be. A difference of ranks of 1"
        " goes from one end of all compounds to the other."
    ),
)

RATING = Measure(
    name="rating",
    version=2,
    main="type_spearman",
    unit="compound",
    items=RatingItems,
    scores=RatingScores,
    own_words=False,
    wording=_WORDING,
)
