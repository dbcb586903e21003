"""Merge: at the threshold that keeps paraphrases together, how many opposites are told apart?

Semantic caches, deduplication and memories of agents take two texts for one if their cosine reaches a threshold. So
the threshold is set by pairs that mean the same, and tested on pairs in nearly the same words that do not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from harness_ext.arrays import Flags, Floats, Names, Texts
from harness_ext.data.rows import MergeRow
from harness_ext.framework.items import Items, Table, column, cosine, text
from harness_ext.framework.measure import FEWEST_UNITS, Measure
from harness_ext.framework.scores import Axis, Place, Scores, count, declared, proportion, zero_vectors
from harness_ext.framework.wording import Consequences, Wording
from harness_ext.statistics.statistic import Statistic
from harness_ext.statistics.threshold import probability_nearer, share_below, threshold

SAME = "same"
"""The kind of the pairs that mean the same; all other kinds do not."""

KIND = Axis(
    "kind",
    {
        "negation": "one sentence denies the other",
        "antonym": "a word is replaced by its opposite",
        "roles": "who does and who undergoes change places",
        "attributes": "two things exchange what is said of them",
        "number": "another number, date or amount",
        "entity": "another person, place or thing",
        "direction": "from … to … the other way round",
        "order": "before and after change places",
        "swap_obj": "two things of a caption are swapped",
        "swap_att": "two attributes of a caption are swapped",
        "replace_att": "an attribute of a caption is replaced",
        "replace_rel": "a relation of a caption is replaced",
        "replace_obj": "a thing of a caption is replaced",
    },
)


@dataclass(frozen=True)
class MergePairs(Table):
    """One row per pair of texts."""

    row: Names = column("Id of the dataset's row.")
    source: Names = column("What the pair was made from; pairs of one source are resampled together.")
    kind: Names = column("same, or the kind of opposite.")
    first: Texts = text("A text.")
    second: Texts = text("Another one, which means the same or does not.")
    similarity: Floats = cosine("Cosine of the two texts, in [-1, 1]; none for a zero vector.", "first", "second")

    @property
    def is_same(self) -> Flags:
        """Whether the texts of each pair mean the same, shape (n,)."""
        same: Flags = self.kind == SAME
        return same


@dataclass(frozen=True)
class RepeatedPairs(Table):
    """One row per pair that is left out because an earlier row has the same texts and kind."""

    row: Names = column("Id of the dataset's row.")


@dataclass(frozen=True)
class MergeItems(Items):
    """The distinct pairs, and the rows that repeat one."""

    pairs: MergePairs
    repeated: RepeatedPairs


def _kept_apart(percent: int) -> Callable[[MergeItems, Place], Statistic]:
    def statistic(items: MergeItems, place: Place) -> Statistic:
        pairs = items.pairs
        opposite = pairs.kind == place["kind"] if "kind" in place else ~pairs.is_same
        share: Any = share_below(percent, pairs.source, pairs.similarity, pairs.is_same, opposite, FEWEST_UNITS)
        statistic_of_share: Statistic = share
        return statistic_of_share

    return statistic


def _auc(items: MergeItems, _: Place) -> Statistic:
    pairs = items.pairs
    return probability_nearer(pairs.source, pairs.similarity, pairs.is_same, ~pairs.is_same)


def _threshold(percent: int) -> Callable[[MergeItems, Place], Statistic]:
    def statistic(items: MergeItems, _: Place) -> Statistic:
        same = items.pairs[items.pairs.is_same]
        return threshold(percent, same.source, same.similarity)

    return statistic


def _apart_score(percent: int, key: str = "", **about: Any) -> Any:
    return proportion(
        f"how many opposites are kept apart at the threshold that keeps {percent} % of the paraphrases together",
        f"share of the opposite pairs{' of the kind' if key else ''} with cos < θ; θ is the greatest cosine that at "
        f"least {percent} % of the pairs that mean the same reach: the ⌊{(100 - percent) / 100:g} n⌋-th smallest, "
        "from 0",
        direction="higher",
        chance=(100 - percent) / 100,
        interval=True,
        statistic=_kept_apart(percent),
        key=key,
        **about,
    )


def _threshold_score(percent: int) -> Any:
    return declared(
        f"the threshold that keeps {percent} % of the paraphrases together",
        f"the ⌊{(100 - percent) / 100:g} n⌋-th smallest cosine, from 0, of the n pairs that mean the same",
        range=(-1, 1),
        interval=True,
        statistic=_threshold(percent),
    )


@dataclass(frozen=True)
class MergeScores(Scores):
    """The scores; one is an array over `KIND`."""

    kept_apart_90: float = _apart_score(90)
    kept_apart_80: float = _apart_score(80)
    kept_apart_95: float = _apart_score(95)
    kept_apart_90_by_kind: Floats = _apart_score(90, "kept_apart_90_{kind}", axes=(KIND,))
    merge_auc: float = proportion(
        "how often a paraphrase is nearer than an opposite",
        "P(cos of a pair that means the same > cos of an opposite pair), ties ½, over all pairs of pairs",
        direction="higher",
        chance=0.5,
        interval=True,
        statistic=_auc,
    )
    threshold_80: float = _threshold_score(80)
    threshold_90: float = _threshold_score(90)
    threshold_95: float = _threshold_score(95)
    n_excluded_repeated: int = count(
        "repeated pairs",
        "pairs that are left out because an earlier row has them",
        value=lambda items, _: len(items.repeated),
    )
    n_excluded_zero_vector: int = zero_vectors("pairs", lambda items: items.pairs.similarity)


def merge_plan(rows: Iterable[dict[str, Any]], _: str = "") -> MergeItems:
    """Compare the texts of each distinct pair; rows are `MergeRow`s."""
    pairs: dict[tuple[str, str, str], tuple[str, ...]] = {}
    repeated: list[tuple[str]] = []
    for row in rows:
        pair = row["kind"], row["first"], row["second"]
        if pair in pairs:
            repeated.append((row["id"],))
        else:
            pairs[pair] = (row["id"], row["source"], *pair)
    return MergeItems(MergePairs.of_rows(pairs.values()), RepeatedPairs.of_rows(repeated))


_WORDING = Wording(
    question="At the threshold that keeps paraphrases together, are opposites kept apart?",
    score="At the threshold that keeps 90 % of the paraphrases together, {value} of the opposites are kept apart.",
    chance=Consequences(
        "An encoder to which opposites look like paraphrases",
        above="The model tells some opposites from paraphrases. What is not kept apart is merged at this threshold.",
        below=(
            "The threshold that keeps 90 % of the paraphrases together keeps more than 90 % of the opposites together: "
            "do not merge texts by this model's cosine alone."
        ),
    ),
    right="Opposite texts should lie below the threshold, texts that mean the same should reach it.",
)

MERGE_OPPOSITES = Measure(
    name="merge_opposites",
    version=3,
    question="At the threshold that keeps paraphrases together, are opposites kept apart?",
    needs=MergeRow,
    plan=merge_plan,
    main="kept_apart_90",
    unit="source",
    items=MergeItems,
    scores=MergeScores,
    wording=_WORDING,
)
