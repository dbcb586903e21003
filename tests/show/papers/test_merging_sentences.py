"""What is said of a decision, by hand: rounding, new paraphrases, the order of kinds and pairs."""

from __future__ import annotations

from dataclasses import replace

import pytest

from harness_ext.measures.merging.opposites import OppositeItems, Opposites
from harness_ext.show.papers.merging import advice, conclusion, merged, saved, worst
from tests.measures.merging.test_decision import decision_of


def near(n):
    """The cosines of so many paraphrases."""
    return [0.95] * n


def test_percents_are_rounded_and_not_cut():
    """5 of 18 are 27.8 %."""
    opposites = [0.96] * 5 + [0.5] * 13
    decision = decision_of(near(18), {"roles": opposites}, deployed=0.94)
    assert "merges 28 % of opposites (" in conclusion("a/model", decision)


def test_a_sentence_has_both_ends_of_the_interval():
    decision = decision_of(near(20), {"roles": [0.96] * 5 + [0.5] * 15}, deployed=0.94)
    share = decision.shares["opposites"]
    ends = f"{100 * share.low:.0f} % to {100 * share.high:.0f} %"
    said = f"merges 25 % of opposites (95 % interval {ends})"
    assert share.low < 0.25 < share.high
    assert said in conclusion("a/model", decision)


@pytest.mark.parametrize(
    ("n", "said"),
    [
        (12, "and on average 12 of 13 new ones, "),
        (20, "and on average 19 of 21 new ones, "),
        (99, "and on average 90 of 100 new ones, "),
        (100, "and about 90 % of new ones, "),
    ],
)
def test_new_paraphrases_are_counted_up_to_99_and_a_share_from_100(n, said):
    """Of n, the k-th is the threshold, k = ⌊.1 · (n + 1)⌋: n + 1 - k of n + 1 reach it."""
    assert said in conclusion("a/model", decision_of(near(n), {"roles": [0.5] * 20}))


def test_the_kind_that_is_merged_most_stands_first():
    """2, 9 and 5 of 20."""
    n_merged = {"negation": 2, "roles": 9, "number": 5}
    opposites = {kind: [0.96] * n + [0.5] * (20 - n) for kind, n in n_merged.items()}
    rows = merged({"a/model": decision_of(near(20), opposites, deployed=0.94)}).rows
    kinds = [name for name, *_ in rows if name in n_merged]
    assert kinds == ["roles", "number", "negation"]


def test_a_threshold_that_keeps_just_half_of_the_paraphrases_is_named():
    """From .95, 15 of 30 paraphrases, and none of 30 opposites."""
    decision = decision_of([0.95] * 15 + [0.90] * 15, {"roles": [0.92] * 30})
    assert advice(decision).startswith(
        "Raise the threshold: at cos ≥ .950 it merges 0 % of opposites and still keeps 50 % of"
    )


def test_the_worst_pairs_are_the_nearest_and_equal_ones_stand_in_their_order():
    cosines = [0.2, 0.9, 0.4, 0.9]
    names = [f"pair {number}" for number in range(4)]
    pairs = Opposites.of_columns(row=names, similarity=cosines, source=names, kind=["roles"] * 4)
    texts = replace(pairs, first=[f"text {name}" for name in names], second=names)
    decision = replace(decision_of(near(20), {}), items=OppositeItems(pairs), deployed=0.5)
    rows = worst(OppositeItems(texts), decision).rows
    assert [row[0] for row in rows] == [".900", ".900", ".400", ".200"]
    assert [row[-1] for row in rows] == ["pair 1", "pair 3", "pair 2", "pair 0"]


def test_what_a_check_saves_and_costs_has_its_ends_in_order():
    """The record is of both together minus the model."""
    record = {"first": "a then b", "second": "a", "value": -0.25, "low": -0.5, "high": -0.125}
    records = [{**record, "pairs": "opposites"}, {**record, "pairs": "same", "value": -0.375}]
    assert saved(records, "a", "b") == (
        "After a, b saves .250 [.125, .500] false merges per opposite and costs "
        ".375 [.125, .500] hits per paraphrase."
    )
