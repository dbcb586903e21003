"""Puts the figures of several models side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import nan

import numpy as np

from harness_ext.arrays import Array
from harness_ext.show.views import Grid

Value = str | float | None
MANY_MODELS = 2
"""Tables of more models than these show only the first figure of each."""


@dataclass(frozen=True)
class SideBySide:
    """A table with the figures of several models side by side.

    Attributes:
        facts: The columns shared by all models.
        figures: Model -> its columns.
        rows: Facts, then figures; NaN for a missing figure.
    """

    facts: tuple[str, ...]
    figures: Mapping[str, tuple[str, ...]]
    rows: Sequence[tuple[Value, ...]]

    @classmethod
    def of(cls, grids: Mapping[str, Grid]) -> SideBySide:
        """Put rows with the same facts side by side: model -> its rows, of one measure, on one split and subset."""
        first = next(iter(grids.values()))
        used = tuple(name for name in first.facts if any(_is_known(grid.facts[name]) for grid in grids.values()))
        most = 1 if len(grids) > MANY_MODELS else None
        names = {model: tuple(grid.figures)[:most] for model, grid in grids.items()}
        by_model = {}
        for model, grid in grids.items():
            # NaN is not equal to itself, and would separate equal rows
            facts = ([None if fact != fact else fact for fact in grid.facts[name].tolist()] for name in used)
            figures = (grid.figures[name].tolist() for name in names[model])
            by_model[model] = dict(zip(zip(*facts, strict=True), zip(*figures, strict=True), strict=True))
        keys = dict.fromkeys(key for rows in by_model.values() for key in rows)
        empty = {model: (nan,) * len(names[model]) for model in grids}
        rows = [(*key, *(value for model in grids for value in by_model[model].get(key, empty[model]))) for key in keys]
        return cls(used, names, rows)

    def by(self, column: str) -> dict[str, SideBySide]:
        """Split the rows by the values of a fact."""
        place = self.facts.index(column)
        parts: dict[str, list[tuple[Value, ...]]] = {}
        for row in self.rows:
            parts.setdefault(str(row[place]), []).append(row)
        return {value: SideBySide(self.facts, self.figures, rows) for value, rows in parts.items()}


def _is_known(values: Array) -> bool:
    """Whether any value is not empty."""
    return bool((~np.isnan(values)).any() if values.dtype.kind == "f" else (values != "").any())
