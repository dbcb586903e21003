"""`harness-ext show`: a summary of a results folder, or everything that is known of each model in it."""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING

from harness_ext.evaluators.gain_keys import gain_key, words_key
from harness_ext.evaluators.scores import chance_key
from harness_ext.names import REFERENCE_MODELS, data_name
from harness_ext.results.published import (
    TELLING_KEYS,
    Notes,
    Place,
    published_of,
    published_scores,
    references,
    without_zero,
)
from harness_ext.results.reference_scores import reference_scores
from harness_ext.show.listing import Listing
from harness_ext.show.model_labels import named
from harness_ext.show.verdict import verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from harness_ext.evaluators.scores import Axis, Score
    from harness_ext.results.entry import Entry
    from harness_ext.results.published import PublishedCell

OWN_WORDS = ("own words", "gain [95 %]")
"""The columns of `own_words`."""

DIRECTIONS = {"higher": "↑", "lower": "↓", "neither": ""}
"""How tables say which direction is better."""

_MANY_PLACES = 3
"""The summary of more tasks and splits than these leaves out the intervals."""

_SENTENCES_ONLY = "Sentence level only: the model gives no vectors of words in a sentence."

_MANY_MODELS = 10
"""The summary of more models than these leaves out the published ones, but for their range."""


def number(value: float) -> str:
    """Three digits after the point, none before it where there are none."""
    return str(value) if isinstance(value, int) else without_zero(f"{value:.3f}")


def chance_and_ceiling(score: Score) -> str:
    """What chance gives, and people where that is known."""
    return ", people ".join(number(value) for value in (score.chance, score.ceiling) if value is not None)


def summary(entries: Sequence[Entry]) -> Iterator[Listing]:
    """What was measured, the main scores of all models, and the published models of each task beside them.

    Args:
        entries: In the order of `load_results`.
    """
    everything = entries
    entries = [entry for entry in everything if not entry.knows_nothing] or everything
    measured = [list(found) for _, found in groupby(entries, key=lambda entry: (entry.task, entry.data))]
    models = list(dict.fromkeys(named(entry, entries) for entry in entries))
    if len(models) == 1:
        yield _of_one_model(entries, models[0], everything)
    else:
        rows = [
            (str(n), found[0].task, found[0].data, *_about_main_score(found[0]))
            for n, found in enumerate(measured, start=1)
        ]
        header = ("", "task", "data", "main score", "better", "chance", "published")
        yield Listing(header, tuple(rows), "what was measured", labels=2)
        yield _by_model(measured, models, entries, "main scores", main_cell)
        if any(gain_key(entry.measure.main) in entry.scores for entry in entries):
            yield _by_model(measured, models, entries, "gain over own words", _gain_cell)
    if not all(entry.knows_nothing for entry in everything):
        yield from of_form_alone(everything)
    if len(models) <= _MANY_MODELS:
        for _, of_task in groupby(entries, key=lambda entry: entry.task):
            if (beside := published_beside(list(of_task))) is not None:
                yield beside


def of_form_alone(entries: Sequence[Entry]) -> Iterator[Listing]:
    """The main scores of encoders that know nothing, for each place of the entries; no table where none is known."""
    rows = []
    for (task, data), found in groupby(entries, key=lambda entry: (entry.task, entry.data)):
        of_place = [*found]
        known = {one.model: one for one in reference_scores(of_place[0], of_place)
                 if one.key == of_place[0].measure.main}  # fmt: skip
        if known:
            rows.append((task, data, *(number(known[one].value) if one in known else "" for one in REFERENCE_MODELS)))
    if rows:
        names = (one.partition("/")[2] for one in REFERENCE_MODELS)
        title = "encoders that know nothing: main scores, never ranked"
        yield Listing(("task", "data", *names), tuple(rows), title, figures=len(REFERENCE_MODELS), labels=2)


def _of_one_model(entries: Sequence[Entry], name: str, everything: Sequence[Entry]) -> Listing:
    """What a model got everywhere, with its interval and a verdict."""
    rows = []
    for entry in entries:
        main, better, chance, published = _about_main_score(entry)
        rows.append((entry.task, entry.data, main_cell(entry, True), *own_words(entry), verdict(entry, everything),
                     main, better, chance, published))  # fmt: skip
    header = ("task", "data", "value [95 %]", *OWN_WORDS, "in words", "main score", "better", "chance", "published")
    one_each = len({entry.task for entry in entries}) == len(entries)
    return Listing(header, tuple(rows), name, labels=1 if one_each else 2)


def own_words(entry: Entry) -> tuple[str, str]:
    """The main score of the encoder's own words, and the gain over them with its 95 % interval; empty without."""
    main = entry.measure.main
    gain, interval = entry.scores.get(gain_key(main)), entry.interval(gain_key(main))
    between = f" [{number(interval[0])}, {number(interval[1])}]" if interval else ""
    return _figure(entry.scores.get(words_key(main))), "" if gain is None else f"{number(gain)}{between}"


def _about_main_score(entry: Entry) -> tuple[str, str, str, str]:
    """Its key, which direction is better, what chance gives, and the range of what was published on the same data."""
    main = entry.measure.main
    score, _ = entry.measure.declarations()[main]
    published = published_mains(entry)
    return (
        main,
        DIRECTIONS[score.direction],
        chance_and_ceiling(replace(score, chance=entry.scores.get(chance_key(main), score.chance))),
        f"{number(min(published))} to {number(max(published))}" if published else "",
    )


def _by_model(
    measured: list[list[Entry]],
    models: list[str],
    entries: Sequence[Entry],
    title: str,
    cell: Callable[[Entry, bool], str],
) -> Listing:
    """Models × what was measured, the best main score of the first column first."""
    columns = [{named(entry, entries): entry for entry in found} for found in measured]
    best = {model: column[model].main_score for column in reversed(columns) for model in models if model in column}
    with_interval = len(columns) <= _MANY_PLACES
    rows = [
        (model, *(cell(column[model], with_interval) if model in column else "" for column in columns))
        for model in sorted(models, key=lambda model: (model not in columns[0], -best[model]))
    ]
    return Listing(("model", *map(str, range(1, len(columns) + 1))), tuple(rows), title, figures=len(columns))


def details(entry: Entry) -> Iterator[Listing]:
    """All scores of an entry, beside what was published of the same model: those of the whole, then by axis.

    Scores with an interval stand in the first table too, the main one first. The last axis of a score makes the
    columns; scores that have the same one share a table.
    """
    published = published_of(entry.task, Place(entry.model, entry.subset, entry.split))
    notes = Notes()

    def cell(key: str) -> str:
        value = number(entry.scores[key])
        return f"{value} ({notes.marked(published[key])})" if key in published else value

    overall: list[tuple[str, ...]] = []
    by_axis: dict[str, tuple[Axis, dict[str, dict[str, str]]]] = {}
    for score in entry.measure.scores.declarations():
        for key in score.places():
            if key in entry.scores and (not score.axes or _interval(entry, key)):
                row = (key, cell(key), _interval(entry, key), DIRECTIONS[score.direction])
                overall.insert(0 if key == entry.measure.main else len(overall), row)
        if not score.axes:
            continue
        last = score.axes[-1]
        rows = by_axis.setdefault(last.name, (last, {}))[1]
        for key, place in score.places().items():
            if key in entry.scores:
                label = score.key.format_map({**place, last.name: "·"})
                rows.setdefault(label, {})[place[last.name]] = cell(key)
    measured = "measured (published)" if published else "measured"
    title = f"{entry.task}, {entry.data}: {entry.model}"
    said = [*notes.lines(), _SENTENCES_ONLY] if entry.scores.get("span_level") == 0 else notes.lines()
    yield Listing(("score", measured, "95 % interval", "better"), tuple(overall), title, "\n".join(said), figures=3)
    for axis, rows in by_axis.values():
        if rows:
            cells = tuple((label, *(row.get(value, "") for value in axis.values)) for label, row in rows.items())
            header = ("score", *axis.values)
            yield Listing(header, cells, f"by {axis.name.replace('_', ' ')}", notes.text(), figures=len(axis.values))


def published_beside(entries: Sequence[Entry]) -> Listing | None:
    """The measured models of one task, and below them those that the papers published; None where none did."""
    task = entries[0].task
    others = references(task, {Place(entry.model, entry.subset, entry.split) for entry in entries})
    if not others:
        return None
    keys, notes = TELLING_KEYS[task], Notes()
    rows = [
        (named(entry, entries), entry.data, *(_figure(entry.scores.get(key)) for key in keys))
        for entry in entries
        if any(key in entry.scores for key in keys)
    ]
    for model, data, sources, *figures in reference_rows(others, keys, notes):
        rows.append((model, f"{data} ({sources})", *figures))
    title = f"{task}: measured, and published by others (all of it: harness-ext published {task})"
    return Listing(("model", "data", *keys), tuple(rows), title, notes.text(), figures=len(keys))


def reference_rows(
    others: Mapping[Place, Mapping[str, PublishedCell]], keys: Sequence[str], notes: Notes
) -> Iterator[tuple[str, ...]]:
    """Published models as rows: model, data, the tables it stands in, and a figure per key.

    Args:
        others: As `references` gives them.
        keys: The scores.
        notes: Collects the notes of the figures.
    """
    for place, cells in others.items():
        sources = ", ".join(dict.fromkeys(cell.table for cell in cells.values()))
        figures = (notes.marked(cells[key]) if key in cells else "" for key in keys)
        yield place.model, data_name(place.subset, place.split), sources, *figures


def _figure(value: float | None) -> str:
    return "" if value is None else number(value)


def main_cell(entry: Entry, with_interval: bool) -> str:
    """The main score, with its 95 % interval if asked for."""
    interval = entry.interval() if with_interval else None
    return f"{number(entry.main_score)}{f' [{number(interval[0])}, {number(interval[1])}]' if interval else ''}"


def _gain_cell(entry: Entry, with_interval: bool) -> str:
    _, gain = own_words(entry)
    return gain if with_interval else gain.partition(" ")[0]


def _interval(entry: Entry, key: str) -> str:
    interval = entry.interval(key)
    return f"{number(interval[0])} to {number(interval[1])}" if interval else ""


def published_mains(entry: Entry) -> list[float]:
    """What the papers' models got as main score on the same subset and split."""
    main = entry.measure.main
    return [
        cells[main].value
        for place, cells in published_scores(entry.task).items()
        if place[1:] == (entry.subset, entry.split) and main in cells and not cells[main].suspect
    ]
