"""`harness-ext show`: a summary of a results folder, or all details of each model in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby

from harness_ext.evaluators.gain_keys import gain_key, words_key
from harness_ext.evaluators.scores import Axis, Score, chance_key
from harness_ext.names import REFERENCE_MODELS, data_name, model_and_experiment, prompt_of_experiment
from harness_ext.results.entry import Entry
from harness_ext.results.published import (
    TELLING_KEYS,
    Notes,
    Place,
    PublishedCell,
    published_of,
    published_scores,
    references,
    without_zero,
)
from harness_ext.results.reference_scores import reference_scores
from harness_ext.show.listing import Listing
from harness_ext.show.model_labels import named
from harness_ext.show.verdict import verdict

OWN_WORDS = ("own words", "gain [95 %]")
"""The columns of `own_words`."""

DIRECTIONS = {"higher": "↑", "lower": "↓", "neither": ""}
"""Better direction -> its sign."""

_MANY_PLACES = 3
"""A summary of more tasks and splits than these shows no intervals."""

_SENTENCES_ONLY = "Sentence level only: the model gives no vectors of words in a sentence."

_MANY_MODELS = 10
"""A summary of more models than these shows published models only as ranges."""


def number(value: float) -> str:
    """Write a number with three digits after the point and no zero before it; an integer as it is."""
    return str(value) if isinstance(value, int) else without_zero(f"{value:.3f}")


def between(interval: tuple[float, float] | None) -> str:
    """Write an interval as `.1 to .2`; empty without one."""
    return f"{number(interval[0])} to {number(interval[1])}" if interval else ""


def chance_and_ceiling(score: Score) -> str:
    """Write the values of chance and of people, if known."""
    return ", people ".join(number(value) for value in (score.chance, score.ceiling) if value is not None)


def summary(entries: Sequence[Entry]) -> Iterator[Listing]:
    """Sum up results: tasks and data, main scores and gains of all models, and the published models of each task.

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
        yield Listing(header, tuple(rows), "tasks and data", labels=2)
        yield _by_model(measured, models, entries, "main scores", main_cell)
        if any(gain_key(entry.measure.main) in entry.scores for entry in entries):
            yield _by_model(measured, models, entries, "gain over own words", _gain_cell)
    yield from over_instructions(entries)
    if not all(entry.knows_nothing for entry in everything):
        yield from of_form_alone(everything)
    if len(models) <= _MANY_MODELS:
        for _, of_task in groupby(entries, key=lambda entry: entry.task):
            if (beside := published_beside(list(of_task))) is not None:
                yield beside


def over_instructions(entries: Sequence[Entry]) -> Iterator[Listing]:
    """The smallest and the largest main score and gain of each model over its instructions; no table if none has two.

    Results with the same instruction count once.
    """
    measured: dict[tuple[str, ...], dict[str, tuple[Entry, str]]] = {}
    for entry in entries:
        if entry.signature:
            model, experiment = model_and_experiment(entry.model)
            name = prompt_of_experiment(experiment)
            model = entry.model if name is None else model
            one = entry, name or "default"
            measured.setdefault((model, entry.revision, entry.task, entry.data), {})[entry.signature.prompt] = one
    rows: list[tuple[str, ...]] = []
    texts: dict[str, None] = {}
    for (model, _, task, data), by_prompt in measured.items():
        if len(by_prompt) > 1:
            texts |= dict.fromkeys(f"{name}: {prompt!r}" for prompt, (_, name) in by_prompt.items())
            main = next(iter(by_prompt.values()))[0].measure.main
            cells = [
                f"{cell(entry, True)} ({name})"
                for key, cell in ((main, main_cell), (gain_key(main), _gain_cell))
                for entry, name in _ends([one for one in by_prompt.values() if key in one[0].scores], key)
            ]
            rows.append((model, task, data, str(len(by_prompt)), *cells, *[""] * (4 - len(cells))))
    if rows:
        header = ("model", "task", "data", "instructions", "smallest", "largest", "smallest gain", "largest gain")
        yield Listing(header, tuple(rows), "over instructions", "\n".join(texts), labels=3)


def _ends(found: list[tuple[Entry, str]], key: str) -> list[tuple[Entry, str]]:
    """Those with the smallest and the largest value of a score."""
    found = sorted(found, key=lambda one: one[0].scores[key])
    return [found[0], found[-1]] if found else []


def of_form_alone(entries: Sequence[Entry]) -> Iterator[Listing]:
    """List the main scores of encoders that know nothing, for each task and data; no table if unknown."""
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
    """List the main scores of a model with intervals and verdicts."""
    rows = []
    for entry in entries:
        main, better, chance, published = _about_main_score(entry)
        rows.append((entry.task, entry.data, main_cell(entry, True), *own_words(entry), verdict(entry, everything),
                     main, better, chance, published))  # fmt: skip
    header = ("task", "data", "value [95 %]", *OWN_WORDS, "in words", "main score", "better", "chance", "published")
    one_each = len({entry.task for entry in entries}) == len(entries)
    return Listing(header, tuple(rows), name, labels=1 if one_each else 2)


def own_words(entry: Entry) -> tuple[str, str]:
    """Write the main score of the own words, and the gain over them with its 95 % interval; empty if unknown."""
    main = entry.measure.main
    gain, interval = entry.scores.get(gain_key(main)), entry.interval(gain_key(main))
    return _figure(entry.scores.get(words_key(main))), _figure(gain, interval)


def _about_main_score(entry: Entry) -> tuple[str, str, str, str]:
    """Write key, better direction, value of chance, and range of the scores published on the same data."""
    main = entry.measure.main
    score, _ = entry.measure.declarations()[main]
    published = published_values(entry, main).values()
    return (
        main,
        DIRECTIONS[score.direction],
        chance_and_ceiling(replace(score, chance=entry.scores.get(chance_key(main), score.chance))),
        between((min(published), max(published))) if published else "",
    )


def _by_model(
    measured: list[list[Entry]],
    models: list[str],
    entries: Sequence[Entry],
    title: str,
    cell: Callable[[Entry, bool], str],
) -> Listing:
    """Lay out models × tasks and data, sorted by the main score of the first column."""
    columns = [{named(entry, entries): entry for entry in found} for found in measured]
    best = {model: column[model].main_score for column in reversed(columns) for model in models if model in column}
    with_interval = len(columns) <= _MANY_PLACES
    rows = [
        (model, *(cell(column[model], with_interval) if model in column else "" for column in columns))
        for model in sorted(models, key=lambda model: (model not in columns[0], -best[model]))
    ]
    return Listing(("model", *map(str, range(1, len(columns) + 1))), tuple(rows), title, figures=len(columns))


def details(entry: Entry) -> Iterator[Listing]:
    """List all scores of an entry beside the published scores of the same model: overall scores, then scores by axis.

    Scores with an interval stand in the first table too, the main score first. The last axis of a score makes the
    columns; scores with the same last axis share a table.
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
            if key in entry.scores and (not score.axes or entry.interval(key)):
                row = (key, cell(key), between(entry.interval(key)), DIRECTIONS[score.direction])
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
    """List the measured models of one task, and the published models below; None if nothing was published."""
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
    """Make rows of published models: model, data, tables, and a figure per key.

    Args:
        others: The models, as `references` returns them.
        keys: The scores.
        notes: Collects the notes of the figures.
    """
    for place, cells in others.items():
        sources = ", ".join(dict.fromkeys(cell.table for cell in cells.values()))
        figures = (notes.marked(cells[key]) if key in cells else "" for key in keys)
        yield place.model, data_name(place.subset, place.split), sources, *figures


def _figure(value: float | None, interval: tuple[float, float] | None = None) -> str:
    if value is None:
        return ""
    return number(value) + (f" [{number(interval[0])}, {number(interval[1])}]" if interval else "")


def main_cell(entry: Entry, with_interval: bool) -> str:
    """Write the main score, with its 95 % interval if asked for."""
    return _figure(entry.main_score, entry.interval() if with_interval else None)


def _gain_cell(entry: Entry, with_interval: bool) -> str:
    _, gain = own_words(entry)
    return gain if with_interval else gain.partition(" ")[0]


def published_values(entry: Entry, key: str) -> dict[str, float]:
    """The papers' models on the same subset and split -> their score; cells that their papers contradict are left out.

    Args:
        entry: The entry.
        key: The score.
    """
    return {
        place.model: cells[key].value
        for place, cells in published_scores(entry.task).items()
        if place[1:] == (entry.subset, entry.split) and key in cells and not cells[key].suspect
    }
