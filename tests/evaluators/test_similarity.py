from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from harness_ext.evaluators.similarity import Compounds, Probes, affinity, scaled_similarity


def unit(degrees: float) -> list[float]:
    return [np.cos(np.radians(degrees)), np.sin(np.radians(degrees))]


def cos(degrees: float) -> float:
    return float(np.cos(np.radians(degrees)))


def one_sentence(*degrees: float) -> tuple[np.ndarray, Probes]:
    """Vectors at angles to the original: syn, words_syn, rand 1, rand 2, head only, modifier only."""
    vectors = np.array([unit(0), *map(unit, degrees)])
    probes = Probes(np.array([0]), np.array([1]), np.array([2]), np.array([[3, 4]]), np.array([[5, 6]]))
    return vectors, probes


def world(seed: int, n: int = 12, d: int = 6) -> tuple[np.ndarray, Probes, Compounds]:
    """Two sentences for each of n compounds, at random."""
    rng = np.random.default_rng(seed)
    m = 2 * n
    rows = rng.permutation(8 * m).reshape(8, m)
    probes = Probes(rows[0], rows[1], rows[2], rows[3:6].T, rows[6:].T)
    compounds = Compounds(
        compound=np.repeat(np.arange(n), 2),
        classes=np.array(["NC", "PC", "C", ""] * (n // 4)),
        type_score=np.where(np.arange(n) % 4 == 3, np.nan, rng.uniform(0, 5, n)),
        shares_word=rng.random(n) < 0.3,
        length=rng.integers(5, 30, m),
    )
    return rng.normal(size=(8 * m, d)), probes, compounds


NOT_SCORED = Compounds(np.array([0]), np.array(["NC"]), np.array([np.nan]), np.array([False]))


def test_one_sentence_by_hand() -> None:
    vectors, probes = one_sentence(30, 60, 90, 120, 20, 10)
    found = affinity(vectors, probes, NOT_SCORED).scores
    assert found["sim_syn_mean"] == pytest.approx(cos(30))
    assert found["sim_words_syn_mean"] == pytest.approx(0.5)
    assert found["sim_rand_mean"] == pytest.approx(-0.25)  # of 0 and -0.5
    assert found["sim_comp_mean"] == pytest.approx(cos(10))  # the more similar of 20° and 10°
    assert found["affinity_syn_words_syn_mean"] == pytest.approx(cos(30) - 0.5)
    assert found["affinity_syn_rand_mean"] == pytest.approx(cos(30) + 0.25)
    assert found["forced_choice_nc"] == 1
    scaled = scaled_similarity(vectors, probes, NOT_SCORED).scores
    assert scaled["scaled_sim_syn"] == pytest.approx((cos(30) + 0.25) / 1.25)
    assert scaled["scaled_sim_words_syn_mean"] == pytest.approx(0.75 / 1.25)


@pytest.mark.parametrize(("syn", "words_syn", "choice"), [(30, 60, 1.0), (60, 30, 0.0), (45, -45, 0.5)])
def test_forced_choice(syn: float, words_syn: float, choice: float) -> None:
    vectors, probes = one_sentence(syn, words_syn, 90, 90, 10, 10)
    assert affinity(vectors, probes, NOT_SCORED).scores["forced_choice_nc"] == choice


def test_forced_choice_is_about_compounds_not_sentences() -> None:
    """Two sentences lose by little and one wins by much: the mean affinity of the compound is positive."""
    angles = [0, 50, 49, 50, 49, 10, 80]
    vectors = np.array([*map(unit, angles), unit(90)])
    probes = Probes(np.zeros(3, int), np.array([1, 3, 5]), np.array([2, 4, 6]), np.full((3, 2), 7), np.full((3, 2), 1))
    compounds = Compounds(np.zeros(3, int), np.array(["NC"]), np.array([1.0]), np.array([False]))
    assert affinity(vectors, probes, compounds).scores["forced_choice_nc"] == 1


def test_statistics_over_sentences_and_compounds() -> None:
    vectors, probes, compounds = world(3)
    result = affinity(vectors, probes, compounds)
    scores, sim = result.scores, result.values["sim_syn"]
    original, syn = vectors[probes.original], vectors[probes.syn]
    expected = (original * syn).sum(1) / np.linalg.norm(original, axis=1) / np.linalg.norm(syn, axis=1)
    np.testing.assert_allclose(sim, expected, atol=1e-12)
    assert scores["sim_syn_mean"] == pytest.approx(expected.mean())
    assert scores["sim_syn_std"] == pytest.approx(expected.std(ddof=1))
    per_compound = expected.reshape(-1, 2).mean(axis=1)
    assert scores["sim_syn_mean_PC"] == pytest.approx(per_compound[compounds.classes == "PC"].mean())
    scored = ~np.isnan(compounds.type_score)
    rho = stats.spearmanr(per_compound[scored], compounds.type_score[scored])
    assert scores["sim_syn_spearman"] == pytest.approx(rho.statistic)
    assert scores["sim_syn_spearman_p"] == pytest.approx(rho.pvalue)
    apart = scored & ~compounds.shares_word
    rho = stats.spearmanr(per_compound[apart], compounds.type_score[apart])
    assert scores["sim_syn_spearman_no_overlap"] == pytest.approx(rho.statistic)
    assert scores["sim_syn_spearman_length"] == pytest.approx(stats.spearmanr(expected, compounds.length).statistic)


def test_main_scores_have_intervals_over_compounds() -> None:
    vectors, probes, compounds = world(4, n=40)
    for scores, main in (
        (affinity(vectors, probes, compounds).scores, "forced_choice_nc"),
        (scaled_similarity(vectors, probes, compounds).scores, "scaled_sim_syn"),
    ):
        assert scores[f"{main}_ci_low"] < scores[main] < scores[f"{main}_ci_high"]
    # the same sentences counted twice are no more information
    twice = Probes(*(np.concatenate([rows] * 2) for rows in vars(probes).values()))
    doubled = Compounds(np.tile(compounds.compound, 2), compounds.classes, compounds.type_score, compounds.shares_word)
    again = scaled_similarity(vectors, twice, doubled).scores
    assert again["scaled_sim_syn_ci_low"] == pytest.approx(scores["scaled_sim_syn_ci_low"])


def test_keys_that_need_scores_or_lengths_are_absent_without_them() -> None:
    vectors, probes = one_sentence(30, 60, 90, 120, 20, 10)
    for result in (affinity(vectors, probes, NOT_SCORED), scaled_similarity(vectors, probes, NOT_SCORED)):
        assert not [key for key in result.scores if key.endswith(("_spearman", "_p", "_overlap", "_length"))]


def test_a_zero_vector_leaves_its_sentence_out_of_everything_and_is_counted() -> None:
    vectors, probes, compounds = world(5)
    vectors[probes.rand[4, 1]] = 0
    scores = affinity(vectors, probes, compounds)
    scaled = scaled_similarity(vectors, probes, compounds)
    for result in (scores, scaled):
        assert result.scores["n_excluded_zero_vector"] == 1
        assert all(np.flatnonzero(np.isnan(values)).tolist() == [4] for values in result.values.values())
        assert all(np.isfinite(value) for value in result.scores.values())
    assert scores.scores["affinity_syn_rand_mean"] == pytest.approx(
        scores.scores["sim_syn_mean"] - scores.scores["sim_rand_mean"]
    )


def test_an_encoder_that_sees_no_difference_has_no_scale() -> None:
    _, probes, compounds = world(6)
    same = np.ones((8 * 24, 5))
    scores = scaled_similarity(same, probes, compounds).scores
    assert scores["n_excluded_zero_scale"] == 24
    assert np.isnan(scores["scaled_sim_syn"])
    assert affinity(same, probes, compounds).scores["forced_choice_nc"] == 0.5


def test_standardising_takes_a_rogue_dimension_away() -> None:
    vectors, probes, compounds = world(7)
    assert affinity(vectors, probes, compounds).scores["sim_syn_spearman_standardised"] > 0.7
    rogue = np.hstack([vectors, np.full((len(vectors), 1), 1e3)])  # one that does not vary only dilutes the others
    plain = affinity(vectors, probes, compounds)
    found = affinity(rogue, probes, compounds)
    assert found.scores["sim_syn_mean"] > 0.999 > plain.scores["sim_syn_mean"]
    before = vectors[probes.original], vectors[probes.syn]
    z = [(part - vectors.mean(0)) / vectors.std(0) for part in before]
    after = (z[0] * z[1]).sum(1) / np.linalg.norm(z[0], axis=1) / np.linalg.norm(z[1], axis=1)
    expected = stats.spearmanr(found.values["sim_syn"], after).statistic
    assert found.scores["sim_syn_spearman_standardised"] == pytest.approx(expected)


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 10**6), scale=st.floats(0.01, 100))
def test_rotation_and_scale_change_nothing(seed: int, scale: float) -> None:
    vectors, probes, compounds = world(seed)
    rotation, _ = np.linalg.qr(np.random.default_rng(seed).normal(size=(6, 6)))
    for evaluate in (affinity, scaled_similarity):
        before, after = (evaluate(v, probes, compounds).values for v in (vectors, scale * vectors @ rotation))
        for measure, values in before.items():
            np.testing.assert_allclose(after[measure], values, atol=1e-9, rtol=1e-6)


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_the_order_of_the_sentences_changes_nothing(seed: int) -> None:
    vectors, probes, compounds = world(seed)
    order = np.random.default_rng(seed + 1).permutation(len(compounds.compound))
    shuffled = Probes(*(rows[order] for rows in vars(probes).values()))
    assert compounds.length is not None
    moved = Compounds(
        compounds.compound[order],
        compounds.classes,
        compounds.type_score,
        compounds.shares_word,
        compounds.length[order],
    )
    for evaluate in (affinity, scaled_similarity):
        assert evaluate(vectors, shuffled, moved).scores == pytest.approx(evaluate(vectors, probes, compounds).scores)
