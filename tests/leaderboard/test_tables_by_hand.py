"""What stands in the tables of a board, by hand: ends of intervals, ranks, marks, orders, counts."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from harness_ext.leaderboard import build
from harness_ext.leaderboard.board import Average, Board, RankedScore, _rows, _versions, make_board
from harness_ext.leaderboard.build import BoardModel
from harness_ext.leaderboard.cells import _refusal
from harness_ext.leaderboard.checks.finding import Finding
from harness_ext.leaderboard.checks.trust import CheckedEntry, Trust
from harness_ext.leaderboard.costs import Costs, in_short
from harness_ext.results.ranking_columns import Column, Row
from harness_ext.results.ranks import Basis, RankSet
from harness_ext.results.reference_scores import reference_scores
from harness_ext.tasks import TASKS
from tests.leaderboard.test_first_page import EFFECT, ROLES, cell
from tests.results.planted_items import entry_at

NO_COSTS = Costs(None, None, None)


def ranked(value, ends=(0.0, 1.0), rank=(1, 1), **more):
    """A score with its interval and ranks."""
    trust = more.pop("trust", Trust.RECOMPUTED)
    return RankedScore(value, ends, rank and RankSet(*rank), Basis.UNITS, trust, **more)


def row_of(model):
    return Row(model, "1", "float32")


def board_of(**places):
    """A board of models that have these places on the list `english`."""
    ranked_scores = {row_of(model): place for model, place in places.items() if place}
    average = Average("Overall", (), ranked_scores)
    rows = tuple(row_of(model) for model in places)
    return Board(rows, (), (), {"english": average}, {}, {}, {}, {})


def names_in(board):
    """The models of the ranking, in their order."""
    models = {row: BoardModel(row.model, "", NO_COSTS) for row in board.rows}
    columns = [board.overall["english"]]
    table = build.table_of(build.RANKING, columns, board, models, {}, {})
    return [model.name for model, _ in table["rows"]]


def test_a_record_has_both_ends_of_the_score_and_of_the_gain():
    """20 to 21 smallest effects above chance; the gain is 1 to 3 of them."""
    board, _ = make_board([cell("a/model-0", (20.0, 21.0))])
    (column,) = board.columns
    (row,) = board.rows
    record = build._record(board, column, row, BoardModel("", "", NO_COSTS))
    chance = TASKS[ROLES.task].measure.main_declaration.chance
    expected = {
        "ci_low": chance + 20 * EFFECT,
        "ci_high": chance + 21 * EFFECT,
        "gain_ci_low": EFFECT,
        "gain": 2 * EFFECT,
        "gain_ci_high": 3 * EFFECT,
        "additive": chance + 18.5 * EFFECT,
    }
    assert {key: record[key] for key in expected} == pytest.approx(expected)


def test_a_record_has_the_best_and_the_worst_rank():
    board, _ = make_board([cell("a/model-0", (20.0, 21.0))])
    (column,) = board.columns
    (row,) = board.rows
    board.ranked_scores[column][row] = ranked(0.5, rank=(2, 5))
    record = build._record(board, column, row, BoardModel("", "", NO_COSTS))
    assert (record["best_rank"], record["worst_rank"]) == (2, 5)


def test_a_record_has_the_overall_place_with_its_interval_and_ranks():
    board = board_of(one=ranked(0.5, (0.4, 0.7), (2, 5)))
    assert build._overall_record(row_of("one"), board) == {
        "overall_english": 0.5,
        "overall_english_ci_low": 0.4,
        "overall_english_ci_high": 0.7,
        "overall_english_best_rank": 2,
        "overall_english_worst_rank": 5,
    }


def test_a_self_reported_score_stands_below_all_others_and_above_none():
    board = board_of(
        none=None,
        said=ranked(0.9, trust=Trust.SELF_REPORTED),
        low=ranked(0.1),
        high=ranked(0.2),
    )
    assert names_in(board) == ["high", "low", "said", "none"]


def test_a_rank_is_the_first_only_beside_another_and_not_at_noise():
    first = ranked(0.9)
    second = ranked(0.5, rank=(2, 2))
    one, other = row_of("one"), row_of("other")
    assert build._rank(first, {one: first, other: second}) == ("1", True)
    assert build._rank(first, {one: first}) == ("1", False)
    control = ranked(0.5, rank=None)
    assert build._rank(first, {one: first, other: control}) == ("1", False)
    at_noise = replace(first, is_above_noise=False)
    assert build._rank(at_noise, {one: at_noise, other: second}) == ("1", False)


@pytest.mark.parametrize(
    ("trust", "sign"),
    [
        (Trust.SELF_REPORTED, "○"),
        (Trust.FOLLOWING, "◔"),
        (Trust.RECOMPUTED, "◐"),
        (Trust.RERUN, "●"),
    ],
)
def test_the_sign_of_trust_is_the_fuller_the_more_was_checked(trust, sign):
    assert build._trust(ranked(0.5, trust=trust)).startswith(sign)


def test_an_overall_place_is_one_of_the_models_that_have_one():
    """Three of four have one."""
    places = {name: ranked(0.5, rank=(2, 3)) for name in ("one", "two", "three")}
    board = board_of(**places, four=None)
    said = build._overall(row_of("one"), board, {})
    assert said == "Its overall place is 2–3 of 3 on the list english."


def test_scores_above_chance_are_counted():
    """Two of three lie above."""
    distances = [(5.0, 6.0), (7.0, 8.0), (-1.0, 1.0)]
    entries = [entry_at(ROLES.task, ROLES.splits[0], distance) for distance in distances]
    assert build._above(entries).startswith("Of its scores, 2 of 3 are above ")


def test_a_name_has_the_precision_where_a_model_has_two():
    one = cell("a/model-0", (20.0, 21.0))
    signature = replace(one.entry.signature, dtype="bfloat16")
    half = replace(one, entry=replace(one.entry, signature=signature), fingerprint=None)
    other = cell("a/model-1", (10.0, 11.0))
    board, _ = make_board([one, half, other])
    names = {model.name for model in build.board_models(board).values()}
    assert names == {"a/model-0 float32", "a/model-0 bfloat16", "a/model-1"}


def test_models_of_one_rank_stand_by_their_scores():
    cells = [cell(f"a/model-{number}", (10.0, 11.0)) for number in range(3)]
    board, _ = make_board(cells)
    (column,) = board.columns
    places = board.ranked_scores[column]
    places[row_of("a/model-0")] = ranked(0.4, rank=(1, 2))
    places[row_of("a/model-1")] = ranked(0.6, rank=(1, 2))
    places[row_of("a/model-2")] = ranked(0.9, rank=None)
    models = build.board_models(board)
    names = [model.name for model, *_ in build._column(column, board, models)["rows"]]
    assert names == ["a/model-1", "a/model-0", "a/model-2"]


def test_scores_of_controls_have_three_digits():
    board, _ = make_board([cell("a/model-0", (20.0, 21.0))])
    (column,) = board.columns
    entries = [one.entry for one in board.cells[column].values()]
    expected = {one.model: round(one.value, 3) for one in reference_scores(entries[0], entries)}
    found = {model: scores[column] for model, scores in build.control_rows(board).items()}
    assert found == expected
    assert any(round(score, 2) != score for score in found.values())


def test_controls_are_no_models_of_the_first_page():
    one = cell("a/model-0", (20.0, 21.0))
    control = replace(one.entry, model="mteb/baseline-random-encoder")
    board, _ = make_board([one, replace(one, entry=control, fingerprint=None)])
    assert len(board.rows) == 2
    models = build.board_models(board)
    page = build._first_page(board, models, build._task_pages(board.columns))
    assert page["n_models"] == 1
    assert page["to_run"] == [one.entry.task]  # what the page tells to run


def test_rows_stand_by_the_first_result_of_each_model():
    """The first model came with 1 and 9, the second with 5."""
    moments = {"a/model-0": 9.0, "a/model-1": 5.0}
    cells = {model: cell(model, (20.0, 21.0)) for model in moments}
    early = replace(cells["a/model-0"].entry, split="early")

    def order(entry):
        moment = 1.0 if entry.split == "early" else moments[entry.model]
        return moment, 0.0, ""

    columns = {
        "late": {row_of(model): one for model, one in cells.items()},
        "early": {row_of("a/model-0"): replace(cells["a/model-0"], entry=early)},
    }
    assert [row.model for row in _rows(columns, order)] == ["a/model-0", "a/model-1"]


@pytest.mark.parametrize(
    ("n_models", "picked"),
    [
        ({"d@1": 1, "d@1+unverified": 3}, "d@1"),
        ({"d@1": 1, "d@2": 3}, "d@2"),
        ({"d@1": 3, "d@2": 1}, "d@1"),
    ],
)
def test_the_version_of_pinned_rows_is_picked_then_that_of_most_models(n_models, picked):
    definition = TASKS[ROLES.task].measure.definition
    cells = {}
    for dataset, n in n_models.items():
        column = Column(ROLES.task, ROLES.subset, "test", dataset, definition)
        cells[column] = dict.fromkeys(range(n))
    (column,), (other,) = _versions(cells)
    assert column.dataset == picked
    assert other.dataset != picked


def test_a_refusal_counts_the_other_faults_and_no_notes():
    fault = Finding(Path("a.json"), "key", 1, 2, "It is wrong.")
    note = Finding(Path("a.json"), "key", 1, 2, "It was not looked at.", refused=False)
    entry = entry_at(ROLES.task, "test", (5.0, 6.0))

    def refusal(*findings):
        return _refusal(CheckedEntry(entry, Trust.FOLLOWING, findings, entry))

    assert refusal(fault, note, fault).endswith(" And 1 more of this kind.")
    assert "more of this kind" not in refusal(fault, note)
    assert refusal(note) == ""


def test_a_thousand_is_the_first_number_with_a_unit():
    assert [in_short(count) for count in (999, 1000, 1_000_000, 10**9)] == [
        "999",
        "1 K",
        "1 M",
        "1 B",
    ]


def test_a_heading_counts_its_columns():
    assert [Average("", (ROLES,) * n, {}).averaged for n in (1, 2)] == ["1 column", "2 columns"]
