"""What is ranked by what: models in rows, what they were measured on in columns."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any, Literal, NamedTuple, Self

from harness_ext.common.names import data_name
from harness_ext.common.revisions import UNVERIFIED
from harness_ext.measures.core.gain_keys import gain_key
from harness_ext.measures.core.measure import Measure
from harness_ext.results.entry import Entry
from harness_ext.tasks import LANGUAGE_MODEL_MEASURES, declared_task, language_model_task, task_order
from harness_ext.tasks.task import Task

RankedBy = Literal["gain", "score"]
"""What models are ranked by: main scores, or gains over own words. Columns without any gain have main scores."""


class Row(NamedTuple):
    """A model as ranks tell it from others; `precision` is of weights or vectors, such as `float32`, or empty."""

    model: str
    revision: str
    precision: str

    @classmethod
    def of(cls, entry: Entry) -> Self:
        """Tell whose entry it is."""
        return cls(entry.model, entry.revision, entry.signature.dtype if entry.signature else "")


class Column(NamedTuple):
    """What models are ranked by: the part of a signature that has to be the same.

    Attributes:
        dataset: The dataset at its revision.
        measure: The measure with its version; empty in results of other makers.
        version: The task's, of tasks of lm-eval; else empty.
    """

    task: str
    subset: str
    split: str
    dataset: str
    measure: str
    version: str = ""

    @classmethod
    def of(cls, entry: Entry) -> Self:
        """Tell what is measured in an entry."""
        if entry.signature is None:
            return cls(*entry.measured_on, entry.dataset_revision, "")
        version = entry.signature.task.removeprefix(entry.task).removeprefix("-")
        return cls(*entry.measured_on, entry.signature.dataset, entry.signature.measure, version)

    @property
    def data(self) -> str:
        """Subset and split."""
        return data_name(self.subset, self.split)

    @property
    def definition(self) -> Measure[Any]:
        """The measure."""
        return self.declared_task.measure

    @property
    def declared_task(self) -> Task:
        """The declaration of the task."""
        name = self.measure.partition("-")[0]
        return (
            language_model_task(self.task, name) if name in LANGUAGE_MODEL_MEASURES else declared_task(self.task, name)
        )

    @property
    def is_of_language_models(self) -> bool:
        """Whether lm-eval measured it."""
        return self.declared_task.harness == "lm-eval"

    @property
    def languages(self) -> list[str]:
        """Of the data, such as `eng`; none where that is not known."""
        return sorted({language.partition("-")[0] for language in self.declared_task.languages.get(self.subset, ())})

    def is_in(self, languages: Collection[str]) -> bool:
        """Whether the data is in one of these languages; also where its languages are not known, or these are none."""
        return not languages or not self.languages or not set(languages).isdisjoint(self.languages)

    @property
    def is_unverified(self) -> bool:
        """Whether the data is other than the pinned."""
        return UNVERIFIED in self.dataset

    @property
    def kind(self) -> tuple[bool, bool, bool]:
        """Columns of one kind are ranked together: tasks of mteb come first, then pinned data, then full tasks."""
        return self.is_of_language_models, self.is_unverified, self.declared_task.quick or self.split.endswith("]")

    @property
    def order(self) -> tuple[bool, bool, bool, int, str]:
        """Where it stands among the columns."""
        return *self.kind, task_order(self.declared_task), self.task


def ranking_key(column: Column, entries: Iterable[Entry], by: RankedBy) -> str:
    """The score that models are ranked by in a column, of all its entries."""
    main = column.definition.main
    return gain_key(main) if by == "gain" and any(gain_key(main) in entry.scores for entry in entries) else main


def overall_columns(columns: Iterable[Column]) -> tuple[Column, ...]:
    """The columns that an overall rank is over: splits and subsets measured by default, all of the first kind there is.

    That is mteb's tasks, on pinned data, and full tasks, as far as there are any.
    """
    kinds: dict[tuple[bool, ...], list[Column]] = {}
    for column in columns:
        task = column.declared_task
        is_default = column.is_of_language_models or (column.split in task.splits and column.subset in task.languages)
        if is_default and column.measure and task.construct and task.in_overall:
            kinds.setdefault(column.kind, []).append(column)
    return tuple(kinds[min(kinds)]) if kinds else ()
