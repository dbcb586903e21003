"""Writes the first page: the findings in plain words, for readers who are new to the subject."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

from harness_ext.names import file_name
from harness_ext.results.effects import Reference
from harness_ext.results.entry import Entry
from harness_ext.show.numbers import between, number
from harness_ext.show.published_tables import published_values
from harness_ext.show.report.pictures import pictures
from harness_ext.show.result_tables import of_form_alone, over_instructions, summary
from harness_ext.show.static_site import Site
from harness_ext.show.verdict import about_own_words, about_references, outcome, sentences, verdict

if TYPE_CHECKING:
    from harness_ext.show.figures import Figure

_BEFORE = {
    Reference.CHANCE: "In practice",
    Reference.WORDS: "Beside its own words",
    Reference.CONTROL: "Under the control",
    Reference.PEOPLE: "Beside people",
}
"""What a sentence about each reference begins with."""

_QUICK = (
    "The same questions on little data, for a first look. To rank models, use the tasks without Mini or Fast in their "
    "names, and lm-eval without --limit."
)


def first_page(
    site: Site, entries: Sequence[Entry], names: Mapping[Entry, str], overview: Sequence[Figure], n_problems: int
) -> None:
    """Write `index.html`, with the pictures of the overview on top, and the number of things left out of the report.

    The entries are in the order of `load_results`, and each has its model's name on the pages.
    """
    models = list(dict.fromkeys(names[entry] for entry in entries if not entry.knows_nothing)) or [*names.values()]
    of_models = f"is {models[0]}" if len(models) == 1 else f"are {len(models) or 'no'} models"
    full: list[Any] = []
    quick: list[Any] = []
    for _, of_task in groupby(entries, key=lambda entry: (entry.task, entry.wording)):
        same = list(of_task)
        is_quick = same[0].about.quick or same[0].is_part
        (quick if is_quick else full).append(_card(same, names, several=len({*names.values()}) > 1))
    tables = list(summary(entries))[: 1 if len(models) == 1 else 2] if entries else []
    site.write(
        "index.html",
        "index.html",
        title=f"How compositional {of_models}?",
        problems=n_problems,
        overview=pictures(overview),
        sections=[("", "", full), ("Quick versions", _QUICK, quick)],
        summary=[*tables, *over_instructions(entries), *of_form_alone(entries)],
    )


def _card(entries: Sequence[Entry], names: Mapping[Entry, str], *, several: bool) -> dict[str, Any]:
    """Describe a task for the first page; `several` says whether the page has several models."""
    first = entries[0]
    wording = first.wording
    several_places = len({entry.data for entry in entries}) > 1
    lines: dict[Entry, dict[str, str]] = {}
    for entry in sorted(entries, key=lambda entry: (entry.data, entry.knows_nothing, -entry.main_score)):
        interval = between(entry.interval())
        lines[entry] = {
            "label": ", ".join([names[entry]] * several + [entry.data] * several_places),
            "value": number(entry.main_score),
            "interval": interval and f"[{interval}]",
            "outcome": outcome(entry, entries) or "open",
            "verdict": verdict(entry, entries) or "no interval",
            "own_words": about_own_words(entry),
        }
    published = published_values(first, first.measure.main).values()
    labelled = ((line["label"], entry) for entry, line in lines.items() if not entry.knows_nothing)
    return {
        "task": first.task,
        "id": f"{file_name(first.task)}-{first.split}" if first.about.wordings else file_name(first.task),
        "page": f"{file_name(first.task)}.html",
        "question": wording.question or first.about.description,
        "sentence": wording.score.partition("{value}")[::2],
        "lines": [*lines.values()],
        "meanings": [
            {"about": _BEFORE[reference], "models": "; ".join(models) if len(lines) > 1 else "", "text": text}
            for reference, models, text in sentences(labelled, entries)
        ],
        "chance": about_references(entries, wording.chance.reference),
        "published": f"Published models: {between((min(published), max(published)))}." if published else "",
    }
