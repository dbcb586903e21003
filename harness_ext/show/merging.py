"""Whether an encoder is safe to merge texts by: the verdict on items of the measure `merge_opposites`, in words."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from harness_ext.framework.same_vector import told
from harness_ext.framework.scores import interval_keys
from harness_ext.results.entry import Entry
from harness_ext.show.listing import Listing
from harness_ext.show.numbers import between, number, with_interval
from harness_ext.statistics.distance import NO_DISTANCE
from harness_ext.statistics.threshold import levels
from harness_ext.tasks.merge_opposites import KIND, MERGE_OPPOSITES

N_WORST = 10
"""How many pairs are shown."""

FEWEST_KEPT = 0.5
"""A threshold is worth naming if it keeps at least this share of the paraphrases together."""


@dataclass(frozen=True)
class MergeVerdict:
    """What a threshold that keeps 90 % of the paraphrases together does to opposites.

    Attributes:
        model: The model's name.
        items: Of `MERGE_OPPOSITES`.
        texts: Id of a row -> its two texts.
        at_most: The share of opposites that may be merged.
    """

    model: str
    items: Any
    texts: Mapping[str, tuple[str, str]]
    at_most: float

    @cached_property
    def scores(self) -> Mapping[str, float]:
        """The scores with their intervals."""
        return MERGE_OPPOSITES.flat_scores(self.items)

    @property
    def threshold(self) -> float:
        """The greatest cosine that at least 90 % of the paraphrases reach."""
        return self.scores["threshold_90"]

    @property
    def merged(self) -> float:
        """The share of opposites that reach it too."""
        return 1 - self.scores[MERGE_OPPOSITES.main]

    @property
    def is_safe(self) -> bool:
        """Whether that is at most `at_most`."""
        return self.merged <= self.at_most

    @cached_property
    def higher(self) -> tuple[float, float, float]:
        """The way out: the least threshold that merges few enough opposites, and what it costs.

        Returns:
            A cosine of a paraphrase, and the shares of opposites and of paraphrases with at least this cosine; NaN if
            even the nearest paraphrase is not nearer than enough opposites.
        """
        pairs = self.items.pairs[~np.isnan(self.items.pairs.similarity)]
        level = levels(pairs.similarity)
        same, opposite = (np.sort(level[pairs.is_same == is_same]) for is_same in (True, False))
        # shares of either kind at or above each paraphrase
        kept = 1 - np.searchsorted(same, same) / len(same)
        merged = 1 - np.searchsorted(opposite, same) / len(opposite)
        enough = np.flatnonzero(merged <= self.at_most + 1e-9)
        if not len(enough):
            return math.nan, math.nan, math.nan
        first = enough[0]
        cosine = float(pairs.similarity[pairs.is_same & (level == same[first])].min())
        return cosine, float(merged[first]), float(kept[first])

    def verdict(self) -> str:
        """Say it in a sentence."""
        interval = self._merged_interval(MERGE_OPPOSITES.main)
        within = f"95 % interval {_percent(interval[0])} to {_percent(interval[1])}"
        return (
            f"{self.model} keeps 90 % of paraphrases together at cos ≥ {number(self.threshold)} and merges "
            f"{_percent(self.merged)} of opposites ({'no interval' if math.isnan(interval[0]) else within}): "
            f"{'safe' if self.is_safe else 'not safe'} for caches, deduplication, memory "
            f"(at most {_percent(self.at_most)} allowed)."
        )

    def alike(self) -> str:
        """Say which pairs of different texts have one vector, which any threshold merges; empty if none."""
        pairs = self.items.pairs
        same = pairs.row[1 - pairs.similarity <= NO_DISTANCE].tolist()
        different = {self.texts[row] for row in same if len({*self.texts[row]}) == 2}
        return told(different) if different else ""

    def advice(self) -> str:
        """Say what to do."""
        if self.is_safe:
            return (
                f"Merge at cos ≥ {number(self.threshold)}. Check the threshold on pairs of your own: it is another one "
                "for other texts."
            )
        cosine, merged, kept = self.higher
        if kept >= FEWEST_KEPT:
            return (
                f"Raise the threshold: at cos ≥ {number(cosine)} it merges {_percent(merged)} of opposites and still "
                f"keeps {_percent(kept)} of paraphrases together."
            )
        left = (
            f" (at cos ≥ {number(cosine)}, which merges {_percent(merged)} of opposites, {_percent(kept)} of "
            "paraphrases are left)"
        )
        return (
            f"There is no threshold that merges at most {_percent(self.at_most)} of opposites and keeps even "
            f"{_percent(FEWEST_KEPT)} of paraphrases together{'' if math.isnan(cosine) else left}. Use the cosine only "
            "to find candidates, and compare the two texts themselves before they are merged: by a cross-encoder or an "
            "entailment model, or at least by their negations, numbers, names and directions. Or take another encoder."
        )

    def kinds(self) -> Listing:
        """By kind of opposite, the worst first: the share that is merged, and its interval."""
        main = MERGE_OPPOSITES.main
        merged = {kind: 1 - self.scores[f"{main}_{kind}"] for kind in KIND.values if f"{main}_{kind}" in self.scores}
        rows = []
        for kind in sorted(merged, key=merged.__getitem__, reverse=True):
            interval = self._merged_interval(f"{main}_{kind}")
            rows.append((kind, KIND.values[kind], number(merged[kind]), between(interval)))
        header = ("kind of opposite", "meaning", "merged", "95 % interval")
        return Listing(header, tuple(rows), title="Merged, by kind", labels=2, figures=2)

    def _merged_interval(self, key: str) -> tuple[float, float]:
        """The 95 % interval of the share that is merged, from that of the share that is kept apart."""
        low, high = (self.scores.get(end, math.nan) for end in interval_keys(key))
        return 1 - high, 1 - low

    def worst(self) -> Listing:
        """The opposites that are most alike to the model, in words."""
        pairs = self.items.pairs
        opposites = pairs[~pairs.is_same & ~np.isnan(pairs.similarity)]
        order = np.argsort(-opposites.similarity, kind="stable")[:N_WORST]
        rows = tuple(
            (number(float(opposites.similarity[place])), opposites.kind[place], *self.texts[opposites.row[place]])
            for place in order
        )
        return Listing(("cos", "kind", "text", "opposite"), rows, title=f"The {len(rows)} worst pairs", prose=2)


def kept_apart(entries: Sequence[Entry], names: Mapping[Entry, str], title: str = "") -> Listing:
    """List the shares of opposites that are kept apart at 90 %, of all and by kind, and the threshold; best first.

    The entries are of one split and subset, and have a name each.
    """
    main = MERGE_OPPOSITES.main
    kinds = {
        kind: f"{main}_{kind}" for kind in KIND.values if any(f"{main}_{kind}" in entry.scores for entry in entries)
    }
    columns = {"kept apart [95 %]": main, "threshold": "threshold_90", **kinds}
    rows = tuple(
        (names[entry], *(with_interval(entry.scores.get(key), entry.interval(key)) for key in columns.values()))
        for entry in sorted(entries, key=lambda entry: -entry.main_score)
    )
    meanings = "; ".join(f"{kind}: {KIND.values[kind]}" for kind in kinds)
    return Listing(("model", *columns), rows, title, f"Opposites by kind. {meanings}.", figures=len(columns))


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"
