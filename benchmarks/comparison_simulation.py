"""How often `harness-ext compare` and a board are wrong, on planted models whose scores are known.

    python benchmarks/comparison_simulation.py

Units have something in common, as real compounds do, and each model adds noise of its own. Equal
models must have p < α in no more than α of the worlds, 95 % intervals must hold the difference, the
score and the gain, no two equal models may differ significantly on a board in more than 5 %, and
two planted clusters must differ. The last row is of units that are not independent: bags of random
word vectors on the sentences of role swaps, which share their words. Prints docs/error_rates.csv
and rank_errors.csv, one after the other.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import cache, lru_cache, partial
from typing import NamedTuple

import numpy as np
from scipy import special
from tqdm import tqdm

from harness_ext.common.arrays import Flags, Floats, Names
from harness_ext.common.seeds import seed_of
from harness_ext.data.words import words_of
from harness_ext.measures.montague.pairs import type_means
from harness_ext.results.ranks import Estimate, rank_sets
from harness_ext.statistics.bootstrap import N_RESAMPLES
from harness_ext.statistics.confidence_interval import confidence_interval
from harness_ext.statistics.correlation import rho
from harness_ext.statistics.crossed import CrossedStatistic
from harness_ext.statistics.paired_difference import Sample, differences
from harness_ext.statistics.statistic import (
    Statistic,
    auc,
    average,
    mean,
    mean_of_rows,
    of_units,
    spearman_of_rows,
)
from harness_ext.tasks import ENCODER_TASKS
from harness_ext.tasks.data import load_rows

UNITS = (20, 60, 103, 280)
MODELS = (2, 5, 20, 100)
N_NOUNS = 12
"""Second units of crossed scores, as many as `modifier_phrases` has nouns."""
N_ROWS = 3
"""Rows of each unit, of scores over rows."""

ROLE_SWAPS = "RoleSwapSimilarity"
N_BAGS = 60
N_DIMENSIONS = 300

NAMES = 8
"""Names of units decide how they are drawn, so eight worlds one after the other have other
names.
"""
CLUSTERS = (1.5, 2.5)
"""How far apart two clusters of models are, in standard deviations of a unit's difference."""


class Kind(NamedTuple):
    """A kind of score.

    Attributes:
        form: Its formula.
        score: The true score of both models, as the formula has it.
        words: That of their additive baselines.
        common: How much of a unit's variance all models share.
    """

    form: str
    score: float
    words: float
    common: float = 0.5


KINDS = {
    "mean": Kind("mean", 0.5, 0.0),
    "mean of rows": Kind("mean of rows", 0.5, 0.0),
    "share of .5": Kind("share", 0.5, 0.4),
    "share of .8": Kind("share", 0.8, 0.5),
    "share of .95": Kind("share", 0.95, 0.8),
    "share of .95, nearly alike": Kind("share", 0.95, 0.8, common=0.95),
    "share of .95, of rows": Kind("share of rows", 0.95, 0.8),
    "rank correlation of .3": Kind("rank correlation", 0.3, 0.2),
    "rank correlation of .7": Kind("rank correlation", 0.7, 0.3),
    "rank correlation of .3, of rows": Kind("rank correlation of rows", 0.3, 0.2),
    "AUC of .65": Kind("AUC", 0.65, 0.55),
    "AUC of .95": Kind("AUC", 0.95, 0.65),
    "crossed mean": Kind("crossed mean", 0.5, 0.0),
}


LONG = {
    "rank correlation": 4,
    "rank correlation of rows": 4,
    "AUC": 4,
    "crossed mean": 5,
}
"""Form -> by how much fewer worlds there are of it, because it takes long."""


def world(kind: Kind, n: int, names: Names, rng: np.random.Generator) -> list[Statistic]:
    """Two equal models and the additive baseline of each, on n new units."""
    truths = (kind.score, kind.score, kind.words, kind.words)
    found: list[Statistic] = []
    if kind.form.startswith("crossed") or kind.form.endswith("rows"):
        return _of_rows(kind, truths, names, rng)
    noise = _noise(kind, (n,), rng)
    first = np.arange(n) % 2 == 0
    person = rng.normal(size=n)
    for truth, own_noise in zip(truths, noise, strict=True):
        if kind.form == "mean":
            statistic = of_units(average, names, truth + own_noise)
        elif kind.form == "share":
            is_right = _is_right(own_noise, truth)
            statistic = of_units(average, names, is_right)
        elif kind.form == "rank correlation":
            values = _like_people(person, own_noise, truth)
            statistic = of_units(rho, names, values, person)
        else:
            values = own_noise + _shift(truth) * first
            statistic = of_units(auc, names, values, groups=[first, ~first])
        found.append(statistic)
    return found


def _is_right(noise: Floats, share: float) -> Floats:
    """1 for so large a share of standard normal values, 0 for the others."""
    return (noise < special.ndtri(share)).astype(np.float64)


def _like_people(person: Floats, noise: Floats, truth: float) -> Floats:
    """Values with this rank correlation with people's, both standard normal."""
    r = _pearson(truth)
    values: Floats = r * person + np.sqrt(1 - r**2) * noise
    return values


def _noise(kind: Kind, shape: tuple[int, ...], rng: np.random.Generator) -> Floats:
    """Standard normal noise of four models, which share `kind.common` of its variance, shape (4,
    *shape).
    """
    common = np.sqrt(kind.common) * rng.normal(size=shape)
    own = np.sqrt(1 - kind.common) * rng.normal(size=(4, *shape))
    noise: Floats = common + own
    return noise


def _pearson(spearman_rho: float) -> float:
    """Pearson's r of two normal variables with this Spearman's ρ."""
    return float(2 * np.sin(np.pi / 6 * spearman_rho))


def _shift(truth: float) -> float:
    """How far apart two standard normal variables are with this AUC."""
    return float(np.sqrt(2) * special.ndtri(truth))


def _of_rows(
    kind: Kind,
    truths: Sequence[float],
    names: Names,
    rng: np.random.Generator,
) -> list[Statistic]:
    """Noise is a third each that of the unit, of the second unit where there is one, and of the
    row.
    """
    n = len(names)
    is_crossed = kind.form.startswith("crossed")
    n_seconds = N_NOUNS if is_crossed else N_ROWS
    shape = (n, n_seconds)
    unit_noise = _noise(kind, (n, 1), rng)
    second_noise = _noise(kind, (1, n_seconds) if is_crossed else shape, rng)
    row_noise = _noise(kind, shape, rng)
    sum_of_noise = unit_noise + second_noise + row_noise
    noise = sum_of_noise.reshape(4, -1) / np.sqrt(3)
    unit = np.repeat(np.arange(n), n_seconds)
    units = names[unit]
    common_of_people = rng.normal(size=(n, 1))
    ratings = common_of_people + rng.normal(size=shape)
    person = ratings.ravel() / np.sqrt(2)
    found: list[Statistic] = []
    for truth, own_noise in zip(truths, noise, strict=True):
        statistic: Statistic
        if kind.form == "mean of rows":
            statistic = mean_of_rows(names, unit, truth + own_noise)
        elif kind.form == "share of rows":
            statistic = mean(units, _is_right(own_noise, truth))
        elif kind.form == "rank correlation of rows":
            values = _like_people(person, own_noise, truth)
            statistic = spearman_of_rows(units, values, person)
        else:
            is_first = np.arange(n) % 2 == 0
            cells = truth + own_noise.reshape(shape)
            statistic = _crossed_mean(names, cells, is_first)
        found.append(statistic)
    return found


def _crossed_mean(names: Names, values: Floats, first: Flags) -> CrossedStatistic:
    """The mean of two groups of units, the `first` and the others; values are of units and nouns,
    shape (n, nouns).
    """
    groups = np.array([first, ~first])

    def formula(*times: Floats) -> Floats:
        means_of_groups = type_means(values, groups, *times)
        means: Floats = means_of_groups.mean(axis=0)
        return means

    def of_units(some: Names) -> CrossedStatistic:
        inside = np.isin(names, some)
        return _crossed_mean(names[inside], values[inside], first[inside])

    # Draws go by name: nouns of another world need other names.
    n_nouns = values.shape[1]
    nouns = np.array([f"noun {noun} of {names[0]}" for noun in range(n_nouns)])
    return CrossedStatistic(names, names, nouns, formula, of_units)


def bags(seed: int, texts: list[str]) -> Floats:
    """Sums of random word vectors by a seed, shape (n, `N_DIMENSIONS`)."""

    @cache
    def vector(word: str) -> Floats:
        generator = np.random.default_rng(seed_of(f"{seed} {word}"))
        return generator.standard_normal(N_DIMENSIONS)

    def bag(text: str) -> Floats:
        vectors = [vector(word) for word in words_of(text)]
        return np.asarray(np.sum(vectors, axis=0))

    return np.array([bag(text) for text in texts])


class ErrorsOfBags(NamedTuple):
    """How often bags of other seeds differ.

    Attributes:
        units: The groups of sentences.
        pairs: The pairs of bags.
        at_05: The share of the pairs that differ significantly at .05.
        at_01: And at .01.
    """

    units: int
    pairs: int
    at_05: float
    at_01: float


def errors_of_bags(n_bags: int = N_BAGS) -> ErrorsOfBags:
    """Compare all pairs of so many bags on the sentences of role swaps."""
    task = ENCODER_TASKS[ROLE_SWAPS]
    measure = task.measure
    (split,) = task.splits
    (subset,) = task.languages
    rows = load_rows(task, split, subset).to_list()
    plan = measure.planned(rows, split)
    statistics: list[Statistic] = []
    for seed in range(n_bags):
        items = measure.fill(plan, partial(bags, seed))
        statistics.append(measure.statistic(items, measure.main))
    samples = [Sample.of(statistic) for statistic in statistics]
    found: list[float] = []
    for place, sample in enumerate(samples[:-1], start=1):
        later = samples[place:]
        found += [difference.p_value for difference in differences(sample, later)]
    p_values = np.array(found)
    return ErrorsOfBags(
        len(statistics[0].units),
        len(p_values),
        at_05=(p_values < 0.05).mean(),
        at_01=(p_values < 0.01).mean(),
    )


class Errors(NamedTuple):
    """How often two equal models differ at .05 and .01, in score and in gain, and intervals hold
    what is true.
    """

    at_05: float
    at_01: float
    gains_at_05: float
    gains_at_01: float
    holds_difference: float
    holds_score: float
    holds_gain: float


def errors_of_pairs(kind: Kind, n: int, worlds: int, rng: np.random.Generator) -> Errors:
    """Compare two equal models in many worlds."""
    found = []
    for number in range(worlds):
        world_of_names = number % NAMES
        names = np.array([f"unit {world_of_names} {unit}" for unit in range(n)])
        statistics = world(kind, n, names, rng)
        first, second, words_of_first, words_of_second = map(Sample.of, statistics)
        (scores,) = differences(first, [second])
        gain_of_first = _gain(first, words_of_first)
        gain_of_second = _gain(second, words_of_second)
        (gains,) = differences(gain_of_first, [gain_of_second])
        (gain,) = differences(first, [words_of_first])
        low, high = confidence_interval(statistics[0])
        true_gain = kind.score - kind.words
        errors = Errors(
            at_05=scores.p_value < 0.05,
            at_01=scores.p_value < 0.01,
            gains_at_05=gains.p_value < 0.05,
            gains_at_01=gains.p_value < 0.01,
            holds_difference=scores.low <= 0 <= scores.high,
            holds_score=low <= kind.score <= high,
            holds_gain=gain.low <= true_gain <= gain.high,
        )
        found.append(errors)
    return Errors(*np.mean(found, axis=0).tolist())


def _gain(sample: Sample, of_words: Sample) -> Sample:
    """`Sample.of` the gain, from the resamples of both."""
    units = None
    if sample.units is not None and of_words.units is not None:
        units = sample.units - of_words.units
    return replace(
        sample,
        value=sample.value - of_words.value,
        drawn=sample.drawn - of_words.drawn,
        units=units,
    )


def estimates(values: Floats, number: int) -> list[Estimate]:
    """Means of the units of each model, shape (m, n), with resamples that are drawn together."""
    n = values.shape[1]
    times = _times(n, number % NAMES)
    drawn = (values @ times.T / n).astype(np.float32)
    found: list[Estimate] = []
    for of_model, resamples in zip(values, drawn, strict=True):
        estimate = Estimate(of_model.mean(), None, resamples, n)
        found.append(estimate)
    return found


@lru_cache(maxsize=NAMES)
def _times(n: int, number: int) -> Floats:
    """How often each of n units is in each resample, shape (`N_RESAMPLES`, n)."""
    rng = np.random.default_rng([n, number])
    shares = np.full(n, 1 / n)
    counts = rng.multinomial(n, shares, size=N_RESAMPLES)
    return counts.astype(np.float64)


class RankErrors(NamedTuple):
    """How often any two of m equal models differ significantly, by means and by shares of .95.

    `near` and `far` are how many pairs of models of two clusters differ significantly, at the
    distances of `CLUSTERS`. `holds_all` is how often all rank sets hold the true ranks, of models
    whose true scores are in equal steps.
    """

    told_apart: float
    shares_told_apart: float
    near: float
    far: float
    holds_all: float


def errors_of_ranks(m: int, n: int, worlds: int, rng: np.random.Generator) -> RankErrors:
    """Rank m models in many worlds."""
    found = []
    near, far = CLUSTERS
    for number in range(worlds):
        common = rng.normal(size=n)
        values = common + rng.normal(size=(m, n))
        shares = _is_right(values / np.sqrt(2), 0.95)
        steps = np.arange(m)[:, None] / np.sqrt(n)
        errors = RankErrors(
            told_apart=_are_told_apart(values, number),
            shares_told_apart=_are_told_apart(shares, number),
            near=_share_apart(values, near, number),
            far=_share_apart(values, far, number),
            holds_all=_holds_all(values - steps, number),
        )
        found.append(errors)
    return RankErrors(*np.mean(found, axis=0).tolist())


def _share_apart(values: Floats, distance: float, number: int) -> float:
    """Of the pairs of a model of the upper cluster and one of the lower, how many have ranks that
    do not overlap. The first half of the models, shape (m, n), is moved up by the distance.
    """
    m = len(values)
    is_upper = np.arange(m) < m // 2
    shift = distance * np.sqrt(2) * is_upper
    sets = rank_sets(estimates(values + shift[:, None], number))
    best = np.array([ranks.best for ranks in sets])
    worst = np.array([ranks.worst for ranks in sets])
    is_apart = np.less.outer(worst[is_upper], best[~is_upper])
    return float(is_apart.mean())


def _are_told_apart(values: Floats, number: int) -> bool:
    """Whether any of these models, shape (m, n), has fewer possible ranks than all."""
    all_ranks = (1, len(values))
    sets = rank_sets(estimates(values, number))
    return any(ranks != all_ranks for ranks in sets)


def _holds_all(values: Floats, number: int) -> bool:
    """Whether the rank sets of models, the best first, hold their ranks."""
    sets = rank_sets(estimates(values, number))
    ranked = enumerate(sets, start=1)
    return all(ranks.best <= rank <= ranks.worst for rank, ranks in ranked)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--worlds",
        type=int,
        default=1000,
        help="worlds (default 1000), fewer of slow scores",
    )
    parser.add_argument(
        "--only",
        default="",
        help='only the scores with this in their name; "models": only the ranks',
    )
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    _print(
        "score",
        "units",
        "worlds",
        "p < .05",
        "p < .01",
        "gains: p < .05",
        "gains: p < .01",
        "interval holds the difference",
        "the score",
        "the gain",
    )
    for name, kind in KINDS.items():
        for n in tqdm(UNITS, desc=name, leave=False, disable=None):
            if asked.only in name:
                worlds = max(1, asked.worlds // LONG.get(kind.form, 1))
                rng = np.random.default_rng([asked.seed, n])
                errors = errors_of_pairs(kind, n, worlds, rng)
                _print(name, n, worlds, *errors)
    if asked.only in ROLE_SWAPS:
        errors_of_seeds = errors_of_bags()
        _print(f"bags of other seeds on {ROLE_SWAPS}", *errors_of_seeds, *[""] * 5)
    _print(
        "models",
        "units",
        "worlds",
        "any two equal ones differ",
        "by shares of .95",
        "clusters 1.5 apart differ",
        "2.5 apart",
        "all ranks in their sets",
    )
    for m in MODELS:
        for n in tqdm(UNITS, desc=f"{m} models", leave=False, disable=None):
            if asked.only in "models":
                worlds = asked.worlds // max(1, m // 20)
                rng = np.random.default_rng([asked.seed, n, m])
                rank_errors = errors_of_ranks(m, n, worlds, rng)
                _print(m, n, worlds, *rank_errors)


def _print(*cells: str | float) -> None:
    shown = [f"{cell:.3f}" if isinstance(cell, float) else cell for cell in cells]
    csv.writer(sys.stdout).writerow(shown)
    sys.stdout.flush()


if __name__ == "__main__":
    main()
