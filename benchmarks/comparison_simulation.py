"""How often `harness-ext compare` and a board are wrong, on planted models whose differences are known.

    python benchmarks/comparison_simulation.py --worlds 400

Units have something in common, as real compounds do, and each model adds noise of its own. Equal models must have
p < α in no more than α of the worlds, intervals must hold the difference in 95 %, no two equal models may be told apart
on a board in more than 5 %, and two planted clusters must be told apart. Prints the tables of docs/comparing.md.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy import special
from tqdm import tqdm

from harness_ext.results.ranks import Standing, rank_sets
from harness_ext.statistics.confidence_interval import confidence_interval
from harness_ext.statistics.correlation import rho
from harness_ext.statistics.paired_difference import Sample, differences
from harness_ext.statistics.statistic import auc, average, of_units

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from harness_ext.statistics.statistic import UnitStatistic

UNITS = (20, 60, 103, 280)
MODELS = (2, 5, 20, 100)
KINDS = ("mean", "share of .5", "share of .95", "rank correlation", "AUC")
SHARES = {"share of .5": 0.5, "share of .95": 0.95}


def equal_models(kind: str, n: int, m: int, rng: np.random.Generator) -> list[UnitStatistic]:
    """Models with the same true score, on n new units."""
    names = np.array([f"unit {number}" for number in range(n)])
    common, follows, first = rng.normal(size=n), rng.normal(size=n), np.arange(n) % 2 == 0
    found = []
    for own in rng.normal(size=(m, n)):
        if kind == "mean":
            found.append(of_units(average, names, common + own))
        elif kind in SHARES:
            right = (common + own) / np.sqrt(2) < special.ndtri(SHARES[kind])
            found.append(of_units(average, names, right.astype(np.float64)))
        elif kind == "rank correlation":
            found.append(of_units(rho, names, common + 0.7 * follows + own, common))
        else:
            found.append(of_units(auc, names, common + own + first, groups=[first, ~first]))
    return found


class Errors(NamedTuple):
    """How often two equal models differ at .05 and at .01, and intervals hold the difference, and the true share."""

    at_05: float
    at_01: float
    holds_difference: float
    holds_score: float


def errors_of_pairs(kind: str, n: int, worlds: int, rng: np.random.Generator) -> Errors:
    """Compare two equal models in many worlds."""
    found, held = [], []
    for _ in range(worlds):
        one, other = equal_models(kind, n, 2, rng)
        found += differences(Sample.of(one), [Sample.of(other)])
        truth = SHARES.get(kind, 0.0 if kind == "mean" else np.nan)  # the other true scores have no closed form
        low, high = confidence_interval(one)
        held.append(np.nan if np.isnan(truth) else low <= truth <= high)
    p_values = np.array([each.p_value for each in found])
    holds = np.mean([each.low <= 0 <= each.high for each in found])
    return Errors(float(np.mean(p_values < 0.05)), float(np.mean(p_values < 0.01)), float(holds), float(np.mean(held)))


def standings(values: NDArray[np.float64], rng: np.random.Generator) -> list[Standing]:
    """Means of the units of each model, shape (m, n), with resamples that are drawn together."""
    n = values.shape[1]
    drawn = values @ rng.multinomial(n, np.full(n, 1 / n), size=2000).T / n
    return [Standing(one.mean(), None, each.astype(np.float32), n) for one, each in zip(values, drawn, strict=True)]


class RankErrors(NamedTuple):
    """How often any two of m equal models are told apart, and how many of two clusters' pairs are.

    `holds_all` is how often all rank sets hold the true ranks, of models whose true scores are in equal steps.
    """

    told_apart: float
    clusters: float
    holds_all: float


def errors_of_ranks(m: int, n: int, worlds: int, rng: np.random.Generator) -> RankErrors:
    """Rank m models in many worlds; two clusters are 1.5 standard deviations of a unit's difference apart."""
    told, apart, held = [], [], []
    upper = np.arange(m) < m // 2
    for _ in range(worlds):
        values = rng.normal(size=n) + rng.normal(size=(m, n))
        told.append(any(one != (1, m) for one in rank_sets(standings(values, rng))))
        sets = rank_sets(standings(values + 1.5 * np.sqrt(2) * upper[:, None], rng))
        apart.append(np.mean([sets[one].worst < sets[other].best for one in np.flatnonzero(upper)
                              for other in np.flatnonzero(~upper)]))  # fmt: skip
        sets = rank_sets(standings(values - np.arange(m)[:, None] / np.sqrt(n), rng))
        held.append(all(one.best <= rank <= one.worst for rank, one in enumerate(sets, start=1)))
    return RankErrors(float(np.mean(told)), float(np.mean(apart)), float(np.mean(held)))


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--worlds", type=int, default=400, help="simulated worlds per line (default 400)")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    rng = np.random.default_rng(arguments.seed)
    print("| score | units | p < .05 | p < .01 | interval holds the difference | interval holds the score |")
    print("| --- | --- | --- | --- | --- | --- |")
    for kind in KINDS:
        for n in tqdm(UNITS, desc=kind, leave=False, disable=None):
            cells = ("" if np.isnan(one) else f"{one:.3f}" for one in errors_of_pairs(kind, n, arguments.worlds, rng))
            print(f"| {kind} | {n} | {' | '.join(cells)} |", flush=True)
    print("\n| models | units | any two equal ones told apart | two clusters told apart | all ranks in their sets |")
    print("| --- | --- | --- | --- | --- |")
    for m in MODELS:
        for n in tqdm(UNITS, desc=f"{m} models", leave=False, disable=None):
            cells = (f"{one:.3f}" for one in errors_of_ranks(m, n, arguments.worlds, rng))
            print(f"| {m} | {n} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
