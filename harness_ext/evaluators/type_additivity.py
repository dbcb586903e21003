"""Type additivity: is a compound the sum of its words to the degree that people say, and which word does it follow?

Qi et al. 2019: *Modeling Semantic Compositionality with Sememe Knowledge*, ACL (Chinese compounds); Aedmaa 2017,
ESSLLI Student Session (Estonian particle verbs).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NotRequired, TypedDict

import numpy as np
import scipy

from harness_ext.arrays import Floats, Integers, Names, Texts
from harness_ext.framework.items import Items, Table, column, cosine, text
from harness_ext.framework.measure import Measure, Rows
from harness_ext.framework.scores import Place, Scores, correlation, count, like, proportion, zero_vectors
from harness_ext.framework.texts import Sum
from harness_ext.framework.wording import Consequences, Wording
from harness_ext.statistics.distance import nearer
from harness_ext.statistics.statistic import (
    Statistic,
    average,
    mean,
    of_units,
    partial_spearman_of_units,
    spearman_of_units,
    unit_means,
)
from harness_ext.statistics.threshold import levels


class RatedRow(TypedDict):
    """What a row must have: a compound, its words, and people's ratings; of its words where there are some.

    `name` is what results call the compound, if not by itself.
    """

    expression: str
    name: NotRequired[str]
    parts: list[str]
    rating: float
    modifier_rating: float | None
    head_rating: float | None


class RatedPartsRow(TypedDict):
    """What a row must have where people rated the words too."""

    expression: str
    name: NotRequired[str]
    parts: list[str]
    rating: float
    modifier_rating: float
    head_rating: float


@dataclass(frozen=True)
class RatedCompounds(Table):
    """One row per compound. Scores need the order of people's ratings alone, so the ratings stay with the data."""

    compound: Names = column("The compound, or its id where its data has no licence.")
    length: Integers = column("Characters of it.")
    rating: Floats = column("Place of people's degree of compositionality among all ratings, equal ones alike, from 1.")
    modifier_rating: Floats = column("The same of its first word; NaN where nobody was asked.")
    head_rating: Floats = column("The same of its last word.")
    whole: Texts = text("The compound.")
    words: Texts = text("The sum of its words.")
    modifier: Texts = text("Its first word.")
    head: Texts = text("Its last word.")
    similarity: Floats = cosine("Cosine of the compound and the sum of its words.", "whole", "words")
    modifier_similarity: Floats = cosine("Cosine of the compound and its first word.", "whole", "modifier")
    head_similarity: Floats = cosine("Cosine of the compound and its last word.", "whole", "head")

    @property
    def follows_higher(self) -> Floats:
        """1 where the word is nearer that people rate higher, 0 where the other is, ½ for a tie, shape (n,).

        NaN where people rate both alike, and for a zero vector.
        """
        head, modifier = 1 - self.head_similarity, 1 - self.modifier_similarity
        head_nearer = nearer(head, modifier)
        higher = np.sign(self.head_rating - self.modifier_rating)
        follows: Floats = np.where(higher == 0, np.nan, np.where(higher > 0, head_nearer, 1 - head_nearer))
        return np.where(np.isnan(higher) | np.isnan(head + modifier), np.nan, follows)


@dataclass(frozen=True)
class RatedItems(Items):
    """The compounds."""

    compounds: RatedCompounds


def _ranked(cosines: Floats) -> Floats:
    """Number cosines from the least, equal ones alike: to a model that lacks a script many words are the same text."""
    known = ~np.isnan(cosines)
    ranked = np.full(len(cosines), np.nan)
    ranked[known] = levels(cosines[known])
    return ranked


def _additivity(items: RatedItems, _: Place) -> Statistic:
    rows = items.compounds
    return spearman_of_units(rows.compound, _ranked(rows.similarity), rows.rating)


def _additivity_given_length(items: RatedItems, _: Place) -> Statistic:
    rows = items.compounds
    return partial_spearman_of_units(rows.compound, _ranked(rows.similarity), rows.rating, rows.length)


def _follows(items: RatedItems, _: Place) -> Statistic:
    return mean(items.compounds.compound, items.compounds.follows_higher)


def _follows_balanced(items: RatedItems, _: Place) -> Statistic:
    rows = items.compounds
    names, follows, more = unit_means(rows.compound, rows.follows_higher, rows.head_rating - rows.modifier_rating)

    def of_both(head: Floats, modifier: Floats, times: Floats, times_modifier: Floats) -> Floats:
        balanced: Floats = (average(head, times) + average(modifier, times_modifier)) / 2
        return balanced

    return of_units(of_both, names, follows, groups=(more > 0, more < 0))


def _of_part(part: str) -> Callable[[RatedItems, Place], Statistic]:
    def statistic(items: RatedItems, _: Place) -> Statistic:
        rows = items.compounds
        cosines, ratings = (getattr(rows, f"{part}_{name}") for name in ("similarity", "rating"))
        return spearman_of_units(rows.compound, _ranked(cosines), ratings)

    return statistic


_ZERO_VECTORS = zero_vectors(
    "compounds", lambda items: items.compounds.similarity + items.compounds.modifier_similarity
)


@dataclass(frozen=True)
class TypeAdditivityScores(Scores):
    """The scores of additivity."""

    additivity_spearman: float = correlation(
        "agreement of additivity with people's degree of compositionality",
        "Spearman's ρ over compounds of cos(E(compound), sum of E(word) over its words) with people's mean rating",
        direction="higher",
        interval=True,
        statistic=_additivity,
    )
    additivity_spearman_given_length: float = like(
        additivity_spearman,
        "the same, given the compound's length",
        "partial Spearman's ρ, given the number of characters of the compound",
        statistic=_additivity_given_length,
    )
    n_excluded_zero_vector: int = _ZERO_VECTORS


@dataclass(frozen=True)
class HeadOrModifierScores(Scores):
    """The scores of head and modifier."""

    follows_head: float = proportion(
        "how often a compound is nearer to the word that people find more of its meaning in",
        "share of the compounds whose nearer word people rate higher, ties ½; without those with equal ratings",
        direction="higher",
        chance=0.5,
        interval=True,
        statistic=_follows,
    )
    follows_head_balanced: float = like(
        follows_head,
        "the same, heads and modifiers counted alike",
        "mean of the share where people rate the head higher and that where they rate the modifier higher: ½ for an "
        "encoder to which always the same one is nearer",
        statistic=_follows_balanced,
    )
    modifier_spearman: float = correlation(
        "agreement on modifiers",
        "Spearman's ρ of cos(E(compound), E(modifier)) with people's mean rating of the modifier",
        direction="higher",
        interval=True,
        statistic=_of_part("modifier"),
    )
    head_spearman: float = like(
        modifier_spearman, "agreement on heads", "the same of the head", statistic=_of_part("head")
    )
    n_excluded_equal: int = count(
        "compounds without a right answer",
        "compounds whose words people rate alike",
        value=lambda items, _: (items.compounds.head_rating == items.compounds.modifier_rating).sum(),
    )
    n_excluded_zero_vector: int = _ZERO_VECTORS


def rated_plan(rows: Rows, _: str = "") -> RatedItems:
    """Compare each compound with its words and with their sum; rows are `RatedRow`s."""
    ratings = [[row[name] for name in ("rating", "modifier_rating", "head_rating")] for row in rows]
    known = np.array(ratings, dtype=np.float64)  # None becomes NaN
    places = scipy.stats.rankdata(known, "dense", axis=None, nan_policy="omit").reshape(known.shape)
    table = (
        (
            row.get("name", row["expression"]),
            len(row["expression"]),
            *of_row,
            row["expression"],
            Sum(tuple(row["parts"])),
            row["parts"][0],
            row["parts"][-1],
        )
        for row, of_row in zip(rows, places.tolist(), strict=True)
    )
    return RatedItems(RatedCompounds.of_rows(table))


TYPE_ADDITIVITY = Measure(
    name="type_additivity",
    version=2,
    question="Is a compound as near to the sum of its words as people say that it means them?",
    needs=RatedRow,
    plan=rated_plan,
    main="additivity_spearman",
    controlled="additivity_spearman_given_length",
    unit="compound",
    items=RatedItems,
    scores=TypeAdditivityScores,
    own_words=False,  # it compares with the sum of words itself
    wording=Wording(
        question="Does the model see which compounds mean what their words mean?",
        score="The nearer a compound is to the sum of its words, the more people find their meaning in it: {value}.",
        chance=Consequences(
            "A random order",
            above="Compounds that mean what their words mean look more like the sum of their words to this model.",
            below="The order is upside down: idiomatic compounds look more like the sum of their words to this model.",
        ),
        right="The more people find a compound's words in its meaning, the nearer it should be to their sum.",
    ),
    examples=(
        {"expression": "black box", "parts": "black; box", "rating": "1.2"},
        {"expression": "tea cup", "parts": "tea; cup", "rating": "4.7"},
    ),
)

HEAD_OR_MODIFIER = Measure(
    name="head_or_modifier",
    version=2,
    question="Is a compound nearer to the word in which people find more of its meaning?",
    needs=RatedPartsRow,
    plan=rated_plan,
    main="follows_head",
    controlled="follows_head_balanced",
    unit="compound",
    items=RatedItems,
    scores=HeadOrModifierScores,
    wording=Wording(
        question="Which of its two words does a compound's vector follow?",
        score="In {value} of the compounds, the word is nearer that people find more of the meaning in.",
        chance=Consequences(
            "Tossing a coin",
            above="More often than not, a compound's vector follows the word that carries its meaning.",
            below="More often than not, a compound's vector follows the word that carries less of its meaning.",
        ),
        right="The word that people rate higher should be nearer to the compound.",
    ),
    examples=(
        {
            "expression": "sea horse",
            "parts": "sea; horse",
            "rating": "2.5",
            "modifier_rating": "4.1",
            "head_rating": "0.9",
        },
        {
            "expression": "sugar cane",
            "parts": "sugar; cane",
            "rating": "4.3",
            "modifier_rating": "3.9",
            "head_rating": "4.5",
        },
    ),
)
