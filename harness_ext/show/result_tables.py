"""`harness-ext show`: a summary of a results folder, all scores of each model in it, or the layers
of each model.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from operator import itemgetter
from typing import Any

from harness_ext.common.experiments import model_and_experiment, prompt_of_experiment
from harness_ext.common.model_name import ModelName
from harness_ext.common.names import REFERENCE_MODELS
from harness_ext.measures.core.baseline_keys import additive_key, gain_key
from harness_ext.measures.core.scores import chance_key
from harness_ext.results.entry import Entry, Results
from harness_ext.results.published import Notes, ResultKey, published_of
from harness_ext.results.reference_scores import reference_scores
from harness_ext.show.interpretation import (
    CELLS,
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


def closer_look(entries: Sequence[Entry], names: Mapping[Entry, str], title: str = "") -> Listing:
    """List main scores beside the scores that their measure declares for a closer look, the best
    first.

    The entries are of one task, split and subset, and have a name each.
    """
    measure = entries[0].measure
    wanted = measure.closer_look()
    assert wanted, f"{measure.name} declares no closer look"
    declared = measure.by_key
    keys = [
        key
        for template in wanted.scores
        for key, (score, _) in declared.items()
        if score.key == template
    ]
    keys = [key for key in keys if any(key in entry.scores for entry in entries)]
    columns = {f"{measure.main} [95 %]": measure.main}
    columns |= {", ".join(declared[key][1].values()) or key: key for key in keys}
    rows = tuple(
        (
            names[entry],
            *(
                with_interval(entry.scores.get(key), entry.interval(key))
                for key in columns.values()
            ),
        )
        for entry in sorted(entries, key=lambda entry: -entry.main_score)
    )
    places = [
        (axis, place[axis.name])
        for score, place in (declared[key] for key in keys)
        for axis in score.axes
    ]
    meanings = "; ".join(f"{value}: {axis.values[value]}" for axis, value in places)
    return Listing(
        ("model", *columns), rows, title, f"{meanings}." if meanings else "", figures=len(columns)
    )


def summary(entries: Sequence[Entry], *, controls: bool = False) -> Iterator[Listing]:
    """Sum up results: tasks and data, main scores and cells of all models, and the published models
    of each task.

    With `controls`, the scores of control encoders too.
    """
    everything = entries
    entries = [entry for entry in everything if not entry.is_baseline] or everything
    columns = [
        {named(entry, entries): entry for entry in same}
        for _, same in groupby(entries, key=lambda entry: (entry.task, entry.data))
    ]
    models = list(dict.fromkeys(model for column in columns for model in column))
    if len(models) == 1:
        yield _of_one_model(entries, models[0], everything)
    else:
        firsts = enumerate((next(iter(column.values())) for column in columns), start=1)
        rows = [
            (str(n), one.task, one.data, *_about_main_score(one), one.measure.headline)
            for n, one in firsts
        ]
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
        yield _by_model(columns, models, "main scores", main_score)
        if any(gain_key(entry.measure.main) in entry.scores for entry in entries):
            yield _by_model(
                columns,
                models,
                "gain over additive baselines",
                lambda entry: baseline_and_gain(entry)[1],
            )
        if len(columns) <= _MANY_PLACES:
            yield _cells_by_model(columns, models)
        if any(map(headline, entries)):
            yield _by_model(columns, models, "scores that the papers argue for", headline)
    yield from over_instructions(entries)
    if controls and not all(entry.is_baseline for entry in everything):
        yield from of_controls(everything)
    if len(models) <= _MANY_MODELS:
        for _, of_task in groupby(entries, key=lambda entry: entry.task):
            if (with_published := measured_and_published(list(of_task))) is not None:
                yield with_published


def over_instructions(entries: Sequence[Entry]) -> Iterator[Listing]:
    """The smallest and the largest main score and gain of each model over its instructions; no
    table if none has two.

    Results with the same instruction count once.
    """
    measured: dict[tuple[str, ...], dict[str, tuple[Entry, str]]] = {}
    for entry in entries:
        if entry.signature:
            model, experiment = model_and_experiment(entry.model)
            name = prompt_of_experiment(experiment)
            place = (entry.model if name is None else model, entry.revision, entry.task, entry.data)
            measured.setdefault(place, {})[entry.signature.prompt] = entry, name or "default"
    rows, texts = [], dict[str, None]()
    for (model, _, task, data), by_prompt in measured.items():
        if len(by_prompt) == 1:
            continue
        texts |= dict.fromkeys(f"{name}: {prompt!r}" for prompt, (_, name) in by_prompt.items())
        row = {"model": model, "task": task, "data": data, "instructions": str(len(by_prompt))}
        row |= dict.fromkeys(("smallest", "largest", "smallest gain", "largest gain"), "")
        main = next(iter(by_prompt.values()))[0].measure.main
        for key, suffix in ((main, ""), (gain_key(main), " gain")):
            scored = [
                (entry.scores[key], entry, name)
                for entry, name in by_prompt.values()
                if key in entry.scores
            ]
            scored.sort(key=itemgetter(0))
            for end, (_, entry, name) in zip(
                ("smallest", "largest"), scored[:1] + scored[-1:], strict=False
            ):
                text = main_score(entry) if key == main else formatted(entry.scores[key])
                row[f"{end}{suffix}"] = f"{text} ({name})"
        rows.append(row)
    if rows:
        yield replace(
            Listing.of(rows, title="over instructions", note="\n".join(texts), labels=3), figures=0
        )


def of_controls(entries: Sequence[Entry]) -> Iterator[Listing]:
    """List the main scores of control encoders, for each task and data; no table if unknown."""
    rows = []
    for (task, data), same in groupby(entries, key=lambda entry: (entry.task, entry.data)):
        first, *others = same
        scores = reference_scores(first, [first, *others])
        if by_model := {score.model: score.value for score in scores}:
            rows.append(
                (task, data, *(with_interval(by_model.get(model)) for model in REFERENCE_MODELS))
            )
    if rows:
        header = ("task", "data", *(model.partition("/")[2] for model in REFERENCE_MODELS))
        title = "control encoders: main scores, never ranked"
        yield Listing(header, tuple(rows), title, figures=len(REFERENCE_MODELS), labels=2)


def _of_one_model(entries: Sequence[Entry], name: str, everything: Sequence[Entry]) -> Listing:
    """List the main scores of a model with intervals and cells, and with notes below."""
    rows, brief = [], []
    one_each = len({entry.task for entry in entries}) == len(entries)
    for entry in entries:
        score, (additive, gain) = main_score(entry), baseline_and_gain(entry)
        argued = f"{entry.measure.headline} {number}" if (number := headline(entry)) else ""
        rows.append(
            (
                entry.task,
                entry.data,
                score,
                additive,
                gain,
                *cells(entry),
                *_about_main_score(entry),
                argued,
            )
        )
        data = "" if one_each else f"  {entry.data}"
        brief += [
            (entry.task, f"score {score}"),
            (data, f"gain {gain}" if gain else ""),
            ("", cells_in_short(entry)),
        ]
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
        ("task", "in short"), tuple(row for row in brief if any(row)), name, note, prose=1
    )
    return Listing(header, tuple(rows), name, note, labels=1 if one_each else 2, narrow=narrow)


def result_records(entries: Sequence[Entry]) -> Iterator[dict[str, Any]]:
    """Make the same for programs: a record per result, with numbers."""
    for entry, record in zip(entries, Results(tuple(entries), ()).records(), strict=True):
        main = entry.measure.main
        low, high = entry.interval(gain_key(main)) or (None, None)
        additive, gain = (entry.scores.get(key) for key in (additive_key(main), gain_key(main)))
        found = {"additive": additive, "gain": gain, "gain_low": low, "gain_high": high}
        yield {**record, **found, **dict(zip(CELLS, cells(entry), strict=True))}


def _about_main_score(entry: Entry) -> tuple[str, str, str, str]:
    """Write key, better direction, value of chance, and range of the scores published on the same
    data.
    """
    main, score = entry.measure.main, entry.measure.main_declaration
    published = published_values(entry, main).values()
    return (
        main,
        DIRECTIONS[score.better],
        chance_and_ceiling(replace(score, chance=entry.scores.get(chance_key(main), score.chance))),
        between((min(published), max(published))) if published else "",
    )


def _by_model(
    columns: list[dict[str, Entry]], models: list[str], title: str, text: Callable[[Entry], str]
) -> Listing:
    """Lay out models × tasks and data, sorted by the main score of the first column."""
    best = {
        model: column[model].main_score
        for column in reversed(columns)
        for model in models
        if model in column
    }
    rows = []
    for model in sorted(models, key=lambda model: (model not in columns[0], -best[model])):
        texts = [text(column[model]) if model in column else "" for column in columns]
        rows.append(
            (
                model,
                *(
                    texts
                    if len(columns) <= _MANY_PLACES
                    else (text.partition(" ")[0] for text in texts)
                ),
            )
        )
    return Listing(
        ("model", *map(str, range(1, len(columns) + 1))), tuple(rows), title, figures=len(columns)
    )


def _cells_by_model(columns: list[dict[str, Entry]], models: list[str]) -> Listing:
    """Lay out the cells of models, each with the tasks and data of the first table."""
    rows = [
        (model, str(n), *cells(column[model]))
        for model in models
        for n, column in enumerate(columns, start=1)
        if model in column
    ]
    return Listing(("model", "task", *CELLS), tuple(rows), "interpretation", TERMS, labels=2)


def details(entry: Entry) -> Iterator[Listing]:
    """List all scores of an entry beside the published scores of the same model: overall scores,
    then scores by axis.

    Scores with an interval stand in the first table too, the main score first. The last axis of a
    score makes the columns; scores with the same last axis share a table.
    """
    published = published_of(entry.task, ResultKey(entry.model, entry.subset, entry.split))
    notes = Notes()

    def text(key: str) -> str:
        value = formatted(entry.scores[key])
        return f"{value} ({notes.marked(published[key])})" if key in published else value

    overall: list[tuple[str, ...]] = []
    by_axis: dict[str, dict[str, dict[str, str]]] = {}
    for score in entry.measure.declared_scores:
        for key, axes in score.by_axes().items():
            if key not in entry.scores:
                continue
            if not score.axes or entry.interval(key):
                row = (key, text(key), between(entry.interval(key)), DIRECTIONS[score.better])
                overall.insert(0 if key == entry.measure.main else len(overall), row)
            if score.axes:
                last = score.axes[-1]
                label = score.key.format_map({**axes, last.name: "·"})
                empty = {"score": label, **dict.fromkeys(last.values, "")}
                by_axis.setdefault(last.name, {}).setdefault(label, empty)[axes[last.name]] = text(
                    key
                )
    measured = "measured (published)" if published else "measured"
    title = f"{entry.task}, {entry.data}: {entry.model}"
    below = (
        [*notes.lines(), _SENTENCES_ONLY] if entry.scores.get("span_level") == 0 else notes.lines()
    )
    yield Listing(
        ("score", measured, "95 % interval", "better"),
        tuple(overall),
        title,
        "\n".join(below),
        figures=3,
    )
    for name, rows in by_axis.items():
        yield Listing.of(
            rows.values(), title=f"by {name.replace('_', ' ')}", note="\n".join(notes.lines())
        )


def profiles(entries: Iterable[Entry]) -> dict[tuple[str, str, str, str], dict[int, Entry]]:
    """Model, revision, task and data -> layer -> entry, for entries of single layers."""
    by_place: dict[tuple[str, str, str, str], dict[int, Entry]] = {}
    for entry in entries:
        name = ModelName.parse(entry.model)
        if (layer := name.options.get("layer")) is not None:
            place = str(name.but(layer=None)), entry.revision, entry.task, entry.data
            by_place.setdefault(place, {})[int(layer)] = entry
    return {place: dict(sorted(layers.items())) for place, layers in by_place.items()}


def layer_tables(entries: Sequence[Entry]) -> Iterator[Listing]:
    """List the main score, additive baseline and gain of each layer: a table per model, task and
    data.
    """
    by_place = profiles(entries)
    for (model, revision, task, data), layers in by_place.items():
        revisions = {place[1] for place in by_place if place[0] == model}
        measure = next(iter(layers.values())).measure
        rows = tuple(
            (str(layer), main_score(entry), *baseline_and_gain(entry), *cells(entry))
            for layer, entry in layers.items()
        )
        title = f"{task}, {data}: {model}{revision_label(revision, revisions)}"
        yield Listing(
            ("layer", f"{measure.main} [95 %]", *BASELINE_COLUMNS, *CELLS), rows, title, TERMS
        )
