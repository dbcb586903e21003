"""A board: models × what they were measured on, ranked; from the cells alone, before anything is drawn."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from harness_ext.catalogue.every_row import ENCODER_TASKS, LANGUAGE_MODEL_MEASURES, language_model_task, task_order
from harness_ext.evaluators.gain_keys import gain_key
from harness_ext.leaderboard.cell import gain_digest
from harness_ext.leaderboard.checks.trust import Trust
from harness_ext.leaderboard.constructs import construct_columns, make_construct
from harness_ext.names import UNVERIFIED, data_name
from harness_ext.results.ranks import Basis, OverallRanks, RankSet, Standing, overall_ranks, rank_sets
from harness_ext.results.reference_scores import knows_nothing

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from harness_ext.catalogue.task import Task
    from harness_ext.evaluators.measure import Measure
    from harness_ext.evaluators.scores import Score
    from harness_ext.leaderboard.board_cache import BoardCache
    from harness_ext.leaderboard.cell import Cell, Resamples
    from harness_ext.leaderboard.checks.records import Records
    from harness_ext.leaderboard.constructs import Construct


MOST_COMPARED = 50
"""Models of which a board has the difference of each two."""

Shown = Literal["gain", "score"]
"""What a board shows and ranks by: main scores, or gains over own words. Columns without any gain show main scores."""


class Row(NamedTuple):
    """A model as a board tells it from others: another revision or precision is another row.

    Attributes:
        model: Its name.
        revision: Its revision.
        precision: Of its weights or vectors, such as `float32`; empty where no signature says.
    """

    model: str
    revision: str
    precision: str


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
        name = self.measure.rpartition("-")[0]
        return language_model_task(self.task, name) if name in LANGUAGE_MODEL_MEASURES else ENCODER_TASKS[self.task]

    @property
    def is_of_language_models(self) -> bool:
        """Whether lm-eval measured it."""
        return self.about.harness == "lm-eval"

    @property
    def description(self) -> str:
        """What the task is, in a sentence or two."""
        return self.about.description

    @property
    def languages(self) -> list[str]:
        """Of the data, such as `eng`; none where that is not known."""
        return sorted({language.partition("-")[0] for language in self.about.languages.get(self.subset, ())})

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
        """What it is not ranked overall together with: tasks of mteb come first, then pinned data, then full tasks."""
        return self.is_of_language_models, self.is_unverified, not self.is_full

    @property
    def place(self) -> tuple[bool, bool, bool, int, str]:
        """Where it stands among the columns."""
        return *self.kind, task_order(self.about), self.task


@dataclass(frozen=True, eq=False)
class RankedCell:
    """A cell with its rank.

    Attributes:
        cell: What was measured.
        key: The score that is shown, and by which the rank is.
        trust: How far it can be trusted.
        rank: The ranks that it may have; None if it is declined, has no such score, or knows nothing.
        basis: What that rests on.
    """

    cell: Cell
    key: str
    trust: Trust
    rank: RankSet | None
    basis: Basis

    @property
    def value(self) -> float | None:
        """The score; None where the cell has none, as where no own words were measured."""
        return self.cell.scores.get(self.key)

    @property
    def interval(self) -> tuple[float, float] | None:
        """Its 95 % interval."""
        return self.cell.interval(self.key)


@dataclass(frozen=True, eq=False)
class Board:
    """A board.

    Attributes:
        shown: What it shows and ranks by.
        rows: The models.
        columns: What they are ranked by: for every task, subset and split the version that most models have.
        others: Other versions of the same, each a ranking of its own.
        overall: Those of the columns that the overall rank is over: of mteb's tasks where there are any, of pinned data
            where there is any, and of full tasks where there are any.
        constructs: What the columns measure, and what models got in it.
        standings: Column -> row -> its score above chance; empty for a board of more than `MOST_COMPARED` models.
        keys: Column -> the score that it shows.
        places: Column -> row -> what is there.
        ranked: The rows that have the score of every column of `overall`, but for declined cells.
        overall_ranks: Those of `ranked`, in that order.
    """

    shown: Shown
    rows: tuple[Row, ...]
    columns: tuple[Column, ...]
    others: tuple[Column, ...]
    overall: tuple[Column, ...]
    constructs: tuple[Construct, ...]
    standings: Mapping[Column, Mapping[Row, Standing]]
    keys: Mapping[Column, str]
    places: Mapping[Column, Mapping[Row, RankedCell]]
    ranked: tuple[Row, ...]
    overall_ranks: OverallRanks

    @cached_property
    def overall_sets(self) -> Mapping[Row, RankSet]:
        """The overall ranks that each of `ranked` may have."""
        return dict(zip(self.ranked, self.overall_ranks.sets, strict=True))

    def score(self, column: Column) -> Score:
        """The declaration of the score that a column shows."""
        return column.definition.declarations()[self.keys[column]][0]

    def bases(self, column: Column) -> Counter[Basis]:
        """How many of the ranks of a column rest on what."""
        return Counter(place.basis for place in self.places[column].values() if place.rank is not None)

    def current(self, column: Column) -> Column | None:
        """The column that another version stands beside."""
        return next((one for one in self.columns if one[:3] == column[:3]), None)


def make_board(
    cells: Iterable[Cell], records: Records, cache: BoardCache, shown: Shown = "gain"
) -> tuple[Board, list[str]]:
    """Rank cells.

    Args:
        cells: As `read_cells` gives them.
        records: What the maintainers have signed off.
        cache: Has the resamples.
        shown: What the board shows and ranks by.

    Returns:
        The board, and what is not on it because something else has its place: a sentence each.
    """
    found: dict[Column, dict[Row, Cell]] = {}
    problems: list[str] = []
    for cell in cells:
        there = found.setdefault(_column(cell), {})
        row = Row(cell.model, cell.revision, cell.signature.dtype if cell.signature else "")
        earlier = there.setdefault(row, cell)
        is_superseded = cell.is_of_language_model and cell.file.parent == earlier.file.parent  # by a later run
        if (earlier.main_score, earlier.digest) != (cell.main_score, cell.digest) and not is_superseded:
            problems.append(
                f"{cell.file}: {cell.split} {cell.subset} of {cell.model} ({cell.revision}) is in {earlier.file} "
                f"already, with the main score {earlier.main_score:g}, here {cell.main_score:g}. The first one is on "
                "the board."
            )
    versions: dict[tuple[str, ...], list[Column]] = {}
    for column in sorted(found, key=lambda one: (one.place, one)):
        versions.setdefault(column[:3], []).append(column)
    columns = tuple(
        max(same, key=lambda one: (bool(one.measure), not one.is_unverified, len(found[one]), one))
        for same in versions.values()
    )
    others = tuple(one for same in versions.values() for one in same if one not in columns)
    kinds: dict[tuple[bool, ...], list[Column]] = {}
    for one in columns:
        if one.is_default and one.measure and one.about.construct:
            kinds.setdefault(one.kind, []).append(one)
    overall = kinds[min(kinds)] if kinds else []
    measured = construct_columns(columns, overall)
    told = {column for same in measured.values() for column in same}

    rows = tuple(dict.fromkeys(row for column in (*columns, *others) for row in found[column]))
    keys = {column: _key(column, there.values(), shown) for column, there in found.items()}
    places: dict[Column, dict[Row, RankedCell]] = {}
    standings: dict[Column, dict[Row, Standing]] = {}
    are_compared = len(rows) <= MOST_COMPARED
    for column in (*columns, *others):
        places[column], of_column = _ranked(column, keys[column], found[column], records, cache)
        if column in told or (are_compared and column in columns):
            standings[column] = of_column
    complete = tuple(
        row
        for row in rows
        if all(_is_ranked(places[column].get(row)) or _is_declined(places[column].get(row)) for column in overall)
        and any(_is_ranked(places[column].get(row)) for column in overall)
    )
    ranks = overall_ranks(
        [[standings[column].get(row) for row in complete] for column in overall],
        [column.about.construct for column in overall],
    )
    constructs = tuple(make_construct(name, same, standings, places) for name, same in measured.items())
    board = Board(
        shown,
        rows,
        columns,
        others,
        tuple(overall),
        constructs,
        standings if are_compared else {},
        keys,
        places,
        complete,
        ranks,
    )
    return board, problems


def _is_ranked(place: RankedCell | None) -> bool:
    return place is not None and place.rank is not None


def _is_declined(place: RankedCell | None) -> bool:
    return place is not None and place.trust is Trust.DECLINED


def _key(column: Column, cells: Iterable[Cell], shown: Shown) -> str:
    main = column.definition.main
    return gain_key(main) if shown == "gain" and any(gain_key(main) in cell.scores for cell in cells) else main


def _column(cell: Cell) -> Column:
    if cell.signature is None:
        return Column(cell.task, cell.subset, cell.split, cell.dataset_revision, "")
    version = cell.signature.task.removeprefix(cell.task).removeprefix("-")
    return Column(cell.task, cell.subset, cell.split, cell.signature.dataset, cell.signature.measure, version)


def _ranked(
    column: Column, key: str, cells: Mapping[Row, Cell], records: Records, cache: BoardCache
) -> tuple[dict[Row, RankedCell], dict[Row, Standing]]:
    """The places of a column, and the standings of the models that did not decline it."""
    score, _ = column.definition.declarations()[key]
    trust = {row: cell.trust(records) for row, cell in cells.items()}
    standing = [row for row, cell in cells.items() if trust[row] is not Trust.DECLINED and key in cell.scores]
    digests = {row: gain_digest(cell) if key != cell.measure.main else cell.digest or "" for row, cell in cells.items()}
    drawn = cache.resamples(column.measure, [digests[row] for row in standing])
    standings = {row: _standing(cells[row], key, drawn.get(digests[row]), score, trust[row]) for row in standing}
    ranked = [row for row in standing if not knows_nothing(cells[row])]
    found = {
        row: RankedCell(cells[row], key, trust[row], ranks, standings[row].basis)
        for row, ranks in zip(ranked, rank_sets([standings[row] for row in ranked]), strict=True)
    }
    unranked = {row: RankedCell(cells[row], key, trust[row], None, Basis.NOTHING) for row in cells if row not in found}
    return {**found, **unranked}, standings


def above_chance(score: Score, value: Any) -> Any:
    """A score, or resamples of it, above chance, the better the greater: 0 is what knows nothing."""
    return (-1 if score.direction == "lower" else 1) * (value - (score.chance or 0.0))


def _standing(cell: Cell, key: str, of_items: Resamples | None, score: Score, trust: Trust) -> Standing:
    interval = cell.interval(key)
    low, high = sorted(above_chance(score, end) for end in interval or (0.0, 0.0))
    return Standing(
        above_chance(score, cell.scores[key]),
        (low, high) if interval else None,
        None if of_items is None else above_chance(score, of_items.drawn),
        None if of_items is None else of_items.n,
        tier=int(trust is Trust.SELF_REPORTED),
    )


def beside(one: Column, other: Column) -> Sequence[str]:
    """What differs between two versions of the same task, subset and split."""
    return [
        f"{name} {theirs or 'not said'} instead of {ours or 'not said'}"
        for name, ours, theirs in zip(Column._fields, one, other, strict=True)
        if ours != theirs
    ]
