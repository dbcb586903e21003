"""The papers' own tables, under the names of our result keys and, where a paper fixes the
checkpoint, of mteb's models.

The file that a measure declares has one line per printed cell; `published.md` lists the papers and
tables, explains the notes, and says where a paper contradicts itself.
"""

import csv
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any, NamedTuple

from harness_ext.tasks import TASKS
from harness_ext.tasks.papers import published_as

TELLING_KEYS = {name: row.telling_keys for name, row in TASKS.items() if row.telling_keys}
"""Task with published cells -> the keys that sum up a model: the main score, where the paper has
it.
"""


class ResultKey(NamedTuple):
    """The model, subset and split of a score dictionary in a result file."""

    model: str
    subset: str
    split: str

    @property
    def data(self) -> tuple[str, str]:
        """Subset and split."""
        return self.subset, self.split


@dataclass(frozen=True)
class PublishedCell:
    """One cell of a printed table.

    Attributes:
        model: A name that mteb or this package knows, or the paper's label where it fixes no
            checkpoint. A label that stands in two subsets may be two models.
        subset, split, key: As in a result file of the same quantity.
        printed: The figure in its natural range (a share, not percent), with the digits that were
            printed.
        value: The same as a number.
        table: Paper and table, such as `NCIMP T5`.
        note: The reason not to compare the cell; empty for most. Never check anything against a
            cell with a note.
    """

    model: str
    subset: str
    split: str
    key: str
    printed: str
    value: float
    table: str
    note: str

    @property
    def result_key(self) -> ResultKey:
        """The model, subset and split."""
        return ResultKey(self.model, self.subset, self.split)

    @property
    def suspect(self) -> bool:
        """Whether it must not stand beside others.

        Other cells of its paper contradict it, it could not be read with certainty, or the model
        was fine-tuned on the data (contaminated).
        """
        return "suspect" in self.note or "contaminated" in self.note

    @property
    def has_key(self) -> bool:
        """Whether the task has a score of this name; if not, `key` only describes what was
        printed.
        """
        return "no key yet" not in self.note


class Notes:
    """The marks of the notes below a table: daggers for suspect cells, asterisks for other
    cells.
    """

    def __init__(self) -> None:
        self._marks: dict[str, str] = {}

    def marked(self, cell: PublishedCell) -> str:
        """The figure, without the zero before its point, and the mark of its note."""
        if cell.note and cell.note not in self._marks:
            sign = "†" if cell.suspect else "*"
            n_before = sum(sign in mark for mark in self._marks.values())
            self._marks[cell.note] = sign * (1 + n_before)
        return without_zero(cell.printed) + self._marks.get(cell.note, "")

    def lines(self) -> list[str]:
        """One line per mark given so far."""
        return [f"{mark} {note}" for note, mark in self._marks.items()]


def without_zero(number: str) -> str:
    """A number as the tables show it: no zero before the point."""
    return re.sub(r"^(-?)0(?=\.)", r"\1", number)


def published_cells(task: str) -> tuple[PublishedCell, ...]:
    """The published cells of a task, in the order of the papers' tables; none for a task that no
    paper has.
    """
    if task not in TELLING_KEYS:
        return ()
    measure = TASKS[task].measure
    return cells_of_file(files(measure.package) / measure.published)


def cells_of_file(path: Traversable) -> tuple[PublishedCell, ...]:
    """The cells of one data file, a CSV file; a cell of several splits stands in each of them."""
    lines = path.read_text(encoding="utf-8").splitlines()
    rows: Iterable[dict[str, Any]] = csv.DictReader(lines)
    cells: list[PublishedCell] = []
    for row in rows:
        printed = row.pop("value")
        splits = row.pop("split").split()
        value = float(printed)
        for split in splits:
            cells.append(
                PublishedCell(
                    **row,
                    split=split,
                    printed=printed,
                    value=value,
                )
            )
    return tuple(cells)


def published_scores(task: str) -> Mapping[ResultKey, Mapping[str, PublishedCell]]:
    """The same for looking up: model, subset and split -> result key -> cell."""
    scores: dict[ResultKey, dict[str, PublishedCell]] = {}
    for cell in published_cells(task):
        scores.setdefault(cell.result_key, {})[cell.key] = cell
    return scores


def published_of(
    task: str,
    measured: ResultKey,
) -> Mapping[str, PublishedCell]:
    """The published scores of a measured model, under its own name or under the paper's name for
    it.

    Returns:
        Result key -> cell; empty if nothing was published.
    """
    published = published_scores(task)
    for name in published_as(measured.model, task, measured.subset):
        result_key = measured._replace(model=name)
        if result_key in published:
            return published[result_key]
    return {}


def references(
    task: str, measured: Collection[ResultKey]
) -> dict[ResultKey, dict[str, PublishedCell]]:
    """The papers' other models: their cells under the task's telling keys, by split and subset.

    Args:
        task: Its name.
        measured: Models that are measured and therefore left out.

    Returns:
        The other models, on the subsets and splits that were measured. If nothing was published for
        these, on all subsets and splits.
    """
    published = published_scores(task)
    data_measured = {result_key.data for result_key in measured}
    data_in_both = data_measured & {result_key.data for result_key in published}
    others: dict[ResultKey, dict[str, PublishedCell]] = {}
    for result_key in sorted(published, key=lambda key: (key.split, key.subset)):
        is_other_data = bool(data_in_both) and result_key.data not in data_in_both
        if result_key in measured or is_other_data:
            continue
        cells = published[result_key]
        keys = [key for key in TELLING_KEYS[task] if key in cells]
        telling = {key: cells[key] for key in keys}
        if telling:
            others[result_key] = telling
    return others
