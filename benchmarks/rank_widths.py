"""How wide are sets of ranks, and how many units make them narrow?

python -m benchmarks.rank_widths prints it.
Two halves of the models differ by half a standard deviation of the units, which are independent.
Prints the number of units, and the mean number of ranks in a set. docs/compare.md says what it
shows.
"""

import numpy as np

from harness_ext.results.ranks import Estimate, rank_sets
from harness_ext.statistics.bootstrap import N_RESAMPLES

N_MODELS = 100
"""Half of them are better."""

DIFFERENCE = 0.5
"""Between the halves, in standard deviations of the units."""

N_WORLDS = 4
"""Simulated samples for each number of units."""

N_UNITS = (60, 120, 180, 240, 300)
"""The numbers of units."""


def mean_width(n_units: int, generator: np.random.Generator) -> float:
    """The mean number of ranks in the sets of all models of one world."""
    values = generator.normal(size=(N_MODELS, n_units))
    values[N_MODELS // 2 :] += DIFFERENCE
    shares = np.full(n_units, 1 / n_units)
    counts = generator.multinomial(n_units, shares, size=N_RESAMPLES)
    weights = counts / n_units
    drawn = (values @ weights.T).astype(np.float32)
    estimates: list[Estimate] = []
    for of_model, resamples in zip(values, drawn, strict=True):
        mean = float(of_model.mean())
        estimates.append(Estimate(mean, None, resamples, n_units))
    widths = [ranks.worst - ranks.best + 1 for ranks in rank_sets(estimates)]
    return float(np.mean(widths))


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    for n in N_UNITS:
        widths = [mean_width(n, rng) for _ in range(N_WORLDS)]
        print(f"{n} {np.mean(widths):.1f}")
