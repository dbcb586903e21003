"""ε-compositionality of given vectors: vectors to items, items to scores, items to resamples."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from harness_ext.evaluators.epsilon import (
    EPSILON,
    EpsilonCompounds,
    EpsilonItems,
    EpsilonSamples,
    epsilon_plan,
)
from tests.evaluators.given import angles, compound_row
from tests.planted import vectors_of

EPSILON = replace(EPSILON, fewest_units=1)  # worked out by hand


def world(seed, n_compounds=12):
    """A plan of all ordered pairs of three synonyms of either word of some compounds, and random vectors."""
    rng = np.random.default_rng(seed)
    rows = [
        compound_row(
            f"modifier{number} head{number}",
            words_syn=[f"a{one}{number} b{one}{number}" for one in range(3)],
            **{"class": ("C", "PC", "NC")[number % 3]},
        )
        for number in range(n_compounds)
    ]
    plan = epsilon_plan(rows)
    names = (plan.compounds.compound, plan.compounds.class_)
    plan = replace(plan, compounds=EpsilonCompounds(*names, *rng.uniform(1, 6, size=(3, n_compounds))))
    return {text: rng.normal(size=8) for text in plan.texts()}, plan


def items_of(vectors, plan):
    return EPSILON.fill(plan, vectors_of(vectors.__getitem__))


def scores_of(vectors, plan):
    return EPSILON.flat_scores(items_of(vectors, plan))


@pytest.fixture
def one_sample():
    """b, a, a' at 0, 60, 90 degrees; bc, ac, a'c at 0, 60, 120."""
    degrees = {"black": "0", "dark": "60", "inky": "90"}
    samples = EpsilonSamples.of_rows([("row", "black box", "modifier", *degrees, "0", "60", "120")])
    plan = EpsilonItems(samples, EpsilonCompounds(["black box"], ["NC"], [5.0], [5.0], [4.0]))
    return EPSILON.fill(plan, lambda texts: angles([degrees.get(text, text) for text in texts]))


def test_one_sample_by_hand(one_sample):
    """The angles of `one_sample`.

    d(ac, bc) / d(a, b) = (1 - cos 60) / (1 - cos 60) = 1, so idiomaticity-ε = 0;
    d(ac, a'c) / d(a, a') = (1 - cos 60) / (1 - cos 30) = 0.5 / 0.1340, so baseline-ε = 2.7321.
    """
    items = one_sample
    assert items.samples.idiomaticity[0] == pytest.approx(0, abs=1e-12)
    assert items.samples.baseline[0] == pytest.approx(0.5 / (1 - np.cos(np.pi / 6)) - 1)
    assert items.samples.word.tolist() == ["black"]
    assert items.rank_shares.tolist() == [0]
    scores = EPSILON.flat_scores(items)
    assert scores["rank_share_NC"] == scores["rank_share_modifier_NC"] == 0
    assert scores["rank_biserial_NC"] == -1
    assert scores["phrase_distance_mean"] == pytest.approx((0.5 + 1 - np.cos(np.pi / 6)) / 2)
    assert scores["context_distance_mean"] == pytest.approx(0.5)
    assert scores["n_pairs_NC"] == scores["n_compounds_NC"] == 1


def test_what_cannot_be_computed_is_absent(one_sample):
    scores = EPSILON.flat_scores(one_sample)
    assert not {"auc_nc_vs_c", "rank_share_head_NC", "rank_share_C", "p_value_PC"} & scores.keys()  # there is no C
    assert scores["n_pairs_C"] == scores["n_compounds_C"] == 0


def test_no_samples_at_all():
    compounds = EpsilonCompounds(["one", "other"], ["C", "NC"], *np.full((3, 2), np.nan))
    items = EPSILON.fill(EpsilonItems(EpsilonSamples.of_rows([]), compounds), angles)
    scores = EPSILON.score(items)
    assert scores.n_excluded_no_pairs == 2
    assert np.isnan(scores.phrase_distance_mean)
    assert EPSILON.units(items).tolist() == []


def test_class_scores_are_scipys_test_on_the_class():
    vectors, plan = world(3)
    items = items_of(vectors, plan)
    scores, samples, compounds = EPSILON.flat_scores(items), plan.samples, items.compounds

    def distance(first, second):
        x, y = (np.array([vectors[text] for text in texts]) for texts in (first, second))
        return 1 - (x * y).sum(axis=1) / np.linalg.norm(x, axis=1) / np.linalg.norm(y, axis=1)

    b, a, other = samples.word, samples.synonym, samples.other_synonym
    bc, ac, other_c = samples.with_word, samples.with_synonym, samples.with_other_synonym
    idiomaticity = distance(ac, bc) / distance(a, b) - 1
    baseline = distance(ac, other_c) / distance(a, other) - 1
    for klass in ("C", "PC", "NC"):
        inside = np.isin(samples.compound, compounds.compound[compounds.class_ == klass])
        test = stats.wilcoxon(idiomaticity[inside], baseline[inside], alternative="greater")
        assert scores[f"p_value_{klass}"] == pytest.approx(test.pvalue)
        n = inside.sum()
        assert scores[f"rank_share_{klass}"] == pytest.approx(test.statistic / (n * (n + 1) / 2))
    share = items.rank_shares
    pairs = [(x > y) + (x == y) / 2 for x in share[compounds.class_ == "NC"] for y in share[compounds.class_ == "C"]]
    assert scores["auc_nc_vs_c"] == pytest.approx(np.mean(pairs))


def test_identical_vectors_are_counted_and_left_out():
    vectors, plan = world(4)
    word, synonym = plan.samples.word[0], plan.samples.synonym[0]
    vectors[word] = 2 * vectors[synonym]  # the same direction: d = 0 up to rounding
    scores = scores_of(vectors, plan)
    affected = (plan.samples.word == word) & (plan.samples.synonym == synonym)
    assert scores["n_excluded_zero_distance"] == affected.sum() == 2
    assert scores["n_pairs_C"] + scores["n_pairs_PC"] + scores["n_pairs_NC"] == len(plan.samples) - 2


def test_zero_vectors_are_counted_and_left_out():
    vectors, plan = world(5)
    vectors[plan.samples.with_synonym[0]] *= 0
    scores = scores_of(vectors, plan)
    assert scores["n_excluded_zero_vector"] == 4  # of the ordered pairs of three synonyms, those with this one
    assert scores.keys() >= EPSILON.scores.by_key().keys()


def test_the_interval_resamples_compounds_not_rows():
    """Copying every sample makes rows, not evidence: the interval of the main score must not shrink."""
    vectors, plan = world(7, n_compounds=30)
    twice = replace(plan, samples=plan.samples[np.repeat(np.arange(len(plan.samples)), 2)])
    once, copied = (scores_of(vectors, each) for each in (plan, twice))
    assert 0 < once["auc_nc_vs_c_ci_low"] < once["auc_nc_vs_c"] < once["auc_nc_vs_c_ci_high"] < 1
    width = [each["auc_nc_vs_c_ci_high"] - each["auc_nc_vs_c_ci_low"] for each in (once, copied)]
    assert width[1] == pytest.approx(width[0], abs=0.05)


def test_an_encoder_of_word_length_is_at_chance_when_adjusted():
    """Shares that follow from the letters of the modifier tell the classes apart, and nothing is left of them."""
    n = 30
    lengths = [3 if number % 3 == 0 else 9 for number in range(n)]  # class C has short modifiers
    items = items_of(*world(0, n_compounds=n))
    modifiers = {f"modifier{number} head{number}": "m" * length for number, length in enumerate(lengths)}
    word = np.where(
        items.samples.slot == "modifier", [modifiers[name] for name in items.samples.compound], items.samples.word
    )
    wins = np.array([modifiers[name] == "m" * 9 for name in items.samples.compound])
    ruler = replace(
        items,
        samples=replace(
            items.samples,
            word=word,
            phrase_distance=np.ones(len(word)),
            context_distance=np.where(wins, 0.5, 0.1),
            baseline_phrase_distance=np.ones(len(word)),
            baseline_context_distance=np.full(len(word), 0.3),
        ),
    )
    scores = EPSILON.flat_scores(ruler)
    assert scores["auc_nc_vs_c"] == 1
    assert scores["auc_nc_vs_c_adjusted"] == pytest.approx(0.5)
    assert scores["n_auc_nc_vs_c_adjusted"] == scores["n_auc_nc_vs_c"]


def test_letters_overlap_and_frequencies_by_hand(one_sample):
    letters_modifier, letters_head, overlap, *frequencies = (each.item() for each in one_sample.surface())
    assert (letters_modifier, letters_head) == (5, 0)
    assert overlap == 0  # black, dark
    assert frequencies == [5, 5, 4]
    assert np.isnan(EPSILON.score(one_sample).auc_nc_vs_c_adjusted)
