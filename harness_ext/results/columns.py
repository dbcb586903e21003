"""What is ranked by what: models in rows, what they were measured on in columns."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any, Literal, NamedTuple, Self

from harness_ext.framework.gain_keys import gain_key
from harness_ext.framework.measure import Measure
from harness_ext.names import UNVERIFIED, data_name
from harness_ext.results.entry import Entry
from harness_ext.results.overall import OverallRank, overall_ranks
from harness_ext.results.ranks import Standing
from harness_ext.tasks import LANGUAGE_MODEL_MEASURES, declared_task, language_model_task, task_order
from harness_ext.tasks.task import Task

Shown = Literal["gain", "score"]
"""What models are ranked by: main scores, or gains over own words. Columns without any gain have main scores."""


class Row(NamedTuple):
    """A model as ranks tell it from others: another revision or precision is another row.

    Attributes:
        model: Its name.
        revision: Its revision.
        precision: Of its weights or vectors, such as `float32`; empty where no signature says.
    """

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
        task: The task's name.
        subset: The subset.
        split: The split.
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
            return cls(*entry.place, entry.dataset_revision, "")
        version = entry.signature.task.removeprefix(entry.task).removeprefix("-")
        return cls(*entry.place, entry.signature.dataset, entry.signature.measure, version)

    @property
    def data(self) -> str:
        """Subset and split."""
        return data_name(self.subset, self.split)

    @property
    def definition(self) -> Measure[Any]:
        """The measure."""
        return self.about.measure

    @property
    def about(self) -> Task:
        """The task's row of the catalogue."""
        name = self.measure.partition("-")[0]
        return (
            language_model_task(self.task, name) if name in LANGUAGE_MODEL_MEASURES else declared_task(self.task, name)
        )

    @property
    def is_of_language_models(self) -> bool:
        """Whether lm-eval measured it."""
        return self.about.harness == "lm-eval"

    @property
    def languages(self) -> list[str]:
        """Of the data, such as `eng`; none where that is not known."""
        return sorted({language.partition("-")[0] for language in self.about.languages.get(self.subset, ())})

    def is_in(self, languages: Collection[str]) -> bool:
        """Whether the data is in one of these languages; also where its languages are not known, or these are none."""
        return not languages or not self.languages or not set(languages).isdisjoint(self.languages)

    @property
    def is_unverified(self) -> bool:
        """Whether the data is other than the pinned."""
        return UNVERIFIED in self.dataset

    @property
    def is_full(self) -> bool:
        """Whether the task is not a quick version, nor asked in part."""
        return not self.about.quick and not self.split.endswith("]")

    @property
    def is_default(self) -> bool:
        """Whether the split and the subset are those that are measured if nothing else is asked for."""
        about = self.about
        return self.is_of_language_models or (self.split in about.splits and self.subset in about.languages)

    @property
    def kind(self) -> tuple[bool, bool, bool]:
        """Columns of one kind are ranked together: tasks of mteb come first, then pinned data, then full tasks."""
        return self.is_of_language_models, self.is_unverified, not self.is_full

    @property
    def place(self) -> tuple[bool, bool, bool, int, str]:
        """Where it stands among the columns."""
        return *self.kind, task_order(self.about), self.task


def shown_key(column: Column, entries: Iterable[Entry], shown: Shown) -> str:
    """The score that models are ranked by in a column, of all its entries."""
    main = column.definition.main
    return gain_key(main) if shown == "gain" and any(gain_key(main) in entry.scores for entry in entries) else main


def overall_columns(columns: Iterable[Column]) -> tuple[Column, ...]:
    """The columns that an overall rank is over.

    They are of mteb's tasks where there are any, of pinned data where there is any, and of full tasks where there are
    any.
    """
    kinds: dict[tuple[bool, ...], list[Column]] = {}
    for column in columns:
        about = column.about
        if column.is_default and column.measure and about.construct and about.in_overall:
            kinds.setdefault(column.kind, []).append(column)
    return tuple(kinds[min(kinds)]) if kinds else ()


def rank_overall(
    standings: Mapping[Column, Mapping[Row, Standing | None]],
    languages: Mapping[Row, Collection[str]],
    considered: int = 0,
) -> dict[Row, OverallRank]:
    """Rank the models that every column has, as of `overall_ranks`.

    Args:
        standings: Column -> row -> its standing; None for a column that is not counted against a model, nor for it.
        languages: Row -> the languages that the model claims, none where it says none. A column in no language of a
            model is not counted against it, nor for it.
        considered: Out of how many columns these were picked, see `overall_ranks`.
    """
    counted = [
        {**of_column, **{row: None for row, claimed in languages.items() if not column.is_in(claimed)}}
        for column, of_column in standings.items()
    ]
    every, *others = counted or [{}]
    rows = [row for row in every if all(row in of_column for of_column in others)]
    rows = [row for row in rows if any(of_column[row] for of_column in counted)]
    columns = [[of_column[row] for row in rows] for of_column in counted]
    ranked = overall_ranks(columns, [column.about.construct for column in standings], considered)
    return dict(zip(rows, ranked, strict=True))
