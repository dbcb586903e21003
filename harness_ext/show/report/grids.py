"""Puts the figures of several models side by side."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from harness_ext.arrays import Array, Floats, Places

if TYPE_CHECKING:
    from harness_ext.show.report.views import Grid

Cell = str | float | None
MANY_MODELS = 2
"""Tables of more models than these show only the first figure of each."""


@dataclass(frozen=True)
class Beside:
    """A table with the figures of several models side by side.

    Attributes:
        facts: The columns shared by all models.
        figures: Model -> its columns.
        rows: Facts, then figures; NaN for a missing figure.
    """

    facts: tuple[str, ...]
    figures: Mapping[str, tuple[str, ...]]
    rows: Sequence[tuple[Cell, ...]]

    def by(self, column: str) -> dict[str, Beside]:
        """Split the rows by the values of a fact."""
        place = self.facts.index(column)
        found: dict[str, list[tuple[Cell, ...]]] = {}
        for row in self.rows:
            found.setdefault(str(row[place]), []).append(row)
        return {value: Beside(self.facts, self.figures, rows) for value, rows in found.items()}


def beside(grids: Mapping[str, Grid]) -> Beside:
    """Put rows of different models with the same facts side by side.

    Args:
        grids: Model -> its rows; all of one measure, on one split and subset.
    """
    used = [
        name for name in next(iter(grids.values())).facts if any(_is_known(grid.facts[name]) for grid in grids.values())
    ]
    shown = 1 if len(grids) > MANY_MODELS else None
    names = {model: tuple(grid.figures)[:shown] for model, grid in grids.items()}
    by_model = {}
    for model, grid in grids.items():
        figures = zip(*(grid.figures[name].tolist() for name in names[model]), strict=True)
        by_model[model] = dict(zip(_keys(grid, used), figures, strict=True))
    keys = dict.fromkeys(key for rows in by_model.values() for key in rows)
    empty = {model: (float("nan"),) * len(names[model]) for model in grids}
    rows = [(*key, *(cell for model in grids for cell in by_model[model].get(key, empty[model]))) for key in keys]
    return Beside(tuple(used), names, rows)


def _is_known(values: Array) -> bool:
    """Whether any value is not empty."""
    return bool((~np.isnan(values)).any() if values.dtype.kind == "f" else (values != "").any())


def _keys(grid: Grid, used: Sequence[str]) -> Iterable[tuple[Cell, ...]]:
    # NaN is not equal to itself, and would separate equal rows
    columns = ([None if value != value else value for value in grid.facts[name].tolist()] for name in used)
    return zip(*columns, strict=True)


def ends(wrong: Floats, n: int) -> tuple[Places, Places]:
    """Number the `n` most wrong and the `n` most right units, extremes first. No unit is in both."""
    order = np.argsort(wrong, kind="stable")
    order = order[: int((~np.isnan(wrong)).sum())]
    n = min(n, len(order) // 2)
    return order[::-1][:n], order[:n]
