"""Pair classes by hand and on planted encoders: thresholds, ties, units, and what each encoder is
blind to.
"""

from __future__ import annotations

from itertools import cycle, islice

import numpy as np
import pytest

from harness_ext.measures.core.undefined import UndefinedMainScoreError, check_main_score
from harness_ext.measures.kinds.negation_importance import NegationImportance
from harness_ext.measures.kinds.pair_classes import PAIR_CLASSES
from harness_ext.measures.merging.opposites import MERGE_OPPOSITES, MergeOpposites
from harness_ext.statistics.bootstrap import draw
from harness_ext.statistics.threshold import levels, share_under
from harness_ext.tasks import ENCODER_TASKS
from harness_ext.tasks.data import load_rows
from tests.measures.given import at
from tests.planted_vectors import bag_of_words, knows, random_vector, vectors_of


class OppositesByHand(MergeOpposites):
    fewest_units = 1


class NegationsByHand(NegationImportance):
    fewest_units = 1


BY_HAND = OppositesByHand()


def filled(measure, rows, vector):
    return measure.fill(measure.planned(rows, ""), vectors_of(vector))


def items_of(same, opposite, kinds=("negation",), sources=None):
    """Pairs with these cosines; by default the first same and the first opposite pair are of one
    source, and so on.
    """
    cosines = [1.0, *same, *opposite]
    kind_of_pair = ["same"] * len(same)
    kind_of_pair += islice(cycle(kinds), len(opposite))
    if sources is None:
        sources = [*map(str, range(len(same))), *map(str, range(len(opposite)))]
    rows = []
    for number, (source, kind) in enumerate(zip(sources, kind_of_pair, strict=True), start=1):
        pair = {"first": "0", "second": str(number)}
        rows.append({"id": str(number), "source": source, "kind": kind, **pair})

    def vector(text):
        return at(np.degrees(np.arccos(cosines[int(text)])))

    return filled(MERGE_OPPOSITES, rows, vector)


def test_shares_under_a_given_cosine_by_hand():
    # the third is a tie with .5, so not below it
    cosines = np.array([0.2, 0.5, 0.5 - 1e-8, 0.9, np.nan])
    each_its_unit = share_under(0.5, np.array(["a", "b", "c", "d", "e"]), cosines)
    two_in_one = share_under(0.5, np.array(["a", "a", "b", "c", "d"]), cosines)
    assert each_its_unit.value() == two_in_one.value() == 1 / 4
    assert each_its_unit.units.tolist() == ["a", "b", "c", "d"]
    assert two_in_one.units.tolist() == ["a", "b", "c"]
    # of three units, the first with one of its two rows below
    a, b, c = draw(np.array(["a", "b", "c"])).T.astype(float)
    n_rows = 2 * a + b + c
    shares = np.where(n_rows > 0, a / np.maximum(n_rows, 1), np.nan)
    np.testing.assert_allclose(two_in_one.resamples(), shares)


def test_by_hand():
    same = np.arange(20) / 20  # k = 2.1, 4.2 and 1.05, rounded down, from 1
    opposite = [-0.1, 0.02, 0.03, 0.05, 0.12, 0.14, 0.3, 0.4]
    scores = BY_HAND.flat_scores(items_of(same, opposite, ("negation", "antonym")))
    assert scores["threshold_80"] == pytest.approx(0.15)
    assert scores["threshold_90"] == pytest.approx(0.05)
    assert scores["threshold_95"] == pytest.approx(0)
    assert scores["kept_apart_80"] == 6 / 8
    assert scores["kept_apart_90"] == 3 / 8  # .05 itself is merged
    assert scores["kept_apart_95"] == 1 / 8
    assert scores["kept_apart_90_negation"] == 2 / 4
    assert scores["kept_apart_90_antonym"] == 1 / 4
    is_nearer = (np.sign(np.subtract.outer(same, opposite)) + 1) / 2
    assert scores["merge_auc"] == pytest.approx(is_nearer.mean())
    assert scores["n_kept_apart_90"] == 20
    assert "kept_apart_90" not in BY_HAND.flat_scores(items_of(same, []))
    assert "kept_apart_90" not in BY_HAND.flat_scores(items_of([], opposite))


def test_none_of_fifteen_is_no_proof_of_none_and_a_kind_of_few_sources_has_no_score():
    """Where all resamples are 0, the interval is Wilson's, not a point."""
    kinds = ["negation"] * 15 + ["order"] * 9
    opposite = [0.9] * 15 + [0.1] * 9
    scores = MERGE_OPPOSITES.flat_scores(items_of(np.linspace(0.5, 1, 24), opposite, kinds))
    assert scores["kept_apart_90_negation"] == 0
    assert scores["kept_apart_90_negation_ci_low"] == pytest.approx(0)
    assert 0.1 < scores["kept_apart_90_negation_ci_high"] < 0.4
    assert "kept_apart_90_order" not in scores


def test_a_zero_vector_is_counted():
    def vector(text):
        return [float(text), 0.0]

    pair = {"id": "0", "class": "same", "first": "1", "second": "0"}
    scores = PAIR_CLASSES.flat_scores(filled(PAIR_CLASSES, [pair], vector))
    assert scores["n_excluded_zero_vector"] == 1


@pytest.mark.parametrize(
    ("n", "place"), [(9, 0), (10, 0), (19, 1), (49, 4), (180, 17), (3079, 307)]
)
def test_the_place_of_the_threshold_is_exact(n, place):
    """.1 (n + 1) is whole for 9, 19 and so on, which 1 - .9 in floating point makes less."""
    cosines = np.linspace(0, 0.9, n)
    threshold = BY_HAND.statistic(items_of(cosines, [0.5]), "threshold_90")
    assert threshold.value() == pytest.approx(cosines[place])


def test_few_pairs_have_no_threshold_and_the_reason_is_said():
    """Of 8 there is none for 90 %, of 18 none for 95 %, though units are enough."""
    of_18 = BY_HAND.flat_scores(items_of(np.linspace(0.1, 0.9, 18), np.zeros(20)))
    assert "threshold_95" not in of_18
    assert "kept_apart_95" not in of_18
    assert of_18["kept_apart_90"] == 1
    items = items_of(np.linspace(0.1, 0.9, 8), np.zeros(20))
    scores = BY_HAND.flat_scores(items)
    assert "threshold_90" not in scores
    assert "merge_auc" in scores
    said = "No threshold of 8 pairs of the kind `same` keeps 90 % of new ones together: at least 9"
    with pytest.raises(UndefinedMainScoreError, match=said):
        check_main_score(BY_HAND, scores, items, "own/pairs, test", "letters")


def test_nothing_is_kept_apart_in_a_resample_of_too_few():
    """Of nine pairs that each resample draws anew, one of eight or fewer keeps nothing apart."""
    items = items_of(np.linspace(0.1, 0.9, 9), np.zeros(9))
    statistic = BY_HAND.statistic(items, "kept_apart_90")
    times = np.ones((2, 9))
    times[1, 0] = 0
    assert statistic.value() == 1
    assert statistic.formula(*statistic.values, times).tolist() == [1, 0]
    threshold = BY_HAND.statistic(items, "threshold_90")
    assert threshold.formula(*threshold.values, times) == pytest.approx([0.1, -1])


def test_rounding_decides_no_tie():
    same = [0.5 + 1e-12, *np.linspace(0.6, 0.9, 8)]
    assert BY_HAND.score(items_of(same, [0.5, 0.4]))["kept_apart_90"] == 0.5


def test_many_close_pairs_are_not_one_tie():
    """Neighbours differ by less than rounding does, and a level ends all the same."""
    assert levels(np.linspace(0.5, 0.5001, 10_001)).max() == 10


def test_the_threshold_is_drawn_anew_and_sources_with_both_sides():
    """A slow bootstrap, source by source, gives the resamples."""
    rng = np.random.default_rng(0)
    same = rng.uniform(0, 1, 40)
    opposite = rng.uniform(0, 1, 60)
    sources = [str(number % 12) for number in range(100)]
    items = items_of(same, opposite, sources=sources)
    statistic = MERGE_OPPOSITES.statistic(items, "kept_apart_90")
    times = np.array([3, 0, 1, 2, 0, 1, 1, 1, 0, 2, 1, 0])
    times_of_source = dict(zip(statistic.units.tolist(), times, strict=True))
    times_of_pair = [times_of_source[source] for source in sources]
    drawn_same = np.sort(np.repeat(same, times_of_pair[:40]))
    drawn_opposite = np.repeat(opposite, times_of_pair[40:])
    threshold = drawn_same[(len(drawn_same) + 1) // 10 - 1]
    expected = np.mean(drawn_opposite < threshold)
    (found,) = statistic.formula(*statistic.values, times[None].astype(float))
    assert found == pytest.approx(expected)
    low, high = MERGE_OPPOSITES.interval(items, "kept_apart_90")
    assert low < statistic.value() < high


@pytest.fixture(scope="module")
def mini():
    return [*load_rows(ENCODER_TASKS["MergeOppositesMini"], "test", "default")]


def kept_apart(rows, vector):
    """The scores without intervals, and those of the kinds that there are."""
    scores = MERGE_OPPOSITES.score(filled(MERGE_OPPOSITES, rows, vector)).flat()
    kinds = {row["kind"] for row in rows} - {"same"}
    return scores, {kind: scores[f"kept_apart_90_{kind}"] for kind in kinds}


def test_an_encoder_is_told_by_what_it_is_blind_to(mini):
    """One knows the meaning, one takes what is denied for what is said, one knows words but not
    their order.
    """
    meaning = {row["second"]: row["first"] for row in mini if row["kind"] == "same"}
    denied = {row["second"]: row["first"] for row in mini if row["kind"] in {"same", "negation"}}
    bag = bag_of_words()

    def words(text):  # grammar that goes with a place is nothing
        distinct = set(text.lower().strip(".").split())
        return bag(" ".join(distinct - {"a", "an", "the", "his", "her"}))

    for vector, blind in (
        (knows(meaning), set()),
        (knows(denied), {"negation"}),
        (knows(meaning, words), {"roles", "attributes", "direction"}),
    ):
        scores, kinds = kept_apart(mini, vector)
        assert {kind for kind, share in kinds.items() if share == 0} == blind
        assert {share for share in kinds.values() if share > 0} == {1}
        assert scores["kept_apart_90"] == pytest.approx(1 - 15 * len(blind) / 180)
        assert scores["threshold_90"] == pytest.approx(1)


@pytest.mark.slow
def test_a_random_encoder_merges_as_many_opposites_as_paraphrases(mini):
    found = [kept_apart(mini, random_vector(seed))[0] for seed in range(15)]
    assert np.mean([scores["kept_apart_90"] for scores in found]) == pytest.approx(0.1, abs=0.03)
    assert np.mean([scores["merge_auc"] for scores in found]) == pytest.approx(0.5, abs=0.03)


def test_negations_by_hand():
    """Of sentences that turn by an angle when they lose their negation, which was of so many
    tokens.
    """
    changes = [
        (0.5, 1, 1),
        (0.2, 1, 2),
        (0.4, 0, 1),
        (0.3, 0, 2),
        (0.2, 0, 3),
        (0.1, 0, 1),
        (0.1, 1, 1),
    ]
    rows = [
        {
            "id": f"row {number}",
            "pair": f"pair {number}",
            "before": "0",
            "after": str(angle),
            "important": bool(important),
            "n_removed": tokens,
            "removed_by": "both_changed" if number == 6 else None,
        }
        for number, (angle, important, tokens) in enumerate(changes)
    ]

    def turned(text):
        return [np.cos(float(text)), np.sin(float(text))]

    measure = NegationsByHand()
    scores = measure.flat_scores(filled(measure, rows, turned))
    # .5 > all; .2 > one, and ties with one
    assert scores["importance_auc"] == pytest.approx((4 + 1.5) / 8)
    # .5 > .4, .1 of one token; .2 < .3 of two
    assert scores["importance_auc_adjusted"] == pytest.approx(2 / 3)
    assert scores["n_importance_auc"] == 6
    assert scores["n_excluded_changed_twice"] == 1
    # the sentence that lost three tokens is compared with none
    assert scores["n_importance_auc_adjusted"] == 5


def test_negations_of_one_cue_are_one_unit():
    """Without a cue, the unit is the pair."""
    cues = ["not", "not", "never", "", "", "no"]
    rows = []
    for number, cue in enumerate(cues):
        row = {
            "id": str(number),
            "pair": f"pair {number % 5}",
            "before": "0",
            "after": str(number + 1),
            "important": number % 2 == 0,
            "n_removed": 1,
            "removed_by": None,
        }
        if cue:
            row["cue"] = cue
        rows.append(row)
    items = filled(NegationsByHand(), rows, random_vector(0))
    assert items.negations.cue.tolist() == ["not", "not", "never", "pair 3", "pair 4", "no"]
    assert sorted(NegationsByHand().nearer(items).units) == [
        "never",
        "no",
        "not",
        "pair 3",
        "pair 4",
    ]
