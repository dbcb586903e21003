"""What a result key means: `harness-ext explain KEY`, and the page docs/measures.md."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any

from harness_ext.framework.measure import FEWEST_UNITS, Measure
from harness_ext.framework.scores import Axis, Place, Score, interval_keys
from harness_ext.names import ALL_TASKS, unknown_name
from harness_ext.results.published import published_cells
from harness_ext.show.listing import csv_text
from harness_ext.show.numbers import number
from harness_ext.tasks import TASKS
from harness_ext.tasks.task import Task

PAPERS = {
    "EPS": "Wold, Simon, Velldal, Øvrelid: Measuring Idiomaticity in Text Embedding Models with ε-compositionality",
    "NCIMP": "He et al. 2025: Investigating Idiomaticity in Word Representations",
    "NCTTI": "Garcia et al. 2021: Assessing the Representations of Idiomaticity in Vector Models with a Noun Compound "
    "Dataset Labeled at Type and Token Levels",
    "MONT": "Carvalho et al. 2025: Montague semantics and modifier consistency measurement in neural language models",
    "IMPLI": "Stowe, Utama, Gurevych 2022: IMPLI: Investigating NLI Models' Performance on Figurative Language",
    "PSS": "Bhathena, Willis, Dass 2020: Evaluating Compositionality of Sentence Representation Models",
}
"""How sources are called for short."""

_SAID_ONCE = {"n_excluded_zero_vector", "span_level"}
"""Keys of many measures, which the head of the page explains."""

_DIRECTIONS = {
    "higher": "higher is better",
    "lower": "lower is better",
    "neither": "neither more nor less is better by itself",
}


def explain(key: str, task: str | None = None) -> str:
    """Everything that is known of a key, as text: a paragraph for each measure that has it; or what a task measures.

    Args:
        key: As in result files; or a task.
        task: Only as this task means it.

    Raises:
        UnknownNameError: No task has such a key or name; or there is no such task.
    """
    if key in TASKS:
        return "\n".join(_about_task(TASKS[key]))
    if task not in {None, *TASKS}:
        raise unknown_name("task", str(task), TASKS, ALL_TASKS)
    measures = _measures(task)
    declared = [(names, about) for names, measure in measures if (about := _declared(measure, key)) is not None]
    if not declared:
        known = [each for _, measure in measures for each in measure.declarations()]
        raise unknown_name(
            "key or task", key, [*known, *TASKS], "`harness-ext show RESULTS --details` lists those of results."
        )
    return "\n\n".join(_paragraph(key, names, *about) for names, about in declared)


def _about_task(task: Task) -> Iterator[str]:
    measure = task.measure
    score, _ = measure.declarations()[measure.main]
    yield f"{task.name}: {task.description}"
    yield f"  main score: {measure.main}  (harness-ext explain {measure.main} -t {task.name})"
    yield f"  smallest effect of interest: {number(score.smallest_effect)}; units: {measure.unit}"


def measures_page() -> str:
    """The page docs/measures.md."""
    measures = _measures()
    shared = _axes_of_several([measure for _, measure in measures])
    lines = [
        "# The scores",
        "",
        "Every key of a result file with its formula. `make docs` writes this page from the declarations beside the",
        "code that computes the scores; `harness-ext explain KEY` says the same of one key.",
        "",
        "- *Chance* is what a model that knows nothing gets; where a measure has `chance_<key>`, it is measured on the",
        "  same answers. *Interval*: the score has `<key>_ci_low` and `<key>_ci_high`, of 95 %, over the units.",
        "- Every measure of encoders, but for trees, has the main score of the encoder's own words (`words_<main>`)",
        "  and the gain over them (`gain_<main>`, its interval and its p-value `gain_<main>_p`): [words.md](words.md).",
        "- Main and controlled scores have `n_<key>`, how many units they are of. A score with a value of chance or a",
        f"  better direction is not defined of fewer than {FEWEST_UNITS} units. A score that is not defined is absent.",
        "- `n_excluded_<reason>` counts the rows that are left out; `n_excluded_zero_vector` those with a vector that",
        "  has no direction. `span_level` is 1 if the encoder gives vectors of words in a sentence, else 0.",
        "- The columns of the items, one row per comparison, are in [items.csv](items.csv), and in the Parquet files.",
        "- `{…}` in a key stands for one of several values. Those of more than one measure:",
        "",
        *(f"  - {_axis_line(axis)}" for axis in shared),
        "",
        "*higher*, *lower*: better so. A score without a source is this project's. Sources are called for short:",
        "",
        *(f"- **{short}** {paper}" for short, paper in PAPERS.items()),
    ]
    for names, measure in measures:
        lines += ["", f"## {', '.join(names)}", "", *_measure_lines(measure, shared)]
    return "\n".join(lines) + "\n"


def items_table() -> str:
    """docs/items.csv: the columns of the items of each measure."""
    records = [
        {"measure": measure.name, "table": name, "column": column, "meaning": description}
        for _, measure in _measures()
        for name, table in measure.items.table_types().items()
        for column, (_, _, description) in table.columns().items()
    ]
    return csv_text(records, list(records[0]))


def _measures(task: str | None = None) -> list[tuple[list[str], Measure[Any]]]:
    """Each measure with the tasks that have it, for encoders and then for language models."""
    measures: dict[str, tuple[list[str], Measure[Any]]] = {}
    for name, row in TASKS.items():
        if task in {None, name}:
            measures.setdefault(row.measure.name, ([], row.measure))[0].append(name)
    return list(measures.values())


def _declared(measure: Measure[Any], key: str) -> tuple[Score, Place] | None:
    if key == "main_score":
        key = measure.main
    return measure.declarations().get(key)


def _paragraph(key: str, tasks: list[str], score: Score, place: Place) -> str:
    ends = [interval_keys(base) for base in score.places()]
    end = "lower" if key in [low for low, _ in ends] else "upper" if key in [high for _, high in ends] else ""
    lines = [f"{key}  ({', '.join(tasks)})"]
    lines.append(f"  the {end} end of the 95 % interval of:" if end else "")
    lines.append(f"  {score.title}")
    lines += [f"  {axis.name} = {place[axis.name]}: {axis.values[place[axis.name]]}" for axis in score.axes]
    lines.append(f"  computed as: {score.formula}")
    lines.append(f"  range: {_range(score)}; {_DIRECTIONS[score.direction]}; {_chance(score)}")
    lines.append(
        f"  the interval leaves out: {score.not_in_interval}" if score.interval and score.not_in_interval else ""
    )
    lines.append(f"  source: {score.source}")
    lines += [f"  {short}: {paper}" for short, paper in PAPERS.items() if re.search(rf"\b{short}\b", score.source)]
    values = sorted(
        cell.value for task in tasks for cell in published_cells(task) if cell.key == key and not cell.suspect
    )
    if values:
        lines.append(
            f"  published: {len(values)} values from {values[0]:g} to {values[-1]:g} "
            f"(harness-ext show --published {tasks[0]})"
        )
    return "\n".join(filter(None, lines))


def _axes_of_several(measures: list[Measure[Any]]) -> list[Axis]:
    """The axes that more than one measure has."""
    axes = [axis for measure in measures for axis in _axes(measure)]
    return [axis for place, axis in enumerate(axes) if axes.index(axis) == place and axes.count(axis) > 1]


def _axes(measure: Measure[Any]) -> list[Axis]:
    return list({axis.name: axis for score in measure.scores.declarations() for axis in score.axes}.values())


def _axis_line(axis: Axis) -> str:
    return f"`{{{axis.name}}}`: " + "; ".join(f"`{value}` {meaning}" for value, meaning in axis.values.items()) + "."


def _measure_lines(measure: Measure[Any], shared: list[Axis]) -> Iterator[str]:
    unit = " and ".join(filter(None, (measure.unit, measure.drawn_with)))
    smallest = number(measure.declarations()[measure.main][0].smallest_effect)
    yield (
        f"Measure `{measure.name}`, version {measure.version}; main score `{measure.main}`; smallest effect of "
        f"interest {smallest}; units: {unit}."
    )
    yield ""
    if measure.exploratory:
        yield f"Exploratory: no overall rank counts it. {measure.exploratory}"
        yield ""
    yield "| key | computed as | about | source |"
    yield "| --- | --- | --- | --- |"
    counts = []
    for score in measure.scores.declarations():
        if score.key in _SAID_ONCE:
            continue
        if score.key.startswith("n_"):
            counts.append(f"`{score.key}` {score.formula}")
            continue
        known = (
            _range(score),
            "" if score.direction == "neither" else score.direction,
            "" if score.chance is None else f"chance {score.chance:g}",
            "" if score.ceiling is None else f"people {score.ceiling:g}",
            "interval" if score.interval else "",
        )
        source = "" if score.source == "this project" else score.source
        cells = (f"`{score.key}`", f"{score.title}: {score.formula}", ", ".join(filter(None, known)), source)
        yield "| " + " | ".join(map(_cell, cells)) + " |"
    if counts:
        yield ""
        yield "Counts: " + "; ".join(counts) + "."
    for axis in _axes(measure):
        if axis not in shared:
            yield ""
            yield _axis_line(axis)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _range(score: Score) -> str:
    low, high = score.range
    return f"{low:g} to {high:g}" if math.isfinite(high) else f"{low:g} or more"


def _chance(score: Score) -> str:
    chance = "chance has no value" if score.chance is None else f"chance: {score.chance:g}"
    return chance if score.ceiling is None else f"{chance}; people agree with each other at {score.ceiling:g}"
