"""Ranks models in the columns of a board, in categories and overall, from checked results."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

from harness_ext.leaderboard.checks.finding import Finding
from harness_ext.leaderboard.checks.rivals import (
    Candidate,
    Fingerprint,
    Order,
    by_submission,
    copies,
    copy_finding,
)
from harness_ext.leaderboard.checks.trust import CheckedEntry, Trust
from harness_ext.measures.core.baseline_keys import ADDITIVE, NOISE, Baseline, has_first_noise
from harness_ext.results.effects import Reference, effect
from harness_ext.results.entry import Entry
from harness_ext.results.lm_eval_output import LanguageModelEntry
from harness_ext.results.overall import (
    Place,
    by_category,
    category_means,
    columns_of,
    lists_of,
    overall_places,
    places_by,
)
from harness_ext.results.ranking_columns import Column, Row
from harness_ext.results.ranks import Basis, Estimate, RankSet, rank_sets
from harness_ext.store.item_files import DIGEST
from harness_ext.tasks import TASKS
from harness_ext.tasks.overall import LISTS, ListedColumn

FEWEST_WITH_NOISE = 3
"""The fewest models that are ranked by what lies over noise."""


@dataclass(frozen=True, eq=False)
class BoardCell:
    """A result on a board.

    Attributes:
        entry: The entry, with the scores that are shown.
        trust: How far the scores can be trusted; `findings` are the reasons.
        estimate: The main score above chance, with its resamples.
        fingerprint: Of the items; None without items that the scores follow from.
        over: Baseline -> how far the score lies above it, where that is known and averaged; empty
            for self-reported scores.
        is_above_noise: Whether the score is significantly above matched noise; None where the
            measure has none.
    """

    entry: Entry
    trust: Trust
    findings: tuple[Finding, ...]
    estimate: Estimate
    fingerprint: Fingerprint | None
    over: Mapping[Baseline, Estimate]
    is_above_noise: bool | None

    @classmethod
    def of(cls, checked: CheckedEntry) -> Self:
        """Resample a sound result, and let go of its items.

        Raises:
            ItemsError: Its items are missing or damaged.
        """
        entry = checked.shown
        main = entry.measure.main
        scores = {**entry.scores, main: entry.main_score}
        is_self_reported = checked.trust is Trust.SELF_REPORTED
        tier = int(is_self_reported)
        estimate = replace(Estimate.of(entry, main), tier=tier)
        over = {} if is_self_reported else _over_baselines(entry)
        above_noise = _is_above_noise(entry)
        digests = entry.digests
        if isinstance(entry, LanguageModelEntry):
            digests = {DIGEST: entry.items().digest()}
        without_items = replace(entry, scores=scores, digests=digests)
        fingerprint = None
        if not is_self_reported:
            fingerprint = Fingerprint.of(checked.entry.items())
        return cls(
            without_items,
            checked.trust,
            checked.findings,
            estimate,
            fingerprint,
            over,
            above_noise,
        )


def _over_baselines(entry: Entry) -> dict[Baseline, Estimate]:
    """How far an entry lies above its baselines, if overall places or categories count it."""
    main = entry.measure.main
    estimates: dict[Baseline, Estimate] = {}
    if not lists_of(Column.of(entry)):
        return estimates
    for baseline in (ADDITIVE, NOISE):
        key = baseline.difference_key(main)
        is_of_1_0 = baseline is NOISE and has_first_noise(entry.scores, main)
        if key in entry.scores and not is_of_1_0:
            estimates[baseline] = Estimate.of(entry, key)
    return estimates


def _is_above_noise(entry: Entry) -> bool | None:
    """Whether an entry is significantly above matched noise; None where its measure has none."""
    measure = entry.measure
    if NOISE.difference_key(measure.main) not in measure.declarations:
        return None
    difference = effect(entry, Reference.NOISE)
    return difference is not None and difference.outcome.is_above


@dataclass(frozen=True, eq=False)
class RankedScore:
    """The main score of a model in a column, or its mean over columns, and its ranks there.

    Attributes:
        value: The score or the mean.
        interval: Its 95 % interval.
        rank: The ranks that the model may have; None for a control encoder.
        basis: The basis of the rank, if there is one.
        trust: How far the value can be trusted; of a mean, that of its least trusted score.
        original: The other model whose items these are; empty for items of its own. It has no rank
            then.
        is_above_noise: Whether it is significantly above matched noise, or of a mean of differences
            above 0; None where there is none by definition.
    """

    value: float
    interval: tuple[float, float] | None
    rank: RankSet | None
    basis: Basis
    trust: Trust
    original: str = ""
    is_above_noise: bool | None = None


@dataclass(frozen=True, eq=False)
class Average:
    """The mean of several columns of a list, each on its fixed scale, and the ranks by it.

    Attributes:
        title: Its heading.
        listed: The columns that it averages.
        ranked_scores: Model -> its mean and ranks, for models with a score in each of the columns,
            the best first.
    """

    title: str
    listed: Sequence[ListedColumn]
    ranked_scores: Mapping[Row, RankedScore]

    @property
    def averaged(self) -> str:
        """Says what it averages."""
        n_columns = len(self.listed)
        return f"{n_columns} column{'s' if n_columns > 1 else ''}"


@dataclass(frozen=True, eq=False)
class Board:
    """A board.

    Attributes:
        rows: The models, in the order in which they came.
        columns: For every task, subset and split, one version: of today, of pinned rows, with most
            models.
        others: Other versions of the same, each a ranking of its own.
        overall: List -> the overall places on it.
        categories: Category -> the places in the category, over the columns of the first list.
        over: Baseline -> the averages of what lies over it, by list and category; of columns whose
            measure has the baseline.
        cells: Column -> row -> the result.
        ranked_scores: Column -> row -> its score and ranks.
    """

    rows: tuple[Row, ...]
    columns: tuple[Column, ...]
    others: tuple[Column, ...]
    overall: Mapping[str, Average]
    categories: Mapping[str, Average]
    over: Mapping[Baseline, Mapping[str, Average]]
    cells: Mapping[Column, Mapping[Row, BoardCell]]
    ranked_scores: Mapping[Column, Mapping[Row, RankedScore]]


@dataclass(frozen=True)
class _Columns:
    """The cells of a board by their places.

    Attributes:
        cells: Column -> row -> the first cell there.
        problems: A sentence for each other cell that says something else.
    """

    cells: dict[Column, dict[Row, BoardCell]] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)

    def add(self, cell: BoardCell) -> None:
        """Put a cell into its place, or say that an earlier cell has it."""
        later = cell.entry
        rows = self.cells.setdefault(Column.of(later), {})
        earlier = rows.setdefault(Row.of(later), cell).entry
        is_same_score = earlier.main_score == later.main_score
        is_same = is_same_score and earlier.digest == later.digest
        is_of_lm_eval = isinstance(later, LanguageModelEntry)
        is_earlier_run = is_of_lm_eval and later.file.parent == earlier.file.parent
        if is_same or is_earlier_run:
            return
        self.problems.append(
            f"{later.file}: {later.split} {later.subset} of {later.model} ({later.revision}) "
            f"is in {earlier.file} already, with the main score {earlier.main_score:g}, here "
            f"{later.main_score:g}. The first one is on the board."
        )


def make_board(
    all_cells: Iterable[BoardCell],
    folder: Path | None = None,
) -> tuple[Board, list[str]]:
    """Rank the cells of `read_cells`.

    Args:
        all_cells: The cells.
        folder: The board, whose repository says what came first; None if there is none.

    Returns:
        The board, and a sentence for each cell that is left out because an earlier cell has its
        place.
    """
    by_column = _Columns()
    for cell in all_cells:
        by_column.add(cell)
    cells = by_column.cells
    columns, others = _versions(cells)
    every = (*columns, *others)
    order = by_submission(folder)
    estimates: dict[Column, dict[Row, Estimate]] = {}
    ranked_scores = {}
    for column in every:
        originals = _originals(cells[column], order)
        for row, original in originals.items():
            cells[column][row] = _as_copy(cells[column][row], original)
        estimates[column] = _estimates(cells[column], originals)
        ranked_scores[column] = _ranked_scores(cells[column], estimates[column], originals)
    over = {}
    for baseline in (ADDITIVE, NOISE):
        differences = _differences(cells, estimates, baseline)
        over[baseline] = _averages_over(baseline, differences, cells)
    above_noise = {}
    for name, average in over[NOISE].items():
        places_of_rows = average.ranked_scores.items()
        above_noise[name] = {row for row, place in places_of_rows if place.is_above_noise}
    overall = {}
    for name, listed in LISTS.items():
        places = overall_places(listed, estimates)
        title = f"Overall, {name}"
        overall[name] = _average(title, listed, places, cells, above_noise.get(name, set()))
    english = by_category(LISTS["english"])
    categories = {}
    for name, means in category_means(LISTS["english"], estimates).items():
        places = places_by(means)
        above = above_noise.get(name, set())
        categories[name] = _average(name, english[name], places, cells, above)
    rows = _rows(cells, order)
    board = Board(rows, columns, others, overall, categories, over, cells, ranked_scores)
    return board, by_column.problems


def _rows(cells: Mapping[Column, Mapping[Row, BoardCell]], order: Order) -> tuple[Row, ...]:
    """The models, by `order`, which says what came first."""
    came: dict[Row, tuple[float, float, str]] = {}
    for cells_of_column in cells.values():
        for row, cell in cells_of_column.items():
            moment = order(cell.entry)
            came[row] = min(moment, came.get(row, moment))
    return tuple(sorted(came, key=came.__getitem__))


def _differences(
    cells: Mapping[Column, Mapping[Row, BoardCell]],
    estimates: Mapping[Column, Mapping[Row, Estimate]],
    baseline: Baseline,
) -> dict[Column, dict[Row, Estimate]]:
    """How far the models that are ranked lie above a baseline, where that is known."""
    differences: dict[Column, dict[Row, Estimate]] = {}
    for column, ranked in estimates.items():
        for row in ranked:
            difference = cells[column][row].over.get(baseline)
            if difference is not None:
                differences.setdefault(column, {})[row] = difference
    return differences


def _averages_over(
    baseline: Baseline,
    differences: Mapping[Column, Mapping[Row, Estimate]],
    cells: Mapping[Column, Mapping[Row, BoardCell]],
) -> dict[str, Average]:
    """The averages of what lies over a baseline: of each list, then of each category."""
    averages = {}
    for name, listed in LISTS.items():
        compared = _with_baseline(listed, baseline)
        if compared:
            places = overall_places(compared, differences)
            title = f"Overall, {name}"
            averages[name] = _average(title, compared, places, cells, _above(places))
    compared = _with_baseline(LISTS["english"], baseline)
    listed_by_category = by_category(compared)
    for name, means in category_means(compared, differences).items():
        places = places_by(means)
        of_category = listed_by_category[name]
        averages[name] = _average(name, of_category, places, cells, _above(places))
    return averages


def _with_baseline(listed: Sequence[ListedColumn], baseline: Baseline) -> list[ListedColumn]:
    """The listed columns whose measure has a baseline."""
    columns = []
    for column in listed:
        measure = TASKS[column.task].measure
        if baseline.difference_key(measure.main) in measure.declarations:
            columns.append(column)
    return columns


def _above(places: Mapping[Row, Place]) -> set[Row]:
    """The models whose mean of differences is significantly above 0."""
    above = set()
    for row, place in places.items():
        interval = place.mean.interval
        if interval is not None and interval[0] > 0:
            above.add(row)
    return above


def _originals(cells: Mapping[Row, BoardCell], order: Order) -> dict[Row, str]:
    """Row -> the other model whose items it has, in a column; `order` says what came first."""
    candidates = []
    for cell in cells.values():
        if cell.fingerprint is not None:
            is_rerun = cell.trust is Trust.RERUN
            candidates.append(Candidate(cell.entry, cell.fingerprint, is_rerun))
    candidates.sort(key=lambda candidate: order(candidate.entry))
    found = copies(candidates)
    return {Row.of(copy.entry): original.entry.model for copy, original in found}


def _as_copy(cell: BoardCell, original: str) -> BoardCell:
    """A cell with the note that its items are those of another model."""
    finding = copy_finding(cell.entry, original)
    return replace(cell, findings=(*cell.findings, finding))


def _estimates(
    cells: Mapping[Row, BoardCell],
    originals: Mapping[Row, str],
) -> dict[Row, Estimate]:
    """The estimates of the models of a column that are ranked: neither control encoders nor
    copies.
    """
    estimates = {}
    for row, cell in cells.items():
        if not cell.entry.is_baseline and row not in originals:
            estimates[row] = cell.estimate
    return estimates


def _average(
    title: str,
    listed: Sequence[ListedColumn],
    places: Mapping[Row, Place],
    cells: Mapping[Column, Mapping[Row, BoardCell]],
    above_noise: Collection[Row] = (),
) -> Average:
    """Make the average of listed columns from the places by it, and from the models that are above
    noise in it.
    """
    measured = [_measured(listed_column, cells) for listed_column in listed]
    ranked_scores = {}
    for row, place in places.items():
        mean = place.mean
        trust = _least_trust(row, measured)
        ranked_scores[row] = RankedScore(
            value=mean.score,
            interval=mean.interval,
            rank=place.ranks,
            basis=mean.basis,
            trust=trust,
            is_above_noise=row in above_noise,
        )
    return Average(title.capitalize(), listed, ranked_scores)


def _measured(
    listed: ListedColumn, cells: Mapping[Column, Mapping[Row, BoardCell]]
) -> list[Mapping[Row, BoardCell]]:
    """The cells of the columns that may stand for a listed one, the preferred column first."""
    return [cells[column] for column in columns_of(listed) if column in cells]


def _least_trust(
    row: Row,
    measured: Sequence[Sequence[Mapping[Row, BoardCell]]],
) -> Trust:
    """The trust of the least trusted score of a model, which has one in each listed column."""
    rungs = list(Trust)
    counting = []
    for alternatives in measured:
        of_model = [cells[row] for cells in alternatives if row in cells]
        counting.append(of_model[0].trust)
    return min(counting, key=rungs.index)


def _versions(
    cells: Mapping[Column, Mapping[Row, BoardCell]],
) -> tuple[tuple[Column, ...], tuple[Column, ...]]:
    """Pick a version of each task, subset and split: of today, of pinned rows, with most models;
    list the others.
    """

    def in_order(column: Column) -> tuple[Any, Column]:
        return column.order, column

    def preference(column: Column) -> tuple[bool, bool, int, Column]:
        is_of_today = column.measure == column.definition.definition
        return is_of_today, not column.is_unverified, len(cells[column]), column

    versions: dict[tuple[str, ...], list[Column]] = {}
    for column in sorted(cells, key=in_order):
        place = (column.task, column.subset, column.split)
        versions.setdefault(place, []).append(column)
    columns = []
    others = []
    for same in versions.values():
        picked = max(same, key=preference)
        columns.append(picked)
        others += [column for column in same if column != picked]
    return tuple(columns), tuple(others)


def _ranked_scores(
    cells: Mapping[Row, BoardCell],
    estimates: Mapping[Row, Estimate],
    originals: Mapping[Row, str],
) -> dict[Row, RankedScore]:
    """Rank the models of a column by their estimates; control encoders and copies, which have none
    here, have no rank.
    """
    in_order = rank_sets([*estimates.values()])
    ranks = dict(zip(estimates, in_order, strict=True))
    ranked_scores = {}
    for row, cell in cells.items():
        entry = cell.entry
        ranked_scores[row] = RankedScore(
            value=entry.main_score,
            interval=entry.interval(),
            rank=ranks.get(row),
            basis=cell.estimate.basis,
            trust=cell.trust,
            original=originals.get(row, ""),
            is_above_noise=cell.is_above_noise,
        )
    return ranked_scores
