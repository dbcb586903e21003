"""What a decision says of cosines that are known: shares, what is safe, the way out and the order
of models.
"""

from __future__ import annotations

import pytest

from harness_ext.deciding import Decisions
from harness_ext.measures.merging.decision import MergeDecision, paired_differences, ranked
from harness_ext.measures.merging.opposites import OppositeItems, Opposites

NEAR = [0.95] * 18 + [0.90] * 2
"""The cosines of twenty paraphrases; the second least of them is the threshold: .90."""


def decision_of(near, opposites, at_most=0.2, **options):
    """The decision about pairs with these cosines: paraphrases, and kind -> opposites.

    A paraphrase and the opposite at its place in a kind have one source.
    """
    kinds = ["same"] * len(near)
    sources = [f"source {number}" for number in range(len(near))]
    cosines = list(near)
    for kind, cosines_of_kind in opposites.items():
        kinds += [kind] * len(cosines_of_kind)
        sources += [f"source {number}" for number in range(len(cosines_of_kind))]
        cosines += cosines_of_kind
    names = [f"pair {number}" for number in range(len(kinds))]
    pairs = Opposites.of_columns(row=names, similarity=cosines, source=sources, kind=kinds)
    return MergeDecision(OppositeItems(pairs), at_most, **options)


def test_the_threshold_is_the_second_least_of_twenty_paraphrases():
    """k = ⌊.1 · 21⌋ = 2; .1 · 21 = 2.1 of new ones are below."""
    decision = decision_of([0.91, 0.92, *[0.95] * 18], {"roles": [0.5] * 20})
    assert decision.threshold == pytest.approx(0.92)


def test_kinds_stand_in_the_order_in_which_they_are_explained():
    """Not in that of the rows; a kind that is not explained is the last."""
    opposites = {"own": [0.5] * 20, "roles": [0.5] * 20, "negation": [0.5] * 20}
    decision = decision_of(NEAR, opposites)
    assert [*decision.shares] == ["same", "opposites", "negation", "roles", "own"]


def test_sources_are_those_of_the_opposites():
    """Twenty paraphrases; twelve of them have an opposite."""
    assert decision_of(NEAR, {"roles": [0.5] * 12}).sources == 12


@pytest.mark.parametrize(("at_most", "fewest"), [(0.2, 21), (0.7, 3), (1.0, 1)])
def test_the_fewest_sources_are_those_of_wilson_s_interval(at_most, fewest):
    """Of none of 20 it ends at .2005, of 21 at .1924; of 2 at .80, of 3 at .69; of 1 at .95."""
    assert decision_of(NEAR, {"roles": [0.5] * 20}, at_most).fewest == fewest


def test_a_tie_is_merged_on_the_way_out():
    """From .90, five of twenty opposites are merged, and from .95, four, which have it."""
    opposites = [0.95] * 4 + [0.92] * 9 + [0.5] * 7
    decision = decision_of(NEAR, {"roles": opposites}, 0.5)
    assert decision.higher == pytest.approx((0.95, 4 / 20, 18 / 20))


def test_the_way_out_is_safe_by_the_upper_end_of_its_interval():
    """3 of 20 are 15 %, and may be 36 %: no threshold merges at most 20 % for sure."""
    opposites = [0.96] * 3 + [0.92] * 10 + [0.5] * 7
    threshold, _, _ = decision_of(NEAR, {"roles": opposites}, 0.2).higher
    assert threshold != threshold


def test_a_deployed_threshold_loses_the_hits_that_it_misses():
    """It merges 5 of 20 opposites and 18 of 20 paraphrases: .25 - .9."""
    decision = decision_of(NEAR, {"roles": [0.96] * 5 + [0.5] * 15}, deployed=0.94)
    assert decision.loss == pytest.approx(0.25 - 0.9)


def test_a_yes_or_no_loses_the_hits_that_it_misses():
    """It merges 5 of 20 opposites and 16 of 20 paraphrases: .25 - .8."""
    yes_or_no = decision_of([1.0] * 16 + [0.0] * 4, {"roles": [1.0] * 5 + [0.0] * 15}, of="")
    assert yes_or_no.loss == pytest.approx(0.25 - 0.8)


def test_the_best_is_the_one_that_merges_the_fewest_opposites():
    good = decision_of(NEAR, {"roles": [0.96] * 2 + [0.5] * 18})
    bad = decision_of(NEAR, {"roles": [0.96] * 9 + [0.5] * 11})
    assert ranked({"bad": bad, "good": good}) == ["good", "bad"]


def test_costs_and_safety_stand_with_the_opposites_alone():
    decision = decision_of(NEAR, {"roles": [0.5] * 40}, costs={"dimensions": 384})
    records = {record["pairs"]: record for record in decision.records()}
    having = [pairs for pairs, record in records.items() if "safe" in record]
    assert having == ["opposites"]
    assert records["opposites"]["dimensions"] == 384


def test_a_difference_is_the_first_minus_the_second():
    """The first merges 2 of 20 opposites, the second 9 of 20."""
    good = decision_of(NEAR, {"roles": [0.96] * 2 + [0.5] * 18})
    bad = decision_of(NEAR, {"roles": [0.96] * 9 + [0.5] * 11})
    (difference,) = paired_differences({"bad": bad, "good": good})
    assert (difference["first"], difference["second"]) == ("good", "bad")
    assert difference["value"] == pytest.approx((2 - 9) / 20)


def test_where_one_threshold_is_given_resamples_keep_all_of_them():
    """Kept, what is merged is a mean of 0 and 1, whose differences are tested by sign flips."""
    found = decision_of(NEAR, {"roles": [0.96] * 2 + [0.5] * 18})
    given = decision_of(NEAR, {"roles": [0.96] * 9 + [0.5] * 11}, deployed=0.9)
    tests = {record["test"] for record in paired_differences({"a": found, "b": given})}
    assert tests == {"sign flips"}


def test_21_sources_are_enough_for_a_fifth_and_20_are_too_few():
    for n, is_enough in ((21, True), (20, False)):
        decision = decision_of(NEAR, {"roles": [0.5] * n})
        decisions = Decisions(decision.items, {"model": decision}, {})
        assert (decisions.too_few() == "") == is_enough
