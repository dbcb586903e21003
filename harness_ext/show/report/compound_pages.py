"""Writes a page per compound with all its measurements, and a page that lists the compounds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from harness_ext.show.report.grids import Beside, Cell
from harness_ext.show.report.units import Viewed, licence_note
from harness_ext.show.static_site import Site, slugs

_UNIT = "compound"


class CompoundPages:
    """The pages of compounds.

    Attributes:
        pages: Compound -> its page.
    """

    pages: Mapping[str, str]

    def __init__(self, views: Sequence[Viewed]) -> None:
        self._views = [one for one in views if one.unit == _UNIT]
        self._figures = [one.units().figures for one in self._views]
        self._units = [one.units().by(_UNIT) for one in self._views]
        names = [name for units in self._units for name in units]
        self.pages = {name: f"compounds/{found}.html" for name, found in slugs(names).items()}

    def write(self, site: Site) -> None:
        """Write all pages."""
        if not self.pages:
            return
        comparisons = [_by_compound(one) for one in self._views]
        for name, page in self.pages.items():
            site.write(page, "compound.html", name=name, everywhere=self._everywhere(name, comparisons))
        site.write("compounds.html", "compounds.html", table=self._table(), links=self.pages)

    def _everywhere(self, name: str, comparisons: Sequence[Mapping[str, Beside]]) -> list[dict[str, Any]]:
        """Collect the measurements of a compound by dataset."""
        found: dict[str, dict[str, Any]] = {}
        for one, units, behind in zip(self._views, self._units, comparisons, strict=True):
            if name in units:
                dataset = one.texts.dataset
                title = f"{dataset}, {one.data}" if dataset else one.data
                empty = {"title": title, "rows": {}, "sentences": [], "parts": [], "licence": licence_note(one.texts)}
                data = found.setdefault(title, empty)
                own = behind.get(name)
                data["parts"].append(
                    {
                        "task": one.task,
                        "page": one.page,
                        "right": one.right,
                        "units": units[name],
                        "comparisons": None if own is None else self._numbered(own, one, data),
                    }
                )
        return list(found.values())

    def _numbered(self, own: Beside, one: Viewed, data: dict[str, Any]) -> Beside:
        """Replace compound and row of comparisons by the number of the sentence."""
        place, unit = own.facts.index("row"), own.facts.index(_UNIT)
        rows: list[tuple[Cell, ...]] = []
        for row in own.rows:
            if row[place] not in data["rows"]:
                data["rows"][row[place]] = str(len(data["rows"]) + 1)
                if (text := one.texts.by_row.get(str(row[place]))) is not None:
                    data["sentences"].append(text)
            number = data["rows"][row[place]]
            rows.append((number, *(cell for n, cell in enumerate(row) if n not in {place, unit})))
        facts = ("sentence", *(name for name in own.facts if name not in {"row", _UNIT}))
        return Beside(facts, own.figures, rows)

    def _table(self) -> Beside:
        """List compound, class, and the first figure of each model in each measure."""
        figures = {
            f"{one.task} {one.data}": tuple(
                f"{names[0]} ({model})" if len(one.views) > 1 else names[0] for model, names in shown.items()
            )
            for one, shown in zip(self._views, self._figures, strict=True)
        }
        rows = [(name, _class_of(name, self._units), *self._cells(name)) for name in self.pages]
        return Beside((_UNIT, "class"), figures, rows)

    def _cells(self, name: str) -> list[Cell]:
        cells: list[Cell] = []
        for figures, units in zip(self._figures, self._units, strict=True):
            here = units.get(name)
            start = 0 if here is None else len(here.facts)
            for names in figures.values():
                cells.append(float("nan") if here is None else here.rows[0][start])
                start += len(names)
        return cells


def _by_compound(one: Viewed) -> dict[str, Beside]:
    comparisons = one.comparisons()
    return {} if comparisons is None else comparisons.by(_UNIT)


def _class_of(name: str, units: Sequence[Mapping[str, Beside]]) -> str:
    """Find the first known class of a compound."""
    for by_name in units:
        if name in by_name and "class" in by_name[name].facts:
            found = by_name[name]
            if value := found.rows[0][found.facts.index("class")]:
                return str(value)
    return ""
