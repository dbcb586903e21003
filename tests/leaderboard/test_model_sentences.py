"""A model's page in five sentences: each says what the board has."""

from __future__ import annotations

import shutil

import pytest

from harness_ext.leaderboard.board import make_boards
from harness_ext.leaderboard.board_cache import BoardCache
from harness_ext.leaderboard.build import build
from harness_ext.leaderboard.cells import read_cells
from harness_ext.leaderboard.checks.records import Records
from harness_ext.leaderboard.model_sentences import model_sentences
from harness_ext.show.numbers import number

from .synthetic import write_models


@pytest.fixture
def board_of(tmp_path):
    """The board of folders, and what it says of each model."""

    def board_of(*folders):
        cache = BoardCache(tmp_path / "cache.sqlite")
        cells = [cell for read in read_cells([*folders], cache) for cell in read.cells]
        board = make_boards(cells, Records(), cache)[0]["gain"]
        return board, {row.model: model_sentences(board, row) for row in board.rows}

    return board_of


def test_sentences_say_the_gain_with_its_interval_and_the_rank(measured, board_of):
    board, said = board_of(measured)
    (construct,) = board.constructs
    for row in board.overall_ranks:
        place, sentences = construct.places[row], said[row.model]
        assert len(sentences) == 4  # of one construct there is no least
        figure = f"a gain of {number(place.value)}, with a 95 % interval from {number(place.interval[0])} to "
        assert figure in sentences[0]
        assert f"on {construct.name}:" in sentences[0]
        assert sentences[0].startswith("It goes furthest beyond") == (place.interval[0] > 0)
        ranks = board.overall_ranks[row].ranks
        assert f"overall rank is {ranks}" in sentences[2]
        assert sentences[2].endswith("of 3 ranked models.")
        assert sentences[3] == "It was measured in every column of the board."
    assert "It is never ranked." in said["compositionality/letters"]


def test_sentences_name_what_is_missing(measured, board_of, tmp_path):
    """The first four of five columns that a model lacks, and without own words no gain."""
    write_models(tmp_path, range(1), ["TransitiveSimilarityMini", "CaptionSwapMini"])
    board, said = board_of(measured, tmp_path)
    without, with_words = said["synthetic/model-00000"], said["planted/0"]
    assert without[0].startswith("How far it goes beyond its own words is not known")
    assert without[2] == "It has no overall rank, because it lacks a column that counts for it."
    missing = [column for column in board.columns if column.task.startswith(("Transitive", "CaptionSwap"))]
    assert len(missing) == 4
    assert with_words[-1] == (
        f"It was not measured on {', '.join(f'{one.task} ({one.data})' for one in missing[:3])} and "
        f"{missing[3].task} ({missing[3].data})."
    )


def test_a_page_is_written_again_when_another_model_moves_its_rank(measured, tmp_path):
    results = shutil.copytree(measured, tmp_path / "few", ignore=shutil.ignore_patterns("planted__2"))
    site = tmp_path / "site"
    build([results], site, cache=tmp_path / "cache.sqlite")
    (page,) = (site / "models").glob("planted-0*.html")
    assert "of 2 ranked models" in page.read_text()
    build([measured], site, cache=tmp_path / "cache.sqlite")
    assert "of 3 ranked models" in page.read_text()
