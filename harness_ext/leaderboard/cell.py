"""A cell of a board: a checked result, with the resamples of its scores, and its rank."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from harness_ext.framework.gain_keys import gain_declarations, gain_key
from harness_ext.framework.measure import unit_count_key
from harness_ext.framework.scores import chance_key, interval_keys
from harness_ext.leaderboard.checks.trust import CheckedEntry, Trust
from harness_ext.results.entry import Entry
from harness_ext.results.lm_eval_output import LanguageModelEntry
from harness_ext.results.ranks import Basis, RankSet


class Resamples(NamedTuple):
    """A score on resamples of the units.

    Attributes:
        n: The number of units.
        drawn: The score on each resample, shape (`N_RESAMPLES`,), float32: a board has thousands of these.
    """

    n: int
    drawn: NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class BoardCell(CheckedEntry):
    """A result on a board. Of its scores it keeps, for verdicts, main, controlled, own words, gain, with intervals.

    Attributes:
        resamples: Key of the main score or of the gain -> its resamples; empty without items.
    """

    resamples: Mapping[str, Resamples]

    @classmethod
    def of(cls, checked: CheckedEntry) -> Self:
        """Resample a sound result, and forget what a board does not show.

        Raises:
            ItemsError: Its items are missing or damaged.
        """
        entry, main = checked.entry, checked.entry.measure.main
        digest = entry.items().digest() if isinstance(entry, LanguageModelEntry) else entry.digest
        resampled = [] if digest is None else [main] if entry.words_digest is None else [main, gain_key(main)]
        controlled = entry.measure.controlled
        kept = {key for score in (main, controlled) for key in (score, unit_count_key(score), *interval_keys(score))}
        kept |= {*interval_keys(chance_key(main))}
        shown = kept | gain_declarations(main, entry.measure.declarations()[main][0]).keys()
        scores = {key: value for key, value in entry.scores.items() if key in shown} | {main: entry.main_score}
        return cls(replace(entry, scores=scores, digest=digest), checked.trust, checked.findings,
                   {key: _resamples(entry, key) for key in resampled})  # fmt: skip


def _resamples(entry: Entry, key: str) -> Resamples:
    statistic = entry.statistic(key)
    return Resamples(statistic.effective_size, statistic.resamples().astype(np.float32))


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
    """A cell with its place in a column.

    Attributes:
        cell: The cell.
        key: The score shown and ranked by.
    """

    cell: BoardCell
    key: str

    @classmethod
    def of(cls, cell: BoardCell, key: str, rank: RankSet | None, basis: Basis) -> Self:
        """Make the place of a cell that is ranked by a score."""
        return cls(cell.entry.scores.get(key), cell.entry.interval(key), rank, basis, cell.trust, cell, key)

    @property
    def entry(self) -> Entry:
        """The result."""
        return self.cell.entry
