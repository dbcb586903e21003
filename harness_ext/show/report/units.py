"""Writes pages of units: the compounds, phrases, pairs or trees that a model gets most wrong or right, and the rest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from harness_ext.arrays import Floats, Places
from harness_ext.names import file_name
from harness_ext.results.entry import Entry
from harness_ext.show.report.sentences import NO_TEXTS, Sentence, Texts, licence, texts_of
from harness_ext.show.report.side_by_side import SideBySide
from harness_ext.show.static_site import Site, slugs
from harness_ext.show.views import View, view_of

_ENDS = 10
"""The number of units listed as most wrong, and as most right."""


@dataclass(frozen=True)
class Viewed:
    """One measure on one split and subset, with all models.

    Attributes:
        page: The page of its units.
        task: The task.
        data: Subset and split.
        right: The right result of a unit, in a sentence; may be empty.
        views: Model -> its view.
        texts: The sentences, if wanted.
    """

    page: str
    task: str
    data: str
    right: str
    views: Mapping[str, View]
    texts: Texts

    @property
    def unit(self) -> str:
        """The name of the unit."""
        return next(iter(next(iter(self.views.values())).units.facts))

    @cached_property
    def units(self) -> SideBySide:
        """All units with the figures of all models."""
        return SideBySide.of({model: view.units for model, view in self.views.items()})

    @cached_property
    def comparisons(self) -> SideBySide | None:
        """The comparisons behind the figures of units."""
        grids = {model: view.comparisons for model, view in self.views.items() if view.comparisons is not None}
        return SideBySide.of(grids) if grids else None

    @cached_property
    def _rows(self) -> dict[str, str]:
        """Unit -> the first of its rows in the dataset."""
        view = next(iter(self.views.values()))
        names = view.units.facts[self.unit].tolist()
        if view.comparisons is None:
            return dict(zip(names, names, strict=True))
        facts = (view.comparisons.facts[name].tolist()[::-1] for name in (self.unit, "row"))  # so that the first wins
        return dict(zip(*facts, strict=True))

    def sentence(self, unit: object) -> Sentence | None:
        """Find a sentence of a unit."""
        return self.texts.by_row.get(self._rows.get(str(unit), ""))


def views_by_data(entries: Sequence[Entry], names: Mapping[Entry, str], *, sentences: bool) -> Iterator[Viewed]:
    """View the units of one task, for each split and subset, from entries with items and their models' names."""
    by_data: dict[str, list[Entry]] = {}
    for entry in entries:
        by_data.setdefault(entry.data, []).append(entry)
    pages = slugs(by_data)
    for data, same in by_data.items():
        own_views = ((names[entry], view_of(entry.measure, entry.items())) for entry in same)
        views = {model: view for model, view in own_views if view is not None}
        if views:
            first, in_sentences = same[0], next(iter(views.values())).in_sentences
            texts = texts_of(first) if sentences and in_sentences else NO_TEXTS
            page = f"units/{file_name(first.task)}-{pages[data]}.html"
            yield Viewed(page, first.task, data, first.wording.right, views, texts)


def unit_page(site: Site, viewed: Viewed, pages: Mapping[str, str]) -> None:
    """Write a page of units, with links to the own pages of some."""
    rows = viewed.units.rows
    site.write(
        viewed.page,
        "units.html",
        title=f"{viewed.task}, {viewed.data}: every {viewed.unit}",
        right=viewed.right,
        links={row[0]: pages.get(str(row[0]), "") for row in rows},
        why_no_sentences=viewed.texts.why_not,
        licence=licence_note(viewed.texts),
        ends=[_ends_of(viewed, model, view) for model, view in viewed.views.items()],
        table=viewed.units,
        sentences=[viewed.sentence(row[0]) for row in rows] if viewed.texts.by_row else [],
    )


def licence_note(texts: Texts) -> str:
    """Write a note for pages with sentences of a dataset."""
    if not texts.by_row:
        return ""
    return (
        f"This page has sentences of {texts.dataset} (licence: {licence(texts.dataset)}). Do not publish it without "
        "checking that licence; --no-sentences leaves them out."
    )


def _ends_of(viewed: Viewed, model: str, view: View) -> dict[str, Any]:
    """Describe the units that a model gets most wrong, and most right."""
    names, *facts = ([(name, value) for value in values.tolist()] for name, values in view.units.facts.items())
    figure, values = next(iter(view.units.figures.items()))
    ends = zip(("Most wrong", "Most right"), most_wrong_and_right(view.wrong, _ENDS), strict=True)
    return {
        "name": model,
        "ends": [
            {
                "title": title,
                "units": [
                    {
                        "name": names[n][1],
                        "facts": ", ".join(filter(None, (_fact(*of_fact[n]) for of_fact in facts))),
                        "figure": figure,
                        "value": float(values[n]),
                        "sentence": viewed.sentence(names[n][1]),
                    }
                    for n in places.tolist()
                ],
            }
            for title, places in ends
        ],
    }


def most_wrong_and_right(wrong: Floats, n: int) -> tuple[Places, Places]:
    """Find the places of the `n` most wrong and the `n` most right units, extremes first. No unit is in both."""
    order = np.argsort(wrong, kind="stable")
    order = order[: int((~np.isnan(wrong)).sum())]
    n = min(n, len(order) // 2)
    return order[::-1][:n], order[:n]


def _fact(name: str, value: str | float) -> str:
    """Write a fact of a unit; empty for NaN."""
    if isinstance(value, str):
        return value
    return "" if value != value else f"{name} {value:.2g}"
