"""A cell of a board: a checked result, with the resamples of its scores, and its rank."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from harness_ext.framework.gain_keys import gain_key
from harness_ext.leaderboard.checks.trust import CheckedEntry, Trust
from harness_ext.results.entry import Entry
from harness_ext.results.lm_eval_output import LanguageModelEntry
from harness_ext.results.ranks import Basis, RankSet


@dataclass(frozen=True, eq=False)
class BoardCell(CheckedEntry):
    """A result on a board.

    Attributes:
        resamples: Key of the main score or of the gain -> the number of units, and the score on each resample, shape
            (`N_RESAMPLES`,), float32: a board has thousands of these. Empty without items.
    """

    resamples: Mapping[str, tuple[int, NDArray[np.float32]]]

    @classmethod
    def of(cls, checked: CheckedEntry) -> Self:
        """Resample a sound result, and let go of its items.

        Raises:
            ItemsError: Its items are missing or damaged.
        """
        entry, main = checked.entry, checked.entry.measure.main
        digest = entry.items().digest() if isinstance(entry, LanguageModelEntry) else entry.digest
        keys = [] if digest is None else [main] if entry.words_digest is None else [main, gain_key(main)]
        statistics = {key: entry.statistic(key) for key in keys}
        without_items = replace(entry, scores={**entry.scores, main: entry.main_score}, digest=digest)
        return cls(without_items, checked.trust, checked.findings,
                   {key: (each.effective_size, each.resamples().astype(np.float32))
                    for key, each in statistics.items()})  # fmt: skip


@dataclass(frozen=True, eq=False)
class Place:
    """The place of a model in a column or in a construct.

    Attributes:
        value: The score or the gain; None if the model lacks it, such as a gain without own words. In a construct the
            mean over its columns, of gains or of scores above chance.
        interval: Its 95 % interval.
        rank: The ranks that the model may have; None if it is declined, has no such score, or knows nothing.
        basis: The basis of the rank.
        trust: How far the value can be trusted; in a construct, its least trusted cell.
    """

    value: float | None
    interval: tuple[float, float] | None
    rank: RankSet | None
    basis: Basis
    trust: Trust


@dataclass(frozen=True, eq=False)
class RankedCell(Place):
    """A cell with its place in a column."""

    cell: BoardCell

    @property
    def entry(self) -> Entry:
        """The result."""
        return self.cell.entry
