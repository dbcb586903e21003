"""What a result key, a task or a word of the papers means: `harness-ext explain KEY`."""

import math
import re
from collections.abc import Iterator
from textwrap import shorten
from typing import Any

from harness_ext.common.errors import ALL_TASKS, unknown_name
from harness_ext.measures.core.baseline_keys import additive_key
from harness_ext.measures.core.measure import Measure
from harness_ext.measures.core.scores import COUNT, AxisValues, Score, interval_keys
from harness_ext.own_data.fields import MEASURES
from harness_ext.results.published import published_cells
from harness_ext.show.numbers import formatted
from harness_ext.show.terms import all_terms, meaning_of
from harness_ext.tasks import TASKS
from harness_ext.tasks.papers import AUTHORS_CODE, PAPER_TERMS, PAPERS
from harness_ext.tasks.task import Task

_MOST_FOUND = 10
"""The most scores that a search names."""

_LONGEST_CELL = 90
"""Characters of a cell of a task's example row."""

_SHORTEST = 4
"""Fewer letters than these are sought as whole words."""

_DIRECTIONS = {
    "higher": "higher is better",
    "lower": "lower is better",
    "neither": "neither more nor less is better by itself",
}


def explain(key: str, task: str | None = None) -> str:
    """Everything that is known of a key, as text: a paragraph for each measure that has it; or what
    a task measures.

    Args:
        key: As in result files; or a task; or a term of `harness_ext.show.terms`, `terms` for all;
            or words, such as `tree impurity`. The nearest score with these words has a paragraph,
            others a line each.
        task: Only as this task means it.

    Raises:
        UnknownNameError: There is no such key or task, and no score has such words; or there is no
            such task.
    """
    if key in TASKS:
        return "\n".join(_about_task(TASKS[key]))
    if key == "terms":
        return all_terms()
    if task is None and (text := meaning_of(key)):
        return text
    if task not in {None, *TASKS}:
        raise unknown_name("task", str(task), TASKS, ALL_TASKS)
    measures = measures_of(task)
    declared = [
        (names, *declaration)
        for names, measure in measures
        if (declaration := measure.declarations.get(measure.main if key == "main_score" else key))
    ]
    term, remark = _TERMS.get(_words(key), ("", ""))
    of_term = [
        (term, names, *declaration)
        for names, measure in measures
        if (declaration := measure.declarations.get(term))
    ]
    if not declared and (
        near := of_term[:1] + [one for one in _search(key, measures) if one[0] != term]
    ):
        lines = [
            f"  {other}: {score.title}  ({score.source})"
            for other, _, score, _ in near[1:_MOST_FOUND]
        ]
        more = [f"  and {len(near) - _MOST_FOUND} more"] if len(near) > _MOST_FOUND else []
        about = [f"  {key}: {remark}"] if of_term else []
        return "\n".join(
            [
                _paragraph(*near[0]),
                *about,
                *(["", f"{key} is also in:"] if lines else []),
                *lines,
                *more,
            ]
        )
    if not declared:
        keys = [name for _, measure in measures for name in measure.declarations]
        raise unknown_name(
            "key or task",
            key,
            [*keys, *TASKS],
            "`harness-ext show RESULTS --details` lists those of results.",
        )
    return "\n\n".join(_paragraph(key, *declaration) for declaration in declared)


_Match = tuple[str, list[str], Score, AxisValues]


def _search(words: str, measures: list[tuple[list[str], Measure[Any]]]) -> list[_Match]:
    """Find the scores with these words in key, title, formula, names of measure and tasks, or
    paper, in this order.

    The last word may be the beginning of one, unless all have fewer than four letters. Scores of
    encoders come first, and counts last; the key of a score is its first with the words.
    """
    best: dict[tuple[str, str], tuple[tuple[int, ...], _Match]] = {}
    sought = _words(words)
    if not sought.strip():
        return []
    sought = sought.rstrip() if len(sought.strip()) >= _SHORTEST else sought
    for names, measure in measures:
        called = re.sub("(?<=[a-z])(?=[A-Z])", " ", " ".join([measure.name, *names]))
        for key, (score, axes) in measure.declarations.items():
            sources = " ".join([score.source, *_papers(score)])
            texts = map(_words, (key, score.title, score.formula, called, sources))
            if places := [at for at, text in enumerate(texts) if sought in text]:
                is_first = _words(key).startswith(sought)
                rank = (
                    TASKS[names[0]].harness != "mteb",
                    score.range == COUNT,
                    places[0],
                    not is_first,
                )
                if (measure.name, score.key) not in best or rank < best[measure.name, score.key][0]:
                    best[measure.name, score.key] = rank, (key, names, score, axes)
    return [one for _, one in sorted(best.values(), key=lambda ranked: ranked[0])]


def _words(text: str) -> str:
    """Write the words of a text in small letters between blanks."""
    return " ".join(["", *re.findall(r"[^\W_]+", text.lower()), ""])


_TERMS = {_words(term): meant for terms in PAPER_TERMS.values() for term, meant in terms.items()}
"""The words of a term of a paper -> the key that has it, and what to know of it."""


def _about_task(task: Task) -> Iterator[str]:
    """Say what a task asks, show a row of it, and name its main score, chance, and how a score is
    read.
    """
    from harness_ext.own_data.fitting_measure import examples  # imports datasets, and so pandas

    measure = task.measure
    score = measure.main_declaration
    yield f"{task.name}: {task.description}"
    if measure.name in MEASURES:
        example = examples(MEASURES[measure.name], 1)[0]
        cells = [
            f"{column}: {shorten(cell, _LONGEST_CELL)}"
            for column, cell in example.items()
            if cell and column != "id"
        ]
        yield f"  a row: {', '.join(cells)}"
    ours = " (not a measure of the paper)" if measure.main_is_ours else ""
    yield f"  main score: {measure.main}, {score.title}{ours}"
    yield _scale(score)
    has_baseline = additive_key(measure.main) in measure.declarations
    references = "chance, the additive baseline and matched noise" if has_baseline else "chance"
    yield (
        f"  how to read it: compare it with {references} (harness-ext explain terms); a difference "
        f"below {formatted(score.smallest_effect)} is small; units: {measure.unit}"
    )
    if measure.headline:
        yield f"  what the paper argues for: {measure.headline}"
    if task.name in AUTHORS_CODE:
        yield f"  authors' code: {AUTHORS_CODE[task.name]}"
    yield f"  formula and source: harness-ext explain {measure.main} -t {task.name}"


def measures_of(task: str | None = None) -> list[tuple[list[str], Measure[Any]]]:
    """Each measure with the tasks that have it, for encoders and then for language models."""
    measures: dict[str, tuple[list[str], Measure[Any]]] = {}
    for name, row in TASKS.items():
        if task in {None, name}:
            measures.setdefault(row.measure.name, ([], row.measure))[0].append(name)
    return list(measures.values())


def _paragraph(key: str, tasks: list[str], score: Score, axes: AxisValues) -> str:
    ends = [interval_keys(base) for base in score.by_axes()]
    end = (
        "lower"
        if key in [low for low, _ in ends]
        else "upper"
        if key in [high for _, high in ends]
        else ""
    )
    lines = [f"{key}  ({', '.join(tasks)})"]
    lines.append(f"  the {end} end of the 95 % interval of:" if end else "")
    lines.append(f"  {score.title}")
    lines += [
        f"  {axis.name} = {axes[axis.name]}: {axis.values[axes[axis.name]]}" for axis in score.axes
    ]
    lines.append(f"  computed as: {score.formula}")
    lines.append(_scale(score))
    lines.append(
        f"  the interval leaves out: {score.not_in_interval}"
        if score.interval and score.not_in_interval
        else ""
    )
    lines.append(f"  source: {score.source}")
    lines += [f"  {paper}" for paper in _papers(score)]
    published = [task for task in tasks if any(cell.key == key for cell in published_cells(task))]
    lines.append(f"  published: harness-ext show --published {published[0]}" if published else "")
    return "\n".join(filter(None, lines))


def _papers(score: Score) -> list[str]:
    """Name the papers of its source."""
    return [
        f"{short}: {paper}"
        for short, paper in PAPERS.items()
        if re.search(rf"\b{short}\b", score.source)
    ]


def range_of(score: Score) -> str:
    """The values that a score can have, as text."""
    low, high = score.range
    return f"{low:g} to {high:g}" if math.isfinite(high) else f"{low:g} or more"


def _scale(score: Score) -> str:
    """The line on a score's range, direction and chance."""
    chance = "chance has no value" if score.chance is None else f"chance: {score.chance:g}"
    people = "" if score.ceiling is None else f"; people agree with each other at {score.ceiling:g}"
    return f"  range: {range_of(score)}; {_DIRECTIONS[score.better]}; {chance}{people}"
