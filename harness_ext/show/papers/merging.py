"""Whether an encoder is safe to merge texts by: the verdict on items of the measure `merge_opposites`, in words."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from harness_ext.common.files import whole_file
from harness_ext.data.rows import SAME
from harness_ext.measures.core.same_vector import same_vectors, told
from harness_ext.results.compare import holm_adjusted
from harness_ext.results.entry import Entry
from harness_ext.show.listing import Listing, csv_text
from harness_ext.show.numbers import between, formatted, signed, signed_between, with_interval
from harness_ext.statistics.confidence_interval import confidence_interval
from harness_ext.statistics.paired_difference import difference
from harness_ext.statistics.statistic import Statistic, UnitStatistic
from harness_ext.statistics.threshold import levels, share_under
from harness_ext.tasks.merge_opposites import KIND, MERGE_OPPOSITES

N_WORST = 10
"""How many pairs are shown."""

FEWEST_KEPT = 0.5
"""A threshold is worth naming if it keeps at least this share of the paraphrases together."""

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

    def text(self, of: str) -> str:
        """Say it in words."""
        within = f"95 % interval {_percent(self.low)} to {_percent(self.high)}"
        return f"{_percent(self.merged)} {of} ({within if self.interval else 'no interval'})"


@dataclass(frozen=True)
class MergeVerdict:
    """What a threshold does to paraphrases and opposites: one that is deployed, or that keeps 90 % of the paraphrases.

    Attributes:
        model: The model's name.
        items: Of `MERGE_OPPOSITES`.
        plan: The same, with the texts.
        at_most: The share of opposites that may be merged.
        deployed: The cosine from which texts are merged; None for the one that keeps 90 % of the paraphrases together.
    """

    model: str
    items: Any
    plan: Any
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
        """Whether that is at most `at_most`."""
        return self.merged <= self.at_most

    def records(self) -> Iterator[dict[str, Any]]:
        """What is merged, as numbers: a record for the paraphrases (`same`), all opposites, and each kind of them."""
        for pairs, share in self.shares.items():
            fields = {"model": self.model, "threshold": self.threshold, "pairs": pairs}
            safety = {"at_most": self.at_most, "safe": self.is_safe} if pairs == OPPOSITES else {}
            yield {**fields, **share._asdict(), **safety}

    def curve(self) -> Iterator[dict[str, Any]]:
        """Hit rate (paraphrases merged) and false merges (opposites merged) at thresholds in steps of .01.

        The last threshold is 1. The one that is deployed, or keeps 90 % of the paraphrases, is among them, marked.
        """
        lowest = math.floor(100 * np.nanmin(self.items.pairs.similarity))
        for cosine in sorted({*(step / 100 for step in range(lowest, 101)), self.threshold}):
            hits, merges = (1 - self.share_under(cosine, kind).value() for kind in (SAME, ""))
            shares = {"hit_rate": hits, "false_merges": merges}
            yield {"model": self.model, "threshold": cosine, **shares, "deployed": cosine == self.threshold}

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
        at = f"at cos ≥ {formatted(self.threshold)}"
        keeps = f"keeps 90 % of paraphrases together {at}"
        if self.deployed is not None:
            keeps = f"{at} keeps {self.shares[SAME].text('of paraphrases')} together"
        return (
            f"{self.model} {keeps} and merges {self.shares[OPPOSITES].text('of opposites')}: "
            f"{'safe' if self.is_safe else 'not safe'} for caches, deduplication, memory "
            f"(at most {_percent(self.at_most)} allowed)."
        )

    def alike(self) -> str:
        """Say which pairs of different texts have one vector, which any threshold merges; empty if none."""
        different = same_vectors(self.plan, self.items)
        return told(different) if different else ""

    def advice(self) -> str:
        """Say what to do."""
        if self.is_safe:
            return (
                f"Merge at cos ≥ {formatted(self.threshold)}. Check the threshold on pairs of your own: it is another "
                "one for other texts."
            )
        cosine, merged, kept = self.higher
        if kept >= FEWEST_KEPT:
            return (
                f"Raise the threshold: at cos ≥ {formatted(cosine)} it merges {_percent(merged)} of opposites and "
                f"still keeps {_percent(kept)} of paraphrases together."
            )
        left = (
            f" (at cos ≥ {formatted(cosine)}, which merges {_percent(merged)} of opposites, {_percent(kept)} of "
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
        kinds = [kind for kind in KIND.values if kind in self.shares]
        rows = tuple(
            (kind, KIND.values[kind], formatted(self.shares[kind].merged), between(self.shares[kind].interval))
            for kind in sorted(kinds, key=lambda kind: -self.shares[kind].merged)
        )
        header = ("kind of opposite", "meaning", "merged", "95 % interval")
        title = "Merged, by kind"
        return Listing(header, rows, title, labels=2, figures=2, data=tuple(self.records()))

    def worst(self) -> Listing:
        """The opposites that are most alike to the model, in words."""
        pairs, texts = self.items.pairs, self.plan.pairs
        opposites = np.flatnonzero(~pairs.is_same & ~np.isnan(pairs.similarity))
        places = opposites[np.argsort(-pairs.similarity[opposites], kind="stable")[:N_WORST]]
        header = ("cos", "kind", "text", "opposite")
        ranked = [(float(pairs.similarity[at]), pairs.kind[at], texts.first[at], texts.second[at]) for at in places]
        rows = tuple((formatted(cosine), *rest) for cosine, *rest in ranked)
        records = tuple(dict(zip(header, values, strict=True)) for values in ranked)
        return Listing(header, rows, f"The {len(rows)} worst pairs", prose=2, data=records)


def models(verdicts: Sequence[MergeVerdict]) -> Listing:
    """List verdicts on the same pairs, the best first: what is merged, of all and by kind."""
    kinds = [kind for kind in KIND.values if any(kind in verdict.shares for verdict in verdicts)]
    columns = {"paraphrases kept": SAME, "opposites merged": OPPOSITES, **dict(zip(kinds, kinds, strict=True))}
    ranked = sorted(verdicts, key=_loss)
    rows = []
    for verdict in ranked:
        shares = {name: verdict.shares[of] for name, of in columns.items() if of in verdict.shares}
        safe = "safe" if verdict.is_safe else "not safe"
        row = {"model": verdict.model, "safe": safe, "threshold": formatted(verdict.threshold)}
        rows.append(row | {name: with_interval(share.merged, share.interval) for name, share in shares.items()})
    records = tuple(record for verdict in ranked for record in verdict.records())
    return Listing.of(rows, labels=2, title="Models, the best first", note=_meanings(kinds), data=records)


def _loss(verdict: MergeVerdict) -> float:
    """Opposites merged; at a deployed threshold less the paraphrases kept, else of a common share of these."""
    return verdict.merged - (verdict.shares[SAME].merged if verdict.deployed is not None else 0)


def model_differences(verdicts: Sequence[MergeVerdict]) -> Listing:
    """List the paired differences of every two models in what they merge, on the same pairs."""
    kinds = {OPPOSITES: "", **({} if verdicts[0].deployed is None else {SAME: SAME})}
    pairs = [
        (one, other, merged, difference(other.kept_apart(kind), one.kept_apart(kind)))  # merged is 1 - kept apart
        for merged, kind in kinds.items()
        for one, other in combinations(sorted(verdicts, key=_loss), 2)
    ]
    adjusted = holm_adjusted([1.0 if math.isnan(test.p_value) else test.p_value for *_, test in pairs])
    records = tuple(
        {"first": one.model, "second": other.model, "pairs": merged, **vars(test), "adjusted_p_value": p_value}
        for (one, other, merged, test), p_value in zip(pairs, adjusted, strict=True)
    )
    rows = tuple(
        (
            *(row[name] for name in ("first", "second", "pairs")),
            signed(row["value"]),
            signed_between(row["low"], row["high"]),
            formatted(row["p_value"]),
            formatted(row["adjusted_p_value"]),
        )
        for row in records
    )
    header = ("A", "B", "merged", "A − B", "95 % interval", "p", "p (Holm)")
    return Listing(header, rows, "Paired differences", labels=3, figures=4, data=records)


def write_curve(verdicts: Sequence[MergeVerdict], file: Path) -> None:
    """Write the curves of verdicts as CSV, or draw them.

    Args:
        verdicts: On the same pairs.
        file: Ends with `.csv`, or as a format of pictures.

    Raises:
        ValueError: There is no such format of figures.
    """
    rows = [row for verdict in verdicts for row in verdict.curve()]
    if file.suffix == ".csv":
        with whole_file(file) as partial:
            partial.write_text(csv_text(rows, [*rows[0]]), encoding="utf-8")
        return
    from harness_ext.show.figures import save_figures  # needs the extra `report`
    from harness_ext.show.figures.merge_curve import curve_figure

    form: Any = file.suffix[1:]
    save_figures([curve_figure(rows, file.stem)], file.parent, form)


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
    return Listing(("model", *columns), rows, title, _meanings(kinds), figures=len(columns))


def _meanings(kinds: Iterable[str]) -> str:
    meanings = "; ".join(f"{kind}: {KIND.values[kind]}" for kind in kinds)
    return f"Opposites by kind. {meanings}."


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"
