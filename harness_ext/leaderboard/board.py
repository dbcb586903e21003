"""Ranks models in the columns of a board, in categories and overall, from checked results."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Self

from harness_ext.leaderboard.checks.finding import Finding
from harness_ext.leaderboard.checks.trust import CheckedEntry, Trust
from harness_ext.results.columns import Column, Row
from harness_ext.results.entry import Entry
from harness_ext.results.lm_eval_output import LanguageModelEntry
from harness_ext.results.overall import (
    Place,
    by_category,
    category_means,
    columns_of,
    overall_places,
    places_by,
)
from harness_ext.results.ranks import Basis, Estimate, RankSet, rank_sets
from harness_ext.store.item_files import DIGEST
from harness_ext.tasks.overall import LISTS, ListedColumn


@dataclass(frozen=True, eq=False)
class BoardCell:
    """A result on a board.

    Attributes:
        entry: The entry, with the scores that are shown.
        trust: How far the scores can be trusted; `findings` are the reasons.
        estimate: The main score above chance, with its resamples.
    """

    entry: Entry
    trust: Trust
    findings: tuple[Finding, ...]
    estimate: Estimate

    @classmethod
    def of(cls, checked: CheckedEntry) -> Self:
        """Resample a sound result, and let go of its items.

        Raises:
            ItemsError: Its items are missing or damaged.
        """
        entry, main = checked.shown, checked.shown.measure.main
        scores, tier = (
            {**entry.scores, main: entry.main_score},
            int(checked.trust is Trust.SELF_REPORTED),
        )
        estimate = replace(Estimate.of(entry, main), tier=tier)
        digests = (
            {DIGEST: entry.items().digest()}
            if isinstance(entry, LanguageModelEntry)
            else entry.digests
        )
        return cls(
            replace(entry, scores=scores, digests=digests),
            checked.trust,
            checked.findings,
            estimate,
        )


@dataclass(frozen=True, eq=False)
class RankedScore:
    """The main score of a model in a column, or its mean over columns, and its ranks there.

    Attributes:
        value: The score or the mean.
        interval: Its 95 % interval.
        rank: The ranks that the model may have; None for a control encoder.
        basis: The basis of the rank, if there is one.
        trust: How far the value can be trusted; of a mean, that of its least trusted score.
    """

    value: float
    interval: tuple[float, float] | None
    rank: RankSet | None
    basis: Basis
    trust: Trust


@dataclass(frozen=True, eq=False)
class Average:
    """The mean of several columns of a list, each on its fixed scale, and the ranks by it.

    Attributes:
        title: Its heading.
        averaged: Says what it averages.
        ranked_scores: Model -> its mean and ranks, for models with a score in each of the columns,
            the best first.
    """

    title: str
    averaged: str
    ranked_scores: Mapping[Row, RankedScore]


@dataclass(frozen=True, eq=False)
class Board:
    """A board.

    Attributes:
        rows: The models.
        columns: For every task, subset and split, one version: of today, of pinned rows, with most
            models.
        others: Other versions of the same, each a ranking of its own.
        overall: List -> the overall places on it.
        categories: Category -> the places in the category, over the columns of the first list.
        cells: Column -> row -> the result.
        ranked_scores: Column -> row -> its score and ranks.
    """

    rows: tuple[Row, ...]
    columns: tuple[Column, ...]
    others: tuple[Column, ...]
    overall: Mapping[str, Average]
    categories: Mapping[str, Average]
    cells: Mapping[Column, Mapping[Row, BoardCell]]
    ranked_scores: Mapping[Column, Mapping[Row, RankedScore]]


def make_board(all_cells: Iterable[BoardCell]) -> tuple[Board, list[str]]:
    """Rank the cells of `read_cells`.

    Returns:
        The board, and a sentence for each cell that is left out because an earlier cell has its
        place.
    """
    cells, problems = _by_column(all_cells)
    columns, others = _versions(cells)
    every = (*columns, *others)
    rows = tuple(dict.fromkeys(row for column in every for row in cells[column]))
    values = {
        column: {
            row: cell.estimate for row, cell in cells[column].items() if not cell.entry.is_baseline
        }
        for column in every
    }
    ranked_scores = {column: _ranked_scores(cells[column], values[column]) for column in every}
    overall = {
        name: _average(f"Overall, {name}", listed, overall_places(listed, values), cells)
        for name, listed in LISTS.items()
    }
    english = by_category(LISTS["english"])
    means = category_means(LISTS["english"], values)
    categories = {
        name: _average(name, english[name], places_by(means[name]), cells) for name in means
    }
    return Board(rows, columns, others, overall, categories, cells, ranked_scores), problems


def _average(
    title: str,
    listed: Sequence[ListedColumn],
    places: Mapping[Row, Place],
    cells: Mapping[Column, Mapping[Row, BoardCell]],
) -> Average:
    """Make the average of listed columns from the places by it."""
    measured = [[cells[column] for column in columns_of(one) if column in cells] for one in listed]
    rungs = list(Trust)

    def ranked(row: Row, place: Place) -> RankedScore:
        counting = (next(one[row] for one in columns if row in one) for columns in measured)
        trust = min((cell.trust for cell in counting), key=rungs.index)
        return RankedScore(
            place.mean.score, place.mean.interval, place.ranks, place.mean.basis, trust
        )

    averaged = f"{len(listed)} column{'s' if len(listed) > 1 else ''}"
    return Average(
        title.capitalize(), averaged, {row: ranked(row, place) for row, place in places.items()}
    )


def _by_column(cells: Iterable[BoardCell]) -> tuple[dict[Column, dict[Row, BoardCell]], list[str]]:
    """Put the cells into columns and rows, and say which cells are left out."""
    by_column: dict[Column, dict[Row, BoardCell]] = {}
    problems: list[str] = []
    for cell in cells:
        later = cell.entry
        earlier = by_column.setdefault(Column.of(later), {}).setdefault(Row.of(later), cell).entry
        is_earlier_run = (
            isinstance(later, LanguageModelEntry) and later.file.parent == earlier.file.parent
        )
        if (earlier.main_score, earlier.digest) != (
            later.main_score,
            later.digest,
        ) and not is_earlier_run:
            problems.append(
                f"{later.file}: {later.split} {later.subset} of {later.model} ({later.revision}) "
                f"is in {earlier.file} already, with the main score {earlier.main_score:g}, here "
                f"{later.main_score:g}. The first one is on the board."
            )
    return by_column, problems


def _versions(
    by_column: Mapping[Column, Mapping[Row, BoardCell]],
) -> tuple[tuple[Column, ...], tuple[Column, ...]]:
    """Pick a version of each task, subset and split: of today, of pinned rows, with most models;
    list the others.
    """
    versions: dict[tuple[str, ...], list[Column]] = {}
    for column in sorted(by_column, key=lambda column: (column.order, column)):
        versions.setdefault(column[:3], []).append(column)
    today = {column for column in by_column if column.measure == column.definition.definition}
    columns = tuple(
        max(
            same,
            key=lambda column: (
                column in today,
                not column.is_unverified,
                len(by_column[column]),
                column,
            ),
        )
        for same in versions.values()
    )
    return columns, tuple(
        column for same in versions.values() for column in same if column not in columns
    )


def _ranked_scores(
    cells: Mapping[Row, BoardCell], estimates: Mapping[Row, Estimate]
) -> dict[Row, RankedScore]:
    """Rank the models of a column by their estimates; control encoders, which have none here, have
    no rank.
    """
    ranks = dict(zip(estimates, rank_sets([*estimates.values()]), strict=True))
    return {
        row: RankedScore(
            cell.entry.main_score,
            cell.entry.interval(),
            ranks.get(row),
            cell.estimate.basis,
            cell.trust,
        )
        for row, cell in cells.items()
    }
