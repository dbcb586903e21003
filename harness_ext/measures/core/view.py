"""A view of a model: figures of each compound, phrase, pair or tree, and its distance from the
right result.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import scipy

from harness_ext.common.arrays import Array, Floats, Names


@dataclass(frozen=True)
class View:
    """The results of a model in one split and subset, a row per unit.

    Attributes:
        facts: Column -> values, shape (n,), the same for all models; the first names the unit.
        figures: Column -> numbers of the model, shape (n,), NaN for none; the first sums the unit
            up.
        wrong: Each unit's distance from the right result, shape (n,); NaN if no result is right.
        rows: A row of the dataset that the unit is in, shape (n,). None if there are no sentences
            to show.
    """

    facts: Mapping[str, Array]
    figures: Mapping[str, Floats]
    wrong: Floats
    rows: Names | None

    @classmethod
    def by_rank(
        cls,
        facts: Mapping[str, Array],
        measured: tuple[str, Floats],
        expected: Floats,
        rows: Names | None,
    ) -> Self:
        """View units of a correlation by the difference of ranks between what was measured and what
        is expected.
        """
        name, values = measured
        difference = percentiles(values) - percentiles(np.where(np.isnan(values), np.nan, expected))
        return cls(
            facts, {name: values, "difference of ranks": difference}, np.abs(difference), rows
        )


def percentiles(values: Floats) -> Floats:
    """Rank values from 0 to 1, NaN left out, shape (n,)."""
    n = np.count_nonzero(~np.isnan(values))
    ranks: Floats = scipy.stats.rankdata(values, nan_policy="omit")
    return (ranks - 1) / (n - 1) if n > 1 else np.full(len(values), np.nan)


def first_rows(compounds: Names, table: Any) -> Names:
    """The first row of each compound in a table with both, shape (k,); empty for none."""
    first = dict(zip(table.compound.tolist()[::-1], table.row.tolist()[::-1], strict=True))
    return np.array([first.get(name, "") for name in compounds.tolist()])
