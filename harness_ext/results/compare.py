"""Is one model better than another? Paired comparisons over the units that both were measured on.

Two models that are measured on the same units (compounds, pairs, trees, adjectives) are resampled with the same draws.
The differences of their resamples give the interval of the difference (2.5 and 97.5 percentiles) and its two-sided
p-value: twice the smaller share of differences on either side of zero, ties ½, never below 1/(`N_RESAMPLES` + 1).
benchmarks/comparison_simulation.py simulates how often that is wrong.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations, groupby
from typing import TYPE_CHECKING, Any

import numpy as np

from harness_ext.evaluators.statistics.bootstrap import p_value, percentile_interval
from harness_ext.results.entry import Results
from harness_ext.store.signature import differences

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import altair
    import pandas
    from numpy.typing import NDArray

    from harness_ext.evaluators.items import Items
    from harness_ext.evaluators.measure import Measure
    from harness_ext.results.entry import Entry

ALPHA = 0.05
"""The level of significance."""


class ComparisonError(ValueError):
    """Results cannot be compared; the message says which, why, and what to do."""


@dataclass(frozen=True)
class Comparison:
    """One score of two models on the same units.

    Attributes:
        first: The entry of one model.
        second: The entry of the other.
        key: Which score.
        first_score: That of the one, on the units that both have.
        second_score: That of the other.
        low: Lower end of the 95 % interval of `difference`.
        high: Its upper end.
        p_value: Two-sided, that there is no difference.
        p_better: One-sided, that the first is no better than the second.
        adjusted_p_value: Holm's, over all comparisons made together; as `p_value` before `holm`.
        n_units: How many units enter the score of both.
    """

    first: Entry
    second: Entry
    key: str
    first_score: float
    second_score: float
    low: float
    high: float
    p_value: float
    p_better: float
    adjusted_p_value: float
    n_units: int

    @property
    def difference(self) -> float:
        """First minus second."""
        return self.first_score - self.second_score

    @property
    def is_significant(self) -> bool:
        """Whether they differ at the level `ALPHA`, after Holm's correction."""
        return self.adjusted_p_value < ALPHA


class Comparisons(list[Comparison]):
    """Comparisons made together."""

    def to_pandas(self) -> pandas.DataFrame:
        """One row per comparison.

        Returns:
            Columns: task, subset, split, score (its key), first and second (models), first_score, second_score,
            difference, low, high (the ends of its 95 % interval), p_value, adjusted_p_value, is_significant, n_units.
        """
        import pandas  # takes half a second

        numbers = ("first_score", "second_score", "difference", "low", "high", "p_value", "adjusted_p_value")
        names = (*numbers, "is_significant", "n_units")
        rows = [
            (
                *(each.first.task, each.first.subset, each.first.split, each.key, each.first.model, each.second.model),
                *(getattr(each, name) for name in names),
            )
            for each in self
        ]
        return pandas.DataFrame(rows, columns=["task", "subset", "split", "score", "first", "second", *names])

    def plot(self) -> altair.TopLevelMixin:
        """The scores of all models that are compared, as the report draws them; errors as of `Results.plot`."""
        return Results(tuple(dict.fromkeys(entry for each in self for entry in (each.first, each.second))), ()).plot()

    def _repr_html_(self) -> str:
        html: str = self.to_pandas()._repr_html_()
        return html


def compare(entries: Sequence[Entry], axis: str | None = None) -> Comparisons:
    """Compare every two models on everything that both were measured on.

    Args:
        entries: As `load_results` gives them.
        axis: Compare the scores that are broken down by it, such as `class`, not the main scores.

    Returns:
        Comparisons with Holm's correction over all of them, in the order of the entries.

    Raises:
        ComparisonError: Results have no items, or are not of the same data and definitions; or no score that can be
            resampled is broken down by the axis.
        ItemsError: Items are damaged or do not belong to their result.
    """
    found: list[Comparison] = []
    axes: set[str] = set()
    for _, same in groupby(entries, key=lambda entry: (entry.task, entry.subset, entry.split)):
        group = list(same)
        measure: Measure[Any] = group[0].measure
        keys = [measure.main]
        if axis is not None:
            resampled = {key: place for key, (score, place) in measure.scores.by_key().items() if score.resampled}
            axes |= {name for place in resampled.values() for name in place}
            keys = [key for key, place in resampled.items() if axis in place]
        if len(group) > 1 and keys:
            found += _compare_all(group, measure, keys)
    if axis is not None and axis not in axes:
        raise ComparisonError(f"No score that can be resampled is broken down by {axis!r}; there is {_and(axes)}.")
    return holm(found)


def _compare_all(group: list[Entry], measure: Measure[Any], keys: list[str]) -> Iterator[Comparison]:
    items = [entry.items() for entry in group]
    for entry, own in zip(group[1:], items[1:], strict=True):
        _check_comparable(group[0], entry)
        _check_same_documents(group[0], items[0], entry, own)
    for key in keys:
        statistics = [measure.statistic(each, key) for each in items]
        units = [statistic.units for statistic in statistics]
        resampled: dict[tuple[int, bytes], tuple[float, NDArray[np.float64]]] = {}
        for i, j in combinations(range(len(group)), 2):
            common = units[i][np.isin(units[i], units[j])]
            if not np.array_equal(common, units[j][np.isin(units[j], common)]):
                raise ComparisonError(f"{group[i].file} and {group[j].file} have the same units in another order.")
            if not len(common):
                continue
            alike = len(common) == len(units[i]) == len(units[j])
            places = [(number, b"" if alike else common.tobytes()) for number in (i, j)]
            for place in places:
                if place not in resampled:
                    statistic = statistics[place[0]] if alike else statistics[place[0]].restrict(common)
                    resampled[place] = statistic.value(), statistic.resamples()
            (one, ones), (other, others) = (resampled[place] for place in places)
            drawn = ones - others
            low, high = percentile_interval(drawn)
            two_sided = p_value(drawn)
            yield Comparison(
                first=group[i],
                second=group[j],
                key=key,
                first_score=one,
                second_score=other,
                low=low,
                high=high,
                p_value=two_sided,
                p_better=p_value(drawn, alternative="greater"),
                adjusted_p_value=two_sided,
                n_units=len(common),
            )


def holm(comparisons: Sequence[Comparison]) -> Comparisons:
    """Correct the p-values for how many they are (Holm 1979): the k-th smallest of m by m - k + 1, never falling.

    Examples:
        >>> [each.adjusted_p_value for each in holm([])]
        []
    """
    order = np.argsort([each.p_value for each in comparisons], kind="stable")
    corrected = Comparisons(comparisons)
    largest = 0.0
    for rank, number in enumerate(order.tolist()):
        largest = max(largest, min(1.0, (len(order) - rank) * comparisons[number].p_value))
        corrected[number] = replace(comparisons[number], adjusted_p_value=largest)
    return corrected


def tie_groups(
    scores: Sequence[float] | NDArray[np.float64], is_better: Callable[[int, int], bool]
) -> NDArray[np.int64]:
    """Dense ranks: a model is in the group of the best one that is not significantly better than it.

    One walk down the scores: each model is compared with the best of the group above it, and opens the next group if
    that one is better. So no two models of a group need to be compared, and long rows of small steps do not all tie.

    Args:
        scores: Shape (n,), the higher the better.
        is_better: Whether the model with the first number is significantly better than that with the second.

    Returns:
        Ranks from 1, shape (n,).

    Examples:
        >>> tie_groups([0.2, 0.9, 0.8], lambda one, other: one == 1 and other == 0).tolist()
        [2, 1, 1]
    """
    found = np.zeros(len(scores), dtype=np.int64)
    best, rank = -1, 0
    for number in np.argsort(-np.asarray(scores), kind="stable").tolist():
        if best < 0 or is_better(best, number):
            best, rank = number, rank + 1
        found[number] = rank
    return found


def ranks(entries: Sequence[Entry], comparisons: Sequence[Comparison]) -> dict[Entry, int]:
    """Ranks with ties: the `tie_groups` of the main scores, one-sided at `ALPHA`.

    Args:
        entries: Of one task, subset and split.
        comparisons: Of their main scores; two models that were not compared, or have an undefined resample, tie.

    Returns:
        Entry -> rank, from 1, the best first.
    """
    p_better = {}
    for each in comparisons:
        if not np.isnan(each.low):  # else a resample is not defined, and neither is better
            p_better[each.first, each.second] = each.p_better
            p_better[each.second, each.first] = 1 - each.p_better

    def is_better(one: int, other: int) -> bool:
        return p_better.get((entries[one], entries[other]), 1.0) < ALPHA

    found = zip(entries, tie_groups([entry.main_score for entry in entries], is_better).tolist(), strict=True)
    return dict(sorted(found, key=lambda one: -one[0].main_score))


def _check_comparable(one: Entry, other: Entry) -> None:
    for entry in (one, other):
        if entry.signature is None:
            raise ComparisonError(f"{entry.file} has no signature: another program made it. {entry.made_anew}")
    assert one.signature is not None
    assert other.signature is not None
    if different := differences(one.signature, other.signature):
        what = "; ".join(f"{name} {ours} and {theirs}" for name, (ours, theirs) in different.items())
        raise ComparisonError(f"{one.file} and {other.file} are not of the same: {what}.")


def _check_same_documents(one: Entry, ours: Items, other: Entry, theirs: Items) -> None:
    """A signature does not tell which documents were picked out with lm-eval's `--samples`."""
    for table, beside in zip(ours.tables().values(), theirs.tables().values(), strict=True):
        if "id" in table.columns() and not np.array_equal(table.values()["id"], beside.values()["id"]):
            raise ComparisonError(f"{one.file} and {other.file} are not of the same documents of {one.task}.")


def _and(names: set[str]) -> str:
    return ", ".join(sorted(names)) or "none"
