"""Declared scores: their keys and what is written of them; `test_contracts.py` has those of every
measure.
"""

from __future__ import annotations

import math
import pickle
from copy import copy
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from pytest import approx

from harness_ext.measures.core.measure import EncoderMeasure, Measure
from harness_ext.measures.core.measured_scores import Scores
from harness_ext.measures.core.scores import COUNT, Axis, number, score
from harness_ext.statistics.statistic import Statistic, mean
from tests.measures.core.test_items import SomeItems, some_items

CLASS = Axis("class", {"C": "compositional", "NC": "idiomatic"})
SLOT = Axis("slot", {"modifier": "the first word", "head": "the second word", "both": "either"})


def share_of_rows(items):
    """The share of a word's rows with a place other than 1, all of red and none of wild."""
    table = items.comparisons
    return mean(table.word, table.place != 1)


class Some(EncoderMeasure[SomeItems]):
    name = "some"
    question = "Is it so?"
    items = SomeItems
    row = dict
    unit = "word"
    main = "share"
    fewest_units = 1

    def plan(self, rows, split):
        raise NotImplementedError

    @score(
        title="a share",
        formula="a / b",
        range=(0, 1),
        better="higher",
        chance=0.5,
        source="a paper",
        interval=True,
    )
    def share(self, items: SomeItems) -> Statistic:
        return share_of_rows(items)

    @score(
        key="share_{slot}_of_{class}",
        axes=[CLASS, SLOT],
        title="shares",
        formula="a / b",
        range=(0, 1),
        source="a paper",
    )
    def shares(self, items: SomeItems, class_: str, slot: str) -> Statistic:
        if (class_, slot) == ("C", "head"):
            return share_of_rows(items)
        return share_of_rows(items.restrict("word", np.array([])))

    @number(title="rows", formula="how many", range=COUNT)
    def n_rows(self, items: SomeItems) -> int:
        return len(items)


class OfTwo(Some):
    fewest_units = 2


class OfThree(Some):
    fewest_units = 3


class WithoutBaseline(Some):
    additive = False


SOME = Some()
OF_AXES = [
    f"share_{slot}_of_{class_}" for class_ in ("C", "NC") for slot in ("modifier", "head", "both")
]


def test_keys_and_values_of_a_result():
    assert [*SOME.by_key] == ["share", *OF_AXES, "n_rows"]
    scores = SOME.score(some_items())
    expected = {
        "share": 0.5,
        "share_head_of_C": 0.5,
        "n_rows": 4,
    }
    assert dict(scores) == expected
    assert scores.flat() == expected
    assert isinstance(scores["n_rows"], int)
    assert len(scores) == 3
    said = "share_both_of_C is declared by some, but has no value on these data"
    with pytest.raises(KeyError, match=said):
        scores["share_both_of_C"]
    said = r"some declares no score 'shares'\. It has: share, share_modifier_of_C"
    with pytest.raises(KeyError, match=said):
        scores["shares"]
    share = scores.to_pandas().loc["share"]
    assert share["value"] == 0.5
    assert share["chance"] == 0.5
    assert share["better"] == "higher"
    assert share["title"] == "a share"
    assert "share_head_of_C" in scores._repr_html_()


def test_the_names_of_1_0_answer_and_say_what_to_write():
    scores = SOME.score(some_items())
    said = r"scores\.share is a name of 1\.0, .*: write scores\['share'\]"
    with pytest.warns(DeprecationWarning, match=said):
        assert scores.share == 0.5
    said = r"write scores\['share_modifier_of_C'\] or scores\['share_head_of_C'\]"
    with pytest.warns(DeprecationWarning, match=said):
        shares = scores.shares
    of_c, of_nc = shares
    assert_array_equal(of_c, [math.nan, 0.5, math.nan])
    assert_array_equal(of_nc, [math.nan] * 3)
    with pytest.warns(DeprecationWarning):
        assert math.isnan(scores.share_both_of_NC)
    with pytest.raises(AttributeError, match=r"some has no score 'other'\. Its keys: share, "):
        _ = scores.other
    for again in (copy(scores), pickle.loads(pickle.dumps(scores))):
        assert dict(again) == dict(scores)


def test_counts_of_axes_stay_integers_where_one_of_them_is_not_defined():
    class Counted(Some):
        @number(key="n_{class}", axes=[CLASS], title="rows", formula="rows", range=COUNT)
        def n(self, items: SomeItems, class_: str) -> float:
            return 3 if class_ == "C" else math.nan

    with pytest.warns(DeprecationWarning):
        counts = Counted().score(some_items()).n
    assert [type(count) for count in counts] == [int, float]


def test_declarations():
    share, shares, n_rows = SOME.declared_scores
    assert share.key == "share"
    assert share.resampled
    assert shares.key == "share_{slot}_of_{class}"
    assert not shares.interval
    assert not n_rows.resampled
    assert n_rows.better == "neither"
    assert SOME.by_key["share_both_of_NC"] == (shares, {"class": "NC", "slot": "both"})
    assert SOME.keys_of_method("shares") == OF_AXES
    assert SLOT.index("both") == 2


def test_a_kind_fills_its_declarations_for_each_measure():
    """Texts, numbers and axes follow the class; a value that stands in a text makes a declaration
    of its own.
    """

    def guessed(percent: str) -> float:
        return 1 - int(percent) / 100

    class OfPercents(EncoderMeasure[SomeItems]):
        near: str
        percents: Axis
        slots: Axis | None = None
        chance_of_near: float = 0.5

        @score(
            key="{cls.main}",
            title="how often {cls.near} is near",
            formula="a / b",
            range=(0, 1),
            better="higher",
            chance="chance_of_near",
        )
        def nearer(self, items: SomeItems) -> Statistic:
            return share_of_rows(items)

        @number(
            key="at_{percent}_{class}",
            axes=["percents", CLASS],
            title="share at {percent} %",
            formula="a / b",
            range=(0, 1),
            chance=guessed,
        )
        def at(self, items: SomeItems, percent: str, class_: str) -> float:
            return int(percent) + (class_ == "NC")

        @number(like=at, key="{slots}", axes=["slots"], title="by {cls.near}", chance=None)
        def by_slot(self, items: SomeItems, slot: str) -> float:
            return len(slot)

        @number(title="left out", formula="rows", range=COUNT)
        def n_excluded_rows(self, items: SomeItems) -> int:
            return 7

        def plan(self, rows, split):
            raise NotImplementedError

    class Colors(OfPercents):
        name = "colors"
        question = "Which color is it?"
        items = SomeItems
        row = dict
        unit = "word"
        main = "color"
        near = "red"
        percents = Axis("percent", {"90": "most", "80": "many"})
        chance_of_near = 1 / 3

        @number(title="own", formula="own", range=COUNT)
        def n_own(self, items: SomeItems) -> int:
            return 1

    class Slots(Colors):
        name = "slots"
        question = "Which slot is it?"
        slots = SLOT
        n_own = None
        order = ("by_slot",)

    colors = Colors()
    nearer, at_90, at_80, own, left_out = colors.declared_scores
    assert nearer.key == "color"
    assert nearer.title == "how often red is near"
    assert nearer.chance == 1 / 3
    assert at_90.key == "at_90_{class}"
    assert at_90.title == "share at 90 %"
    assert at_90.axes == (CLASS,)
    assert at_90.chance == approx(0.1)
    assert at_80.chance == approx(0.2)
    assert own.key == "n_own"
    assert left_out.key == "n_excluded_rows"  # what is left out stands last
    scores = colors.score(some_items())
    assert scores["at_90_C"] == 90
    assert scores["at_80_NC"] == 81
    slots = Slots()
    assert [*slots.by_key][:4] == ["modifier", "head", "both", "color"]
    assert slots.by_key["head"][0].title == "by red"
    assert slots.score(some_items())["head"] == 4
    assert "n_own" not in slots.by_key


def body(**members):
    """The body of a measure with these members."""
    return {"name": "other", "question": "Is it other?", "__module__": __name__, **members}


def undeclared(self, items):
    return 1


def lower_is_better():
    def share(self, items):
        return share_of_rows(items)

    return score(like=Some.share, better="lower")(share)


def count(**declared):
    """A declared number."""

    def one(self, items):
        return 1

    return number(title="", formula="", range=COUNT, **declared)(one)


def id_of(value):
    """The message; the members have none."""
    return value if isinstance(value, str) else ""


@pytest.mark.parametrize(
    ("members", "message"),
    [
        (
            body(adjsuted="share"),
            "Refused.adjsuted is neither a score nor an attribute of Some. Is it misspelt?",
        ),
        (
            {"name": "other", "__module__": __name__},
            "Refused sets `name`, so it is a measure, and needs a `question`",
        ),
        (body(share=undeclared), "Refused.share overrides a score, and is none"),
        (
            body(main="shares"),
            "Refused.main is 'shares', which is none of its scores: share, share_modifier_of_C",
        ),
        (body(adjusted="shares"), "Refused.adjusted is 'shares', which is none"),
        (body(headline="shares"), "Refused.headline is 'shares', which is none"),
        (body(order=("shares", "other")), "Refused.order names what is no score of it: other"),
        (
            body(share=lower_is_better()),
            "the main score share has better='lower'. Ranks, gains and checks need",
        ),
        (
            body(keys=count()),
            "a score with the key keys, which is a method of a mapping: rename it",
        ),
        (
            body(twice=count(key="n_rows")),
            "Refused has two scores with the key n_rows",
        ),
        (
            body(interval=count()),
            "Refused.interval is a score with the name of an attribute of a measure: rename it",
        ),
    ],
    ids=id_of,
)
def test_what_is_no_declaration_is_refused_when_the_class_is_made(members, message):
    with pytest.raises(TypeError) as refused:
        type("Refused", (Some,), members)
    assert message in str(refused.value)


def test_a_score_is_like_another_score_only():
    said = r"Some\.plan is no score: it has neither @score nor @number"
    with pytest.raises(TypeError, match=said):
        score(like=Some.plan, title="")


def test_the_question_does_not_depend_on_docstrings():
    assert Measure.wording(SOME).question == "Is it so?"
    assert SOME.__doc__ is None


def test_a_measure_adds_the_intervals():
    items = some_items()
    expected = {
        "share": 0.5,
        # 1 of 2: (4.8415 ∓ √3.8415 √5.3415) / 11.683
        "share_ci_low": 0.026677,
        "share_ci_high": 0.973323,
        "share_head_of_C": 0.5,
        "n_rows": 4,
        "n_share": 2,
    }
    assert SOME.flat_scores(items) == approx(expected, abs=1e-6)
    # of red ½, so no share
    comparisons = replace(items.comparisons, place=np.array([0, 1, 1]))
    halves = replace(items, comparisons=comparisons)
    of_halves = SOME.flat_scores(halves)
    assert of_halves["share"] == 0.25
    # two units are absent from 13 % of the resamples, which say how far ½ is from a share of units
    assert "share_ci_low" not in of_halves
    of_noise = {"noise_share", "noise_text_share", "noise_neighbors_share"}
    of_gain = {"additive_share", "additive_fit", "additive_error", *of_noise}
    for difference in ("gain_share", "over_noise_share"):
        for end in ("", "_ci_low", "_ci_high", "_p"):
            of_gain.add(f"{difference}{end}")
    of_run = {"n_same_vector", "n_texts", "cosine_alone"}
    assert SOME.declarations.keys() == {
        *SOME.by_key,
        "share_ci_low",
        "share_ci_high",
        "n_share",
        *of_gain,
        *of_run,
    }
    assert not WithoutBaseline().declarations.keys() & of_gain


def test_a_measure_computes_one_score_without_the_others():
    items = some_items()
    of_heads = SOME.statistic(items, "share_head_of_C")
    assert of_heads.units.tolist() == ["red", "wild"]
    assert of_heads.value() == 0.5
    of_main = SOME.statistic(items, SOME.main)
    assert of_main.units.tolist() == ["red", "wild"]


def test_an_interval_that_is_not_defined_is_absent():
    # one unit has no spread
    of_red = some_items().restrict("word", np.array(["red"]))
    assert SOME.flat_scores(of_red) == {
        "share": 1.0,
        "share_head_of_C": 1.0,
        "n_rows": 3,
        "n_share": 1,
    }


def test_of_too_few_units_no_score_is_defined_that_says_good_or_bad():
    items = some_items()
    enough = OfTwo().flat_scores(items)
    assert enough == SOME.flat_scores(items)
    of_three = OfThree()
    too_few = of_three.flat_scores(items)
    # it has no chance, and no better direction
    assert too_few == {"share_head_of_C": 0.5, "n_rows": 4, "n_share": 2}
    share = of_three.statistic(items, "share")
    assert np.isnan(share.resamples()).all()
    gain = SOME.difference_statistic(items, items, 0.0)
    assert gain.value() == 0
    gain = of_three.difference_statistic(items, items, 0.0)
    assert np.isnan(gain.value())


def test_scores_say_what_they_are():
    scores = Scores(SOME, {"share": 0.5, "n_rows": math.nan})
    assert repr(scores) == "Scores({'share': 0.5})"
