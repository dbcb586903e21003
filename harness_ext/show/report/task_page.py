"""Writes the page of a task: pictures, scores beside published scores, and definitions of the scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from harness_ext.names import file_name
from harness_ext.results.entry import Entry
from harness_ext.show.listing import Listing
from harness_ext.show.numbers import DIRECTIONS, between, chance_and_ceiling, number
from harness_ext.show.published_tables import measured_and_published
from harness_ext.show.report.pictures import pictures
from harness_ext.show.result_tables import OWN_WORDS, details, of_form_alone
from harness_ext.show.static_site import Site
from harness_ext.show.verdict import TERMS, UPPER_READING, own_words, verdict

if TYPE_CHECKING:
    from harness_ext.show.figures import Figure
    from harness_ext.show.report.units import Viewed


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
    main, _ = first.measure.declarations()[first.measure.main]
    site.write(
        f"{file_name(first.task)}.html",
        "task.html",
        task=first.task,
        description=first.about.description,
        main=main,
        problems=problems,
        mains=[_mains(entries, names), *of_form_alone(entries)],
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


def _mains(entries: Sequence[Entry], names: Mapping[Entry, str]) -> Listing:
    rows = []
    for entry in sorted(entries, key=lambda entry: (entry.data, entry.knows_nothing, -entry.main_score)):
        figures = (number(entry.main_score), between(entry.interval()), *own_words(entry))
        rows.append((names[entry], entry.data, verdict(entry, entries), *figures))
    header = ("model", "data", "in words", "main score", "95 % interval", *OWN_WORDS)
    note = f"{TERMS} {UPPER_READING}" if any(row[-1] for row in rows) else TERMS
    return Listing(header, tuple(rows), "Main score", note, figures=4)


def _declarations(entry: Entry) -> Listing:
    rows = []
    for score in entry.measure.scores.declarations():
        about = (DIRECTIONS[score.direction], chance_and_ceiling(score), score.source)
        rows.append((score.key, score.title, score.formula, *about))
    return Listing(("score", "meaning", "computed as", "better", "chance", "source"), tuple(rows))
