"""ε-compositionality of given vectors: vectors to items, items to scores, items to resamples."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from harness_ext.evaluators.epsilon import EPSILON, EpsilonCompounds, signed_rank_share
from tests.evaluators.given import EpsilonComparisons, epsilon_items

EPSILON = replace(EPSILON, fewest_units=1)  # worked out by hand


def at(degrees):
    """A unit vector in the plane; two of them an angle θ apart have d = 1 - cos θ."""
    return [np.cos(np.radians(degrees)), np.sin(np.radians(degrees))]


def world(rng, n_compounds=12, n_synonyms=3, dimensions=8):
    """Random vectors for every word and sentence of some compounds, and all ordered pairs of synonyms."""
    names, numbers = [], []
    n_texts = 0
    for compound in range(n_compounds):
        for slot in ("modifier", "head"):
            word, *synonyms = range(n_texts, n_texts + n_synonyms + 1)
            in_context = {text: text + n_synonyms + 1 for text in (word, *synonyms)}
            n_texts += 2 * (n_synonyms + 1)
            for a in synonyms:
                for other in synonyms:
                    if a != other:
                        phrase = (word, a, other)
                        names.append([f"row{compound}", f"compound{compound}", slot, *map(str, phrase)])
                        numbers.append([*phrase, *(in_context[text] for text in phrase)])
    columns = np.array(numbers)
    compounds = EpsilonCompounds(
        [f"compound{number}" for number in range(n_compounds)],
        [("C", "PC", "NC")[number % 3] for number in range(n_compounds)],
        *rng.uniform(1, 6, size=(3, n_compounds)),
    )
    vectors = rng.normal(size=(n_texts, dimensions))
    return vectors, EpsilonComparisons(np.array(names), columns[:, :3], columns[:, 3:]), compounds


def scores_of(vectors, comparisons, compounds):
    return EPSILON.flat_scores(epsilon_items(vectors, comparisons, compounds))


def one_sample():
    """b, a, a' at 0, 60, 90 degrees; bc, ac, a'c at 0, 60, 120."""
    vectors = np.array([at(degrees) for degrees in (0, 60, 90, 0, 60, 120)])
    names = np.array([["row", "black box", "modifier", "black", "dark", "inky"]])
    comparisons = EpsilonComparisons(names, np.array([[0, 1, 2]]), np.array([[3, 4, 5]]))
    return vectors, comparisons, EpsilonCompounds(["black box"], ["NC"], [5.0], [5.0], [4.0])


def test_one_sample_by_hand():
    """The angles of `one_sample`.

    d(ac, bc) / d(a, b) = (1 - cos 60) / (1 - cos 60) = 1, so idiomaticity-ε = 0;
    d(ac, a'c) / d(a, a') = (1 - cos 60) / (1 - cos 30) = 0.5 / 0.1340, so baseline-ε = 2.7321.
    """
    items = epsilon_items(*one_sample())
    assert items.samples.idiomaticity[0] == pytest.approx(0, abs=1e-12)
    assert items.samples.baseline[0] == pytest.approx(0.5 / (1 - np.cos(np.pi / 6)) - 1)
    assert items.samples.word.tolist() == ["black"]
    assert items.rank_shares.tolist() == [0]
    scores = scores_of(*one_sample())
    assert scores["rank_share_NC"] == scores["rank_share_modifier_NC"] == 0
    assert scores["rank_biserial_NC"] == -1
    assert scores["phrase_distance_mean"] == pytest.approx((0.5 + 1 - np.cos(np.pi / 6)) / 2)
    assert scores["context_distance_mean"] == pytest.approx(0.5)
    assert scores["n_pairs_NC"] == scores["n_compounds_NC"] == 1


def test_what_cannot_be_computed_is_absent():
    scores = scores_of(*one_sample())
    assert not {"auc_nc_vs_c", "rank_share_head_NC", "rank_share_C", "p_value_PC"} & scores.keys()  # there is no C
    assert scores["n_pairs_C"] == scores["n_compounds_C"] == 0


def test_no_samples_at_all():
    none = np.zeros((0, 3), dtype=int)
    compounds = EpsilonCompounds(["one", "other"], ["C", "NC"], *np.full((3, 2), np.nan))
    items = epsilon_items(np.ones((1, 2)), EpsilonComparisons(np.zeros((0, 6), dtype=str), none, none), compounds)
    scores = EPSILON.score(items)
    assert scores.n_excluded_no_pairs == 2
    assert np.isnan(scores.phrase_distance_mean)
    assert EPSILON.units(items).tolist() == []


@pytest.mark.parametrize(("differences", "share"), [([1.0, 2.0], 1), ([-1.0], 0), ([0.0, 0.0, 0.0], 0.5)])
def test_signed_rank_share_at_its_ends(differences, share):
    assert signed_rank_share(np.array(differences)) == share


def test_class_scores_are_scipys_test_on_the_class():
    vectors, comparisons, compounds = world(np.random.default_rng(3))
    items = epsilon_items(vectors, comparisons, compounds)
    scores = EPSILON.flat_scores(items)
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    b, a, other = (unit[rows] for rows in comparisons.phrase.T)
    bc, ac, other_c = (unit[rows] for rows in comparisons.context.T)
    cosine = lambda x, y: (x * y).sum(axis=1)  # noqa: E731
    idiomaticity = (1 - cosine(ac, bc)) / (1 - cosine(a, b)) - 1
    baseline = (1 - cosine(ac, other_c)) / (1 - cosine(a, other)) - 1
    for klass in ("C", "PC", "NC"):
        inside = np.isin(comparisons.names[:, 1], compounds.compound[compounds.class_ == klass])
        test = stats.wilcoxon(idiomaticity[inside], baseline[inside], alternative="greater")
        assert scores[f"p_value_{klass}"] == pytest.approx(test.pvalue)
        n = inside.sum()
        assert scores[f"rank_share_{klass}"] == pytest.approx(test.statistic / (n * (n + 1) / 2))
    share = items.rank_shares
    pairs = [(x > y) + (x == y) / 2 for x in share[compounds.class_ == "NC"] for y in share[compounds.class_ == "C"]]
    assert scores["auc_nc_vs_c"] == pytest.approx(np.mean(pairs))


def test_identical_vectors_are_counted_and_left_out():
    vectors, comparisons, compounds = world(np.random.default_rng(4))
    word, synonym = comparisons.phrase[0, :2]
    vectors[word] = 2 * vectors[synonym]  # the same direction: d = 0 up to rounding
    scores = scores_of(vectors, comparisons, compounds)
    affected = (comparisons.phrase[:, 0] == word) & (comparisons.phrase[:, 1] == synonym)
    assert scores["n_excluded_zero_distance"] == affected.sum() == 2
    assert scores["n_pairs_C"] + scores["n_pairs_PC"] + scores["n_pairs_NC"] == len(comparisons.names) - 2


def test_zero_vectors_are_counted_and_left_out():
    vectors, comparisons, compounds = world(np.random.default_rng(5))
    vectors[comparisons.context[0, 0]] = 0
    scores = scores_of(vectors, comparisons, compounds)
    assert scores["n_excluded_zero_vector"] == 6  # all ordered pairs of three synonyms use that sentence
    assert scores.keys() >= EPSILON.scores.by_key().keys()


def test_a_sentence_that_does_not_change_is_chance():
    """An encoder that ignores the compound: every ε is -1, every difference 0, every share ½."""
    vectors, comparisons, compounds = world(np.random.default_rng(6))
    vectors[comparisons.context] = 1.0
    scores = scores_of(vectors, comparisons, compounds)
    assert scores["auc_nc_vs_c"] == scores["auc_nc_vs_c_ci_low"] == scores["auc_nc_vs_c_ci_high"] == 0.5
    assert {scores[f"rank_share_{klass}"] for klass in ("C", "PC", "NC")} == {0.5}


def test_the_interval_resamples_compounds_not_rows():
    """Copying every sample makes rows, not evidence: the interval of the main score must not shrink."""
    vectors, comparisons, compounds = world(np.random.default_rng(7), n_compounds=30)
    twice = EpsilonComparisons(*(np.repeat(part, 2, axis=0) for part in vars(comparisons).values()))
    once, copied = (scores_of(vectors, each, compounds) for each in (comparisons, twice))
    assert 0 < once["auc_nc_vs_c_ci_low"] < once["auc_nc_vs_c"] < once["auc_nc_vs_c_ci_high"] < 1
    width = [each["auc_nc_vs_c_ci_high"] - each["auc_nc_vs_c_ci_low"] for each in (once, copied)]
    assert width[1] == pytest.approx(width[0], abs=0.05)


def test_an_encoder_of_word_length_is_at_chance_when_adjusted():
    """Shares that follow from the letters of the modifier tell the classes apart, and nothing is left of them."""
    n = 30
    lengths = [3 if number % 3 == 0 else 9 for number in range(n)]  # class C has short modifiers
    vectors, comparisons, compounds = world(np.random.default_rng(0), n_compounds=n)
    items = epsilon_items(vectors, comparisons, compounds)
    modifiers = {f"compound{number}": "m" * length for number, length in enumerate(lengths)}
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


def test_letters_overlap_and_frequencies_by_hand():
    items = epsilon_items(*one_sample())
    letters_modifier, letters_head, overlap, *frequencies = (each.item() for each in items.surface())
    assert (letters_modifier, letters_head) == (5, 0)
    assert overlap == 0  # black, dark
    assert frequencies == [5, 5, 4]
    assert np.isnan(EPSILON.score(items).auc_nc_vs_c_adjusted)
