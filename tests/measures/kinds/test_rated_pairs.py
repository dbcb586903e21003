"""Rated pairs: values by hand, ceilings, and what must not change a score."""

from __future__ import annotations

import numpy as np
import pytest
from pytest import approx
from scipy.stats import spearmanr
from sentence_transformers import SentenceTransformer

from benchmarks.static_verb import KEY, over_static_verb, remembered, static_verb
from harness_ext.measures.core.baseline_keys import ADDITIVE
from harness_ext.measures.kinds.pair_similarity import RoleSwap, TransitiveSentences
from harness_ext.measures.kinds.rated_pairs import OwnRatedPairs
from harness_ext.statistics.paired_difference import difference_of
from harness_ext.statistics.statistic import spearman_difference
from harness_ext.statistics.within_groups import rho_within
from tests.measures.given import at, chosen
from tests.planted_vectors import bag_of_words, drawn, vectors_of

DEGREES = (0, 10, 40, 80, 20, 30, 60)
VECTORS = np.array([at(degrees) for degrees in DEGREES])
PEOPLE = [0.1, 0.5, 0.9, 0.8, 0.7, 0.2]


class RoleSwapByHand(RoleSwap):
    fewest_units = 1


class ByHand(OwnRatedPairs):
    fewest_units = 1


ROLE_SWAP = RoleSwapByHand()
RATED_PAIRS = ByHand()


def filled(measure, rows, vectors=VECTORS):
    """Items of texts that are the places of their vectors."""

    def vector(text):
        return vectors[int(text)]

    plan = measure.planned(rows, "")
    return measure.fill(plan, vectors_of(vector))


def items_of(vectors=VECTORS):
    kinds = ["adversarial"] * 3 + ["ordinary"] * 3
    rows = []
    for number, kind in enumerate(kinds):
        row = {
            "id": str(number),
            "kind": kind,
            "group": number,
            "sentence1": "0",
            "sentence2": str(number + 1),
            "similarity": PEOPLE[number],
        }
        rows.append(row)
    return filled(ROLE_SWAP, rows, vectors)


def test_correlations_by_hand():
    """Cosines fall in the order 10, 40, 80 degrees, and 20, 30, 60; over all, ranks 6 3 1 5 4 2."""
    scores = ROLE_SWAP.flat_scores(items_of())
    expected = {
        "spearman_adversarial": approx(-1),
        "spearman_ordinary": approx(1),
        "spearman_difference": approx(2),
        # people's ranks 1 3 6 5 4 2: d = 5 0 -5 0 0 0
        "spearman_all": approx(1 - 6 * 50 / (6 * 35)),
    }
    assert chosen(scores, expected) == expected
    ceilings = {}
    for key, (score, _) in ROLE_SWAP.by_key.items():
        ceilings[key] = score.ceiling
    assert ceilings["spearman_adversarial"] == 0.875
    assert ceilings["spearman_ordinary"] == 0.902
    assert ceilings["spearman_difference"] is None


def test_a_zero_vector_is_left_out_and_rounding_ranks_no_identical_sentences():
    vectors = VECTORS.copy()
    vectors[2] = 0
    scores = ROLE_SWAP.flat_scores(items_of(vectors))
    assert scores["n_excluded_zero_vector"] == 1
    assert "spearman_adversarial" not in scores  # two pairs are left
    assert scores["spearman_ordinary"] == approx(1)
    lengths = 1 + 1e-15 * np.arange(7)
    identical = np.ones((7, 3)) * lengths[:, None]
    assert set(items_of(identical).pairs.similarity) == {1.0}


def test_pairs_with_one_first_text_are_a_unit_where_there_are_no_groups():
    rows = []
    for number in range(6):
        row = {
            "id": str(number),
            "score": number,
            "sentence1": str(number // 2),
            "sentence2": str(number),
        }
        rows.append(row)
    items = filled(RATED_PAIRS, rows)
    statistic = RATED_PAIRS.statistic(items, RATED_PAIRS.main)
    assert len(statistic.units) == 3
    expected = spearmanr(items.pairs.similarity, range(6)).statistic
    scores = RATED_PAIRS.flat_scores(items)
    assert scores["spearman"] == approx(expected)


def test_the_difference_of_correlations_draws_each_side_from_its_own_units():
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(2, 40))
    more = np.arange(40) < 20
    numbers = np.repeat(np.arange(20), 2)
    units = numbers.astype(str)
    found = spearman_difference(units, x, y, more, ~more)
    of_more = spearmanr(x[more], y[more])
    of_others = spearmanr(x[~more], y[~more])
    assert found.value() == approx(of_more.statistic - of_others.statistic)
    assert len(found.units) == 20
    resamples = found.resamples()
    low, high = np.nanpercentile(resamples, [2.5, 97.5])
    assert low < found.value() < high


class TransitiveByHand(TransitiveSentences):
    fewest_units = 1


def transitive_items(verbs):
    rows = [
        {
            "id": str(number),
            "verbs": pair,
            "sentence1": f"{number} first",
            "sentence2": str(number + 1),
            "similarity": PEOPLE[number],
        }
        for number, pair in enumerate(verbs)
    ]

    def vector(text):
        number = 0 if text.endswith("first") else int(text)
        return VECTORS[number]

    measure = TransitiveByHand()
    plan = measure.planned(rows, "")
    return measure, measure.fill(plan, vectors_of(vector))


def test_the_correlation_within_verbs_by_hand():
    """Ranks of cosines are 6 3 1 5 4 2, of people 1 3 6 5 4 2; the last pair is alone."""
    measure, items = transitive_items(["a b", "a b", "a b", "c d", "c d", "c e"])
    scores = measure.flat_scores(items)
    # less 10/3 and 10/3, 4.5 and 4.5
    of_cosines = np.array([8, -1, -7, 1.5, -1.5]) / 3
    of_people = np.array([-7, -1, 8, 1.5, -1.5]) / 3
    covariance = of_cosines @ of_people
    variance = of_cosines @ of_cosines  # and that of people
    assert scores["spearman_within_verbs"] == approx(covariance / variance)
    assert scores["n_excluded_single_verb_pair"] == 1
    # the verbs of first sentences
    assert scores["n_spearman"] == 2


def test_pairs_without_verbs_have_no_correlation_within_them():
    measure, items = transitive_items([None] * 6)
    scores = measure.flat_scores(items)
    assert "spearman_within_verbs" not in scores
    assert scores["n_excluded_single_verb_pair"] == 0
    assert scores["n_spearman"] == 6


def test_what_differs_between_groups_alone_is_no_correlation_within_them():
    """Nor is a sample in which all groups are alone; a row drawn twice counts twice."""
    group = np.array([0, 0, 1, 1, 2, 2])
    x = np.array([1.0, 2, 5, 6, 9, 10])
    y = np.array([2.0, 1, 6, 5, 9, 10])
    times = np.array(
        [
            [1.0, 1, 1, 1, 1, 1],
            [2, 2, 1, 1, 0, 0],
            [1, 0, 0, 1, 0, 1],
        ]
    )
    expected = [-1 / 3, -1, np.nan]
    assert rho_within(x, y, group, times) == approx(expected, nan_ok=True)


def test_further_scores_are_compared_with_baselines_too():
    measure, items = transitive_items(["a b", "a b", "a b", "c d", "c d", "c e"])
    found = measure.baseline_scores(ADDITIVE, items, items, 0.1, KEY)
    assert found[f"gain_{KEY}"] == 0
    assert found[f"additive_{KEY}"] == measure.flat_scores(items)[KEY]
    declared = measure.declarations.keys()
    assert found.keys() <= declared
    assert f"over_noise_{KEY}_p" in declared
    assert f"additive_error_{KEY}" in declared


@pytest.mark.real_data
@pytest.mark.usefixtures("mirror")
def test_a_static_verb_is_not_above_itself():
    """It is above chance, and carries no sentence about subject and object."""

    bag = bag_of_words()

    def contextual(text):
        words = text.split()
        of_ends = drawn(words[-1] + words[0])
        return bag(text) + 2 * of_ends

    for vector in (contextual, bag):
        planted = remembered(static_verb(vectors_of(vector), 2.0))
        for strength in (1.0, 2.0):
            statistic = over_static_verb(planted, strength)
            assert len(statistic.units) == 15
            assert difference_of(statistic).low <= 0


@pytest.mark.slow
@pytest.mark.real_data
@pytest.mark.usefixtures("mirror")
def test_the_static_verb_of_a_real_model_orders_within_verbs(minilm):
    """By chance it does as well as the model: .239 to .154; the sum of its words does not."""
    encode = remembered(SentenceTransformer(minilm).encode)
    statistic = over_static_verb(encode, 2.0)
    assert statistic.other.value() == approx(0.239, abs=0.002)
    assert statistic.one.value() == approx(0.154, abs=0.002)
    without_verb = over_static_verb(encode, 0.0)
    assert without_verb.other.value() == approx(-0.017, abs=0.002)
    assert difference_of(statistic).low < 0
