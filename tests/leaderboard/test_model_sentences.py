"""A model's page in five sentences: each says what the board has."""

from __future__ import annotations

from dataclasses import replace

from harness_ext.leaderboard import model_sentences as sentences
from harness_ext.leaderboard.cell import Place
from harness_ext.leaderboard.checks.trust import Trust
from harness_ext.leaderboard.constructs import Construct
from harness_ext.leaderboard.model_sentences import model_sentences
from harness_ext.results.ranks import Basis
from harness_ext.show.numbers import number
from harness_ext.show.verdict import may_be_noise

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
        place, texts = construct.places[row], said[row.model]
        figure = f"(a gain of {number(place.value)}, 95 % interval from {number(place.interval[0])} to "
        assert f"on {construct.name} {figure}" in " ".join(texts)
        is_noise = any(may_be_noise(board.places[column][row].entry) for column in construct.columns)
        assert texts[0].startswith("It goes beyond its own words on") == (place.interval[0] > 0 and not is_noise)
        ranks = board.overall_ranks[row].ranks
        assert f"overall rank is {ranks}" in texts[-2]
        assert texts[-2].endswith("of 3 ranked models.")
        assert texts[-1] == "It was measured in every column of the board."
    assert "It is never ranked." in said["compositionality/letters"]


def test_sentences_follow_intervals_not_the_order_of_gains(measured):
    """.15 [−.02, .32] is no gain that is shown, .065 [.019, .111] is."""
    board, _ = board_of(measured)
    row, column = next(iter(board.overall_ranks)), board.columns[0]

    def about(**gains):
        constructs = tuple(
            Construct(name, ((column,),), True, {row: Place(value, ends, None, Basis.UNITS, Trust.RECOMPUTED)})
            for name, (value, *ends) in gains.items()
        )
        return model_sentences(replace(board, constructs=constructs), row)

    first, second, *_ = about(idioms=(0.15, -0.02, 0.32), roles=(0.065, 0.019, 0.111))
    assert first == "It goes beyond its own words on roles (a gain of .065, 95 % interval from .019 to .111)."
    assert second.startswith("It cannot be told from them on idioms (a gain of .150")
    assert about(idioms=(0.15, -0.02, 0.32))[0] == "It goes nowhere surely beyond its own words."
    assert about(idioms=(-0.2, -0.3, -0.1))[0] == "Its own words do better everywhere."
    near = about(idioms=(0.01, -0.03, 0.04), roles=(-0.2, -0.3, -0.1))
    assert near[1].startswith("Its own words do better than it does on roles")
    assert near[2].startswith("Any difference from them is too small to matter on idioms")


def test_a_mean_gain_with_a_column_where_noise_gains_too_shows_nothing(measured, monkeypatch):
    board, _ = board_of(measured)
    row, column = next(iter(board.overall_ranks)), board.columns[0]
    place = Place(0.065, (0.019, 0.111), None, Basis.UNITS, Trust.RECOMPUTED)
    of_roles = replace(board, constructs=(Construct("roles", ((column,),), True, {row: place}),))
    for is_noise, expected in ((True, "It goes nowhere surely beyond its own words. Encoders that know nothing gain "
                               "too, where its score is not above chance, on roles (a gain of .065"),
                               (False, "It goes beyond its own words on roles (a gain of .065")):  # fmt: skip
        monkeypatch.setattr(sentences, "may_be_noise", lambda *_, answer=is_noise: answer)
        assert " ".join(model_sentences(of_roles, row)).startswith(expected)


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
