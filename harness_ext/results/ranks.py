"""Confidence sets for the ranks of a column, from scores and their resamples; `overall` has places
over columns.

A column is what models are ranked by: one score of the same measure on the same rows. A model's
rank is known as a set, such as 1–4: it may be any of these. All sets of a column hold the true rank
in 95 % of samples (Mogstad, Romano, Shaikh and Wilhelm 2024, Inference for Ranks, Review of
Economic Studies 91(1)).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from statistics import NormalDist
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from harness_ext.common.arrays import Flags, Floats, Vectors
from harness_ext.common.seeds import seed_of
from harness_ext.results.entry import Entry
from harness_ext.statistics.bootstrap import N_RESAMPLES, mostly_defined, widened

ALPHA = 0.05
"""The level of significance."""

_STEPS = 3
"""A step down tells a few more models apart than the one before, and takes as long."""

_WORTH_A_STEP = 0.1
"""Another step follows if a step tells this share of the open pairs apart. After fewer the limit
hardly changes.
"""

_MOST_RESAMPLED = 500
"""Of more models the greatest difference takes a second and more per column."""

_OF_THE_UNITS = 2 / 3
"""The share of the units that the greatest difference is widened for: it has heavier tails. From
simulations.
"""

_ROUNDING = 1e-9
"""A smaller difference of two scores is none."""

_RELATIVE_ROUNDING = 1e-10
"""The variance of a difference is 0 below this share of the sum of both variances."""

_BLOCK = 500
"""The number of resamples whose differences are in memory together."""

_Z = NormalDist().inv_cdf(0.975)


class RankSet(NamedTuple):
    """The ranks that a model may have, from 1.

    Examples:
        >>> str(RankSet(1, 4)), str(RankSet(2, 2))
        ('1–4', '2')
    """

    best: int
    worst: int

    def __str__(self) -> str:
        return f"{self.best}" if self.best == self.worst else f"{self.best}–{self.worst}"


class Basis(StrEnum):
    """By what a model is compared with others."""

    UNITS = "units"
    """Paired: resamples of the same units, drawn together."""
    INTERVALS = "intervals"
    """Its 95 % interval, as of an independent and normal score: there are no items."""
    NOTHING = "nothing"
    """It has no interval, so it is compared with none."""


@dataclass(frozen=True, eq=False)
class Estimate:
    """A model's score in one column, with what says how far it can be trusted.

    Attributes:
        score: The higher the better.
        interval: Its 95 % interval; None if there is none.
        drawn: Its resamples, shape (`N_RESAMPLES`,); None without items.
        n: Of how many units they are; None if that is not known.
        tier: An estimate of a higher tier ranks below all of a lower one, whatever its score.
    """

    score: float
    interval: tuple[float, float] | None = None
    drawn: Vectors | None = None
    n: int | None = None
    tier: int = 0

    @classmethod
    def of(
        cls,
        entry: Entry,
        key: str,
    ) -> Self:
        """Make that of an entry's score, from its resamples; from its interval where there are no
        items.

        0 is the score's chance: of a gain what the model's additive baseline gets. An error that
        units do not show becomes a part of the resamples.

        Raises:
            ItemsError: The items are damaged.
        """
        score, _ = entry.measure.declarations[key]
        sign = -1 if score.better == "lower" else 1  # `compare --score` takes any score
        zero = score.chance or 0.0
        ends = entry.interval(key)
        interval = None
        if ends:
            low, high = sorted(sign * (end - zero) for end in ends)
            interval = (low, high)
        if not entry.has_items(key):
            return cls(sign * (entry.scores[key] - zero), interval)
        sample = entry.sample(key)
        drawn = sample.drawn
        if sample.error:
            seed = (entry.model, entry.revision, *entry.measured_on)
            drawn = drawn + sample.error * _normal(*seed)
        centered = sign * (drawn - zero)
        return cls(
            sign * (sample.value - zero),
            interval,
            centered.astype(np.float32),  # a board has thousands of them
            sample.n,
        )

    def divided_by(self, span: float) -> Self:
        """The same on a scale on which `span` is 1."""
        interval = self.interval
        if interval:
            interval = (interval[0] / span, interval[1] / span)
        drawn = None if self.drawn is None else self.drawn / np.float32(span)
        return replace(
            self,
            score=self.score / span,
            interval=interval,
            drawn=drawn,
        )

    @property
    def basis(self) -> Basis:
        """By what it is compared with others."""
        if self.drawn is not None and mostly_defined(self.drawn):
            return Basis.UNITS
        if self.interval is None:
            return Basis.NOTHING
        return Basis.INTERVALS

    def draws(self) -> Floats:
        """Its resamples, at most 1 % of them NaN, or normal ones with the spread of its interval;
        all NaN without.
        """
        if self.basis is Basis.UNITS:
            assert self.drawn is not None
            return self.drawn.astype(np.float64)
        if self.interval is None:
            return np.full(N_RESAMPLES, np.nan)
        low, high = self.interval
        spread = (high - low) / (2 * _Z)
        drawn = _normal(self.score, self.interval)  # not the model's place
        drawn -= drawn.mean()
        drawn *= spread / np.sqrt(drawn @ drawn / N_RESAMPLES)
        return drawn + self.score


def _normal(*seed: Any) -> Floats:
    """Standard normal numbers, always the same of the same seed, shape (`N_RESAMPLES`,)."""
    generator = np.random.default_rng(seed_of(repr(seed)))
    return generator.standard_normal(N_RESAMPLES)


def rank_sets(estimates: Sequence[Estimate]) -> list[RankSet]:
    """Find the ranks that each model of a column may have, from an estimate per model."""
    n_models = len(estimates)
    better = np.zeros((n_models, n_models), dtype=bool)
    tiers = np.array([estimate.tier for estimate in estimates], dtype=np.int64)
    for tier in np.unique(tiers):
        inside = np.flatnonzero(tiers == tier)
        same_tier = [estimates[i] for i in inside.tolist()]
        better[np.ix_(inside, inside)] = _differing(same_tier)
    better |= tiers[:, None] < tiers
    best = 1 + better.sum(axis=0)
    worst = n_models - better.sum(axis=1)
    ends = zip(best.tolist(), worst.tolist(), strict=True)
    return [RankSet(first, last) for first, last in ends]


def _differing(estimates: Sequence[Estimate]) -> Flags:
    """Find which model (row) is better than which (column), shape (m, m).

    The greatest studentized difference of any two models, over the resamples, says how far apart
    two have to be. Those that differ significantly are then set aside, and it is asked again of the
    others (Romano and Wolf 2005, step-down). Of more than `_MOST_RESAMPLED` models the number of
    pairs says it (Holm 1979), a little further apart.
    """
    scores = np.array([estimate.score for estimate in estimates])
    drawn = _defined_for_all(np.array([estimate.draws() for estimate in estimates]))
    drawn -= drawn.mean(axis=1, keepdims=True)
    errors = _standard_errors(drawn)
    is_defined = ~np.isnan(errors)
    differences = scores[:, None] - scores
    distances = np.abs(differences)
    with np.errstate(divide="ignore", invalid="ignore"):
        has_error = is_defined & (errors > 0)
        inverse = np.where(has_error, 1 / errors, 0.0)
    # the same on every resample
    apart = is_defined & (errors == 0) & (distances > _ROUNDING)
    sizes = np.array([_size(estimate) for estimate in estimates])
    for _ in range(_STEPS):
        open_ = np.where(apart, 0, inverse).astype(np.float32)
        n_open = np.count_nonzero(open_) // 2
        if not n_open:
            break
        if len(estimates) > _MOST_RESAMPLED:
            limit = NormalDist().inv_cdf(1 - ALPHA / (2 * n_open))
        else:
            centered = np.nan_to_num(drawn).astype(np.float32)
            greatest = _greatest(centered, open_)
            limit = float(np.quantile(greatest, 1 - ALPHA))
        limits = _widened(limit, sizes)
        limits_of_pairs = np.maximum(limits[:, None], limits)
        now_apart = apart | (distances * open_ > limits_of_pairs)
        n_closed = np.count_nonzero(now_apart & ~apart) // 2
        apart = now_apart
        if n_closed < _WORTH_A_STEP * n_open:
            break
    return apart & (differences > 0)


def _size(estimate: Estimate) -> float:
    """The number of units of an estimate; infinite where it is not known, or not compared by
    units.
    """
    if estimate.basis is not Basis.UNITS or estimate.n is None:
        return np.inf
    return estimate.n


def _defined_for_all(drawn: Floats) -> Floats:
    """Leave out the resamples that are not defined for a model, shape (m, B) -> shape (m, C); a
    model without resamples stays NaN.
    """
    has_draws = ~np.isnan(drawn).all(axis=1)
    is_defined = ~np.isnan(drawn[has_draws]).any(axis=0)
    return drawn[:, is_defined]


def _widened(limit: float, sizes: Floats) -> Floats:
    """The limit for models of so many units, shape (m,); of infinitely many it stays."""
    with np.errstate(invalid="ignore"):  # inf / inf
        limits = -widened(-limit, _OF_THE_UNITS * sizes)
    of_finitely_many = np.where(sizes > 2, limits, np.inf)
    return np.where(np.isinf(sizes), limit, of_finitely_many)


def _standard_errors(centered: Floats) -> Floats:
    """Of every difference, from resamples around their means, shape (m, B) -> shape (m, m); 0 where
    none varies.
    """
    covariance = centered @ centered.T / centered.shape[1]
    variance = np.diag(covariance)
    sums = variance[:, None] + variance
    squared = sums - 2 * covariance
    with np.errstate(invalid="ignore"):
        is_rounding = squared < _RELATIVE_ROUNDING * sums
        return np.sqrt(np.where(is_rounding, 0, squared))


def _greatest(
    centered: NDArray[np.float32],
    inverse: NDArray[np.float32],
) -> NDArray[np.float32]:
    """The greatest |difference| over its standard error in each resample, shape (B,).

    Args:
        centered: Resamples around their means, shape (m, B).
        inverse: 1 over the standard errors, shape (m, m); 0 for pairs that do not count.
    """
    m, n_resamples = centered.shape
    all_greatest = np.zeros(n_resamples, dtype=np.float32)
    for start in range(0, n_resamples, _BLOCK):
        block = np.ascontiguousarray(centered[:, start : start + _BLOCK])
        greatest = all_greatest[start : start + _BLOCK]
        for row in range(m - 1):
            weights = inverse[row, row + 1 :]
            if not weights.any():
                continue
            differences = block[row + 1 :] - block[row]
            differences *= weights[:, None]
            distances = np.abs(differences, out=differences)
            np.maximum(greatest, distances.max(axis=0), out=greatest)
    return all_greatest
