"""Writes pages of units: the compounds, phrases, pairs or trees that a model gets most wrong or right, and the rest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from harness_ext.show.report.grids import Beside, beside, ends
from harness_ext.show.report.language_model_views import LANGUAGE_MODEL_VIEWS
from harness_ext.show.report.sentences import NO_TEXTS, Sentence, Texts, licence, texts_of
from harness_ext.show.report.views import VIEWS, View, declared
from harness_ext.show.static_site import Site, slugs

if TYPE_CHECKING:
    from harness_ext.results.entry import Entry

_VIEWS = {**VIEWS, **LANGUAGE_MODEL_VIEWS}

_ENDS = 10
"""The number of units listed as most wrong, and as most right."""


@dataclass(frozen=True)
class Viewed:
    """One measure on one split and subset, with all models.

    Attributes:
        page: The page of its units.
        title: The title of the page.
        task: The task.
        data: Subset and split.
        views: Model -> its view.
        texts: The sentences, if wanted.
    """

    page: str
    title: str
    task: str
    data: str
    views: Mapping[str, View]
    texts: Texts

    @property
    def unit(self) -> str:
        """The name of the unit."""
        return next(iter(next(iter(self.views.values())).units.facts))

    @property
    def right(self) -> str:
        """The right result of a unit, in a sentence."""
        return next(iter(self.views.values())).right

    def units(self) -> Beside:
        """List all units with the figures of all models."""
        return beside({model: view.units for model, view in self.views.items()})

    def comparisons(self) -> Beside | None:
        """List the comparisons behind the figures of units."""
        grids = {model: view.comparisons for model, view in self.views.items() if view.comparisons is not None}
        return beside(grids) if grids else None


def viewed(entries: Sequence[Entry], names: Mapping[Entry, str], *, sentences: bool) -> Iterator[Viewed]:
    """View the units of one task, for each split and subset.

    Args:
        entries: The task's entries, all with items.
        names: Entry -> its model's name on the pages.
        sentences: Whether to show sentences.
    """
    by_data: dict[str, list[Entry]] = {}
    for entry in entries:
        by_data.setdefault(entry.data, []).append(entry)
    pages = slugs(by_data)
    for data, same in by_data.items():
        views = {names[entry]: view for entry in same if (view := view_of(entry)) is not None}
        if views:
            one = next(iter(views.values()))
            texts = texts_of(same[0]) if sentences and one.in_sentences else NO_TEXTS
            title = f"{same[0].task}, {data}: every {next(iter(one.units.facts))}"
            yield Viewed(f"units/{same[0].task}-{pages[data]}.html", title, same[0].task, data, views, texts)


def view_of(entry: Entry) -> View | None:
    """View the units of an entry with items; None if its items name no units."""
    own = _VIEWS.get(entry.measure.name)
    return own(entry.items()) if own else declared(entry.items(), entry.measure.unit)


def unit_page(site: Site, one: Viewed, pages: Mapping[str, str]) -> None:
    """Write a page of units.

    Args:
        site: The site.
        one: The units.
        pages: Unit -> its own page.
    """
    first = _first_rows(one)
    table = one.units()
    links = {row[0]: pages.get(str(row[0]), "") for row in table.rows}
    site.write(
        one.page,
        "units.html",
        title=one.title,
        right=one.right,
        links=links,
        why_no_sentences=one.texts.why_not,
        licence=licence_note(one.texts),
        ends=[_ends_of(model, view, first, one.texts) for model, view in one.views.items()],
        table=table,
        sentences=[_sentence(one.texts, first.get(str(row[0]))) for row in table.rows] if one.texts.by_row else [],
    )


def licence_note(texts: Texts) -> str:
    """Write a note for pages with sentences of a dataset."""
    if not texts.by_row:
        return ""
    return (
        f"This page has sentences of {texts.dataset} (licence: {licence(texts.dataset)}). Do not publish it without "
        "checking that licence; --no-sentences leaves them out."
    )


def _first_rows(one: Viewed) -> dict[str, str]:
    """Unit -> the first of its rows in the dataset."""
    found: dict[str, str] = {}
    view = next(iter(one.views.values()))
    comparisons = view.comparisons
    if comparisons is None:
        found = {name: name for name in view.units.facts[one.unit].tolist()}
    else:
        for name, row in zip(comparisons.facts[one.unit].tolist(), comparisons.facts["row"].tolist(), strict=True):
            found.setdefault(name, row)
    return found


def _ends_of(model: str, view: View, first: Mapping[str, str], texts: Texts) -> dict[str, Any]:
    facts = {name: values.tolist() for name, values in view.units.facts.items()}
    unit, *others = facts
    figure, values = next(iter(view.units.figures.items()))

    def shown(numbers: list[int]) -> list[dict[str, Any]]:
        return [
            {
                "name": facts[unit][n],
                "facts": ", ".join(_fact(name, facts[name][n]) for name in others if facts[name][n] == facts[name][n]),
                "figure": figure,
                "value": float(values[n]),
                "sentence": _sentence(texts, first.get(facts[unit][n])),
            }
            for n in numbers
        ]

    wrong, right = (numbers.tolist() for numbers in ends(view.wrong, _ENDS))
    return {
        "name": model,
        "wrong": {"title": "Most wrong", "units": shown(wrong)},
        "right": {"title": "Most right", "units": shown(right)},
    }


def _fact(name: str, value: Any) -> str:
    return str(value) if isinstance(value, str) else f"{name} {value:.2g}"


def _sentence(texts: Texts, row: str | None) -> Sentence | None:
    return texts.by_row.get(row) if row is not None else None
