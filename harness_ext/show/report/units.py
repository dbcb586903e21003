"""Writes pages of units: the compounds, phrases, pairs or trees that a model gets most wrong or right, and the rest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from harness_ext.arrays import Array, Floats, Places
from harness_ext.names import file_name
from harness_ext.results.entry import Entry
from harness_ext.show.report.sentences import NO_TEXTS, Texts, licence, texts_of
from harness_ext.show.static_site import Site, slugs
from harness_ext.show.views import View, view_of

_ENDS = 10
"""The number of units listed as most wrong, and as most right."""


@dataclass(frozen=True)
class Viewed:
    """The units of one entry.

    Attributes:
        page: Their page.
        title: What is on it.
        right: The right result of a unit, in a sentence; may be empty.
        view: The view.
        texts: The sentences, if wanted.
    """

    page: str
    title: str
    right: str
    view: View
    texts: Texts


def views_of(entries: Sequence[Entry], names: Mapping[Entry, str], *, sentences: bool) -> Iterator[Viewed]:
    """View the units of entries of one task, which have items and their models' names."""
    places = {entry: f"{entry.data}, {names[entry]}" for entry in entries}
    pages = slugs(places.values())
    for entry, place in places.items():
        view = view_of(entry.measure, entry.items())
        if view is not None:
            page = f"units/{file_name(entry.task)}-{pages[place]}.html"
            texts = texts_of(entry) if sentences and view.rows is not None else NO_TEXTS
            yield Viewed(page, f"every {next(iter(view.facts))}, {place}", entry.wording.right, view, texts)


def unit_page(site: Site, task: str, viewed: Viewed) -> None:
    """Write a page of units of a task."""
    view, texts = viewed.view, viewed.texts
    facts = {name: values for name, values in view.facts.items() if _is_known(values)}
    columns = (values.tolist() for values in (*facts.values(), *view.figures.values()))
    rows = [] if view.rows is None else view.rows.tolist()
    sentences = [texts.by_row.get(row) for row in rows] if texts.by_row else []
    site.write(
        viewed.page,
        "units.html",
        title=f"{task}: {viewed.title}",
        right=viewed.right,
        why_no_sentences=texts.why_not,
        licence=f"This page has sentences of {texts.dataset} (licence: {licence(texts.dataset)}). Do not publish it "
        "without checking that licence; --no-sentences leaves them out."
        if texts.by_row
        else "",
        ends=_ends(view, sentences),
        facts=[*facts],
        figures=[*view.figures],
        rows=list(zip(*columns, strict=True)),
        sentences=sentences,
    )


def _is_known(values: Array) -> bool:
    """Whether any value is not empty."""
    return bool((~np.isnan(values)).any() if values.dtype.kind == "f" else (values != "").any())


def _ends(view: View, sentences: Sequence[Any]) -> list[dict[str, Any]]:
    """Describe the units that the model gets most wrong, and most right."""
    (_, names), *facts = ((name, values.tolist()) for name, values in view.facts.items())
    figure, values = next(iter(view.figures.items()))

    def unit(n: int) -> dict[str, Any]:
        return {
            "name": names[n],
            "facts": ", ".join(filter(None, (_fact(name, of_units[n]) for name, of_units in facts))),
            "figure": figure,
            "value": float(values[n]),
            "sentence": sentences[n] if sentences else None,
        }

    ends = zip(("Most wrong", "Most right"), most_wrong_and_right(view.wrong, _ENDS), strict=True)
    return [{"title": title, "units": [unit(n) for n in places.tolist()]} for title, places in ends]


def most_wrong_and_right(wrong: Floats, n: int) -> tuple[Places, Places]:
    """Find the places of the `n` most wrong and the `n` most right units, extremes first. No unit is in both."""
    order = np.argsort(wrong, kind="stable")
    order = order[: int((~np.isnan(wrong)).sum())]
    n = min(n, len(order) // 2)
    return order[::-1][:n], order[:n]


def _fact(name: str, value: str | float) -> str:
    """Write a fact of a unit; empty for NaN."""
    return value if isinstance(value, str) else "" if value != value else f"{name} {value:.2g}"
