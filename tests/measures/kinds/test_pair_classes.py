"""Pair classes by hand and on planted encoders: thresholds, ties, units, and what each encoder is
blind to.
"""

from __future__ import annotations

from itertools import cycle, islice

import numpy as np
import pytest
from numpy.testing import assert_allclose
from pytest import approx

from harness_ext.measures.core.undefined import UndefinedMainScoreError, check_main_score
from harness_ext.measures.kinds.negation_importance import NegationImportance
from harness_ext.measures.kinds.pair_classes import PAIR_CLASSES
from harness_ext.measures.merging.opposites import MERGE_OPPOSITES, MergeOpposites
from harness_ext.statistics.bootstrap import draw
from harness_ext.statistics.threshold import levels, share_under
from harness_ext.tasks import ENCODER_TASKS
from harness_ext.tasks.data import load_rows
from tests.measures.given import at, chosen, share_of_wins
from tests.planted_vectors import bag_of_words, knows, random_vector, vectors_of


class OppositesByHand(MergeOpposites):
    fewest_units = 1


class NegationsByHand(NegationImportance):
    fewest_units = 1


BY_HAND = OppositesByHand()


def filled(measure, rows, vector):
    plan = measure.planned(rows, "")
    return measure.fill(plan, vectors_of(vector))


def items_of(same, opposite, kinds=("negation",), sources=None):
    """Pairs with these cosines; by default the first same and the first opposite pair are of one
    source, and so on.
    """
    cosines = [1.0, *same, *opposite]
    kind_of_pair = ["same"] * len(same)
    kind_of_pair += islice(cycle(kinds), len(opposite))
    if sources is None:
        sources = [*range(len(same)), *range(len(opposite))]
    rows = []
    for source, kind in zip(sources, kind_of_pair, strict=True):
        name = str(len(rows) + 1)
        row = {
            "id": name,
            "source": str(source),
            "kind": kind,
            "first": "0",
            "second": name,
        }
        rows.append(row)

    def vector(text):
        cosine = cosines[int(text)]
        return at(np.degrees(np.arccos(cosine)))

    return filled(MERGE_OPPOSITES, rows, vector)


def test_shares_under_a_given_cosine_by_hand():
    # the third is a tie with .5, so not below it
    cosines = np.array([0.2, 0.5, 0.5 - 1e-8, 0.9, np.nan])
    names = np.array([*"abcde"])
    each_its_unit = share_under(0.5, names, cosines)
    names_of_four = np.array([*"aabcd"])
    two_in_one = share_under(0.5, names_of_four, cosines)
    assert each_its_unit.value() == 1 / 4
    assert two_in_one.value() == 1 / 4
    assert each_its_unit.units.tolist() == ["a", "b", "c", "d"]
    assert two_in_one.units.tolist() == ["a", "b", "c"]
    # of three units, the first with one of its two rows below
    times = draw(np.array([*"abc"]))
    a, b, c = times.T.astype(float)
    n_rows = 2 * a + b + c
    with np.errstate(invalid="ignore"):
        shares = a / n_rows
    assert_allclose(two_in_one.resamples(), shares)


def test_by_hand():
    same = np.arange(20) / 20  # k = 2.1, 4.2 and 1.05, rounded down, from 1
    opposite = [-0.1, 0.02, 0.03, 0.05, 0.12, 0.14, 0.3, 0.4]
    items = items_of(same, opposite, kinds=("negation", "antonym"))
    scores = BY_HAND.flat_scores(items)
    expected = {
        "threshold_80": approx(0.15),
        "threshold_90": approx(0.05),
        "threshold_95": approx(0),
        "kept_apart_80": 6 / 8,
        "kept_apart_90": 3 / 8,  # .05 itself is merged
        "kept_apart_95": 1 / 8,
        "kept_apart_90_negation": 2 / 4,
        "kept_apart_90_antonym": 1 / 4,
        "merge_auc": approx(share_of_wins(same, opposite)),
        "n_kept_apart_90": 20,
    }
    assert chosen(scores, expected) == expected
    for items in (items_of(same, []), items_of([], opposite)):
        assert "kept_apart_90" not in BY_HAND.flat_scores(items)


def test_none_of_fifteen_is_no_proof_of_none_and_a_kind_of_few_sources_has_no_score():
    """Where all resamples are 0, the interval is Wilson's, not a point."""
    kinds = ["negation"] * 15 + ["order"] * 9
    opposite = [0.9] * 15 + [0.1] * 9
    same = np.linspace(0.5, 1, 24)
    items = items_of(same, opposite, kinds)
    scores = MERGE_OPPOSITES.flat_scores(items)
    assert scores["kept_apart_90_negation"] == 0
    assert scores["kept_apart_90_negation_ci_low"] == approx(0)
    assert 0.1 < scores["kept_apart_90_negation_ci_high"] < 0.4
    assert "kept_apart_90_order" not in scores


def test_a_zero_vector_is_counted():
    def vector(text):
        return [float(text), 0.0]

    pair = {
        "id": "0",
        "class": "same",
        "first": "1",
        "second": "0",
    }
    items = filled(PAIR_CLASSES, [pair], vector)
    scores = PAIR_CLASSES.flat_scores(items)
    assert scores["n_excluded_zero_vector"] == 1


@pytest.mark.parametrize(
    ("n", "place"),
    [
        (9, 0),
        (10, 0),
        (19, 1),
        (49, 4),
        (180, 17),
        (3079, 307),
    ],
)
def test_the_place_of_the_threshold_is_exact(n, place):
    """.1 (n + 1) is whole for 9, 19 and so on, which 1 - .9 in floating point makes less."""
    cosines = np.linspace(0, 0.9, n)
    items = items_of(cosines, [0.5])
    threshold = BY_HAND.statistic(items, "threshold_90")
    assert threshold.value() == approx(cosines[place])


def test_few_pairs_have_no_threshold_and_the_reason_is_said():
    """Of 8 there is none for 90 %, of 18 none for 95 %, though units are enough."""
    opposite = np.zeros(20)
    items = items_of(np.linspace(0.1, 0.9, 18), opposite)
    scores = BY_HAND.flat_scores(items)
    assert "threshold_95" not in scores
    assert "kept_apart_95" not in scores
    assert scores["kept_apart_90"] == 1
    items = items_of(np.linspace(0.1, 0.9, 8), opposite)
    scores = BY_HAND.flat_scores(items)
    assert "threshold_90" not in scores
    assert "merge_auc" in scores
    said = "No threshold of 8 pairs of the kind `same` keeps 90 % of new ones together: at least 9"
    with pytest.raises(UndefinedMainScoreError, match=said):
        check_main_score(BY_HAND, scores, items, "own/pairs, test", "letters")


def test_nothing_is_kept_apart_in_a_resample_of_too_few():
    """Of nine pairs that each resample draws anew, one of eight or fewer keeps nothing apart."""
    items = items_of(np.linspace(0.1, 0.9, 9), np.zeros(9))
    times = np.ones((2, 9))
    times[1, 0] = 0
    share = BY_HAND.statistic(items, "kept_apart_90")
    assert share.value() == 1
    shares = share.formula(*share.values, times)
    assert shares.tolist() == [1, 0]
    threshold = BY_HAND.statistic(items, "threshold_90")
    thresholds = threshold.formula(*threshold.values, times)
    assert thresholds == approx([0.1, -1])


def test_rounding_decides_no_tie():
    same = [0.5 + 1e-12, *np.linspace(0.6, 0.9, 8)]
    scores = BY_HAND.score(items_of(same, [0.5, 0.4]))
    assert scores["kept_apart_90"] == 0.5


def test_many_close_pairs_are_not_one_tie():
    """Neighbours differ by less than rounding does, and a level ends all the same."""
    close = np.linspace(0.5, 0.5001, 10_001)
    assert levels(close).max() == 10


def test_the_threshold_is_drawn_anew_and_sources_with_both_sides():
    """A slow bootstrap, source by source, gives the resamples."""
    rng = np.random.default_rng(0)
    same = rng.uniform(0, 1, 40)
    opposite = rng.uniform(0, 1, 60)
    sources = [str(number % 12) for number in range(100)]
    items = items_of(same, opposite, sources=sources)
    statistic = MERGE_OPPOSITES.statistic(items, "kept_apart_90")
    times = np.array([3, 0, 1, 2, 0, 1, 1, 1, 0, 2, 1, 0])
    times_of_source = dict(zip(statistic.units, times, strict=True))
    times_of_pair = [times_of_source[source] for source in sources]
    drawn_same = np.repeat(same, times_of_pair[:40])
    drawn_opposite = np.repeat(opposite, times_of_pair[40:])
    place = (len(drawn_same) + 1) // 10
    threshold = np.sort(drawn_same)[place - 1]
    expected = np.mean(drawn_opposite < threshold)
    weights = times[None].astype(float)
    (found,) = statistic.formula(*statistic.values, weights)
    assert found == approx(expected)
    low, high = MERGE_OPPOSITES.interval(items, "kept_apart_90")
    assert low < statistic.value() < high


@pytest.fixture(scope="module")
def mini():
    return [*load_rows(ENCODER_TASKS["MergeOppositesMini"], "test", "default")]


def kept_apart(rows, vector):
    """The scores without intervals, and those of the kinds that there are."""
    items = filled(MERGE_OPPOSITES, rows, vector)
    scores = MERGE_OPPOSITES.score(items).flat()
    kinds = {row["kind"] for row in rows}
    kinds.remove("same")
    shares = {kind: scores[f"kept_apart_90_{kind}"] for kind in kinds}
    return scores, shares


def first_sentences(rows, kinds):
    """The first sentence of each second one, in the pairs of these kinds."""
    return {row["second"]: row["first"] for row in rows if row["kind"] in kinds}


def test_an_encoder_is_told_by_what_it_is_blind_to(mini):
    """One knows the meaning, one takes what is denied for what is said, one knows words but not
    their order.
    """
    meaning = first_sentences(mini, {"same"})
    denied = first_sentences(mini, {"same", "negation"})
    bag = bag_of_words()

    def words(text):  # grammar that goes with a place is nothing
        bare = text.lower().strip(".")
        distinct = set(bare.split()) - {"a", "an", "the", "his", "her"}
        return bag(" ".join(distinct))

    for vector, blind in (
        (knows(meaning), set()),
        (knows(denied), {"negation"}),
        (knows(meaning, words), {"roles", "attributes", "direction"}),
    ):
        scores, shares = kept_apart(mini, vector)
        for kind, share in shares.items():
            assert share == (0 if kind in blind else 1)
        assert blind <= shares.keys()
        n_merged = 15 * len(blind)
        assert scores["kept_apart_90"] == approx(1 - n_merged / 198)
        assert scores["threshold_90"] == approx(1)


@pytest.mark.slow
def test_a_random_encoder_merges_as_many_opposites_as_paraphrases(mini):
    shares = []
    aucs = []
    for seed in range(15):
        scores, _ = kept_apart(mini, random_vector(seed))
        shares.append(scores["kept_apart_90"])
        aucs.append(scores["merge_auc"])
    assert np.mean(shares) == approx(0.1, abs=0.03)
    assert np.mean(aucs) == approx(0.5, abs=0.03)


def negation_row(number, angle, important, n_removed=1, removed_by=None):
    """A sentence that turns by an angle, in radians, when it loses its negation, which was of so
    many tokens.
    """
    return {
        "id": f"row {number}",
        "pair": f"pair {number}",
        "before": "0",
        "after": str(angle),
        "important": important,
        "n_removed": n_removed,
        "removed_by": removed_by,
    }


def test_negations_by_hand():
    rows = [
        negation_row(0, 0.5, important=True, n_removed=1),
        negation_row(1, 0.2, important=True, n_removed=2),
        negation_row(2, 0.4, important=False, n_removed=1),
        negation_row(3, 0.3, important=False, n_removed=2),
        negation_row(4, 0.2, important=False, n_removed=3),
        negation_row(5, 0.1, important=False, n_removed=1),
        negation_row(6, 0.1, important=True, n_removed=1, removed_by="both_changed"),
    ]

    def turned(text):
        angle = float(text)
        return [np.cos(angle), np.sin(angle)]

    measure = NegationsByHand()
    scores = measure.flat_scores(filled(measure, rows, turned))
    # .5 > all; .2 > one, and ties with one
    expected = {
        "importance_auc": approx((4 + 1.5) / 8),
        # .5 > .4, .1 of one token; .2 < .3 of two
        "importance_auc_adjusted": approx(2 / 3),
        "n_importance_auc": 6,
        "n_excluded_changed_twice": 1,
        # the sentence that lost three tokens is compared with none
        "n_importance_auc_adjusted": 5,
    }
    assert chosen(scores, expected) == expected


def test_negations_of_one_cue_are_one_unit():
    """Without a cue, the unit is the pair."""
    cues = ["not", "not", "never", "", "", "no"]
    rows = []
    for number, cue in enumerate(cues):
        row = negation_row(number, number + 1, important=number % 2 == 0)
        if cue:
            row["cue"] = cue
        rows.append(row)
    measure = NegationsByHand()
    items = filled(measure, rows, random_vector(0))
    assert items.negations.cue.tolist() == ["not", "not", "never", "pair 3", "pair 4", "no"]
    assert sorted(measure.nearer(items).units) == [
        "never",
        "no",
        "not",
        "pair 3",
        "pair 4",
    ]
