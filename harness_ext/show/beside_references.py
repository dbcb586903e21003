"""A main score beside chance, its additive baseline and matched noise: a row of a table of report
and board.
"""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Self

from harness_ext.measures.core.baseline_keys import BASELINES, NOISE, has_first_noise
from harness_ext.measures.core.scores import chance_key
from harness_ext.results.entry import Entry
from harness_ext.results.published import without_zero
from harness_ext.show.interpretation import CELLS, SAME_VECTORS, cell_text, outcomes
from harness_ext.show.numbers import formatted, with_interval

_MARGIN = 0.04
"""Of an axis, at either end, relative to the data."""

_MOST_TICKS = 5

_WARNED = "inconclusive"
"""The class of the color of a cell with a warning."""


@dataclass(frozen=True)
class Cell:
    """What the intervals show of a score and a reference.

    Attributes:
        column: One of `CELLS`.
        outcome: above, below, equivalent and so on, as `cell_text` writes it.
        color: The class of its color; empty where the outcome is unknown.
        value: The difference from the reference, to sort by; None if unknown.
        difference: The same with its 95 % interval; empty of chance.
        reference: The reference with its score; may be empty.
    """

    column: str
    outcome: str
    color: str
    value: float | None
    difference: str
    reference: str


@dataclass(frozen=True)
class ScoreRow:
    """A main score beside its references.

    Attributes:
        score: The score.
        text: The same with its 95 % interval.
        cells: A cell for each of `CELLS`.
        marks: What a chart draws -> its value: chance, low, high, baseline, noise, score; without
            what is unknown.
    """

    score: float
    text: str
    cells: tuple[Cell, ...]
    marks: Mapping[str, float]

    @classmethod
    def of(cls, entry: Entry) -> Self:
        """Hold an entry against its references."""
        known = outcomes(entry)
        references = _references(entry)
        cells: list[Cell] = []
        for column, reference in zip(CELLS, references, strict=True):
            outcome = known.get(column)
            text = cell_text(entry, column, outcome)
            color = outcome.name.lower() if outcome else ""
            cells.append(
                Cell(
                    column=column,
                    outcome=text,
                    color=_WARNED if text.endswith(SAME_VECTORS) else color,
                    value=reference.difference,
                    difference=reference.difference_text,
                    reference=reference.text,
                )
            )
        low, high = entry.interval() or (None, None)
        marks: dict[str, float | None] = {ref.name: ref.score for ref in references}
        marks |= {"low": low, "high": high, "score": entry.main_score}
        return cls(
            score=entry.main_score,
            text=with_interval(entry.main_score, entry.interval()),
            cells=tuple(cells),
            marks={name: value for name, value in marks.items() if value is not None},
        )


@dataclass(frozen=True)
class Axis:
    """The axis of a chart of score rows, which starts and ends where the data do."""

    low: float
    high: float

    @classmethod
    def of(cls, rows: Iterable[ScoreRow]) -> Self:
        """Fit an axis to the marks of at least one row."""
        values = [*chain.from_iterable(row.marks.values() for row in rows)]
        margin = _MARGIN * (max(values) - min(values)) or 0.1
        return cls(min(values) - margin, max(values) + margin)

    def at(self, value: float) -> str:
        """The place of a value, in percent from the left."""
        return f"{100 * (value - self.low) / (self.high - self.low):.2f}%"

    @property
    def ticks(self) -> dict[str, str]:
        """Text -> place, for round values."""
        span = self.high - self.low
        step = next(step for step in _round_steps() if span <= step * _MOST_TICKS)
        first = math.ceil(self.low / step)
        last = math.floor(self.high / step)
        places: dict[str, str] = {}
        for number in range(first, last + 1):
            value = number * step
            places[without_zero(f"{value:.4g}")] = self.at(value)
        return places


def drawn(rows: Iterable[ScoreRow]) -> list[str]:
    """What a chart of the rows draws, for its legend."""
    marks = set(chain.from_iterable(row.marks for row in rows))
    return [name for name in ("score", "low", "baseline", "noise", "chance") if name in marks]


@dataclass(frozen=True)
class _ScoredReference:
    """What a main score is held against.

    Attributes:
        name: The name of its mark in a chart.
        score: Its score; None if unknown.
        difference: The main score minus this one; None if unknown.
        difference_text: The same with its 95 % interval; empty of chance.
    """

    name: str
    score: float | None
    difference: float | None
    difference_text: str

    @property
    def text(self) -> str:
        """The reference with its score; empty if unknown."""
        if self.score is None:
            return ""
        word = "chance" if self.name == "chance" else "over"
        return f"{word} {formatted(float(self.score))}"


def _references(entry: Entry) -> list[_ScoredReference]:
    """The references of a main score, in the order of `CELLS`; of noise as 1.0 defined it no
    figure is shown, as it would read as a claim.
    """
    main = entry.measure.main
    declared_chance = entry.measure.main_declaration.chance
    chance = entry.scores.get(chance_key(main), declared_chance)
    over_chance = None if chance is None else entry.main_score - chance
    references = [_ScoredReference("chance", chance, over_chance, "")]
    for name, baseline in zip(("baseline", "noise"), BASELINES, strict=True):
        if baseline is NOISE and has_first_noise(entry.scores, main):
            references.append(_ScoredReference(name, None, None, ""))
            continue
        key = baseline.difference_key(main)
        score = entry.scores.get(baseline.score_key(main))
        difference = entry.scores.get(key)
        text = with_interval(difference, entry.interval(key))
        references.append(_ScoredReference(name, score, difference, text))
    return references


def _round_steps() -> Iterator[float]:
    """Round steps of an axis, from .0001 on."""
    for power in range(-4, 300):
        for digit in (1, 2, 5):
            yield digit * 10.0**power
