"""Particle swap: does a similarity fall where case particles change places, and not where only phrases do?

Yanaka and Mineshima 2022: *Compositional Evaluation on Japanese Textual Entailment and Similarity*, TACL 10.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypedDict

import numpy as np

from harness_ext.arrays import Floats, Names, Texts
from harness_ext.framework.items import Items, Table, column, cosine, text
from harness_ext.framework.measure import Measure, Rows
from harness_ext.framework.scores import Axis, Place, Scores, correlation, declared, like, proportion, zero_vectors
from harness_ext.framework.wording import Consequences, Wording
from harness_ext.statistics.distance import nearer
from harness_ext.statistics.statistic import Statistic, mean, mean_of_rows, spearman_of_rows
from harness_ext.statistics.threshold import probability_nearer

KIND = Axis(
    "kind",
    {
        "swap": "two case particles change places: who did what to whom changes",
        "scrambling": "phrases change places with their particles: the meaning stays",
        "deletion": "case particles are deleted",
    },
)


class StressRow(TypedDict):
    """What a row must have: a sentence, the same changed, another sentence, and people's ratings of both pairs."""

    id: str
    pair: str
    particle: str
    kind: Literal["swap", "scrambling", "deletion"]
    original: str
    changed: str
    other: str
    original_rating: float
    changed_rating: float


@dataclass(frozen=True)
class ChangedPairs(Table):
    """One row per pair of sentences of which one was changed."""

    row: Names = column("Id of the dataset's row.")
    pair: Names = column("The pair of sentences that was changed; what is resampled.")
    particle: Names = column("Which particle was changed.")
    kind: Names = column("swap, scrambling or deletion.")
    people: Floats = column("By how much people's mean relatedness of 1 to 5 rose.")
    original: Texts = text("The sentence.")
    changed: Texts = text("The same, changed.")
    other: Texts = text("The other sentence of the pair.")
    original_similarity: Floats = cosine("Cosine of the sentence and the other one.", "original", "other")
    changed_similarity: Floats = cosine("Cosine of the changed sentence and the other one.", "changed", "other")

    @property
    def rise(self) -> Floats:
        """By how much the cosine rises, in [-2, 2], shape (n,)."""
        rise: Floats = self.changed_similarity - self.original_similarity
        return rise


@dataclass(frozen=True)
class ChangedItems(Items):
    """The pairs."""

    pairs: ChangedPairs


def _share(items: ChangedItems, _: Place) -> Statistic:
    """Of the swaps beside the scrambling of the same particle in the same pair."""
    pairs = items.pairs
    places = {key: place for place, key in enumerate(zip(pairs.pair, pairs.particle, pairs.kind, strict=True))}
    both = [
        (place, places[pair, particle, "scrambling"])
        for (pair, particle, kind), place in places.items()
        if kind == "swap" and (pair, particle, "scrambling") in places
    ]
    swapped, scrambled = np.array(both, dtype=np.intp).reshape(-1, 2).T
    distances = 1 - pairs.changed_similarity  # those of one pair before are the same
    swap, scrambling = distances[swapped], distances[scrambled]
    return mean(pairs.pair[swapped], nearer(scrambling, swap))


def _auc(items: ChangedItems, _: Place) -> Statistic:
    pairs = items.pairs
    kinds = (pairs.kind == kind for kind in ("scrambling", "swap"))
    return probability_nearer(pairs.pair, pairs.rise / 2, *kinds)


def _spearman(items: ChangedItems, place: Place) -> Statistic:
    pairs = items.pairs.at(place)
    return spearman_of_rows(pairs.pair, pairs.rise, pairs.people)


def _mean_rise(items: ChangedItems, place: Place) -> Statistic:
    pairs = items.pairs.at(place)
    names, unit = np.unique(pairs.pair, return_inverse=True)
    return mean_of_rows(names, unit, pairs.rise)


@dataclass(frozen=True)
class ParticleSwapScores(Scores):
    """The scores; two are arrays over `KIND`."""

    share_swap_falls: float = proportion(
        "how often exchanged particles make less similar than scrambled phrases",
        "share of the swaps after which the cosine with the other sentence is lower than after the scrambling of the "
        "same pair and particle, ties ½; only where the data has both",
        direction="higher",
        chance=0.5,
        source="this project, on pairs of Yanaka and Mineshima 2022",
        interval=True,
        statistic=_share,
    )
    swap_auc: float = like(
        share_swap_falls,
        "the same over all pairs",
        "P(the cosine falls more in a swap than in a scrambling), ties ½, over all rows of both kinds",
        statistic=_auc,
    )
    spearman_by_kind: Floats = correlation(
        "agreement with people on the change",
        "Spearman's ρ of the rise of the cosine with the rise of people's relatedness, over the rows of a kind",
        direction="higher",
        source="this project, on pairs of Yanaka and Mineshima 2022",
        interval=True,
        key="{kind}_spearman",
        axes=(KIND,),
        statistic=_spearman,
    )
    rise_by_kind: Floats = declared(
        "the rise of the cosine",
        "mean of cos(changed, other) − cos(original, other) over the rows of a kind",
        range=(-2, 2),
        key="{kind}_rise",
        axes=(KIND,),
        interval=True,
        statistic=_mean_rise,
    )
    n_excluded_zero_vector: int = zero_vectors("pairs", lambda items: items.pairs.rise)


def particle_plan(rows: Rows, _: str = "") -> ChangedItems:
    """Compare the other sentence of each pair with the one that was changed, before and after."""
    table = (
        (
            *(row[name] for name in ("id", "pair", "particle", "kind")),
            round(row["changed_rating"] - row["original_rating"], 9),  # 4.0 - 3.7 and 3.3 - 3.0 are equal
            *(row[name] for name in ("original", "changed", "other")),
        )
        for row in rows
    )
    return ChangedItems(ChangedPairs.of_rows(table))


_EXAMPLE = {"pair": "dog and cat", "particle": "が", "original": "犬が猫を追いかけている。",
            "other": "犬が猫の後ろを走っている。", "original_rating": "4.5"}  # fmt: skip

PARTICLE_SWAP = Measure(
    name="particle_swap",
    version=2,
    question="Does similarity fall where case particles are exchanged, rather than where phrases are scrambled?",
    needs=StressRow,
    plan=particle_plan,
    main="share_swap_falls",
    unit="pair",
    items=ChangedItems,
    scores=ParticleSwapScores,
    wording=Wording(
        question="Japanese says by particles who does what to whom. Does the model read them, or the order of words?",
        score="In {value} of the pairs, exchanged particles lower the similarity more than scrambled phrases do.",
        chance=Consequences(
            "Tossing a coin",
            above="More often than not, exchanged particles, which change who does what, disturb the model more.",
            below="More often than not, scrambling, which changes no roles, disturbs the model more.",
        ),
        right="Exchanged particles should make a sentence less similar to the other than scrambling does.",
    ),
    examples=(
        {**_EXAMPLE, "kind": "swap", "changed": "犬を猫が追いかけている。", "changed_rating": "2.1"},
        {**_EXAMPLE, "kind": "scrambling", "changed": "猫を犬が追いかけている。", "changed_rating": "4.4"},
    ),
)
