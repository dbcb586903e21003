"""Is one model better than another? Paired comparisons over the units that both were measured on.

Two models that are measured on the same units (compounds, pairs, trees, adjectives) are tested by
these units, see `harness_ext.statistics.paired_difference`; benchmarks/comparison_simulation.py
simulates how often that is wrong.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from harness_ext.common.errors import unknown_name
from harness_ext.measures.core.baseline_keys import gain_key
from harness_ext.measures.core.measure import Measure
from harness_ext.measures.core.scores import AxisValues
from harness_ext.results.entry import Entry, by_data
from harness_ext.results.ranks import ALPHA, Estimate, RankSet, rank_sets
from harness_ext.statistics.paired_difference import (
    Difference,
    Sample,
    Test,
    differences,
    holm_adjusted,
)
from harness_ext.store.signature import Signature
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

    @property
    def better(self) -> Entry | None:
        """The entry with the better score, significantly or not; None where neither direction is
        better, or both scores are equal.
        """
        score, _ = self.first.measure.declarations[self.key]
        if score.better == "neither" or not self.difference:
            return None
        first_is_higher = self.difference > 0
        higher_is_better = score.better == "higher"
        return self.first if first_is_higher == higher_is_better else self.second


class Comparisons(list[Comparison]):
    """Comparisons made together."""

    def to_pandas(self) -> pandas.DataFrame:
        """One row per comparison.

        Returns:
            Columns: task, subset, split, score (its key), first and second (models), first_score,
            second_score, difference, low, high (the ends of its 95 % interval), p_value, test,
            adjusted_p_value, is_significant, n_units.
        """
        import pandas  # takes half a second

        return pandas.DataFrame([_record(pair) for pair in self], columns=_COLUMNS)

    def _repr_html_(self) -> str:
        return self.to_pandas()._repr_html_()


_FIGURES = (
    "first_score",
    "second_score",
    "difference",
    "low",
    "high",
    "p_value",
    "test",
    "adjusted_p_value",
    "is_significant",
    "n_units",
)
"""The attributes of a comparison that are columns under their own names."""


_COLUMNS = ["task", "subset", "split", "score", "first", "second", *_FIGURES]
"""The columns of `Comparisons.to_pandas`."""


def _record(pair: Comparison) -> dict[str, Any]:
    """The row of a comparison in `Comparisons.to_pandas`."""
    entry = pair.first
    record: dict[str, Any] = {
        "task": entry.task,
        "subset": entry.subset,
        "split": entry.split,
        "score": pair.key,
        "first": entry.model,
        "second": pair.second.model,
    }
    for name in _FIGURES:
        record[name] = getattr(pair, name)
    return record


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
    known_axes: set[str] = set()
    known_keys: set[str] = set()
    for entries_of_data in by_data(entries):
        # so that a gain over a baseline is positive
        controls = [entry for entry in entries_of_data if entry.is_baseline]
        group = [entry for entry in entries_of_data if not entry.is_baseline] + controls
        measure: Measure[Any] = group[0].measure
        resampled = _resampled_keys(measure)
        known_keys |= resampled.keys()
        if axis is not None:
            known_axes |= {name for axes in resampled.values() for name in axes}
        keys = _keys_to_compare(measure, axis, score)
        if len(group) > 1 and keys:
            comparisons += _compare_group(group, keys)
    if axis is not None and axis not in known_axes:
        raise unknown_name("slice of scores that can be resampled", axis, sorted(known_axes))
    if score not in {None, GAIN, *known_keys}:
        known = sorted({GAIN, *known_keys})
        raise unknown_name("key of a score that can be resampled", str(score), known)
    return holm(comparisons)


def _resampled_keys(measure: Measure[Any]) -> dict[str, AxisValues]:
    """The key of each score that can be resampled -> its place on the axes."""
    return {key: axes for key, (score, axes) in measure.by_key.items() if score.resampled}


def _keys_to_compare(
    measure: Measure[Any],
    axis: str | None,
    score: str | None,
) -> list[str]:
    """The keys that `compare` is asked for, as far as a measure has them."""
    resampled = _resampled_keys(measure)
    if axis is not None:
        return [key for key, axes in resampled.items() if axis in axes]
    if score is None:
        return [measure.main]
    if score == GAIN:
        return [gain_key(measure.main)] if measure.additive else []
    return [score] if score in resampled else []


def _compare_group(
    group: list[Entry],
    keys: Iterable[str],
) -> list[Comparison]:
    """Compare every two entries on the same data, by each key; lets go of their items."""
    for entry in group[1:]:
        _check_comparable(group[0], entry)
    comparisons: list[Comparison] = []
    for key in keys:
        comparisons += _compare_all(group, key)
    for entry in group:
        entry.forget_items()
    return comparisons


def _compare_all(
    group: list[Entry],
    key: str,
) -> Iterator[Comparison]:
    """Compare every two entries by one score, in the order of the group."""

    @functools.cache
    def restricted(
        entry: Entry,
        names: tuple[str, ...],
    ) -> Sample:
        return Sample.of(entry.statistic(key).restrict(np.array(names)))

    for number, first in enumerate(group):
        others = group[number + 1 :]
        on_same_units = _differences_on_same_units(first, others, key)
        for second in others:
            if second in on_same_units:
                yield _comparison(first, second, key, on_same_units[second])
                continue
            common = _common_units(first, second, key)
            if common:
                sample = restricted(first, common)
                other_sample = restricted(second, common)
                (difference,) = differences(sample, [other_sample])
                pair = _Paired(sample, other_sample, difference)
                yield _comparison(first, second, key, pair)


class _Paired(NamedTuple):
    """The difference of two samples of the same units."""

    first: Sample
    second: Sample
    difference: Difference


def _differences_on_same_units(
    first: Entry, others: Sequence[Entry], key: str
) -> dict[Entry, _Paired]:
    """Compare an entry with all that have its very units, in one call.

    Returns:
        Entry -> how the first differs from it; only of entries with the same units, if the first
        has any.
    """
    sample = first.sample(key)
    if not len(sample.names):
        return {}
    samples = {
        other: other.sample(key)
        for other in others
        if np.array_equal(sample.names, other.sample(key).names)
    }
    found = differences(sample, [*samples.values()])
    pairs: dict[Entry, _Paired] = {}
    for other, difference in zip(samples, found, strict=True):
        pairs[other] = _Paired(sample, samples[other], difference)
    return pairs


def _comparison(
    first: Entry,
    second: Entry,
    key: str,
    pair: _Paired,
) -> Comparison:
    """The comparison of two entries, not yet corrected for how many there are."""
    difference = pair.difference
    p_value = 1.0 if np.isnan(difference.p_value) else difference.p_value
    return Comparison(
        first=first,
        second=second,
        key=key,
        first_score=pair.first.value,
        second_score=pair.second.value,
        low=difference.low,
        high=difference.high,
        p_value=p_value,
        test=difference.test,
        n_units=len(pair.first.names),
        n_units_of_first=len(first.sample(key).names),
        n_units_of_second=len(second.sample(key).names),
        adjusted_p_value=p_value,
    )


def _common_units(
    first: Entry,
    second: Entry,
    key: str,
) -> tuple[str, ...]:
    """The units that both entries have; few are refused where the entries have more."""
    names = first.sample(key).names
    other_names = second.sample(key).names
    common = names[np.isin(names, other_names)]
    if not np.array_equal(common, other_names[np.isin(other_names, common)]):
        raise ComparisonError(
            f"{first.file} and {second.file} have the same units in another order."
        )
    most = max(len(names), len(other_names))
    is_few = len(common) < MIN_UNITS or len(common) < most / 2
    if len(names) and len(other_names) and is_few:
        raise ComparisonError(
            f"{first.file} and {second.file}: {len(common)} of {most} units are common in {key}, "
            f"at least {MIN_UNITS} and half of them are expected. Compare others."
        )
    return tuple(common.tolist())


def holm(comparisons: Sequence[Comparison]) -> Comparisons:
    """Correct the p-values for how many they are."""
    adjusted = holm_adjusted([pair.p_value for pair in comparisons])
    corrected = Comparisons()
    for pair, p_value in zip(comparisons, adjusted, strict=True):
        corrected.append(
            replace(
                pair,
                adjusted_p_value=p_value,
                n_comparisons=len(comparisons),
            )
        )
    return corrected


def ranks(
    entries: Sequence[Entry],
    key: str | None = None,
) -> dict[Entry, RankSet]:
    """The ranks that each model may have, see `harness_ext.results.ranks`.

    Args:
        entries: Of one task, subset and split.
        key: By which score; by default the main one.

    Returns:
        Entry -> its ranks, in the order of the scores, the best first. As on a board, control
        encoders have none.
    """
    ranked = [entry for entry in entries if not entry.is_baseline]
    estimates = {entry: Estimate.of(entry, key or entry.measure.main) for entry in ranked}
    rank_sets_in_order = rank_sets([*estimates.values()])
    sets = dict(zip(estimates, rank_sets_in_order, strict=True))
    best_first = sorted(sets, key=lambda entry: -estimates[entry].score)
    return {entry: sets[entry] for entry in best_first}


def _check_comparable(first: Entry, second: Entry) -> None:
    """Refuse entries of other data, definitions or documents: a signature does not say which were
    picked (lm-eval).
    """
    items = first.items()
    other_items = second.items()
    signature = _signature_of(first)
    different = signature_differences(signature, _signature_of(second))
    if different:
        parts = [f"{name} {values[0]} and {values[1]}" for name, values in different.items()]
        raise ComparisonError(
            f"{first.file} and {second.file} are not of the same: {'; '.join(parts)}."
        )
    other_tables = other_items.tables().values()
    for table, other_table in zip(items.tables().values(), other_tables, strict=True):
        if "id" not in table.columns():
            continue
        ids = table.values()["id"]
        other_ids = other_table.values()["id"]
        if not np.array_equal(ids, other_ids):
            raise ComparisonError(
                f"{first.file} and {second.file} are not of the same documents of {first.task}."
            )


def _signature_of(entry: Entry) -> Signature:
    """The signature of an entry; one without is refused."""
    if entry.signature is None:
        raise ComparisonError(
            f"{entry.file} has no signature: another program made it. {entry.how_to_repeat}"
        )
    return entry.signature
