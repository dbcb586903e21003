"""Writes a page per compound with all its measurements, and a page that lists the compounds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import nan
from typing import Any

from harness_ext.show.report.side_by_side import SideBySide, Value
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
        self._units = [(viewed, viewed.units.by(_UNIT)) for viewed in views if viewed.unit == _UNIT]
        names = slugs(name for _, units in self._units for name in units)
        self.pages = {name: f"compounds/{slug}.html" for name, slug in names.items()}

    def write(self, site: Site) -> None:
        """Write all pages."""
        if not self.pages:
            return
        comparisons = [viewed.comparisons.by(_UNIT) if viewed.comparisons else {} for viewed, _ in self._units]
        for name, page in self.pages.items():
            site.write(page, "compound.html", name=name, everywhere=self._everywhere(name, comparisons))
        site.write("compounds.html", "compounds.html", table=self._table(), links=self.pages)

    def _everywhere(self, name: str, comparisons: Sequence[Mapping[str, SideBySide]]) -> list[dict[str, Any]]:
        """Collect the measurements of a compound by dataset."""
        by_dataset: dict[str, dict[str, Any]] = {}
        for (viewed, units), of_view in zip(self._units, comparisons, strict=True):
            if name in units:
                texts = viewed.texts
                title = f"{texts.dataset}, {viewed.data}" if texts.dataset else viewed.data
                empty = {"title": title, "rows": {}, "sentences": [], "parts": [], "licence": licence_note(texts)}
                data = by_dataset.setdefault(title, empty)
                numbered = _numbered(of_view[name], viewed, data) if name in of_view else None
                data["parts"].append({"viewed": viewed, "units": units[name], "comparisons": numbered})
        return list(by_dataset.values())

    def _table(self) -> SideBySide:
        """List compound, class, and the first figure of each model in each measure."""
        figures = {
            f"{viewed.task} {viewed.data}": tuple(
                f"{names[0]} ({model})" if len(viewed.views) > 1 else names[0]
                for model, names in viewed.units.figures.items()
            )
            for viewed, _ in self._units
        }
        rows = [(name, self._class_of(name), *self._first_figures(name)) for name in self.pages]
        return SideBySide((_UNIT, "class"), figures, rows)

    def _class_of(self, name: str) -> str:
        """Find the first known class of a compound."""
        rows = (
            dict(zip(units[name].facts, units[name].rows[0], strict=False)) for _, units in self._units if name in units
        )
        return next((str(row["class"]) for row in rows if row.get("class")), "")

    def _first_figures(self, name: str) -> Iterator[Value]:
        for viewed, units in self._units:
            place = len(viewed.units.facts)
            for names in viewed.units.figures.values():
                yield units[name].rows[0][place] if name in units else nan
                place += len(names)


def _numbered(comparisons: SideBySide, viewed: Viewed, data: dict[str, Any]) -> SideBySide:
    """Replace compound and row of comparisons by the number of the sentence; collects sentences in `data`."""
    place, unit = comparisons.facts.index("row"), comparisons.facts.index(_UNIT)
    rows: list[tuple[Value, ...]] = []
    for row in comparisons.rows:
        if row[place] not in data["rows"]:
            data["rows"][row[place]] = str(len(data["rows"]) + 1)
            if (text := viewed.texts.by_row.get(str(row[place]))) is not None:
                data["sentences"].append(text)
        others = (value for n, value in enumerate(row) if n not in {place, unit})
        rows.append((data["rows"][row[place]], *others))
    facts = ("sentence", *(name for name in comparisons.facts if name not in {"row", _UNIT}))
    return SideBySide(facts, comparisons.figures, rows)
