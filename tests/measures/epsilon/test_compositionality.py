"""ε-compositionality of given vectors: vectors to items, items to scores, items to resamples."""

from __future__ import annotations

from dataclasses import replace
from itertools import cycle

import numpy as np
from numpy.testing import assert_array_equal
from pytest import approx
from scipy import stats
from scipy.spatial.distance import cosine

from harness_ext.measures.epsilon.compositionality import (
    Epsilon,
    baseline_epsilon,
    idiomaticity_epsilon,
    rank_shares,
)
from harness_ext.measures.epsilon.items import (
    EpsilonCompounds,
    EpsilonItems,
    EpsilonSamples,
    epsilon_plan,
)
from harness_ext.statistics.distance import NO_DISTANCE
from tests.measures.given import angles, chosen, compound_row, cos, share_of_wins
from tests.planted_vectors import vectors_of


class OfFewCompounds(Epsilon):
    fewest_units = 1  # worked out by hand


EPSILON = OfFewCompounds()


def classed_row(compound, class_, words_syn):
    return compound_row(compound, words_syn=words_syn, **{"class": class_})


def random_vectors(plan, rng):
    return {text: rng.normal(size=8) for text in plan.texts()}


def world(seed, n_compounds=12):
    """A plan of all ordered pairs of three synonyms of either word of some compounds, and random
    vectors.
    """
    rng = np.random.default_rng(seed)
    rows = []
    for number, class_ in zip(range(n_compounds), cycle(("C", "PC", "NC")), strict=False):
        synonyms = [f"a{place}{number} b{place}{number}" for place in range(3)]
        compound = f"modifier{number} head{number}"
        rows.append(classed_row(compound, class_, synonyms))
    plan = epsilon_plan(rows)
    frequencies = rng.uniform(1, 6, size=(3, n_compounds))
    compounds = EpsilonCompounds(
        plan.compounds.compound,
        plan.compounds.class_,
        *frequencies,
    )
    plan = replace(plan, compounds=compounds)
    return random_vectors(plan, rng), plan


def items_of(vectors, plan):
    return EPSILON.fill(plan, vectors_of(vectors.__getitem__))


def test_one_sample_by_hand():
    """b, a, a' at 0, 60, 90 degrees; bc, ac, a'c at 0, 60, 120.

    d(ac, bc) / d(a, b) = (1 - cos 60) / (1 - cos 60) = 1, so idiomaticity-ε = 0;
    d(ac, a'c) / d(a, a') = (1 - cos 60) / (1 - cos 30) = 0.5 / 0.1340, so baseline-ε = 2.7321.
    """
    sample = {
        "row": "row",
        "compound": "black box",
        "slot": "modifier",
        "word": "black",
        "synonym": "dark",
        "other_synonym": "inky",
        "with_word": "0",
        "with_synonym": "60",
        "with_other_synonym": "120",
    }
    degrees_of_word = {"black": "0", "dark": "60", "inky": "90"}

    def encode(texts):
        return angles([degrees_of_word.get(text, text) for text in texts])

    samples = EpsilonSamples.of_rows([sample])
    compounds = EpsilonCompounds(["black box"], ["NC"], [5.0], [5.0], [4.0])
    items = EPSILON.fill(EpsilonItems(samples, compounds), encode)
    at_30_degrees = 1 - cos(30)
    (of_idiom,) = idiomaticity_epsilon(items.samples)
    assert of_idiom == approx(0, abs=1e-12)
    (of_baseline,) = baseline_epsilon(items.samples)
    assert of_baseline == approx(0.5 / at_30_degrees - 1)
    assert rank_shares(items).tolist() == [0]
    scores = EPSILON.flat_scores(items)
    expected = {
        "rank_share_NC": 0,
        "rank_share_modifier_NC": 0,
        "rank_biserial_NC": -1,
        "phrase_distance_mean": approx((0.5 + at_30_degrees) / 2),
        "context_distance_mean": approx(0.5),
    }
    assert chosen(scores, expected) == expected
    assert scores["n_pairs_NC"] == scores["n_compounds_NC"] == 1
    assert scores["n_pairs_C"] == scores["n_compounds_C"] == 0
    # there is no C
    for key in ("auc_nc_vs_c", "rank_share_head_NC", "rank_share_C", "p_value_PC"):
        assert key not in scores
    # letters of modifier and head, overlap of black and dark, frequencies: too little to adjust by
    assert_array_equal(np.ravel(items.surface()), [5, 0, 0, 5, 5, 4])
    assert np.isnan(EPSILON.score(items).auc_nc_vs_c_adjusted)


def test_class_scores_are_scipys_test_on_the_class():
    vectors, plan = world(3)
    items = items_of(vectors, plan)
    scores = EPSILON.flat_scores(items)
    samples = plan.samples
    compounds = items.compounds

    def distance(first, second):
        pairs = zip(first, second, strict=True)
        return np.array([cosine(vectors[one], vectors[other]) for one, other in pairs])

    phrases = distance(samples.synonym, samples.word)
    contexts = distance(samples.with_synonym, samples.with_word)
    idiomaticity = contexts / phrases - 1
    phrases = distance(samples.synonym, samples.other_synonym)
    contexts = distance(samples.with_synonym, samples.with_other_synonym)
    baseline = contexts / phrases - 1
    for class_ in ("C", "PC", "NC"):
        compounds_of_class = compounds.compound[compounds.class_ == class_]
        inside = np.isin(samples.compound, compounds_of_class)
        test = stats.wilcoxon(
            idiomaticity[inside],
            baseline[inside],
            alternative="greater",
        )
        assert scores[f"p_value_{class_}"] == approx(test.pvalue)
        n = inside.sum()
        largest_sum = n * (n + 1) / 2
        assert scores[f"rank_share_{class_}"] == approx(test.statistic / largest_sum)
    share = rank_shares(items)
    of_idioms = share[compounds.class_ == "NC"]
    of_literal = share[compounds.class_ == "C"]
    assert scores["auc_nc_vs_c"] == approx(share_of_wins(of_idioms, of_literal))


def test_how_words_look_does_not_depend_on_the_order_of_the_rows():
    """Of a compound in two forms the last in the alphabet counts."""
    row = classed_row("black box", "NC", ["dark crate", "inky case"])
    plural = {**row, "id": "plural", "surface": "black boxes"}
    letters = []
    for rows in ([row, plural], [plural, row]):
        of_modifier, of_head, *_ = epsilon_plan(rows).surface()
        letters.append((of_modifier.item(), of_head.item()))
    assert letters == [(5, 5), (5, 5)]


def test_compounds_with_a_poor_slot_and_compounds_without_samples_are_counted_apart():
    """EPS leaves out a compound with a single synonym for one word; here its other word counts."""
    rows = [
        classed_row("black box", "NC", ["dark crate", "inky case"]),
        classed_row("melting pot", "NC", ["thawing pan", "thawing jar"]),
        classed_row("tea cup", "C", ["brew mug"]),
        classed_row("red tape", None, ["pink band", "rosy strip"]),
    ]
    plan = epsilon_plan(rows)
    vectors = random_vectors(plan, np.random.default_rng(0))
    scores = EPSILON.flat_scores(items_of(vectors, plan))
    expected = {
        "n_compounds_NC": 2,
        "n_compounds_C": 0,
        "n_excluded_no_pairs": 2,  # melting pot and tea cup
        "n_excluded_no_samples": 1,  # tea cup
        "n_excluded_unscored": 1,
    }
    assert chosen(scores, expected) == expected
    # vectors without a direction take samples away, but no synonyms
    zeros = dict.fromkeys(vectors, np.zeros(8))
    scores = EPSILON.flat_scores(items_of(zeros, plan))
    assert scores["n_excluded_no_pairs"] == 2
    assert scores["n_excluded_no_samples"] == 3


def test_identical_and_zero_vectors_are_counted_and_left_out():
    wide_vectors, plan = world(4)
    vectors = {text: vector.astype(np.float32) for text, vector in wide_vectors.items()}
    samples = plan.samples
    # the same direction, but for rounding: three times a vector, in 32 bits
    vectors[samples.word[0]] = 3 * vectors[samples.synonym[0]]
    vectors[samples.with_synonym[-1]] *= 0
    items = items_of(vectors, plan)
    assert 0 < items.samples.phrase_distance[0] < NO_DISTANCE
    scores = EPSILON.flat_scores(items)
    assert scores["n_excluded_zero_distance"] == 2
    # of the ordered pairs of three synonyms, those with this one
    assert scores["n_excluded_zero_vector"] == 4
    n_pairs = [scores[f"n_pairs_{class_}"] for class_ in ("C", "PC", "NC")]
    assert sum(n_pairs) == len(samples) - 6


def test_an_encoder_of_word_length_is_at_chance_when_adjusted():
    """Shares that follow from the letters of the modifier tell the classes apart, and nothing is
    left of them.
    """
    items = items_of(*world(0, n_compounds=30))
    samples = items.samples
    compounds = items.compounds
    literal = compounds.compound[compounds.class_ == "C"]
    is_long = ~np.isin(samples.compound, literal)
    letters = np.where(is_long, "m" * 9, "m" * 3)
    once = np.ones(len(samples))
    planted = replace(
        samples,
        word=np.where(samples.slot == "modifier", letters, samples.word),
        phrase_distance=once,
        context_distance=np.where(is_long, 0.5, 0.1),
        baseline_phrase_distance=once,
        baseline_context_distance=0.3 * once,
    )
    scores = EPSILON.flat_scores(replace(items, samples=planted))
    assert scores["auc_nc_vs_c"] == 1
    assert scores["auc_nc_vs_c_adjusted"] == approx(0.5)
    assert scores["n_auc_nc_vs_c_adjusted"] == scores["n_auc_nc_vs_c"]
