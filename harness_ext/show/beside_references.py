"""A main score beside chance, its additive baseline and matched noise: a row of a table of report
and board.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Self

from harness_ext.measures.core.baseline_keys import BASELINES
from harness_ext.measures.core.scores import chance_key
from harness_ext.results.entry import Entry
from harness_ext.results.published import without_zero
from harness_ext.show.interpretation import CELLS, UNKNOWN, outcomes
from harness_ext.show.numbers import formatted, with_interval

_MARGIN = 0.04
"""Of an axis, at either end, relative to the data."""

_MOST_TICKS = 5


@dataclass(frozen=True)
class Cell:
    """What the intervals show of a score and a reference.

    Attributes:
        column: One of `CELLS`.
        outcome: above, below, equivalent and so on; `UNKNOWN` where there is no such reference.
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
        main, found = entry.measure.main, outcomes(entry)
        low, high = entry.interval() or (None, None)
        chance = entry.scores.get(chance_key(main), entry.measure.main_declaration.chance)
        scores = {"chance": chance}
        differences = {"chance": (None if chance is None else entry.main_score - chance, "")}
        for name, baseline in zip(("baseline", "noise"), BASELINES, strict=True):
            key = baseline.difference_key(main)
            scores[name], difference = (
                entry.scores.get(one) for one in (baseline.score_key(main), key)
            )
            differences[name] = difference, with_interval(difference, entry.interval(key))
        cells = []
        for column, (name, score) in zip(CELLS, scores.items(), strict=True):
            outcome = found.get(column)
            against = "chance" if name == "chance" else "over"
            reference = "" if score is None else f"{against} {formatted(float(score))}"
            color = outcome.name.lower() if outcome else ""
            cells.append(Cell(column, outcome or UNKNOWN, color, *differences[name], reference))
        marks = {**scores, "low": low, "high": high, "score": entry.main_score}
        return cls(
            entry.main_score,
            with_interval(entry.main_score, entry.interval()),
            tuple(cells),
            {name: value for name, value in marks.items() if value is not None},
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
        steps = (digit * 10.0**power for power in range(-4, 300) for digit in (1, 2, 5))
        step = next(step for step in steps if self.high - self.low <= step * _MOST_TICKS)
        numbers = range(math.ceil(self.low / step), math.floor(self.high / step) + 1)
        return {without_zero(f"{number * step:.4g}"): self.at(number * step) for number in numbers}


def drawn(rows: Iterable[ScoreRow]) -> list[str]:
    """What a chart of the rows draws, for its legend."""
    marks = set(chain.from_iterable(row.marks for row in rows))
    return [name for name in ("score", "low", "baseline", "noise", "chance") if name in marks]
