"""What a result key, a task or a word of the papers means: `harness-ext explain KEY`."""

import math
import re
from collections.abc import Iterator
from functools import lru_cache
from operator import attrgetter
from textwrap import shorten
from typing import Any, NamedTuple

from harness_ext.common.errors import ALL_TASKS, unknown_name
from harness_ext.measures.core.baseline_keys import additive_key
from harness_ext.measures.core.measure import Measure
from harness_ext.measures.core.scores import COUNT, AxisValues, Score, interval_keys
from harness_ext.own_data.fields import MEASURES
from harness_ext.results.published import published_cells
from harness_ext.show.numbers import PREDICTIONS, formatted
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


def explain(
    key: str,
    task: str | None = None,
) -> str:
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
    meaning = meaning_of(key) if task is None else ""
    if meaning:
        return meaning
    if task not in {None, *TASKS}:
        raise unknown_name("task", str(task), TASKS, ALL_TASKS)
    measures = measures_of(task)
    declared: list[_Match] = []
    for names, measure in measures:
        declared += _declared(measure.main if key == "main_score" else key, names, measure)
    if declared:
        paragraphs = [_paragraph(match._replace(key=key)) for match in declared]
        return "\n\n".join(paragraphs)
    nearest = _nearest(key, measures)
    if nearest:
        return nearest
    keys: list[str] = []
    for _, measure in measures:
        keys += measure.declarations
    raise unknown_name(
        "key or task",
        key,
        [*keys, *TASKS],
        "`harness-ext show RESULTS --details` lists those of results.",
    )


_Named = tuple[list[str], Measure[Any]]
"""The names of tasks, and their measure."""


class _Match(NamedTuple):
    """A score that answers to a key or to words.

    Attributes:
        key: Its key.
        tasks: The tasks that have it.
        score: Its declaration.
        axes: The place of the key on the axes of the score.
    """

    key: str
    tasks: list[str]
    score: Score
    axes: AxisValues


def _declared(
    key: str,
    names: list[str],
    measure: Measure[Any],
) -> list[_Match]:
    """The score of a measure with this key; empty if it has none."""
    if key not in measure.declarations:
        return []
    score, axes = measure.declarations[key]
    return [_Match(key, names, score, axes)]


def _nearest(
    words: str,
    measures: list[_Named],
) -> str:
    """Explain the score that is nearest to words, and name others with these words; empty if there
    is none.

    The score that has a paper's term is the nearest.
    """
    term, remark = _TERMS.get(_words(words), ("", ""))
    scores_of_term: list[_Match] = []
    for names, measure in measures:
        scores_of_term += _declared(term, names, measure)
    others = [match for match in _search(words, measures) if match.key != term]
    matches = scores_of_term[:1] + others
    if not matches:
        return ""
    lines = [_paragraph(matches[0])]
    if scores_of_term:
        lines.append(f"  {words}: {remark}")
    if len(matches) > 1:
        lines += ["", f"{words} is also in:"]
    for match in matches[1:_MOST_FOUND]:
        lines.append(f"  {match.key}: {match.score.title}  ({match.score.source})")
    if len(matches) > _MOST_FOUND:
        lines.append(f"  and {len(matches) - _MOST_FOUND} more")
    return "\n".join(lines)


def _search(
    words: str,
    measures: list[_Named],
) -> list[_Match]:
    """Find the scores with these words in key, title, formula, names of measure and tasks, or
    paper, in this order.

    The last word may be the beginning of one, unless all have fewer than four letters. Scores of
    encoders come first, and counts last; the key of a score is its first with the words.
    """
    sought = _words(words)
    if not sought.strip():
        return []
    if len(sought.strip()) >= _SHORTEST:
        sought = sought.rstrip()
    best: dict[tuple[str, str], _Found] = {}
    for names, measure in measures:
        for key, (score, axes) in measure.declarations.items():
            match = _Match(key, names, score, axes)
            rank = _rank(match, measure, sought)
            if rank is None:
                continue
            place = (measure.name, score.key)
            if place not in best or rank < best[place].rank:
                best[place] = _Found(rank, match)
    return [found.match for found in sorted(best.values(), key=attrgetter("rank"))]


@lru_cache(maxsize=2**14)
def _words(text: str) -> str:
    """Write the words of a text in small letters between blanks."""
    return " ".join(["", *re.findall(r"[^\W_]+", text.lower()), ""])


class _Found(NamedTuple):
    """A score with the words that were sought, and its rank among such: the lower, the nearer."""

    rank: tuple[int, ...]
    match: _Match


def _rank(
    match: _Match,
    measure: Measure[Any],
    sought: str,
) -> tuple[int, ...] | None:
    """How near a score is to words, in small letters: a lower tuple is nearer; None without the
    words.
    """
    score = match.score
    names = " ".join([measure.name, *match.tasks])
    texts = (
        match.key,
        score.title,
        score.formula,
        re.sub("(?<=[a-z])(?=[A-Z])", " ", names),
        " ".join([score.source, *_papers(score)]),
    )
    for place, text in enumerate(texts):
        if sought in _words(text):
            return (
                TASKS[match.tasks[0]].harness != "mteb",
                score.range == COUNT,
                place,
                not _words(match.key).startswith(sought),
            )
    return None


def _terms_of_papers() -> dict[str, tuple[str, str]]:
    """The words of a term of a paper -> the key that has it, and what to know of it."""
    meanings: dict[str, tuple[str, str]] = {}
    for terms in PAPER_TERMS.values():
        for term, (key, remark) in terms.items():
            meanings[_words(term)] = (key, remark)
    return meanings


_TERMS = _terms_of_papers()
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
        (example,) = examples(MEASURES[measure.name], 1)
        cells: list[str] = []
        for column, cell in example.items():
            if cell and column != "id":
                cells.append(f"{column}: {shorten(cell, _LONGEST_CELL)}")
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


def measures_of(task: str | None = None) -> list[_Named]:
    """Each measure with the tasks that have it, for encoders and then for language models.

    Args:
        task: Only that of this task.
    """
    measures: dict[str, _Named] = {}
    for name, declaration in TASKS.items():
        if task in {None, name}:
            measure = declaration.measure
            names, _ = measures.setdefault(measure.name, ([], measure))
            names.append(name)
    return list(measures.values())


def _paragraph(match: _Match) -> str:
    """Everything about a score, in lines."""
    key = match.key
    score = match.score
    lines = [f"{key}  ({', '.join(match.tasks)})"]
    end = _end_of_interval(match)
    if end:
        lines.append(f"  the {end} end of the 95 % interval of:")
    lines.append(f"  {score.title}")
    for axis in score.axes:
        value = match.axes[axis.name]
        lines.append(f"  {axis.name} = {value}: {axis.values[value]}")
    lines.append(f"  computed as: {score.formula}")
    lines.append(_scale(score))
    if score.interval and score.not_in_interval:
        lines.append(f"  the interval leaves out: {score.not_in_interval}")
    prediction = score.prediction(key)
    if prediction:
        lines.append(f"  its paper predicts: {PREDICTIONS[prediction]}")
    lines.append(f"  source: {score.source}")
    lines += [f"  {paper}" for paper in _papers(score)]
    for task in match.tasks:
        if any(cell.key == key for cell in published_cells(task)):
            lines.append(f"  published: harness-ext show --published {task}")
            break
    return "\n".join(lines)


def _end_of_interval(match: _Match) -> str:
    """Which end of an interval a key is; empty if it is none."""
    for base in match.score.by_axes():
        low, high = interval_keys(base)
        if match.key == low:
            return "lower"
        if match.key == high:
            return "upper"
    return ""


def _papers(score: Score) -> list[str]:
    """Name the papers of its source."""
    named: list[str] = []
    for short, paper in PAPERS.items():
        if re.search(rf"\b{short}\b", score.source):
            named.append(f"{short}: {paper}")
    return named


def range_of(score: Score) -> str:
    """The values that a score can have, as text."""
    low, high = score.range
    return f"{low:g} to {high:g}" if math.isfinite(high) else f"{low:g} or more"


def _scale(score: Score) -> str:
    """The line on a score's range, direction and chance."""
    chance = "chance has no value"
    if score.chance is not None:
        chance = f"chance: {score.chance:g}"
    people = ""
    if score.ceiling is not None:
        people = f"; people agree with each other at {score.ceiling:g}"
    return f"  range: {range_of(score)}; {_DIRECTIONS[score.better]}; {chance}{people}"
