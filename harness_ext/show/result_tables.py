"""`harness-ext show`: a summary of a results folder, all scores of each model in it, or the layers
of each model.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from operator import attrgetter
from typing import Any, NamedTuple

from harness_ext.common.experiments import model_and_experiment, prompt_of_experiment
from harness_ext.common.model_name import ModelName
from harness_ext.common.names import REFERENCE_MODELS, control_label
from harness_ext.measures.core.baseline_keys import additive_key, gain_key
from harness_ext.measures.core.scores import chance_key
from harness_ext.results.entry import Entry, Results
from harness_ext.results.published import Notes, ResultKey, published_of
from harness_ext.results.reference_scores import reference_scores
from harness_ext.show.captions import about_columns
from harness_ext.show.interpretation import (
    CELLS,
    SAME_VECTORS,
    TERMS,
    baseline_and_gain,
    cells,
    cells_in_short,
    notes,
)
from harness_ext.show.listing import Listing
from harness_ext.show.model_labels import named, revision_label
from harness_ext.show.numbers import (
    DIRECTIONS,
    between,
    chance_and_ceiling,
    formatted,
    with_interval,
)
from harness_ext.show.published_tables import measured_and_published, published_values

BASELINE_COLUMNS = ("additive baseline", "gain [95 %]")
"""The columns of `baseline_and_gain`."""

_MANY_PLACES = 3
"""A summary of several models in more tasks and splits than these shows no intervals and no
cells.
"""

_SENTENCES_ONLY = "Sentence level only: the model gives no vectors of words in a sentence."

_MANY_MODELS = 10
"""A summary of more models than these shows published models only as ranges."""


def main_score(entry: Entry) -> str:
    """Write the main score with its 95 % interval."""
    return with_interval(entry.main_score, entry.interval())


def headline(entry: Entry) -> str:
    """Write the score that the measure's paper argues for, if that is not the main score."""
    key = entry.measure.headline
    return with_interval(entry.scores[key], entry.interval(key)) if key in entry.scores else ""


def closer_look(
    entries: Sequence[Entry],
    names: Mapping[Entry, str],
    title: str = "",
) -> Listing:
    """List main scores beside the scores that their measure declares for a closer look, the best
    first.

    Args:
        entries: Of one task, split and subset.
        names: Entry -> the name of its model.
        title: The title of the table.
    """
    measure = entries[0].measure
    wanted = measure.closer_look()
    assert wanted, f"{measure.name} declares no closer look"
    declared = measure.by_key
    columns = {f"{measure.main} [95 %]": measure.main}
    meanings: list[str] = []
    for template in wanted.scores:
        for key, (score, axes) in declared.items():
            is_measured = any(key in entry.scores for entry in entries)
            if score.key != template or not is_measured:
                continue
            columns[", ".join(axes.values()) or key] = key
            for axis in score.axes:
                value = axes[axis.name]
                meanings.append(f"{value}: {axis.values[value]}")
    rows: list[tuple[str, ...]] = []
    for entry in sorted(entries, key=_worst_last):
        cells_of_entry = [
            with_interval(entry.scores.get(key), entry.interval(key)) for key in columns.values()
        ]
        rows.append((names[entry], *cells_of_entry))
    note = f"{'; '.join(meanings)}." if meanings else ""
    return Listing(
        ("model", *columns),
        tuple(rows),
        title,
        note,
        figures=len(columns),
    )


def _worst_last(entry: Entry) -> float:
    """A key to sort entries by: the highest main score comes first."""
    return -entry.main_score


_Column = dict[str, Entry]
"""Model -> its entry, of one task and data."""


def summary(
    entries: Sequence[Entry],
    *,
    controls: bool = False,
) -> Iterator[Listing]:
    """Sum up results: tasks and data, main scores and cells of all models, and the published models
    of each task.

    Args:
        entries: As `load_results` gives them.
        controls: Whether to list the scores of control encoders too.
    """
    everything = entries
    entries = [entry for entry in everything if not entry.is_baseline] or everything
    columns = _columns(entries)
    models: dict[str, None] = {}
    for column in columns:
        models |= dict.fromkeys(column)
    if len(models) == 1:
        yield _of_one_model(entries, next(iter(models)), everything)
    else:
        yield from _of_several_models(entries, columns, [*models])
    yield from over_instructions(entries)
    if controls and not all(entry.is_baseline for entry in everything):
        yield from of_controls(everything)
    if len(models) > _MANY_MODELS:
        return
    for _, same_task in groupby(entries, key=attrgetter("task")):
        with_published = measured_and_published(list(same_task))
        if with_published is not None:
            yield with_published


def _columns(entries: Sequence[Entry]) -> list[_Column]:
    """The columns of a summary, in the order of the entries."""
    columns: list[_Column] = []
    for _, same in groupby(entries, key=attrgetter("task", "data")):
        columns.append({named(entry, entries): entry for entry in same})
    return columns


def _of_several_models(
    entries: Sequence[Entry],
    columns: list[_Column],
    models: list[str],
) -> Iterator[Listing]:
    """List tasks and data, main scores, gains, cells, and what the papers argue for."""
    rows: list[tuple[str, ...]] = []
    for number, column in enumerate(columns, start=1):
        first = next(iter(column.values()))
        about = _about_main_score(first)
        rows.append((str(number), first.task, first.data, *about, first.measure.headline))
    header = (
        "",
        "task",
        "data",
        "main score",
        "better",
        "chance",
        "published",
        "the paper argues for",
    )
    yield Listing(header, tuple(rows), "tasks and data", labels=2)
    scores = _by_model(columns, models, "main scores", main_score)
    yield replace(scores, caption=about_columns([[*column.values()] for column in columns]))
    if any(gain_key(entry.measure.main) in entry.scores for entry in entries):
        yield _by_model(columns, models, "gain over additive baselines", _gain)
    if len(columns) <= _MANY_PLACES:
        yield _cells_by_model(columns, models)
    if any(map(headline, entries)):
        yield _by_model(columns, models, "scores that the papers argue for", headline)


def _gain(entry: Entry) -> str:
    """Write the gain with its 95 % interval; empty if unknown."""
    _, gain = baseline_and_gain(entry)
    return gain


class _Instructed(NamedTuple):
    """An entry, and the name of the instruction that its model had."""

    entry: Entry
    instruction: str


class _Measured(NamedTuple):
    """What has instructions: a model on the data of a task."""

    model: str
    revision: str
    task: str
    data: str


def over_instructions(entries: Sequence[Entry]) -> Iterator[Listing]:
    """The smallest and the largest main score and gain of each model over its instructions; no
    table if none has two.

    Results with the same instruction count once.
    """
    measured: dict[_Measured, dict[str, _Instructed]] = {}
    for entry in entries:
        if entry.signature is None:
            continue
        model, experiment = model_and_experiment(entry.model)
        name = prompt_of_experiment(experiment)
        if name is None:
            model = entry.model
        place = _Measured(
            model,
            entry.revision,
            entry.task,
            entry.data,
        )
        by_prompt = measured.setdefault(place, {})
        by_prompt[entry.signature.prompt] = _Instructed(entry, name or "default")
    rows: list[dict[str, str]] = []
    texts: dict[str, None] = {}
    for place, by_prompt in measured.items():
        if len(by_prompt) == 1:
            continue
        for prompt, instructed in by_prompt.items():
            texts[f"{instructed.instruction}: {prompt!r}"] = None
        rows.append(_instructions_row(place, [*by_prompt.values()]))
    if rows:
        note = "\n".join(texts)
        listing = Listing.of(
            rows,
            title="over instructions",
            note=note,
            labels=3,
        )
        yield replace(listing, figures=0)


def _instructions_row(
    place: _Measured,
    instructed: Sequence[_Instructed],
) -> dict[str, str]:
    """The ends of main score and gain over instructions; empty where unknown."""
    main = instructed[0].entry.measure.main
    row = {
        "model": place.model,
        "task": place.task,
        "data": place.data,
        "instructions": str(len(instructed)),
        "smallest": "",
        "largest": "",
        "smallest gain": "",
        "largest gain": "",
    }
    for key, suffix in ((main, ""), (gain_key(main), " gain")):
        scored = [result for result in instructed if key in result.entry.scores]
        if not scored:
            continue
        ascending = sorted(scored, key=lambda result: result.entry.scores[key])
        row[f"smallest{suffix}"] = _instructed_score(ascending[0], key)
        row[f"largest{suffix}"] = _instructed_score(ascending[-1], key)
    return row


def _instructed_score(result: _Instructed, key: str) -> str:
    """Write a score, and the instruction that it was got with."""
    entry = result.entry
    is_main = key == entry.measure.main
    text = main_score(entry) if is_main else formatted(entry.scores[key])
    return f"{text} ({result.instruction})"


def of_controls(entries: Sequence[Entry]) -> Iterator[Listing]:
    """List the main scores of control encoders, for each task and data; no table if unknown."""
    rows: list[tuple[str, ...]] = []
    for (task, data), same in groupby(entries, key=attrgetter("task", "data")):
        entries_of_data = list(same)
        scores = reference_scores(entries_of_data[0], entries_of_data)
        by_model = {score.model: score.value for score in scores}
        if by_model:
            figures = [with_interval(by_model.get(model)) for model in REFERENCE_MODELS]
            rows.append((task, data, *figures))
    if rows:
        header = ("task", "data", *map(control_label, REFERENCE_MODELS))
        title = "control encoders: main scores, never ranked"
        yield Listing(
            header,
            tuple(rows),
            title,
            figures=len(REFERENCE_MODELS),
            labels=2,
        )


def _of_one_model(
    entries: Sequence[Entry],
    name: str,
    everything: Sequence[Entry],
) -> Listing:
    """List the main scores of a model with intervals and cells, and with notes below."""
    rows: list[tuple[str, ...]] = []
    brief: list[tuple[str, str]] = []
    has_one_data_each = len({entry.task for entry in entries}) == len(entries)
    for entry in entries:
        score = main_score(entry)
        additive, gain = baseline_and_gain(entry)
        number = headline(entry)
        argued = f"{entry.measure.headline} {number}" if number else ""
        about = _about_main_score(entry)
        rows.append((entry.task, entry.data, score, additive, gain, *cells(entry), *about, argued))
        data = "" if has_one_data_each else f"  {entry.data}"
        lines = [
            (entry.task, f"score {score}"),
            (data, f"gain {gain}" if gain else ""),
            ("", cells_in_short(entry)),
        ]
        brief += [line for line in lines if any(line)]
    header = (
        "task",
        "data",
        "score [95 %]",
        *BASELINE_COLUMNS,
        *CELLS,
        "main score",
        "better",
        "chance",
        "published",
        "the paper argues for",
    )
    note = "\n".join([*notes(entries, everything), TERMS])
    narrow = Listing(
        ("task", "in short"),
        tuple(brief),
        name,
        note,
        prose=1,
    )
    labels = 1 if has_one_data_each else 2
    return Listing(
        header,
        tuple(rows),
        name,
        note,
        labels=labels,
        narrow=narrow,
        caption=about_columns([[entry] for entry in entries]),
    )


def result_records(entries: Sequence[Entry]) -> Iterator[dict[str, Any]]:
    """Make the same for programs: a record per result, with numbers."""
    records = Results(tuple(entries), ()).records()
    for entry, record in zip(entries, records, strict=True):
        main = entry.measure.main
        low, high = entry.interval(gain_key(main)) or (None, None)
        yield {
            **record,
            "additive": entry.scores.get(additive_key(main)),
            "gain": entry.scores.get(gain_key(main)),
            "gain_low": low,
            "gain_high": high,
            **dict(zip(CELLS, cells(entry), strict=True)),
        }


def _about_main_score(entry: Entry) -> tuple[str, str, str, str]:
    """Write key, better direction, value of chance, and range of the scores published on the same
    data.
    """
    main = entry.measure.main
    score = entry.measure.main_declaration
    measured_chance = entry.scores.get(chance_key(main), score.chance)
    published = published_values(entry, main).values()
    published_range = between((min(published), max(published))) if published else ""
    return (
        main,
        DIRECTIONS[score.better],
        chance_and_ceiling(replace(score, chance=measured_chance)),
        published_range,
    )


def _by_model(
    columns: list[_Column], models: list[str], title: str, text: Callable[[Entry], str]
) -> Listing:
    """Lay out models × tasks and data, sorted by the main score of the first column.

    Args:
        columns: The columns of the table.
        models: The rows of the table.
        title: Its title.
        text: Entry -> its cell; without the interval where there are many columns.
    """
    first_scores: dict[str, float] = {}
    for column in columns:
        for model, entry in column.items():
            first_scores.setdefault(model, entry.main_score)
    in_first = [model for model in models if model in columns[0]]
    not_in_first = [model for model in models if model not in columns[0]]
    rows: list[tuple[str, ...]] = []
    for group in (in_first, not_in_first):
        for model in sorted(group, key=first_scores.__getitem__, reverse=True):
            texts = [text(column[model]) if model in column else "" for column in columns]
            if len(columns) > _MANY_PLACES:
                texts = [_without_interval(cell) for cell in texts]
            rows.append((model, *texts))
    numbers = [str(number) for number in range(1, len(columns) + 1)]
    return Listing(
        ("model", *numbers),
        tuple(rows),
        title,
        figures=len(columns),
    )


def _without_interval(cell: str) -> str:
    """The number of a cell, with its warning."""
    number, _, _ = cell.partition(" ")
    return f"{number} {SAME_VECTORS}" if cell.endswith(SAME_VECTORS) else number


def _cells_by_model(
    columns: list[_Column],
    models: list[str],
) -> Listing:
    """Lay out the cells of models, each with the tasks and data of the first table."""
    rows: list[tuple[str, ...]] = []
    for model in models:
        for number, column in enumerate(columns, start=1):
            if model in column:
                rows.append((model, str(number), *cells(column[model])))
    return Listing(
        ("model", "task", *CELLS),
        tuple(rows),
        "interpretation",
        TERMS,
        labels=2,
    )


def details(entry: Entry) -> Iterator[Listing]:
    """List all scores of an entry beside the published scores of the same model: overall scores,
    then scores by axis.

    Scores with an interval stand in the first table too, the main score first. The last axis of a
    score makes the columns; scores with the same last axis share a table.
    """
    published = published_of(entry.task, ResultKey(entry.model, entry.subset, entry.split))
    notes_below = Notes()

    def text(key: str) -> str:
        value = formatted(entry.scores[key])
        if key not in published:
            return value
        return f"{value} ({notes_below.marked(published[key])})"

    overall: list[tuple[str, ...]] = []
    by_axis: dict[str, dict[str, dict[str, str]]] = {}
    for score in entry.measure.declared_scores:
        for key, axes in score.by_axes().items():
            if key not in entry.scores:
                continue
            interval = entry.interval(key)
            if not score.axes or interval:
                row = (key, text(key), between(interval), DIRECTIONS[score.better])
                is_main = key == entry.measure.main
                overall.insert(0 if is_main else len(overall), row)
            if score.axes:
                last = score.axes[-1]
                label = score.key.format_map({**axes, last.name: "·"})
                empty = {"score": label, **dict.fromkeys(last.values, "")}
                rows = by_axis.setdefault(last.name, {})
                rows.setdefault(label, empty)[axes[last.name]] = text(key)
    below = notes_below.lines()
    if entry.scores.get("span_level") == 0:
        below.append(_SENTENCES_ONLY)
    measured = "measured (published)" if published else "measured"
    yield Listing(
        ("score", measured, "95 % interval", "better"),
        tuple(overall),
        f"{entry.task}, {entry.data}: {entry.model}",
        "\n".join(below),
        figures=3,
    )
    for name, rows in by_axis.items():
        title = f"by {name.replace('_', ' ')}"
        yield Listing.of(
            rows.values(),
            title=title,
            note="\n".join(notes_below.lines()),
        )


class LayerPlace(NamedTuple):
    """What has layers: a model on the data of a task."""

    model: str
    revision: str
    task: str
    data: str


def profiles(entries: Iterable[Entry]) -> dict[LayerPlace, dict[int, Entry]]:
    """Model, revision, task and data -> layer -> entry, for entries of single layers."""
    by_place: dict[LayerPlace, dict[int, Entry]] = {}
    for entry in entries:
        name = ModelName.parse(entry.model)
        layer = name.options.get("layer")
        if layer is not None:
            model = str(name.but(layer=None))
            place = LayerPlace(
                model,
                entry.revision,
                entry.task,
                entry.data,
            )
            by_place.setdefault(place, {})[int(layer)] = entry
    return {place: dict(sorted(layers.items())) for place, layers in by_place.items()}


def layer_tables(entries: Sequence[Entry]) -> Iterator[Listing]:
    """List the main score, additive baseline and gain of each layer: a table per model, task and
    data.
    """
    by_place = profiles(entries)
    revisions: dict[str, set[str]] = {}
    for place in by_place:
        revisions.setdefault(place.model, set()).add(place.revision)
    for place, layers in by_place.items():
        measure = next(iter(layers.values())).measure
        rows: list[tuple[str, ...]] = []
        for layer, entry in layers.items():
            gain = baseline_and_gain(entry)
            rows.append((str(layer), main_score(entry), *gain, *cells(entry)))
        header = ("layer", f"{measure.main} [95 %]", *BASELINE_COLUMNS, *CELLS)
        revision = revision_label(place.revision, revisions[place.model])
        title = f"{place.task}, {place.data}: {place.model}{revision}"
        yield Listing(header, tuple(rows), title, TERMS)
