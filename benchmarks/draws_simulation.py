"""How often 95 % intervals and rank sets hold what is true, by two ways to draw units.

    python benchmarks/draws_simulation.py

*Poisson* is how this package draws: each unit counts as often as a Poisson variable with mean 1
says. *Multinomial* is how it drew before: a resample has as many units as the sample, and as many
of each group and of each of two crossed kinds. Both see the same worlds. Prints docs/draws.csv.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from harness_ext.common.arrays import Flags, Floats, Names
from harness_ext.common.seeds import seed_of
from harness_ext.measures.montague.pairs import type_means
from harness_ext.results.ranks import Estimate, rank_sets
from harness_ext.statistics.bootstrap import N_RESAMPLES
from harness_ext.statistics.confidence_interval import confidence_interval
from harness_ext.statistics.correlation import rho
from harness_ext.statistics.crossed import CrossedStatistic, Draws
from harness_ext.statistics.paired_difference import difference
from harness_ext.statistics.statistic import (
    DifferenceStatistic,
    Statistic,
    UnitStatistic,
    auc,
    average,
    mean,
    of_units,
)
from harness_ext.statistics.threshold import share_under

UNITS = (10, 15, 30, 100)
"""The numbers of units, in each group of an AUC."""

FEW_UNITS = 15
"""Of more units there are as many times fewer worlds, because they take long, and both ways to draw
differ less.
"""

LARGE_GROUP = 60
"""The units of the larger group of an AUC of unequal groups."""

ADJECTIVES = (11, 6, 27, 14)
"""The numbers of adjectives of each type that enter Montague's main score."""

NOUNS = (10, 12, 20)
"""The numbers of nouns; Montague has 12."""

_NUMBERS_OF_TYPES = np.arange(len(ADJECTIVES))

TYPES = np.equal.outer(_NUMBERS_OF_TYPES, np.repeat(_NUMBERS_OF_TYPES, ADJECTIVES))
"""Whether each adjective is of each type, shape (types, adjectives)."""

N_ROWS = 3
"""The rows of each unit, of scores over rows."""

N_MODELS = 3
"""The models that are ranked. Their true scores lie a standard error apart."""

N_NAMES = 40
"""Names of units decide how they are drawn, so 40 worlds one after the other have other names."""


class World(NamedTuple):
    """What one sample gives.

    Attributes:
        truth: The true score.
        statistic: The score of the sample.
    """

    truth: float
    statistic: Statistic


Sampler = Callable[[int, np.random.Generator], World]
"""The number of a world -> its sample."""


class Line(NamedTuple):
    """A line of the table.

    Attributes:
        score: The kind of score.
        n: The number of units, in the smaller of two groups.
        units: The same in words, with those of other groups and kinds.
        sampler: Samples it.
    """

    score: str
    n: int
    units: str
    sampler: Sampler


# the old draws


@lru_cache(maxsize=4 * N_NAMES)
def multinomial_counts(seed: str, n: int) -> NDArray[np.uint8]:
    """How often each of n units is in each resample of n units, shape (`N_RESAMPLES`, n)."""
    rng = np.random.default_rng(seed_of(seed))
    shares = np.full(n, 1 / n)
    counts = rng.multinomial(n, shares, size=N_RESAMPLES)
    return counts.astype(np.uint8)


def multinomial_draws(statistic: CrossedStatistic) -> Draws:
    """How often adjectives count, as many of each type, and nouns."""
    names = statistic.first[0]
    first = np.empty((len(statistic.first), N_RESAMPLES))
    for type_, is_of_type in enumerate(TYPES):
        seed = f"{names} type {type_}"
        counts = multinomial_counts(seed, int(is_of_type.sum()))
        first[is_of_type] = counts.T
    counts_of_nouns = multinomial_counts(f"{names} nouns", len(statistic.second))
    second = counts_of_nouns.T.astype(np.float64)
    return Draws(first, second)


def with_multinomial_draws(statistic: Statistic) -> Statistic:
    """The same score; its resamples have as many units of each group as the sample."""
    if isinstance(statistic, DifferenceStatistic):
        one = with_multinomial_draws(statistic.one)
        return DifferenceStatistic(one, with_multinomial_draws(statistic.other))
    found = copy(statistic)
    if isinstance(statistic, CrossedStatistic):
        # kept where it keeps its own
        vars(found)["_draws"] = multinomial_draws(statistic)
        return found
    assert isinstance(statistic, UnitStatistic)
    times = []
    for number, group in enumerate(statistic.groups):
        seed = f"{statistic.units[0]} group {number}"
        counts = multinomial_counts(seed, int(group.sum()))
        times.append(counts.astype(np.float64))
    vars(found)["_resamples"] = statistic._of_draws(times)
    return found


# samples


def names_of(number: int, n: int) -> Names:
    """Names of n units in a world."""
    world = number % N_NAMES
    return np.array([f"unit {unit} of world {world}" for unit in range(n)])


def normal_mean(n: int) -> Sampler:
    """The mean of normal values."""

    def sample(number: int, rng: np.random.Generator) -> World:
        values = rng.normal(size=n)
        return World(0.0, of_units(average, names_of(number, n), values))

    return sample


def exponential_mean(n: int) -> Sampler:
    """The mean of values with a long tail."""

    def sample(number: int, rng: np.random.Generator) -> World:
        values = rng.exponential(size=n)
        return World(1.0, of_units(average, names_of(number, n), values))

    return sample


def _right_rows(n: int, truth: float, rng: np.random.Generator) -> Flags:
    """Whether rows are right, shape (n, `N_ROWS`). The rows of a unit have half of their variance
    in common.
    """
    unit_noise = rng.normal(size=(n, 1))
    noise = unit_noise + rng.normal(size=(n, N_ROWS))
    is_right: Flags = noise / np.sqrt(2) < special.ndtri(truth)
    return is_right


def mean_share(n: int, truth: float) -> Sampler:
    """The mean of the shares of right rows of units."""

    def sample(number: int, rng: np.random.Generator) -> World:
        units = np.repeat(names_of(number, n), N_ROWS)
        right = _right_rows(n, truth, rng).ravel()
        return World(truth, mean(units, right.astype(np.float64)))

    return sample


def share_of_rows(n: int, truth: float) -> Sampler:
    """The share of the rows whose cosine is below a threshold."""

    def sample(number: int, rng: np.random.Generator) -> World:
        units = np.repeat(names_of(number, n), N_ROWS)
        right = _right_rows(n, truth, rng).ravel()
        cosines = np.where(right, 0.2, 0.8)
        return World(truth, share_under(0.5, units, cosines))

    return sample


def rank_correlation(n: int, truth: float) -> Sampler:
    """Spearman's ρ of normal values."""
    r = 2 * np.sin(np.pi / 6 * truth)

    def sample(number: int, rng: np.random.Generator) -> World:
        x = rng.normal(size=n)
        noise = rng.normal(size=n)
        y = r * x + np.sqrt(1 - r**2) * noise
        return World(truth, of_units(rho, names_of(number, n), x, y))

    return sample


def _auc(values: Floats, n: int, number: int) -> UnitStatistic:
    """P(one of the first n values > one of the others)."""
    is_above = np.arange(len(values)) < n
    names = names_of(number, len(values))
    return of_units(auc, names, values, groups=[is_above, ~is_above])


def area(n: int, m: int, truth: float) -> Sampler:
    """The AUC of n and m normal values."""
    shift = np.sqrt(2) * special.ndtri(truth)

    def sample(number: int, rng: np.random.Generator) -> World:
        values = rng.normal(size=n + m)
        values[:n] += shift
        return World(truth, _auc(values, n, number))

    return sample


def difference_of_areas(n: int, truth: float, other_truth: float) -> Sampler:
    """The difference of two AUCs of values that have half of their variance in common."""
    shifts = np.sqrt(2) * special.ndtri([truth, other_truth])

    def sample(number: int, rng: np.random.Generator) -> World:
        common = rng.normal(size=2 * n)
        own = rng.normal(size=(2, 2 * n))
        values = (common + own) / np.sqrt(2)
        values[:, :n] += shifts[:, None]
        one = _auc(values[0], n, number)
        other = _auc(values[1], n, number)
        return World(truth - other_truth, DifferenceStatistic(one, other))

    return sample


def crossed_mean(n_nouns: int) -> Sampler:
    """The mean over types of adjectives of the means over their phrases.

    Adjectives, nouns and phrases have a third of the variance each.
    """
    n_adjectives = sum(ADJECTIVES)

    def sample(number: int, rng: np.random.Generator) -> World:
        of_adjectives = rng.normal(size=(n_adjectives, 1))
        of_nouns = rng.normal(size=n_nouns)
        of_phrases = rng.normal(size=(n_adjectives, n_nouns))
        values = of_adjectives + of_nouns + of_phrases

        def formula(*times: Floats) -> Floats:
            means_of_types = type_means(values, TYPES, *times)
            means: Floats = means_of_types.mean(axis=0)
            return means

        def of_some(names: Names) -> CrossedStatistic:
            raise NotImplementedError(f"{len(names)} of the adjectives are not asked for here")

        adjectives = names_of(number, n_adjectives)
        world = number % N_NAMES
        nouns = np.array([f"noun {noun} of world {world}" for noun in range(n_nouns)])
        statistic = CrossedStatistic(
            adjectives,
            adjectives,
            nouns,
            formula,
            of_some,
        )
        return World(0.0, statistic)

    return sample


def lines(units: Sequence[int]) -> Iterator[Line]:
    """The lines of scores with one kind of units."""
    for n in units:
        of_one_group = {
            "mean, normal": normal_mean(n),
            "mean, exponential": exponential_mean(n),
            "mean of shares, .8": mean_share(n, 0.8),
            "mean of shares, .95": mean_share(n, 0.95),
            "share of rows, .8": share_of_rows(n, 0.8),
            "share of rows, .95": share_of_rows(n, 0.95),
            "rank correlation of .3": rank_correlation(n, 0.3),
            "rank correlation of .7": rank_correlation(n, 0.7),
        }
        of_two_groups = {
            "AUC of .65": area(n, n, 0.65),
            "AUC of .95": area(n, n, 0.95),
            "AUC of .65 minus .55": difference_of_areas(n, 0.65, 0.55),
        }
        for score, sampler in of_one_group.items():
            yield Line(score, n, f"{n}", sampler)
        for score, sampler in of_two_groups.items():
            yield Line(score, n, f"{n} and {n}", sampler)


def other_lines() -> Iterator[Line]:
    """The lines of groups of other sizes, and of two kinds of units."""
    unequal = area(10, LARGE_GROUP, 0.65)
    yield Line("AUC of .65", 10, f"10 and {LARGE_GROUP}", unequal)
    for n_nouns in NOUNS:
        units = f"{sum(ADJECTIVES)} × {n_nouns}"
        yield Line("crossed mean", n_nouns, units, crossed_mean(n_nouns))


# coverage


class Coverage(NamedTuple):
    """How good intervals are.

    Attributes:
        holds: The share of the worlds whose interval holds the truth.
        width: The mean width of the intervals.
    """

    holds: float
    width: float


def interval_of(statistic: Statistic) -> tuple[float, float]:
    """The 95 % interval of a score, or of a difference of scores."""
    if isinstance(statistic, DifferenceStatistic):
        found = difference(statistic.one, statistic.other)
        return found.low, found.high
    return confidence_interval(statistic)


def coverage(statistic: Statistic, truth: float) -> Coverage:
    """Whether the interval of a sample holds the truth; none does not."""
    low, high = interval_of(statistic)
    holds = low <= truth <= high
    return Coverage(float(holds), high - low)


def coverages(line: Line, n_worlds: int, seed: int) -> tuple[Coverage, Coverage]:
    """The coverage by multinomial and by Poisson draws, in the same worlds."""
    seed_of_line = seed_of(f"{line.score} {line.units}")
    rng = np.random.default_rng([seed, seed_of_line])
    by_multinomial = []
    by_poisson = []
    for number in range(n_worlds):
        world = line.sampler(number, rng)
        old = with_multinomial_draws(world.statistic)
        by_multinomial.append(coverage(old, world.truth))
        by_poisson.append(coverage(world.statistic, world.truth))
    return _mean(by_multinomial), _mean(by_poisson)


def _mean(found: list[Coverage]) -> Coverage:
    holds, width = np.mean(found, axis=0).tolist()
    return Coverage(holds, width)


def rank_coverages(n: int, n_worlds: int, seed: int) -> tuple[float, float]:
    """How often all rank sets hold the true ranks, by multinomial and by Poisson draws."""
    rng = np.random.default_rng([seed, n])
    holds = []
    for number in range(n_worlds):
        common = rng.normal(size=n)
        statistics: list[Statistic] = []
        for place in range(N_MODELS):
            own = rng.normal(size=n)
            standard_errors = place / np.sqrt(n)
            values = common + own - standard_errors
            statistics.append(of_units(average, names_of(number, n), values))
        old = [with_multinomial_draws(statistic) for statistic in statistics]
        holds.append((_ranks_hold(old), _ranks_hold(statistics)))
    by_multinomial, by_poisson = np.mean(holds, axis=0).tolist()
    return by_multinomial, by_poisson


def _ranks_hold(statistics: list[Statistic]) -> bool:
    """Whether the rank sets hold 1, 2, 3 in this order."""
    estimates = []
    for statistic in statistics:
        estimate = Estimate(
            statistic.value(),
            None,
            statistic.resamples().astype(np.float32),
            statistic.effective_size,
        )
        estimates.append(estimate)
    sets = rank_sets(estimates)
    ranked = enumerate(sets, start=1)
    return all(ranks.best <= rank <= ranks.worst for rank, ranks in ranked)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--worlds", type=int, default=2000, help="worlds of a line")
    parser.add_argument("--rank-worlds", type=int, default=500, help="worlds of rank sets")
    parser.add_argument("--only", default="", help="only the scores with this in their name")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    _print("score", "units", "worlds", "multinomial", "Poisson", "width")
    few_units = [n for n in UNITS if n <= FEW_UNITS]
    more_units = [n for n in UNITS if n > FEW_UNITS]
    for line in [*lines(few_units), *other_lines(), *lines(more_units)]:
        if asked.only in line.score:
            worlds = asked.worlds * FEW_UNITS // max(FEW_UNITS, line.n)
            old, new = coverages(line, worlds, asked.seed)
            _print(
                line.score,
                line.units,
                worlds,
                old.holds,
                new.holds,
                new.width / old.width,
            )
    name = f"rank sets of {N_MODELS} models"
    if asked.only not in name:
        return
    for n in UNITS:
        by_multinomial, by_poisson = rank_coverages(n, asked.rank_worlds, asked.seed)
        _print(name, f"{n}", asked.rank_worlds, by_multinomial, by_poisson, "")


def _print(*cells: str | float) -> None:
    shown = [f"{cell:.3f}" if isinstance(cell, float) else cell for cell in cells]
    csv.writer(sys.stdout).writerow(shown)
    sys.stdout.flush()


if __name__ == "__main__":
    main()
