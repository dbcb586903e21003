"""A model's page in five sentences: each says what the board has."""

from __future__ import annotations

from harness_ext.leaderboard.model_sentences import model_sentences
from harness_ext.show.numbers import number

from .small_board import board_of
from .synthetic import write_models


def said_of(*folders):
    """The board of folders, and what it says of each model."""
    board, _ = board_of(*folders)
    return board, {row.model: model_sentences(board, row) for row in board.rows}


def test_sentences_say_the_gain_with_its_interval_and_the_rank(measured):
    board, said = said_of(measured)
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


def test_sentences_name_what_is_missing(measured, tmp_path):
    """The first four of five columns that a model lacks, and without own words no gain."""
    write_models(tmp_path, range(1), ["TransitiveSimilarityMini", "CaptionSwapMini"])
    board, said = said_of(measured, tmp_path)
    without, with_words = said["synthetic/model-00000"], said["planted/0"]
    assert without[0].startswith("How far it goes beyond its own words is not known")
    assert without[2] == "It has no overall rank, because it lacks a column that counts for it."
    missing = [column for column in board.columns if column.task.startswith(("Transitive", "CaptionSwap"))]
    assert len(missing) == 4
    assert with_words[-1] == (
        f"It was not measured on {', '.join(f'{one.task} ({one.data})' for one in missing[:3])} and "
        f"{missing[3].task} ({missing[3].data})."
    )
