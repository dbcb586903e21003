"""The figures of several models beside each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from harness_ext.show.report.views import Grid

Cell = str | float | None
MANY_MODELS = 2
"""Of more models than these, only the first figure is shown."""


@dataclass(frozen=True)
class Beside:
    """A table with the figures of several models side by side.

    Attributes:
        facts: The columns that all models share.
        figures: The columns of each model, by its name.
        rows: Facts, then figures; NaN is none.
    """

    facts: tuple[str, ...]
    figures: Mapping[str, tuple[str, ...]]
    rows: Sequence[tuple[Cell, ...]]

    def by(self, column: str) -> dict[str, Beside]:
        """Its rows by what stands in one of the facts."""
        place = self.facts.index(column)
        found: dict[str, list[tuple[Cell, ...]]] = {}
        for row in self.rows:
            found.setdefault(str(row[place]), []).append(row)
        return {value: Beside(self.facts, self.figures, rows) for value, rows in found.items()}


def beside(grids: Mapping[str, Grid]) -> Beside:
    """Put the rows of the models that have the same facts beside each other.

    Args:
        grids: By model; all of one measure, on one split and subset.
    """
    used = [
        name for name in next(iter(grids.values())).facts if any(_is_known(grid.facts[name]) for grid in grids.values())
    ]
    names = {model: _names(grid, len(grids)) for model, grid in grids.items()}
    by_model = {
        model: dict(zip(_keys(grid, used), _figures(grid, names[model]), strict=True)) for model, grid in grids.items()
    }
    keys = dict.fromkeys(key for rows in by_model.values() for key in rows)
    empty = {model: (float("nan"),) * len(names[model]) for model in grids}
    rows = [(*key, *(cell for model in grids for cell in by_model[model].get(key, empty[model]))) for key in keys]
    return Beside(tuple(used), names, rows)


def _names(grid: Grid, n_models: int) -> tuple[str, ...]:
    names = tuple(grid.figures)
    return names[:1] if n_models > MANY_MODELS else names


def _is_known(values: NDArray[Any]) -> bool:
    """Whether there is a fact at all, and not only empty places."""
    return bool((~np.isnan(values)).any() if values.dtype.kind == "f" else (values != "").any())


def _keys(grid: Grid, used: Sequence[str]) -> Iterable[tuple[Cell, ...]]:
    # NaN is not equal to itself, and would keep apart what belongs together
    columns = ([None if value != value else value for value in grid.facts[name].tolist()] for name in used)
    return zip(*columns, strict=True)


def _figures(grid: Grid, names: tuple[str, ...]) -> Iterable[tuple[float, ...]]:
    return zip(*(grid.figures[name].tolist() for name in names), strict=True)


def ends(wrong: NDArray[np.float64], n: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The numbers of the `n` most wrong and of the `n` most right, each the extreme one first; none is in both."""
    order = np.argsort(wrong, kind="stable")
    order = order[: int((~np.isnan(wrong)).sum())]
    n = min(n, len(order) // 2)
    return order[::-1][:n], order[:n]
