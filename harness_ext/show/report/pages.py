"""Writes the pages of a report: the first, that of each task, and those of units such as
compounds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np

from harness_ext.common.arrays import Array, Floats, Indices
from harness_ext.common.names import file_name
from harness_ext.measures.core.view import View
from harness_ext.results.entry import Entry
from harness_ext.results.views import view_of
from harness_ext.show.beside_references import Axis, ScoreRow, drawn
from harness_ext.show.extra import altair
from harness_ext.show.figures import Figure
from harness_ext.show.interpretation import about_references, notes, sentences
from harness_ext.show.listing import Listing
from harness_ext.show.numbers import DIRECTIONS, between, chance_and_ceiling, formatted
from harness_ext.show.published_tables import measured_and_published, published_values
from harness_ext.show.report.example_sentences import Texts, license_of, texts_of
from harness_ext.show.result_tables import details, of_controls, over_instructions, summary
from harness_ext.show.static_site import Site, slugs


def pictures(figures: Sequence[Figure]) -> list[dict[str, Any]]:
    """List name, title, caption and Vega-Lite specification of each figure."""
    with altair.data_transformers.disable_max_rows():
        return [
            {
                "name": one.name,
                "title": one.title,
                "caption": one.caption,
                "spec": one.chart.to_dict(validate=False),
            }
            for one in figures
        ]


_QUICK = (
    "The same questions on little data, for a first look. To rank models, use the tasks without "
    "Mini or Fast in their names, and lm-eval without --limit."
)


def first_page(
    site: Site,
    entries: Sequence[Entry],
    names: Mapping[Entry, str],
    overview: Sequence[Figure],
    n_problems: int,
) -> None:
    """Write `index.html`: a card for each task, then pictures and tables, and the number of things
    left out.

    The entries are in the order of `load_results`, and each has its model's name on the pages.
    """
    models = list(dict.fromkeys(names[entry] for entry in entries if not entry.is_baseline)) or [
        *names.values()
    ]
    of_models = f"is {models[0]}" if len(models) == 1 else f"are {len(models) or 'no'} models"
    full: list[Any] = []
    quick: list[Any] = []
    for _, of_task in groupby(entries, key=lambda entry: (entry.task, entry.wording)):
        same = list(of_task)
        is_quick = same[0].declared_task.quick or same[0].is_part
        (quick if is_quick else full).append(_card(same, names))
    tables = list(summary(entries))[: 1 if len(models) == 1 else 2] if entries else []
    site.write(
        "index.html",
        "index.html",
        title=f"How compositional {of_models}?",
        problems=n_problems,
        overview=pictures(overview),
        sections=[("", "", full), ("Quick versions", _QUICK, quick)],
        summary=[*tables, *over_instructions(entries), *of_controls(entries)],
    )


def _card(entries: Sequence[Entry], names: Mapping[Entry, str]) -> dict[str, Any]:
    """Describe a task for the first page and its own: a question, the answer, a row for each entry,
    and notes.
    """
    first, several = entries[0], len({*names.values()}) > 1
    wording = first.wording
    has_data = not several or len({entry.data for entry in entries}) > 1
    ordered = sorted(entries, key=lambda entry: (entry.data, entry.is_baseline, -entry.main_score))
    labels = {
        entry: ", ".join([names[entry]] * several + [entry.data] * has_data) for entry in ordered
    }
    rows = [ScoreRow.of(entry) for entry in ordered]
    measured = [entry for entry in ordered if not entry.is_baseline]
    found = sentences({labels[entry]: entry for entry in measured})
    answers = [
        ("" if len(about) == len(measured) else "; ".join(about), text)
        for text, about in found.items()
    ]
    published = published_values(first, first.measure.main).values()
    return {
        "task": first.task,
        "id": f"{file_name(first.task)}-{first.split}"
        if first.declared_task.wordings
        else file_name(first.task),
        "page": f"{file_name(first.task)}.html",
        "question": wording.question or first.declared_task.description,
        "answers": answers or [("", wording.score.replace("{value}", rows[0].text))],
        "axis": Axis.of(rows),
        "drawn": drawn(rows),
        "rows": list(zip(labels.values(), rows, strict=True)),
        "notes": [
            f"The first row: {wording.score.replace('{value}', formatted(ordered[0].main_score))}",
            about_references(entries, wording.chance.reference),
            f"Published models: {between((min(published), max(published)))}." if published else "",
            *([] if several else notes(measured, entries)),
        ],
    }


def task_page(
    site: Site,
    entries: Sequence[Entry],
    names: Mapping[Entry, str],
    figures: Sequence[Figure],
    views: Sequence[Viewed],
    problems: Sequence[str],
) -> None:
    """Write the page of one task. A problem is a sentence about an entry that cannot be drawn."""
    first = entries[0]
    main = first.measure.main_declaration
    site.write(
        f"{file_name(first.task)}.html",
        "task.html",
        task=first.task,
        description=first.declared_task.description,
        main=main,
        problems=problems,
        cards=[
            _card([*same], names) for _, same in groupby(entries, key=lambda entry: entry.wording)
        ],
        controls=[*of_controls(entries)],
        units=views,
        figures=pictures(figures),
        with_published=measured_and_published(entries),
        scores=[
            {
                "title": f"{names[entry]}, {entry.data}",
                "listings": list(details(entry)),
                "signature": entry.signature or "none: another program made this result",
            }
            for entry in entries
        ],
        declarations=_declarations(first),
    )


def _declarations(entry: Entry) -> Listing:
    rows = []
    for score in entry.measure.declared_scores:
        columns = (DIRECTIONS[score.better], chance_and_ceiling(score), score.source)
        rows.append((score.key, score.title, score.formula, *columns))
    return Listing(("score", "meaning", "computed as", "better", "chance", "source"), tuple(rows))


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


def views_of(
    entries: Sequence[Entry], names: Mapping[Entry, str], *, sentences: bool
) -> Iterator[Viewed]:
    """View the units of entries of one task, which have items and their models' names."""
    places = {entry: f"{entry.data}, {names[entry]}" for entry in entries}
    pages = slugs(places.values())
    for entry, place in places.items():
        view = view_of(entry.measure, entry.items())
        if view is not None:
            page = f"units/{file_name(entry.task)}-{pages[place]}.html"
            texts = (
                texts_of(entry) if sentences and view.rows is not None else Texts(entry.task, {})
            )
            yield Viewed(
                page, f"every {next(iter(view.facts))}, {place}", entry.wording.right, view, texts
            )


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
        license=(
            f"This page has sentences of {texts.dataset} (license: {license_of(texts.dataset)}). "
            "Do not publish it without checking that license; --no-sentences leaves them out."
        )
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
            "facts": ", ".join(
                filter(None, (_fact(name, of_units[n]) for name, of_units in facts))
            ),
            "figure": figure,
            "value": float(values[n]),
            "sentence": sentences[n] if sentences else None,
        }

    ends = zip(("Most wrong", "Most right"), most_wrong_and_right(view.wrong, _ENDS), strict=True)
    return [{"title": title, "units": [unit(n) for n in places.tolist()]} for title, places in ends]


def most_wrong_and_right(wrong: Floats, n: int) -> tuple[Indices, Indices]:
    """Find the places of the `n` most wrong and the `n` most right units, extremes first. No unit
    is in both.
    """
    order = np.argsort(wrong, kind="stable")
    order = order[: int((~np.isnan(wrong)).sum())]
    n = min(n, len(order) // 2)
    return order[::-1][:n], order[:n]


def _fact(name: str, value: str | float) -> str:
    """Write a fact of a unit; empty for NaN."""
    return value if isinstance(value, str) else "" if value != value else f"{name} {value:.2g}"
