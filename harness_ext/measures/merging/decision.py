"""The decision whether an encoder is safe to merge texts by, from items of `MERGE_OPPOSITES`."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from harness_ext.data.rows import SAME
from harness_ext.measures.merging.opposites import KIND, MERGE_OPPOSITES
from harness_ext.statistics.confidence_interval import confidence_interval, most_of_none
from harness_ext.statistics.paired_difference import difference, holm_adjusted
from harness_ext.statistics.statistic import Statistic, UnitStatistic
from harness_ext.statistics.threshold import levels, share_under

OPPOSITES = "opposites"
"""All kinds of opposites, beside `SAME` and each kind."""


class Share(NamedTuple):
    """The share of pairs that are merged, with its 95 % interval (NaN if there is none), over so many units."""

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
    """What a threshold does to paraphrases and opposites: one that is deployed, or that keeps 90 % of the paraphrases.

    Attributes:
        items: Of `MERGE_OPPOSITES`.
        at_most: The share of opposites that may be merged.
        deployed: The cosine from which texts are merged; None for the one that keeps 90 % of the paraphrases together.
    """

    items: Any
    at_most: float
    deployed: float | None = None

    @cached_property
    def threshold(self) -> float:
        """The cosine that is deployed, or the greatest that at least 90 % of the paraphrases reach."""
        return MERGE_OPPOSITES.statistic(self.items, "threshold_90").value() if self.deployed is None else self.deployed

    def kept_apart(self, kind: str = "") -> Statistic:
        """The share below the threshold: of the opposites of a kind, or of all, or of the pairs that are `same`."""
        if self.deployed is None and kind != SAME:
            return MERGE_OPPOSITES.statistic(self.items, f"{MERGE_OPPOSITES.main}{kind and '_'}{kind}")
        return MERGE_OPPOSITES.of_enough_units(self.share_under(self.threshold, kind))

    def share_under(self, cosine: float, kind: str = "") -> UnitStatistic:
        """The share below another threshold, as `kept_apart`."""
        pairs = self.items.pairs
        pairs = pairs[pairs.kind == kind if kind else ~pairs.is_same]
        return share_under(cosine, pairs.source, pairs.similarity)

    @cached_property
    def shares(self) -> Mapping[str, Share]:
        """`same`, opposites (of all kinds) and each kind -> what is merged. Kinds of too few pairs are left out.

        At the threshold that keeps 90 % of the paraphrases, their share has no interval.
        """
        shares = {}
        for kind in (SAME, "", *KIND.values):
            statistic = self.kept_apart(kind)
            ends = confidence_interval(statistic) if self.deployed is not None or kind != SAME else (math.nan, math.nan)
            shares[kind or OPPOSITES] = Share(1 - statistic.value(), 1 - ends[1], 1 - ends[0], len(statistic.units))
        return {kind: share for kind, share in shares.items() if not math.isnan(share.merged)}

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
        """Of how many sources the opposites must be for a model that merges none of them to be safe."""
        return bisect_left(range(10**9), True, 1, key=lambda n: most_of_none(n) <= self.at_most)

    @property
    def loss(self) -> float:
        """Opposites merged; at a deployed threshold less the paraphrases kept, else of a common share of these."""
        return self.merged - (self.shares[SAME].merged if self.deployed is not None else 0)

    def records(self) -> Iterator[dict[str, Any]]:
        """What is merged, as numbers: a record for the paraphrases (`same`), all opposites, and each kind of them."""
        for pairs, share in self.shares.items():
            safety = {"at_most": self.at_most, "safe": self.is_safe} if pairs == OPPOSITES else {}
            yield {"threshold": self.threshold, "pairs": pairs, **share._asdict(), **safety}

    def curve(self) -> Iterator[dict[str, Any]]:
        """Hit rate (paraphrases merged) and false merges (opposites merged) at thresholds in steps of .01.

        The last threshold is 1. The one that is deployed, or keeps 90 % of the paraphrases, is among them, marked.
        """
        lowest = math.floor(100 * np.nanmin(self.items.pairs.similarity))
        for cosine in sorted({*(step / 100 for step in range(lowest, 101)), self.threshold}):
            hits, merges = (1 - self.share_under(cosine, kind).value() for kind in (SAME, ""))
            shares = {"hit_rate": hits, "false_merges": merges}
            yield {"threshold": cosine, **shares, "deployed": cosine == self.threshold}

    @cached_property
    def higher(self) -> tuple[float, float, float]:
        """The way out: the least threshold that is safe, and what it costs.

        Returns:
            A cosine of a paraphrase, and the shares of opposites and of paraphrases with at least this cosine; NaN if
            even that of the nearest paraphrase is not safe.
        """
        pairs = self.items.pairs[~np.isnan(self.items.pairs.similarity)]
        level = levels(pairs.similarity)
        same, opposite = (np.sort(level[pairs.is_same == is_same]) for is_same in (True, False))
        # shares of either kind at or above each paraphrase
        kept = 1 - np.searchsorted(same, same) / len(same)
        merged = 1 - np.searchsorted(opposite, same) / len(opposite)
        cosines = [float(pairs.similarity[pairs.is_same & (level == one)].min()) for one in same]
        first = bisect_left(cosines, True, key=lambda cosine: self._most_merged(cosine) <= self.at_most)
        if first == len(cosines):
            return math.nan, math.nan, math.nan
        return cosines[first], float(merged[first]), float(kept[first])

    def _most_merged(self, cosine: float) -> float:
        """The upper end of the share of opposites that are merged at another threshold."""
        return 1 - confidence_interval(self.share_under(cosine))[0]


def ranked(decisions: Mapping[str, MergeDecision]) -> list[str]:
    """The models, the best first."""
    return sorted(decisions, key=lambda model: decisions[model].loss)


def paired_differences(decisions: Mapping[str, MergeDecision]) -> list[dict[str, Any]]:
    """The differences of every two models in what they merge, by Holm's correction over all of them.

    Args:
        decisions: Model -> its decision, on the same pairs and all at a deployed threshold or none.

    Returns:
        A record for each two models and sort of pairs: the better model `first`, the other `second`, `pairs`, the
        fields of `Difference` (first minus second), `adjusted_p_value`.
    """
    is_deployed = any(decision.deployed is not None for decision in decisions.values())
    records = [
        {"first": one, "second": other, "pairs": merged}
        # merged is 1 - kept apart
        | vars(difference(decisions[other].kept_apart(kind), decisions[one].kept_apart(kind)))
        for merged, kind in {OPPOSITES: "", **({SAME: SAME} if is_deployed else {})}.items()
        for one, other in combinations(ranked(decisions), 2)
    ]
    p_values = [record["p_value"] for record in records]
    adjusted = holm_adjusted([1.0 if math.isnan(p_value) else p_value for p_value in p_values])
    return [{**record, "adjusted_p_value": one} for record, one in zip(records, adjusted, strict=True)]
