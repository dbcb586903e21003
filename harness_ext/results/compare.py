"""Is one model better than another? Paired comparisons over the units that both were measured on.

Two models that are measured on the same units (compounds, pairs, trees, adjectives) are tested by
these units, see `harness_ext.statistics.paired_difference`; benchmarks/comparison_simulation.py
simulates how often that is wrong.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from harness_ext.common.errors import unknown_name
from harness_ext.measures.core.baseline_keys import gain_key
from harness_ext.measures.core.measure import Measure
from harness_ext.results.entry import Entry, by_data
from harness_ext.results.ranks import ALPHA, Estimate, RankSet, rank_sets
from harness_ext.statistics.paired_difference import Sample, Test, differences, holm_adjusted
from harness_ext.store.signature import differences as signature_differences

if TYPE_CHECKING:
    import pandas

GAIN = "gain"
"""As a score to compare: the gain of each main score over the encoder's additive baseline."""

MIN_UNITS = 10
"""Fewer common units than these are not compared, where the models have more."""


class ComparisonError(ValueError):
    """Results cannot be compared; the message says which, why, and what to do."""


@dataclass(frozen=True)
class Comparison:
    """One score of two models on the same units.

    Attributes:
        first, second: The entries of both models.
        key: Which score.
        first_score, second_score: On the units that both have.
        low, high: The 95 % interval of `difference`.
        p_value: Two-sided, that there is no difference.
        test: What the p-value rests on.
        n_units: How many units enter the score of both.
        n_units_of_first, n_units_of_second: How many each has; more where some are not common.
        adjusted_p_value: Holm's, over all comparisons made together; as `p_value` before `holm`.
        n_comparisons: Over how many it is corrected.
    """

    first: Entry
    second: Entry
    key: str
    first_score: float
    second_score: float
    low: float
    high: float
    p_value: float
    test: Test
    n_units: int
    n_units_of_first: int
    n_units_of_second: int
    adjusted_p_value: float
    n_comparisons: int = 1

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
            Columns: task, subset, split, score (its key), first and second (models), first_score,
                second_score,
            difference, low, high (the ends of its 95 % interval), p_value, test, adjusted_p_value,
            is_significant, n_units.
        """
        import pandas  # takes half a second

        numbers = ("first_score", "second_score", "difference", "low", "high", "p_value", "test")
        names = (*numbers, "adjusted_p_value", "is_significant", "n_units")
        rows = [
            (
                *(
                    pair.first.task,
                    pair.first.subset,
                    pair.first.split,
                    pair.key,
                    pair.first.model,
                    pair.second.model,
                ),
                *(getattr(pair, name) for name in names),
            )
            for pair in self
        ]
        return pandas.DataFrame(
            rows, columns=["task", "subset", "split", "score", "first", "second", *names]
        )

    def _repr_html_(self) -> str:
        return self.to_pandas()._repr_html_()


def compare(
    entries: Sequence[Entry], axis: str | None = None, *, score: str | None = None
) -> Comparisons:
    """Compare every two models on everything that both were measured on.

    Args:
        entries: As `load_results` gives them.
        axis: Compare the scores that are broken down by it, such as `class`, not the main scores.
        score: Compare the score with this key, not the main scores; `gain` for the gains over
            additive baselines.

    Returns:
        Comparisons with Holm's correction over all of them, in the order of the entries; a control
        encoder is the second of the two.

    Raises:
        UnknownNameError: No score that can be resampled has that key, or is broken down by the
            axis.
        ComparisonError: Results have no items, are not of the same data and definitions, or have
            few units in common; or there are both an axis and a score.
        ItemsError: Items are damaged or do not belong to their result.
    """
    if axis is not None and score is not None:
        raise ComparisonError(
            f"Either the slices by {axis} or the score {score}: a score has no slices of its own."
        )
    comparisons: list[Comparison] = []
    axes: set[str] = set()
    known: set[str] = set()
    for same in by_data(entries):
        # so that a gain over a baseline is positive
        group = sorted(same, key=lambda entry: entry.is_baseline)
        measure: Measure[Any] = group[0].measure
        resampled = {
            key: place for key, (declared, place) in measure.by_key.items() if declared.resampled
        }
        known |= resampled.keys()
        keys = [measure.main] if score is None else [key for key in resampled if key == score]
        if score == GAIN:
            keys = [gain_key(measure.main)] if measure.additive else []
        if axis is not None:
            axes |= {name for place in resampled.values() for name in place}
            keys = [key for key, place in resampled.items() if axis in place]
        if len(group) > 1 and keys:
            for entry in group[1:]:
                _check_comparable(group[0], entry)
            for key in keys:
                comparisons += _compare_all(group, key)
            for entry in group:
                entry.forget_items()
    if axis is not None and axis not in axes:
        raise unknown_name("slice of scores that can be resampled", axis, sorted(axes))
    if score not in {None, GAIN, *known}:
        raise unknown_name(
            "key of a score that can be resampled", str(score), sorted({GAIN, *known})
        )
    return holm(comparisons)


def _compare_all(group: list[Entry], key: str) -> Iterator[Comparison]:
    @functools.cache
    def restricted(entry: Entry, names: tuple[str, ...]) -> Sample:
        return Sample.of(entry.statistic(key).restrict(np.array(names)))

    for i, first in enumerate(group):
        one, others = first.sample(key), group[i + 1 :]
        units = one.names
        same = [
            other
            for other in others
            if len(units) and np.array_equal(units, other.sample(key).names)
        ]
        of_same = dict(
            zip(same, differences(one, [other.sample(key) for other in same]), strict=True)
        )
        for second in others:
            n_units = len(units), len(second.sample(key).names)
            if second in of_same:
                mine, other, difference = one, second.sample(key), of_same[second]
            else:
                common = _common_units(first, second, key)
                if not common:
                    continue
                mine, other = restricted(first, common), restricted(second, common)
                (difference,) = differences(mine, [other])
            p_value = 1.0 if np.isnan(difference.p_value) else difference.p_value
            yield Comparison(
                first,
                second,
                key,
                mine.value,
                other.value,
                difference.low,
                difference.high,
                p_value,
                difference.test,
                len(mine.names),
                *n_units,
                adjusted_p_value=p_value,
            )


def _common_units(one: Entry, other: Entry, key: str) -> tuple[str, ...]:
    """The units that both entries have; few are refused where the entries have more."""
    ours, theirs = one.sample(key).names, other.sample(key).names
    common = ours[np.isin(ours, theirs)]
    most = max(len(ours), len(theirs))
    if not np.array_equal(common, theirs[np.isin(theirs, common)]):
        raise ComparisonError(f"{one.file} and {other.file} have the same units in another order.")
    if len(ours) and len(theirs) and (len(common) < MIN_UNITS or len(common) < most / 2):
        raise ComparisonError(
            f"{one.file} and {other.file}: {len(common)} of {most} units are common in {key}, at "
            f"least {MIN_UNITS} and half of them are expected. Compare others."
        )
    return tuple(common.tolist())


def holm(comparisons: Sequence[Comparison]) -> Comparisons:
    """Correct the p-values for how many they are."""
    adjusted = holm_adjusted([pair.p_value for pair in comparisons])
    return Comparisons(
        replace(pair, adjusted_p_value=p_value, n_comparisons=len(comparisons))
        for pair, p_value in zip(comparisons, adjusted, strict=True)
    )


def ranks(entries: Sequence[Entry], key: str | None = None) -> dict[Entry, RankSet]:
    """The ranks that each model may have, see `harness_ext.results.ranks`.

    Args:
        entries: Of one task, subset and split.
        key: By which score; by default the main one.

    Returns:
        Entry -> its ranks, in the order of the scores, the best first. As on a board, control
        encoders have none.
    """
    estimates = {
        entry: Estimate.of(entry, key or entry.measure.main)
        for entry in entries
        if not entry.is_baseline
    }
    sets = dict(zip(estimates, rank_sets([*estimates.values()]), strict=True))
    return {entry: sets[entry] for entry in sorted(sets, key=lambda entry: -estimates[entry].score)}


def _check_comparable(one: Entry, other: Entry) -> None:
    """Refuse entries of other data, definitions or documents: a signature does not say which were
    picked (lm-eval).
    """
    ours, theirs = one.items(), other.items()
    for entry in (one, other):
        if entry.signature is None:
            raise ComparisonError(
                f"{entry.file} has no signature: another program made it. {entry.how_to_repeat}"
            )
    assert one.signature is not None
    assert other.signature is not None
    if different := signature_differences(one.signature, other.signature):
        what = "; ".join(f"{name} {our} and {their}" for name, (our, their) in different.items())
        raise ComparisonError(f"{one.file} and {other.file} are not of the same: {what}.")
    for table, other_table in zip(ours.tables().values(), theirs.tables().values(), strict=True):
        if "id" in table.columns() and not np.array_equal(
            table.values()["id"], other_table.values()["id"]
        ):
            raise ComparisonError(
                f"{one.file} and {other.file} are not of the same documents of {one.task}."
            )
