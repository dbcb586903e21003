"""A cell of a board: a result, its findings, and the resamples of its scores."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from harness_ext.catalogue.every_row import LANGUAGE_MODEL_MEASURES, language_model_task
from harness_ext.catalogue.task import Task
from harness_ext.evaluators.gain_keys import gain_declarations
from harness_ext.evaluators.scores import interval_keys
from harness_ext.leaderboard.checks.records import Records
from harness_ext.leaderboard.checks.trust import Trust, trust_of
from harness_ext.results.entry import Entry
from harness_ext.results.load import read_result
from harness_ext.results.ranks import Basis, RankSet


@dataclass(frozen=True, eq=False)
class Cell(Entry):
    """A result on a board. It keeps only the main score, its own words' score and the gain, with their intervals.

    Attributes:
        measure_name: The name of its measure.
        findings: The reasons why it cannot be trusted further, a sentence each.
    """

    measure_name: str
    findings: tuple[str, ...]

    @classmethod
    def of(cls, entry: Entry, findings: tuple[str, ...], digest: str | None) -> Self:
        """Make the cell of a result.

        Args:
            entry: The result.
            findings: As in `Cell`.
            digest: The digest of the items, or of lm-eval's samples.
        """
        main = entry.measure.main
        about: dict[str, Any] = {one.name: getattr(entry, one.name) for one in fields(Entry)}
        kept = {main, *interval_keys(main), *gain_declarations(main, entry.measure.declarations()[main][0])}
        about["scores"] = {**{key: value for key, value in entry.scores.items() if key in kept}, main: entry.main_score}
        return cls(**{**about, "digest": digest}, measure_name=entry.measure.name, findings=findings)

    @property
    def about(self) -> Task:
        """The task's row of the catalogue."""
        return language_model_task(self.task, self.measure_name) if self.is_of_language_model else super().about

    @property
    def is_of_language_model(self) -> bool:
        """Whether lm-eval measured it."""
        return self.measure_name in LANGUAGE_MODEL_MEASURES

    def trust(self, records: Records) -> Trust:
        """Tell how far it can be trusted, by the maintainers' records."""
        if (self.model, self.task) in records.declined:
            return Trust.DECLINED
        if self.digest is None or self.is_of_language_model:
            return Trust.SELF_REPORTED
        if (self.model, self.revision, self.task, self.split, self.subset) not in records.reruns:
            return Trust.RECOMPUTED
        place = self.split, self.subset
        return trust_of(next(one for one in read_result(self.file) if (one.split, one.subset) == place), records)[0]


@dataclass(frozen=True, eq=False)
class RankedCell:
    """A cell with its rank.

    Attributes:
        cell: The cell.
        key: The score shown and ranked by.
        trust: How far it can be trusted.
        rank: The ranks that it may have; None if it is declined, has no such score, or knows nothing.
        basis: The basis of the rank.
    """

    cell: Cell
    key: str
    trust: Trust
    rank: RankSet | None
    basis: Basis

    @property
    def value(self) -> float | None:
        """The score; None if the cell lacks it, such as a gain without own words."""
        return self.cell.scores.get(self.key)

    @property
    def interval(self) -> tuple[float, float] | None:
        """Its 95 % interval."""
        return self.cell.interval(self.key)


@dataclass(frozen=True, eq=False)
class Resamples:
    """The main score of some items, or their gain over own words, on resamples of the units.

    Attributes:
        measure: The measure, as `name-version`.
        digest: The digest of the items; of a gain, the `gain_digest`.
        n: The number of units.
        drawn: The score on each resample, shape (`N_RESAMPLES`,), float32.
    """

    measure: str
    digest: str
    n: int
    drawn: NDArray[np.float32]


def gain_digest(entry: Entry) -> str:
    """Name the resamples of a gain by both digests: two models may share the items of their own words."""
    return f"{entry.digest} {entry.words_digest}"


@dataclass(frozen=True)
class Read:
    """The content of one result file.

    Attributes:
        cells: Its sound entries.
        problems: A sentence about each other entry, which names the file.
        resamples: The resamples of the cells that have items.
    """

    cells: tuple[Cell, ...]
    problems: tuple[str, ...]
    resamples: tuple[Resamples, ...] = ()
