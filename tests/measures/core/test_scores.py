"""Declared scores: their keys and what is written of them; `test_contracts.py` has those of every measure."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import pytest
from scipy.stats import binomtest

from harness_ext.measures.core.measure import Measure
from harness_ext.measures.core.scores import Axis, Scores, count, declared
from harness_ext.statistics.statistic import mean
from tests.measures.core.test_items import SomeItems, some_items

CLASS = Axis("class", {"C": "compositional", "NC": "idiomatic"})
SLOT = Axis("slot", {"modifier": "the first word", "head": "the second word", "both": "either"})


def share_of_rows(items, place):
    """The share of a word's rows with a place other than 1, all of red and none of wild; of other slots nothing."""
    table = items.comparisons
    table = table[np.full(len(table), place in ({}, {"class": "C", "slot": "head"}))]
    return mean(table.word, table.place != 1)


@dataclass(frozen=True)
class SomeScores(Scores):
    share: float = declared(
        "a share", "a / b", range=(0, 1), direction="higher", chance=0.5, source="a paper", interval=True,
        compute=share_of_rows,
    )  # fmt: skip
    shares: np.ndarray = declared(
        "shares", "a / b", range=(0, 1), source="a paper", key="share_{slot}_of_{class}", axes=(CLASS, SLOT),
        compute=share_of_rows,
    )  # fmt: skip
    n_rows: int = count("rows", "how many", value=lambda items, _: len(items))


def some_scores(**changes):
    return SomeScores(**{"share": 0.25, "shares": np.arange(6).reshape(2, 3) / 10, "n_rows": 3, **changes})


def test_keys_and_values_of_a_result():
    of_axes = [f"share_{slot}_of_{class_}" for class_ in ("C", "NC") for slot in ("modifier", "head", "both")]
    flat = some_scores().flat()
    assert [*flat.items()] == [("share", 0.25), *((key, n / 10) for n, key in enumerate(of_axes)), ("n_rows", 3)]
    assert isinstance(flat["n_rows"], int)
    assert [*flat] == [*SomeScores.by_key()]
    shares = np.array([[0, math.nan, 0], [0, 0, 0]])
    defined = some_scores(share=math.nan, shares=shares).flat()
    assert {"share", "share_head_of_C"} == SomeScores.by_key().keys() - defined.keys()


def test_an_array_of_another_shape_than_its_axes_is_named():
    with pytest.raises(ValueError, match=r"SomeScores\.shares has shape \(3, 2\), \(2, 3\) expected"):
        some_scores(shares=np.zeros((3, 2))).flat()


def test_declarations():
    share, shares, n_rows = SomeScores.declarations()
    assert (share.key, shares.key) == ("share", "share_{slot}_of_{class}")
    assert (share.resampled, shares.interval, n_rows.resampled, n_rows.direction) == (True, False, False, "neither")
    assert SomeScores.by_key()["share_both_of_NC"] == (shares, {"class": "NC", "slot": "both"})
    assert SLOT.index("both") == 2


MEASURE = Measure("some", 1, main="share", unit="word", items=SomeItems, scores=SomeScores, fewest_units=1)


def test_a_measure_adds_the_intervals():
    found = MEASURE.flat_scores(some_items())
    wilson = {"share_ci_low": 0.026677, "share_ci_high": 0.973323}  # 1 of 2: (4.8415 ∓ √3.8415 √5.3415) / 11.683
    assert found == pytest.approx({"share": 0.5, **wilson, "share_head_of_C": 0.5, "n_rows": 4, "n_share": 2}, abs=1e-6)
    items = some_items()
    halves = replace(items, comparisons=replace(items.comparisons, place=np.array([0, 1, 1])))  # of red ½, so no share
    of_halves = MEASURE.flat_scores(halves)
    assert of_halves["share"] == 0.25
    of_six = [binomtest(right, 6).proportion_ci(method="wilsoncc") for right in (1, 2)]  # p (1 − p) is 3 × the variance
    assert (of_halves["share_ci_low"], of_halves["share_ci_high"]) == pytest.approx((of_six[0].low, of_six[1].high))
    ends = ("", "_ci_low", "_ci_high", "_p")
    differences = (f"{over}_share{end}" for over in ("gain", "over_noise") for end in ends)
    of_gain = {"additive_share", "additive_fit", "additive_error", "noise_share", *differences}
    assert MEASURE.declarations.keys() == {*SomeScores.by_key(), "share_ci_low", "share_ci_high", "n_share", *of_gain}
    assert not replace(MEASURE, additive=False).declarations.keys() & of_gain


def test_a_main_score_that_is_better_when_lower_is_refused():
    @dataclass(frozen=True)
    class Errors(Scores):
        error: float = declared("the error", "their mean", range=(0, 1), direction="lower")
        share: float = SomeScores.share

    about = {"version": 1, "unit": "word", "items": SomeItems, "scores": Errors}
    with pytest.raises(ValueError, match=r"some: the main score error is better when lower\. .* negative"):
        Measure("some", main="error", **about)
    assert Measure("some", main="share", **about).main_declaration.direction != "lower"


def test_a_measure_computes_one_score_without_the_others():
    statistic = MEASURE.statistic(some_items(), "share_head_of_C")
    assert (statistic.units.tolist(), statistic.value()) == (["red", "wild"], 0.5)
    assert MEASURE.statistic(some_items(), MEASURE.main).units.tolist() == ["red", "wild"]


def test_an_interval_that_is_not_defined_is_absent():
    found = MEASURE.flat_scores(some_items().restrict("word", np.array(["red"])))  # one unit has no spread
    assert found == {"share": 1.0, "share_head_of_C": 1.0, "n_rows": 3, "n_share": 1}


def test_of_too_few_units_no_score_is_defined_that_says_good_or_bad():
    enough, too_few = (replace(MEASURE, fewest_units=n).flat_scores(some_items()) for n in (2, 3))
    assert enough == MEASURE.flat_scores(some_items())
    assert too_few == {"share_head_of_C": 0.5, "n_rows": 4, "n_share": 2}  # it has no chance, and no better direction
    assert np.isnan(replace(MEASURE, fewest_units=3).statistic(some_items(), "share").resamples()).all()
    gain = MEASURE.difference_statistic(some_items(), some_items(), 0.0)
    assert gain.value() == 0
    gain = replace(MEASURE, fewest_units=3).difference_statistic(some_items(), some_items(), 0.0)
    assert np.isnan(gain.value())
