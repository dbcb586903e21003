"""Rows and columns of a ranking: models, and what they were measured on."""

from typing import Any, NamedTuple, Self

from harness_ext.common.names import data_name
from harness_ext.common.revisions import UNVERIFIED
from harness_ext.measures.core.measure import Measure
from harness_ext.results.entry import Entry
from harness_ext.tasks import (
    LANGUAGE_MODEL_MEASURES,
    declared_task,
    language_model_task,
    task_order,
)
from harness_ext.tasks.task import Task


class Row(NamedTuple):
    """A model as ranks tell it from others; `precision` is of weights or vectors, such as
    `float32`, or empty.
    """

    model: str
    revision: str
    precision: str

    @classmethod
    def of(cls, entry: Entry) -> Self:
        """Tell whose entry it is."""
        precision = entry.signature.dtype if entry.signature else ""
        return cls(entry.model, entry.revision, precision)


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
        signature = entry.signature
        if signature is None:
            return cls(*entry.measured_on, entry.dataset_revision, measure="")
        version = signature.task.removeprefix(entry.task).removeprefix("-")
        return cls(
            *entry.measured_on,
            signature.dataset,
            signature.measure,
            version,
        )

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
        measure = self.measure.partition("-")[0]
        if measure in LANGUAGE_MODEL_MEASURES:
            return language_model_task(self.task, measure)
        return declared_task(self.task, measure)

    @property
    def is_unverified(self) -> bool:
        """Whether the data is other than the pinned."""
        return UNVERIFIED in self.dataset

    @property
    def order(self) -> tuple[bool, bool, bool, int, str]:
        """Where it stands among the columns, as a key to sort by.

        Tasks of mteb come first, then pinned data, then full tasks, in the order of the
        documentation.
        """
        task = self.declared_task
        is_small = task.quick or self.split.endswith("]")
        return (
            task.harness == "lm-eval",
            self.is_unverified,
            is_small,
            task_order(task),
            self.task,
        )
