"""The decision whether an encoder is safe to merge texts by, from items of `MERGE_OPPOSITES`."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from harness_ext.data.rows import SAME
from harness_ext.measures.merging.opposites import KIND, MERGE_OPPOSITES, PERCENT, OppositeItems
from harness_ext.statistics.confidence_interval import confidence_interval, most_of_none
from harness_ext.statistics.distance import at_most
from harness_ext.statistics.paired_difference import difference, holm_adjusted
from harness_ext.statistics.statistic import Statistic, UnitStatistic
from harness_ext.statistics.threshold import levels, share_under

OPPOSITES = "opposites"
"""All kinds of opposites, beside `SAME` and each kind."""


class Share(NamedTuple):
    """The share of pairs that are merged, with its 95 % interval (NaN if there is none), over so
    many units.
    """

    merged: float
    low: float
    high: float
    units: int

    @property
    def interval(self) -> tuple[float, float] | None:
        """The interval, if there is one."""
        return None if math.isnan(self.low) else (self.low, self.high)


@dataclass(frozen=True)
class MergeDecision:
    """What a threshold does to paraphrases and opposites: one that is deployed, or that keeps 90 %
    of new paraphrases.

    Attributes:
        items: Of `MERGE_OPPOSITES`.
        at_most: The share of opposites that may be merged.
        deployed: The number from which texts are merged; None for the one that keeps 90 % of new
            paraphrases together.
        of: What the number is, in words; empty where a text is merged or not, by a similarity of 1
            or 0.
        unit: The number where the items have a similarity of 1.
        costs: What it costs, such as `dimensions` -> how many; seconds are of this machine.
    """

    items: OppositeItems
    at_most: float
    deployed: float | None = None
    of: str = "cos"
    unit: float = 1.0
    costs: Mapping[str, float] = field(default_factory=dict)

    @cached_property
    def threshold(self) -> float:
        """The number that is deployed, or the greatest that at least 90 % of new paraphrases
        reach.
        """
        if self.deployed is not None:
            return self.deployed
        if not self.of:
            return 0.5
        threshold = MERGE_OPPOSITES.statistic(self.items, f"threshold_{PERCENT}")
        return self.unit * threshold.value()

    @property
    def n_paraphrases(self) -> int:
        """The paraphrases that decide the threshold."""
        return MERGE_OPPOSITES.n_same(self.items)

    @property
    def is_given(self) -> bool:
        """Whether what is merged is no matter of the paraphrases."""
        return self.deployed is not None or not self.of

    def kept_apart(self, kind: str = "", *, given: bool = False) -> Statistic:
        """The share that is not merged: of the opposites of a kind, or of all, or of the pairs that
        are `same`.

        Resamples keep a threshold that is `given`; else they find anew the one that keeps 90 %, if
        it is that.
        """
        if given or self.is_given or kind == SAME:
            return MERGE_OPPOSITES.of_enough_units(self.share_under(self.threshold, kind))
        if kind:
            statistic = MERGE_OPPOSITES.kept_apart_of_kind(self.items, kind)
        else:
            statistic = MERGE_OPPOSITES.kept_apart(self.items, str(PERCENT))
        return MERGE_OPPOSITES.of_enough_units(statistic)

    def share_under(self, threshold: float, kind: str = "") -> UnitStatistic:
        """The share below another threshold, as `kept_apart`."""
        pairs = self.items.pairs
        pairs = pairs[pairs.kind == kind if kind else ~pairs.is_same]
        return share_under(threshold / self.unit, pairs.source, pairs.similarity)

    def then(self, check: MergeDecision) -> MergeDecision:
        """This decision, if the check merges too: what the check keeps apart has a similarity of
        -1, of whatever.
        """
        pairs = self.items.pairs
        distance = np.maximum(1 - check.items.pairs.similarity, 0)
        greatest_distance = np.asarray(1 - check.threshold / check.unit)
        agrees = at_most(distance, greatest_distance)
        # NaN where one of them has none
        similarity = np.where(agrees == 0, -1, pairs.similarity + 0 * agrees)
        items = replace(self.items, pairs=replace(pairs, similarity=similarity))
        return replace(self, items=items, deployed=self.threshold, costs={})

    @cached_property
    def shares(self) -> Mapping[str, Share]:
        """`same`, opposites (of all kinds) and each kind -> what is merged. Kinds of too few pairs
        are left out.

        The interval of the paraphrases is that of new ones at this threshold. It would be the same
        if the threshold were given: the share of all paraphrases above one of n has the
        distribution of the interval of Clopper and Pearson.
        """
        shares: dict[str, Share] = {}
        for kind in dict.fromkeys((SAME, "", *KIND.values, *self.items.pairs.kind.tolist())):
            statistic = self.kept_apart(kind)
            low, high = confidence_interval(statistic)
            merged = 1 - statistic.value()
            if not math.isnan(merged):
                shares[kind or OPPOSITES] = Share(merged, 1 - high, 1 - low, len(statistic.units))
        return shares

    @property
    def merged(self) -> float:
        """The share of opposites that are merged."""
        return self.shares[OPPOSITES].merged

    @property
    def is_safe(self) -> bool:
        """Whether the upper end of its interval is at most `at_most`."""
        return self.shares[OPPOSITES].high <= self.at_most

    @property
    def sources(self) -> int:
        """Of how many sources the opposites are."""
        return len(np.unique(self.items.pairs.source[~self.items.pairs.is_same]))

    @property
    def fewest(self) -> int:
        """Of how many sources the opposites must be for a model that merges none of them to be
        safe.
        """
        return bisect_left(range(10**9), True, 1, key=lambda n: most_of_none(n) <= self.at_most)

    @property
    def loss(self) -> float:
        """Opposites merged; at a deployed threshold less the paraphrases kept, else of a common
        share of these.
        """
        return self.merged - (self.shares[SAME].merged if self.is_given else 0)

    def records(self) -> Iterator[dict[str, Any]]:
        """What is merged, as numbers: a record for the paraphrases (`same`), all opposites, and
        each kind of them.
        """
        for pairs, share in self.shares.items():
            safety = (
                {"at_most": self.at_most, "safe": self.is_safe, **self.costs}
                if pairs == OPPOSITES
                else {}
            )
            yield {
                "threshold": self.threshold if self.of else None,
                "pairs": pairs,
                **share._asdict(),
                **safety,
            }

    def curve(self) -> Iterator[dict[str, Any]]:
        """Hit rate (paraphrases merged) and false merges (opposites merged) at thresholds in steps
        of .01 units.

        The last threshold is 1 unit. The one that is deployed, or keeps 90 % of new paraphrases,
        is among them, marked.
        """
        lowest = math.floor(100 * np.nanmin(self.items.pairs.similarity))
        for cosine in sorted(
            {*(step / 100 * self.unit for step in range(lowest, 101)), self.threshold}
        ):
            hits, merges = (1 - self.share_under(cosine, kind).value() for kind in (SAME, ""))
            shares = {"hit_rate": hits, "false_merges": merges}
            yield {"threshold": cosine, **shares, "deployed": cosine == self.threshold}

    @cached_property
    def higher(self) -> tuple[float, float, float]:
        """The way out: the least threshold that is safe, and what it costs.

        Returns:
            The number of a paraphrase, and the shares of opposites and of paraphrases with at least
            this number; NaN if even that of the nearest paraphrase is not safe.
        """
        pairs = self.items.pairs[~np.isnan(self.items.pairs.similarity)]
        level = levels(pairs.similarity)
        same, opposite = (np.sort(level[pairs.is_same == is_same]) for is_same in (True, False))
        # shares of either kind at or above each paraphrase
        kept = 1 - np.searchsorted(same, same) / len(same)
        merged = 1 - np.searchsorted(opposite, same) / len(opposite)
        least = [
            self.unit * float(pairs.similarity[pairs.is_same & (level == one)].min())
            for one in same
        ]
        first = bisect_left(
            least, True, key=lambda threshold: self._most_merged(threshold) <= self.at_most
        )
        if first == len(least):
            return math.nan, math.nan, math.nan
        return least[first], float(merged[first]), float(kept[first])

    def _most_merged(self, threshold: float) -> float:
        """The upper end of the share of opposites that are merged at another threshold."""
        return 1 - confidence_interval(self.share_under(threshold))[0]


def ranked(decisions: Mapping[str, MergeDecision]) -> list[str]:
    """The models, the best first."""
    return sorted(decisions, key=lambda model: decisions[model].loss)


def paired_differences(
    decisions: Mapping[str, MergeDecision], couples: Iterable[tuple[str, str]] | None = None
) -> list[dict[str, Any]]:
    """The differences of two decisions in what they merge, by Holm's correction over all of them.

    Where one of the decisions has a threshold that is given, or none, resamples keep the thresholds
    of all. By default every two are compared, the better one first.

    Returns:
        A record for each two decisions and sort of pairs: `first`, `second`, `pairs`, the fields of
        `Difference` (first minus second), `adjusted_p_value`.
    """
    given = any(decision.is_given for decision in decisions.values())
    couples = [*(combinations(ranked(decisions), 2) if couples is None else couples)]
    records = [
        {"first": one, "second": other, "pairs": merged}
        # merged is 1 - kept apart
        | vars(
            difference(*(decisions[name].kept_apart(kind, given=given) for name in (other, one)))
        )
        for merged, kind in {OPPOSITES: "", **({SAME: SAME} if given else {})}.items()
        for one, other in couples
    ]
    p_values = [record["p_value"] for record in records]
    adjusted = holm_adjusted([1.0 if math.isnan(p_value) else p_value for p_value in p_values])
    return [
        {**record, "adjusted_p_value": one} for record, one in zip(records, adjusted, strict=True)
    ]
