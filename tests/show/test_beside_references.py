"""A score beside its references: what a chart draws and where, and what the three cells say."""

from dataclasses import replace

from pytest import approx

from harness_ext.measures.core.scores import chance_key
from harness_ext.results.effects import Outcome
from harness_ext.show.beside_references import Axis, ScoreRow, drawn
from harness_ext.show.interpretation import UNKNOWN, cells, cells_in_short
from tests.results.planted_items import entry_at


def test_an_axis_by_hand():
    """From .2 to .7 with a margin of .04 · .5 at either end: .18 to .72."""
    marks = {"chance": 0.5, "low": 0.6, "score": 0.7, "baseline": 0.2}
    row = ScoreRow(0.7, "", (), marks)
    lower_row = replace(row, marks={"score": 0.3})
    axis = Axis.of([row, lower_row])
    assert axis.low == approx(0.18)
    assert axis.high == approx(0.72)
    assert axis.at(0.45) == "50.00%"
    assert [*axis.ticks] == [".2", ".4", ".6"]
    assert axis.ticks[".2"] == "3.70%"  # .02 of .54
    axis_with_zero = Axis(-0.32, 0.12)
    assert [*axis_with_zero.ticks] == ["-.3", "-.2", "-.1", "0", ".1"]
    assert drawn([row]) == ["score", "low", "baseline", "chance"]


ABOVE = (1.5, 3.5)
"""An interval, in smallest effects of interest."""

BELOW = (-3.5, -1.5)


def test_cells_and_marks_are_those_of_the_entry():
    """Ends are in smallest effects of interest, .1 each: .15 to .35 above chance, the baseline and
    noise.
    """
    entry = entry_at("RoleSwapSimilarity", "test", ABOVE, ABOVE, BELOW)
    row = ScoreRow.of(entry)
    chance, baseline, noise = row.cells
    assert chance.column == "vs chance"
    assert chance.outcome is Outcome.ABOVE
    assert chance.color == "above"
    assert baseline.column == "vs baseline"
    assert baseline.outcome is Outcome.ABOVE
    assert baseline.color == "above"
    assert noise.column == "vs noise"
    assert noise.outcome is Outcome.NOT_ABOVE
    assert noise.color == "not_above"
    assert baseline.difference.endswith("[.150, .350]")
    assert noise.difference.endswith("[-.350, -.150]")
    assert chance.reference == "chance .000"
    low, high = entry.interval()
    assert row.marks["score"] == entry.main_score
    assert row.marks["chance"] == 0
    assert row.marks["low"] == low
    assert row.marks["high"] == high
    main_score_alone = {entry.measure.main: entry.main_score}
    bare = ScoreRow.of(replace(entry, scores=main_score_alone))
    assert [cell.outcome for cell in bare.cells] == [UNKNOWN] * 3
    assert drawn([bare]) == ["score", "chance"]


def test_chance_that_was_measured_takes_the_place_of_the_declared_one():
    """As of retrieval, where chance depends on the rows."""
    entry = entry_at("RoleSwapSimilarity", "test", (1.5, 3.5))
    main = entry.measure.main
    scores = {**entry.scores, chance_key(main): 0.125}
    row = ScoreRow.of(replace(entry, scores=scores))
    assert row.marks["chance"] == 0.125
    chance, *_ = row.cells
    assert chance.reference == "chance .125"
    assert chance.value == approx(entry.main_score - 0.125)


def test_noise_of_1_0_has_its_value_and_no_outcome():
    entry = entry_at("RoleSwapSimilarity", "test", ABOVE, ABOVE, ABOVE)
    scores = dict(entry.scores)
    for kind in ("text", "neighbors"):
        del scores[f"noise_{kind}_spearman_adversarial"]
    of_1_0 = replace(entry, scores=scores)
    _, _, noise = ScoreRow.of(of_1_0).cells
    assert noise.outcome == "noise of 1.0"
    assert noise.color == ""
    assert noise.reference == ""
    _, _, vs_noise = cells(of_1_0)
    assert vs_noise == "noise of 1.0"
    assert "noise" not in cells_in_short(of_1_0)
    _, _, vs_noise_of_today = cells(entry)
    assert vs_noise_of_today == Outcome.ABOVE
