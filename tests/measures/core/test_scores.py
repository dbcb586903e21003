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
    assert dict(scores) == scores.flat() == {"share": 0.5, "share_head_of_C": 0.5, "n_rows": 4}
    assert isinstance(scores["n_rows"], int)
    assert len(scores) == 3
    with pytest.raises(
        KeyError, match="share_both_of_C is declared by some, but has no value on these data"
    ):
        scores["share_both_of_C"]
    with pytest.raises(
        KeyError, match=r"some declares no score 'shares'\. It has: share, share_modifier_of_C"
    ):
        scores["shares"]
    assert scores.to_pandas().loc["share", ["value", "chance", "better", "title"]].tolist() == [
        0.5,
        0.5,
        "higher",
        "a share",
    ]
    assert "share_head_of_C" in scores._repr_html_()


def test_the_names_of_1_0_answer_and_say_what_to_write():
    scores = SOME.score(some_items())
    with pytest.warns(
        DeprecationWarning, match=r"scores\.share is a name of 1\.0, .*: write scores\['share'\]"
    ):
        assert scores.share == 0.5
    with pytest.warns(
        DeprecationWarning,
        match="write scores\\['share_modifier_of_C'\\] or scores\\['share_head_of_C'\\]",
    ):
        shares = scores.shares
    assert_array_equal(shares, [[math.nan, 0.5, math.nan], [math.nan] * 3])
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
    assert (share.key, shares.key) == ("share", "share_{slot}_of_{class}")
    assert (share.resampled, shares.interval, n_rows.resampled, n_rows.better) == (
        True,
        False,
        False,
        ("neither"),
    )
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
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_no_declaration_is_refused_when_the_class_is_made(members, message):
    with pytest.raises(TypeError) as refused:
        type("Refused", (Some,), members)
    assert message in str(refused.value)


def test_a_score_is_like_another_score_only():
    with pytest.raises(
        TypeError, match=r"Some\.plan is no score: it has neither @score nor @number"
    ):
        score(like=Some.plan, title="")


def test_the_question_does_not_depend_on_docstrings():
    assert Measure.wording(SOME).question == "Is it so?"
    assert SOME.__doc__ is None


def test_a_measure_adds_the_intervals():
    found = SOME.flat_scores(some_items())
    # 1 of 2: (4.8415 ∓ √3.8415 √5.3415) / 11.683
    wilson = {"share_ci_low": 0.026677, "share_ci_high": 0.973323}
    assert found == approx(
        {"share": 0.5, **wilson, "share_head_of_C": 0.5, "n_rows": 4, "n_share": 2}, abs=1e-6
    )
    items = some_items()
    # of red ½, so no share
    halves = replace(items, comparisons=replace(items.comparisons, place=np.array([0, 1, 1])))
    of_halves = SOME.flat_scores(halves)
    assert of_halves["share"] == 0.25
    # two units are absent from 13 % of the resamples, which say how far ½ is from a share of units
    assert "share_ci_low" not in of_halves
    ends = ("", "_ci_low", "_ci_high", "_p")
    differences = (f"{over}_share{end}" for over in ("gain", "over_noise") for end in ends)
    of_noise = {"noise_share", "noise_text_share", "noise_neighbors_share"}
    of_gain = {"additive_share", "additive_fit", "additive_error", *of_noise, *differences}
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
    statistic = SOME.statistic(some_items(), "share_head_of_C")
    assert (statistic.units.tolist(), statistic.value()) == (["red", "wild"], 0.5)
    assert SOME.statistic(some_items(), SOME.main).units.tolist() == ["red", "wild"]


def test_an_interval_that_is_not_defined_is_absent():
    # one unit has no spread
    found = SOME.flat_scores(some_items().restrict("word", np.array(["red"])))
    assert found == {"share": 1.0, "share_head_of_C": 1.0, "n_rows": 3, "n_share": 1}


def test_of_too_few_units_no_score_is_defined_that_says_good_or_bad():
    enough, too_few = (measure.flat_scores(some_items()) for measure in (OfTwo(), OfThree()))
    assert enough == SOME.flat_scores(some_items())
    # it has no chance, and no better direction
    assert too_few == {"share_head_of_C": 0.5, "n_rows": 4, "n_share": 2}
    assert np.isnan(OfThree().statistic(some_items(), "share").resamples()).all()
    gain = SOME.difference_statistic(some_items(), some_items(), 0.0)
    assert gain.value() == 0
    gain = OfThree().difference_statistic(some_items(), some_items(), 0.0)
    assert np.isnan(gain.value())


def test_scores_say_what_they_are():
    assert repr(Scores(SOME, {"share": 0.5, "n_rows": math.nan})) == "Scores({'share': 0.5})"
