"""How well columns of this project's board tell models apart, as shipped.

To write the file again, from folders of results:

    python -m harness_ext.results.known_columns FOLDER...
"""

from __future__ import annotations

import csv
import functools
import math
import sys
from collections.abc import Iterator, Sequence
from importlib.resources import files
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from harness_ext.framework.measure import Measure, unit_count_key
from harness_ext.results.overall import Reliability
from harness_ext.tasks import declared_task

FILE = files("harness_ext.results") / "known_columns.csv"


class KnownColumn(NamedTuple):
    """A task, subset and split of the board, and how well models are told apart in it.

    Attributes:
        task: The task.
        subset: The subset.
        split: The split.
        measure: The measure and its version, as in signatures.
        key: The main score, or the gain over own words.
        units: The number of units.
        about: How well models are told apart.
    """

    task: str
    subset: str
    split: str
    measure: str
    key: str
    units: int
    about: Reliability

    @property
    def smallest_effect(self) -> float:
        """The smallest effect of interest."""
        score, _ = declared_task(self.task, self.measure.partition("-")[0]).measure.declarations()[self.key]
        return score.smallest_effect

    def smallest(self, units: int) -> float:
        """The smallest score above chance, or gain, that so many units show in 80 % of all samples."""
        return self.about.smallest * math.sqrt(self.units / units)

    def units_for(self, effect: float) -> int:
        """The number of units that show an effect in 80 % of all samples."""
        return math.ceil(round(self.units * (self.about.smallest / effect) ** 2, 6))


@functools.cache
def known_columns() -> tuple[KnownColumn, ...]:
    """All columns, in the order of the board."""
    return tuple(_column(row) for row in csv.DictReader(FILE.read_text(encoding="utf-8").splitlines()))


def _column(row: dict[str, str]) -> KnownColumn:
    task, subset, split, measure, key, units, models, *cells = row.values()
    trust, split_half, told_apart, smallest, from_words = (float(cell or "nan") for cell in cells)
    about = Reliability(int(models), trust, split_half, int(told_apart), smallest, from_words)
    return KnownColumn(task, subset, split, measure, key, int(units), about)


def columns_of_measure(measure: Measure[Any]) -> list[KnownColumn]:
    """The columns of a measure, in its present version."""
    return [column for column in known_columns() if column.measure == f"{measure.name}-{measure.version}"]


def _measured(folders: Sequence[Path]) -> Iterator[KnownColumn]:
    from harness_ext.leaderboard.board import make_boards  # not above: reading the file needs no board
    from harness_ext.leaderboard.cells import read_cells
    from harness_ext.leaderboard.checks.records import Records

    cells, _ = read_cells(folders, Records())
    boards, _ = make_boards(cells)
    for column, board in product(boards["score"].columns, boards.values()):
        counted = unit_count_key(column.definition.main)  # of both classes, and not what they are worth in a test
        units = max((int(place.entry.scores.get(counted, 0)) for place in board.places[column].values()), default=0)
        about = board.reliabilities[column]
        if units and not math.isnan(about.smallest):
            yield KnownColumn(
                column.task, column.subset, column.split, column.measure, board.keys[column], units, about
            )


def _write(folders: Sequence[Path]) -> None:
    fields = [*KnownColumn._fields[:-1], *Reliability._fields]
    rows = dict.fromkeys((*column[:-1], *column.about) for column in _measured(folders))
    with Path(str(FILE)).open("w", encoding="utf-8", newline="") as lines:
        writer = csv.writer(lines, lineterminator="\n")
        writer.writerow(fields)
        for row in rows:
            writer.writerow(["" if value != value else f"{value:.4g}" if isinstance(value, float) else value
                             for value in row])  # fmt: skip


if __name__ == "__main__":
    _write([*map(Path, sys.argv[1:])])
