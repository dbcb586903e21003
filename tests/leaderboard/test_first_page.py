"""The first page of a board: what lies over noise comes first, and nothing at or below noise is
green.
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import chain

import pytest

from harness_ext.leaderboard import build
from harness_ext.leaderboard.board import BoardCell, make_board
from harness_ext.leaderboard.category_plot import category_plot
from harness_ext.leaderboard.checks.trust import CheckedEntry, Trust
from harness_ext.measures.core.baseline_keys import ADDITIVE, NOISE
from harness_ext.tasks import TASKS
from harness_ext.tasks.overall import LISTS
from tests.leaderboard.small_board import signature_of
from tests.results.planted_items import entry_at, planted_items

ROLES = next(one for one in LISTS["english"] if one.task == "RoleSwapSimilarity")
MODIFIERS = next(one for one in LISTS["english"] if one.task == "MontagueConsistency")
PEOPLE = 0.875
"""What people reach on role swaps; chance is 0."""
EFFECT = TASKS["RoleSwapSimilarity"].measure.main_declaration.smallest_effect
ABOVE = (1.5, 2.5)
NOT_ABOVE = (-0.5, 2.5)


@pytest.fixture(autouse=True)
def short_lists(monkeypatch):
    """Lists of two columns, each of a category of its own."""
    for name in LISTS:
        monkeypatch.setitem(LISTS, name, (ROLES, MODIFIERS))


def cell(model, chance, noise=None, listed=ROLES):
    """A cell of a model, with its distances from chance and noise in smallest effects."""
    split = listed.splits[0]
    data = TASKS[listed.task].dataset
    entry = entry_at(listed.task, split, chance, (1.0, 3.0), noise)
    dataset = f"{data['path']}@{data['revision']}"
    place = (split, listed.subset)
    signature = signature_of(model, listed.task, dataset, place, listed.measure)
    entry = replace(entry, model=model, subset=listed.subset, signature=signature)
    vars(entry)["_items"] = planted_items(listed.task, int(model[-1]))  # no model has another's
    return BoardCell.of(CheckedEntry(entry, Trust.RECOMPUTED, (), entry))


def board_with(*noise):
    """A board of models, the first the best by score; `noise` has the distance of each from
    noise.
    """
    cells = []
    for number, distance in enumerate(noise):
        start = 20 - 5 * number
        cells.append(cell(f"a/model-{number}", (start, start + 1), distance))
    board, problems = make_board(cells)
    assert problems == []
    return board


def first_page(board):
    models = build.board_models(board)
    return build._first_page(board, models, build._task_pages(board.columns))


def cells_of(table, column):
    """Model -> its cell in a column of a table."""
    (place,) = (n for n, (title, *_) in enumerate(table["columns"]) if title == column)
    return {model.name: cells[place] for model, cells in table["rows"]}


def test_three_models_with_noise_are_ranked_by_what_lies_over_it():
    board = board_with(ABOVE, (4.0, 6.0), ABOVE)
    over_noise, by_score = first_page(board)["tables"][:2]
    assert (over_noise["name"], by_score["name"]) == (build.OVER_NOISE, build.RANKING)
    assert over_noise["rows"][0][0].name[-1] == "1"
    assert by_score["rows"][0][0].name[-1] == "0"
    best = cells_of(over_noise, "Roles of words")["a/model-1"]
    assert best["score"] == build.formatted(5 * EFFECT / PEOPLE)
    assert best["is_first"]
    raw = cells_of(by_score, "Roles of words")["a/model-1"]["score"]
    assert best["note"] == f"score {raw}"


def test_where_categories_alone_are_ranked_the_best_mean_of_all_stands_first():
    """A model that is exactly its noise, as a bag of words is, leads no ranking by its first
    column.
    """

    def row(name, *orders):
        return name, [{"order": order} for order in orders]

    bag = row("bag", 0.0, 0.0)
    mixed = row("mixed", -0.1, 0.3)
    incomplete = row("incomplete", 0.9, build._LAST)
    rows = sorted([incomplete, bag, mixed], key=build._order_by_mean)
    assert [name for name, _ in rows] == ["mixed", "bag", "incomplete"]


def test_with_fewer_the_table_by_score_is_the_first():
    board = board_with(ABOVE, ABOVE, None)
    assert first_page(board)["tables"][0]["name"] == build.RANKING


@pytest.mark.parametrize(
    ("noise", "is_green"), [(ABOVE, True), (NOT_ABOVE, False), ((-3.0, -1.0), False), (None, False)]
)
def test_only_what_is_above_noise_is_green(noise, is_green):
    tables = first_page(board_with(noise, ABOVE))["tables"]
    for name, column in ((build.RANKING, "Roles of words"), ("Roles of words", ROLES.task)):
        (table,) = (one for one in tables if one["name"] == name)
        best = cells_of(table, column)["a/model-0"]
        assert best["rank"].startswith("1 ")
        assert best["is_first"] == is_green


@pytest.mark.parametrize(
    ("columns_of_tasks", "columns_of_tables"),
    [
        ([1, 2, 6, 6, 2], [3, 6, 8]),
        ([3, 1, 3], [7]),
        ([9, 1], [8, 2]),
    ],
)
def test_a_table_has_eight_columns_at_most_and_divides_no_smaller_task(
    columns_of_tasks, columns_of_tables
):
    (column,) = board_with(ABOVE).columns
    columns = []
    for task, n_columns in enumerate(columns_of_tasks):
        for subset in range(n_columns):
            columns.append(column._replace(task=f"Task{task}", subset=f"subset-{subset}"))
    parts = build.parts_of_table(columns)
    assert [len(part) for part in parts] == columns_of_tables
    assert [*chain.from_iterable(parts)] == columns


@pytest.mark.slow
def test_an_empty_place_says_how_many_scores_are_missing():
    modifiers = [cell("a/model-0", (1.0, 2.0), listed=MODIFIERS)]
    cells = [cell(f"a/model-{number}", (5.0 + number, 6.0 + number)) for number in range(2)]
    board, _ = make_board([*modifiers, *cells])
    table = first_page(board)["tables"][0]
    lacking = cells_of(table, "Overall, english")["a/model-1"]
    assert (lacking["score"], lacking["note"]) == ("–", "lacks 1 of 2")


def test_the_picture_is_of_noise_where_three_models_have_it_and_of_gains_before():
    plot = category_plot(board_with(ABOVE, NOT_ABOVE, ABOVE), ())
    assert plot.baseline == NOISE.name
    (dots,) = {len(dots) for dots in plot.rows.values()}
    assert dots == len(plot.categories) == 1
    values = {row.model: dot.value for row, (dot,) in plot.rows.items()}
    assert values["a/model-0"] == pytest.approx(2 * EFFECT / PEOPLE)
    assert values["a/model-1"] == pytest.approx(1 * EFFECT / PEOPLE)
    gains = category_plot(board_with(ABOVE, ABOVE, None), ())
    assert gains.baseline == ADDITIVE.name
    assert len(gains.rows) == 3
    assert category_plot(board_with(ABOVE), ["a/model-0"]) is None


def test_pages_have_titles_descriptions_and_tasks_by_category(tmp_path):
    build._write_site(board_with(ABOVE, NOT_ABOVE, ABOVE), {}, tmp_path, "A board", "About it.")
    front = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert "<title>A board</title>" in front
    assert '<meta property="og:title" content="A board">' in front
    assert '<meta property="og:description" content="About it.">' in front
    assert front.index('id="plot"') < front.index('id="board"')
    assert front.count("score hollow") == 1
    assert 'id="matched-noise"' in (tmp_path / "glossary.html").read_text(encoding="utf-8")
    menus = re.findall(r"<summary[^>]*>([^<]*)</summary>", front)
    assert menus == ["Roles of words"]
    (model,) = (tmp_path / "models").glob("*0*.html")
    page = model.read_text(encoding="utf-8")
    assert "<h2>Roles of words</h2>" in page
    task = (tmp_path / "tasks" / "roleswapsimilarity.html").read_text(encoding="utf-8")
    assert "RoleSwapSimilarity, test</h2>" in task
    assert "resampled groups of rows that belong together" in task
    for page in (front, task):
        assert len(re.findall('<meta name="description" content="[^"]+">', page)) == 1
