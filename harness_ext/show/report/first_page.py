"""Writes the first page: the findings in plain words, for readers who are new to the subject."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

from harness_ext.evaluators.scores import Score
from harness_ext.results.entry import Entry
from harness_ext.results.reference_scores import best_reference
from harness_ext.show.report.pictures import pictures
from harness_ext.show.report.wording import WORDINGS, Wording
from harness_ext.show.result_tables import (
    between,
    number,
    of_form_alone,
    over_instructions,
    own_words,
    published_values,
    summary,
)
from harness_ext.show.static_site import Site
from harness_ext.show.verdict import Outcome, outcome, verdict

if TYPE_CHECKING:
    from harness_ext.show.figures import Figure


def first_page(
    site: Site, entries: Sequence[Entry], names: Mapping[Entry, str], overview: Sequence[Figure], n_problems: int
) -> None:
    """Write `index.html`.

    Args:
        site: The site.
        entries: In the order of `load_results`.
        names: Entry -> its model's name on the pages.
        overview: The pictures on top.
        n_problems: The number of things left out of the report.
    """
    models = list(dict.fromkeys(names[entry] for entry in entries if not entry.knows_nothing)) or [*names.values()]
    by_task = [list(found) for _, found in groupby(entries, key=lambda entry: entry.task)]
    site.write(
        "index.html",
        "index.html",
        title=f"How compositional is {models[0]}?"
        if len(models) == 1
        else f"How compositional are {len(models) or 'no'} models?",
        problems=n_problems,
        overview=pictures(overview),
        sections=[
            (heading, note, [_card(one, names, several=len(models) > 1) for one in by_task if _is_full(one) == full])
            for full, heading, note in ((True, "", ""), (False, "Quick versions", _QUICK))
        ],
        summary=[
            *list(summary(entries))[: 1 if len(models) == 1 else 2],
            *over_instructions(entries),
            *of_form_alone(entries),
        ]
        if entries
        else [],
    )


_QUICK = (
    "The same questions on little data, for a first look. To rank models, use the tasks without Mini or Fast in their "
    "names, and lm-eval without --limit."
)


def _is_full(entries: Sequence[Entry]) -> bool:
    """Whether the task is no quick version, and was measured on all its data."""
    return not entries[0].about.quick and not entries[0].is_part


def _card(entries: Sequence[Entry], names: Mapping[Entry, str], *, several: bool) -> dict[str, Any]:
    """Describe a task for the first page."""
    first = entries[0]
    score, _ = first.measure.declarations()[first.measure.main]
    wording = WORDINGS.get(first.measure.name) or _declared_wording(first.description, score.title)
    several_places = len({entry.data for entry in entries}) > 1
    lines: list[dict[str, str]] = []
    meant: dict[Outcome, list[str]] = {}
    for entry in sorted(entries, key=lambda entry: (entry.data, entry.knows_nothing, -entry.main_score)):
        interval = between(entry.interval())
        which = outcome(entry, entries) or "chance"
        label = [names[entry]] * several + [entry.data] * several_places
        lines.append(
            {
                "label": ", ".join(label),
                "value": number(entry.main_score),
                "interval": interval and f"[{interval}]",
                "outcome": which,
                "verdict": verdict(entry, entries) or "no interval",
                "own_words": _own_words_said(entry),
            }
        )
        meant.setdefault(which, []).append(", ".join(label))
    published = published_values(first, first.measure.main).values()
    return {
        "task": first.task,
        "page": f"{first.task}.html",
        "question": wording.question,
        "said": wording.found.partition("{value}")[::2],
        "found": lines,
        "meanings": [
            {"models": "; ".join(labels) if len(meant) > 1 else "", "text": wording.meaning(which)}
            for which, labels in meant.items()
        ],
        "chance": " ".join(filter(None, (_beside(score, wording), _of_form(entries)))),
        "published": f"Published models: {between((min(published), max(published)))}." if published else "",
    }


def _own_words_said(entry: Entry) -> str:
    """Write a sentence about the own words' score and the gain over it; empty if unknown."""
    words, gain = own_words(entry)
    return f"Its own words, added up, get {words}: a gain of {gain}." if gain else ""


def _beside(score: Score, wording: Wording) -> str:
    """Write sentences about chance, and about the agreement of people."""
    chance = f"{wording.chance} gives {number(score.chance)}." if score.chance is not None else ""
    return f"{chance} People agree with each other at {number(score.ceiling)}." if score.ceiling is not None else chance


def _of_form(entries: Sequence[Entry]) -> str:
    best = best_reference(entries[0], entries)
    return f"The best encoder that knows nothing ({best.name}) gets {number(best.value)}." if best else ""


def _declared_wording(question: str, title: str) -> Wording:
    said = f"The score, {title}, lies"
    return Wording(
        question, f"{title}: {{value}}.", "Chance", f"{said} above chance.",
        f"{said} where chance lies, or has no interval.", f"{said} below chance.",
    )  # fmt: skip
