"""Writes the pages of a report: the first, that of each task, and those of units such as
compounds.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from typing import Any

import numpy as np

from harness_ext.common.arrays import Array, Floats, Indices
from harness_ext.common.names import file_name
from harness_ext.measures.core.view import View
from harness_ext.results.entry import Entry
from harness_ext.results.unit_views import view_of
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
    described: list[dict[str, Any]] = []
    with altair.data_transformers.disable_max_rows():
        for figure in figures:
            described.append(
                {
                    "name": figure.name,
                    "title": figure.title,
                    "caption": figure.caption,
                    "spec": figure.chart.to_dict(validate=False),
                }
            )
    return described


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

    Args:
        site: The pages.
        entries: In the order of `load_results`.
        names: Entry -> its model's name on the pages.
        overview: The pictures.
        n_problems: The number of things left out.
    """
    models = list(dict.fromkeys(names[entry] for entry in entries if not entry.is_baseline))
    models = models or [*names.values()]
    subject = f"is {models[0]}" if len(models) == 1 else f"are {len(models) or 'no'} models"
    full: list[Any] = []
    quick: list[Any] = []
    for _, same in groupby(entries, key=attrgetter("task", "wording")):
        entries_of_task = list(same)
        first = entries_of_task[0]
        is_quick = first.declared_task.quick or first.is_part
        section = quick if is_quick else full
        section.append(_card(entries_of_task, names))
    n_tables = 1 if len(models) == 1 else 2
    tables = list(summary(entries))[:n_tables] if entries else []
    site.write(
        "index.html",
        "index.html",
        title=f"How compositional {subject}?",
        problems=n_problems,
        overview=pictures(overview),
        sections=[("", "", full), ("Quick versions", _QUICK, quick)],
        summary=[*tables, *over_instructions(entries), *of_controls(entries)],
    )


def _card(
    entries: Sequence[Entry],
    names: Mapping[Entry, str],
) -> dict[str, Any]:
    """Describe a task for the first page and its own: a question, the answer, a row for each entry,
    and notes.
    """
    first = entries[0]
    wording = first.wording
    ordered = sorted(entries, key=lambda entry: (entry.data, entry.is_baseline, -entry.main_score))
    labels = _labels(ordered, names)
    rows = [ScoreRow.of(entry) for entry in ordered]
    measured = [entry for entry in ordered if not entry.is_baseline]
    answers = _answers(measured, labels)
    if not answers:
        answers = [("", wording.score.replace("{value}", rows[0].text))]
    name = file_name(first.task)
    has_wordings = bool(first.declared_task.wordings)
    return {
        "task": first.task,
        "id": f"{name}-{first.split}" if has_wordings else name,
        "page": f"{name}.html",
        "question": wording.question or first.declared_task.description,
        "answers": answers,
        "axis": Axis.of(rows),
        "drawn": drawn(rows),
        "rows": list(zip(labels.values(), rows, strict=True)),
        "notes": _card_notes(ordered, names),
    }


def _labels(
    entries: Sequence[Entry],
    names: Mapping[Entry, str],
) -> dict[Entry, str]:
    """The labels of a card's rows: the model where a report has several, the data where rows have
    several.
    """
    has_models = len({*names.values()}) > 1
    has_data = not has_models or len({entry.data for entry in entries}) > 1
    labels: dict[Entry, str] = {}
    for entry in entries:
        parts = [names[entry]] if has_models else []
        if has_data:
            parts.append(entry.data)
        labels[entry] = ", ".join(parts)
    return labels


def _answers(
    entries: Sequence[Entry],
    labels: Mapping[Entry, str],
) -> list[tuple[str, str]]:
    """What entries show about chance: the labels of those that a sentence is about, empty if all,
    and the sentence.
    """
    found = sentences({labels[entry]: entry for entry in entries})
    answers: list[tuple[str, str]] = []
    for sentence, about in found.items():
        is_about_all = len(about) == len(entries)
        answers.append(("" if is_about_all else "; ".join(about), sentence))
    return answers


def _card_notes(
    ordered: Sequence[Entry],
    names: Mapping[Entry, str],
) -> list[str]:
    """What else is to be known of a card's rows; some may be empty."""
    first = ordered[0]
    score = first.wording.score.replace("{value}", formatted(first.main_score))
    if len(ordered) > 1:
        score = f"The first row: {score}"
    lines = [score, about_references(ordered, first.wording.chance.reference)]
    published = published_values(first, first.measure.main).values()
    if published:
        lines.append(f"Published models: {between((min(published), max(published)))}.")
    if len({*names.values()}) == 1:
        measured = [entry for entry in ordered if not entry.is_baseline]
        lines += notes(measured, ordered, names_tasks=False)
    return lines


def task_page(
    site: Site,
    entries: Sequence[Entry],
    names: Mapping[Entry, str],
    figures: Sequence[Figure],
    views: Sequence[Viewed],
    problems: Sequence[str],
) -> None:
    """Write the page of one task.

    Args:
        site: The pages.
        entries: The entries of the task.
        names: Entry -> its model's name on the pages.
        figures: The pictures.
        views: The units of each entry with items.
        problems: A sentence about each entry that cannot be drawn.
    """
    first = entries[0]
    cards = [_card([*same], names) for _, same in groupby(entries, key=attrgetter("wording"))]
    scores: list[dict[str, Any]] = []
    for entry in entries:
        signature = entry.signature or "none: another program made this result"
        scores.append(
            {
                "title": f"{names[entry]}, {entry.data}",
                "listings": list(details(entry)),
                "signature": signature,
            }
        )
    site.write(
        f"{file_name(first.task)}.html",
        "task.html",
        task=first.task,
        description=first.declared_task.description,
        main=first.measure.main_declaration,
        problems=problems,
        cards=cards,
        controls=[*of_controls(entries)],
        units=views,
        figures=pictures(figures),
        with_published=measured_and_published(entries),
        scores=scores,
        declarations=_declarations(first),
    )


def _declarations(entry: Entry) -> Listing:
    """List the scores of a measure as they are declared."""
    rows: list[tuple[str, ...]] = []
    for score in entry.measure.declared_scores:
        rows.append(
            (
                score.key,
                score.title,
                score.formula,
                DIRECTIONS[score.better],
                chance_and_ceiling(score),
                score.source,
            )
        )
    header = ("score", "meaning", "computed as", "better", "chance", "source")
    return Listing(header, tuple(rows))


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
    """View the units of entries of one task.

    Args:
        entries: The entries, with items.
        names: Entry -> its model's name on the pages.
        sentences: Whether to show sentences of the available datasets.
    """
    places = {entry: f"{entry.data}, {names[entry]}" for entry in entries}
    pages = slugs(places.values())
    for entry, place in places.items():
        view = view_of(entry.measure, entry.items())
        if view is None:
            continue
        has_rows = view.rows is not None
        texts = texts_of(entry) if sentences and has_rows else Texts(entry.task, {})
        unit = next(iter(view.facts))
        yield Viewed(
            page=f"units/{file_name(entry.task)}-{pages[place]}.html",
            title=f"every {unit}, {place}",
            right=entry.wording.right,
            view=view,
            texts=texts,
        )


def unit_page(
    site: Site,
    task: str,
    viewed: Viewed,
) -> None:
    """Write a page of units of a task."""
    view = viewed.view
    texts = viewed.texts
    facts = {name: values for name, values in view.facts.items() if _is_known(values)}
    columns = [values.tolist() for values in (*facts.values(), *view.figures.values())]
    rows = [] if view.rows is None else view.rows.tolist()
    sentences = [texts.by_row.get(row) for row in rows] if texts.by_row else []
    license_note = ""
    if texts.by_row:
        license_note = (
            f"This page has sentences of {texts.dataset} (license: {license_of(texts.dataset)}). "
            "Do not publish it without checking that license; --no-sentences leaves them out."
        )
    site.write(
        viewed.page,
        "units.html",
        title=f"{task}: {viewed.title}",
        right=viewed.right,
        why_no_sentences=texts.why_not,
        license=license_note,
        ends=_ends(view, sentences),
        facts=[*facts],
        figures=[*view.figures],
        rows=list(zip(*columns, strict=True)),
        sentences=sentences,
    )


def _is_known(values: Array) -> bool:
    """Whether any value is not empty."""
    is_filled = ~np.isnan(values) if values.dtype.kind == "f" else values != ""
    return bool(is_filled.any())


def _ends(
    view: View,
    sentences: Sequence[Any],
) -> list[dict[str, Any]]:
    """Describe the units that the model gets most wrong, and most right."""
    (_, names), *facts = ((name, values.tolist()) for name, values in view.facts.items())
    figure, values = next(iter(view.figures.items()))

    def unit(place: int) -> dict[str, Any]:
        texts = [_fact(name, values_of_units[place]) for name, values_of_units in facts]
        return {
            "name": names[place],
            "facts": ", ".join(text for text in texts if text),
            "figure": figure,
            "value": float(values[place]),
            "sentence": sentences[place] if sentences else None,
        }

    most_wrong, most_right = most_wrong_and_right(view.wrong, _ENDS)
    return [
        {"title": "Most wrong", "units": [unit(place) for place in most_wrong.tolist()]},
        {"title": "Most right", "units": [unit(place) for place in most_right.tolist()]},
    ]


def most_wrong_and_right(
    wrong: Floats,
    n: int,
) -> tuple[Indices, Indices]:
    """Find the places of the `n` most wrong and the `n` most right units, extremes first. No unit
    is in both.
    """
    order = np.argsort(wrong, kind="stable")
    n_defined = int((~np.isnan(wrong)).sum())
    order = order[:n_defined]
    n = min(n, n_defined // 2)
    return order[::-1][:n], order[:n]


def _fact(
    name: str,
    value: str | float,
) -> str:
    """Write a fact of a unit; empty for NaN."""
    if isinstance(value, str):
        return value
    return "" if math.isnan(value) else f"{name} {value:.2g}"
