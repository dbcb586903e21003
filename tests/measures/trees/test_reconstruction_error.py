"""TI and WNS on the trees drawn in docs/trees.md; reconstruction on planted worlds; what must not
change it.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
import torch
from pytest import approx
from scipy import stats

from harness_ext.datasets_scripts.sentiment_trees.sentiment_trees import read_trees
from harness_ext.measures.trees.fit import Levels, composition_matrix, reconstruct
from harness_ext.measures.trees.forest import Forest, tree_impurity, weighted_node_switching
from harness_ext.measures.trees.reconstruction_error import (
    EXACT_FIT,
    ReconstructedTrees,
    TreeFits,
    TreeItems,
    TreeReconstruction,
    tree_plan,
)
from tests.measures.given import Given, chosen, drawn_tree


class ByHand(TreeReconstruction):
    fewest_units = 1


TREE_RECONSTRUCTION = ByHand()

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "trees.md").read_text(encoding="utf-8")
_VALUE = r".*?\*\*([\d.]+)\*\*"
DRAWN = re.findall(
    rf"^`(\([^`]*\))`.*?^TI = {_VALUE}, WNS = {_VALUE}$", PAGE, re.DOTALL | re.MULTILINE
)


def forest(*trees):
    text = "\n".join(trees)
    return Forest.of(list(read_trees(text, "x", "x")))


def test_the_trees_of_the_page():
    assert len(DRAWN) == 2
    for tree, impurity, switching in DRAWN:
        alone = forest(tree)
        (impurity_here,) = tree_impurity(alone)
        assert impurity_here == approx(float(impurity), abs=5e-5)
        (switching_here,) = weighted_node_switching(alone)
        assert switching_here == approx(float(switching), abs=5e-5)


def test_switches_on_both_sides_by_hand():
    """Half a label at two nodes of height 2, and |1 - 2| at the root; the mean label is 13/7."""
    both = forest("(1 (3 (2 fine) (3 food)) (1 (1 awful) (2 staff)))")
    (impurity,) = tree_impurity(both)
    assert impurity == approx(6 / 7)
    (switching,) = weighted_node_switching(both)
    assert switching == approx(5 / 7)


def test_a_chain_to_the_left_and_no_switch_by_hand():
    trees = forest(
        "(0 (0 (0 (1 dull) (2 long)) (2 and)) (1 flat))",
        "(2 (2 they) (2 left))",
        "(3 fine)",
    )
    assert tree_impurity(trees).tolist() == approx([6 / 7, 0, 0])
    switching = weighted_node_switching(trees).tolist()
    of_chain = (2 * 1.5 + 3 * 1 + 4 * 0.5) / 9
    of_word = np.nan
    assert switching == approx([of_chain, 0, of_word], nan_ok=True)
    # dull long (dull long) and (... and) flat root
    heights = trees.heights()[:7]
    assert heights.tolist() == [1, 1, 2, 1, 3, 1, 4]
    depths = trees.depths()[:7]
    assert depths.tolist() == [3, 3, 2, 2, 1, 1, 0]


def test_keeping_some_trees():
    three = forest("(3 (2 a) (4 b))", "(2 c)", "(1 (2 b) (0 (1 c) (0 a)))")
    two = three[np.array([True, False, True])]
    assert two.tree.tolist() == [0] * 3 + [1] * 5
    children_of_roots = two.children[two.roots]
    assert children_of_roots.tolist() == [[0, 1], [3, 6]]
    switching = weighted_node_switching(three)
    assert weighted_node_switching(two) == approx(switching[[0, 2]])


def test_compositions_by_hand():
    tree = forest("(2 (2 (2 a) (2 b)) (2 a))")
    by_sum = composition_matrix(tree, "sum").toarray()
    assert by_sum.tolist() == [[2.0, 1.0]]
    by_mean = composition_matrix(tree, "mean").toarray()
    assert by_mean.tolist() == [[0.75, 0.25]]
    words = torch.eye(2)
    swap = torch.tensor([[0.0, 1.0], [1.0, 0.0]])
    twice = 2 * torch.eye(2)
    # a b -> swap a + 2 b = (0, 3); (a b) a -> swap (0, 3) + 2 a = (5, 0)
    compose = Levels(tree)
    composed = compose(words, torch.stack([swap, twice]))
    assert composed.tolist() == [[5.0, 0.0]]


@pytest.fixture(scope="module")
def world():
    """200 trees of 3 to 9 of 30 words, and vectors of the words."""
    rng = np.random.default_rng(0)
    trees = []
    for _ in range(200):
        n_words = rng.integers(3, 10)
        words = rng.integers(30, size=n_words)
        trees.append(drawn_tree(rng, words))
    return forest(*trees), rng.normal(size=(30, 16)), rng


@pytest.mark.parametrize("composition", ["sum", "mean"])
def test_compositions_of_word_vectors_are_reconstructed(world, composition):
    """Whatever the lengths of the targets."""
    trees, words, rng = world
    lengths = rng.uniform(0.1, 9, size=(200, 1))
    composed = composition_matrix(trees, composition) @ words
    fit = reconstruct(lengths * composed, trees, composition=composition)
    assert fit.error.max() < 1e-3
    assert fit.converged


@pytest.mark.slow
def test_learned_linear_compositions_are_reconstructed_better_than_by_sums(world):
    trees, words, _ = world
    rng = np.random.default_rng(1)
    noise = rng.normal(size=(2, 16, 16))
    sides = torch.tensor(np.eye(16) + 0.3 * noise)
    compose = Levels(trees)
    targets = compose(torch.tensor(words), sides).numpy()
    linear = reconstruct(targets, trees, composition="linear")
    by_sums = reconstruct(targets, trees, composition="sum")
    assert linear.error.mean() < 0.03
    assert linear.error.mean() < by_sums.error.mean() / 3


def test_random_targets_are_not_reconstructed(world, monkeypatch):
    """200 targets, 30 words: no word vectors can do it. Steps are counted and bounded."""
    trees, _, rng = world
    monkeypatch.setattr("harness_ext.measures.trees.fit.MAX_STEPS", 100)
    targets = rng.normal(size=(200, 16))
    fit = reconstruct(targets, trees)
    assert fit.n_steps == 100
    assert not fit.converged
    assert fit.error.mean() > 0.3


def test_words_are_composed_where_they_were_not_fitted(world):
    """Words fitted to two thirds of the sums give the others; a word of theirs alone gives no
    distance.
    """
    trees, words, _ = world
    fitted = np.arange(200) % 3 > 0
    word = trees.word.copy()
    # a word of one tree alone, which is not fitted
    is_leaf_of_first = (trees.tree == 0) & trees.is_leaf
    (leaves_of_first,) = is_leaf_of_first.nonzero()
    word[leaves_of_first[0]] = 30
    trees_with_it = Forest(trees.tree, word, trees.children, trees.label)
    vectors = np.vstack([words, words[:1]])
    targets = composition_matrix(trees_with_it, "sum") @ vectors
    fit = reconstruct(targets, trees_with_it, fitted)
    (without_distance,) = np.isnan(fit.error).nonzero()
    assert without_distance.tolist() == [0]
    assert fit.error[1:].max() < 1e-3


def items_of(error, wns, impurity, excluded=None):
    n = len(error)
    rows = [f"x-{number}" for number in range(n)]
    if excluded is None:
        excluded = [""] * n
    n_nodes = np.full(n, 5)
    trees = ReconstructedTrees(
        rows,
        n_nodes,
        wns,
        impurity,
        excluded=excluded,
        error=error,
    )
    fits = TreeFits(
        ["sum"],
        sentences=[n],
        error=[0.1],
        steps=[40],
        converged=[True],
    )
    return TreeItems(trees, fits)


def scores_of(*columns):
    return TREE_RECONSTRUCTION.flat_scores(items_of(*columns))


def test_correlations_are_scipys():
    rng = np.random.default_rng(0)
    error = rng.uniform(size=300)
    noise = rng.normal(size=300)
    wns = np.round(error + noise, 1)
    scores = scores_of(error, wns, np.ones(300))
    rho = stats.spearmanr(error, wns).statistic
    assert scores["spearman_tre_wns"] == approx(rho)
    assert scores["compositionality"] == -scores["spearman_tre_wns"]
    assert "spearman_tre_ti" not in scores  # nothing varies


def test_what_is_left_out_is_counted_and_in_no_score():
    values = np.array([0.1, 0.2, 0.3, np.nan, np.nan])
    reasons = ["", "", "", "unseen_word", "zero_vector"]
    wns = np.array([1.0, 3.0, 2.0, 9.0, 9.0])
    scores = scores_of(values, wns, np.arange(5.0), reasons)
    expected = {
        "spearman_tre_wns": approx(0.5),
        "n_trees": 3,
        "n_excluded_unseen_word": 1,
        "n_excluded_zero_vector": 1,
    }
    assert chosen(scores, expected) == expected
    once = np.ones(5)
    items = items_of(values, once, once, reasons)
    statistic = TREE_RECONSTRUCTION.statistic(items, TREE_RECONSTRUCTION.main)
    assert statistic.units.tolist() == ["x-0", "x-1", "x-2"]


def test_an_exact_fit_has_no_correlation():
    """One sentence that cannot be taken in, as two of the same words, changes nothing about the
    others.
    """
    rng = np.random.default_rng(0)
    of_forty = rng.uniform(1e-9, EXACT_FIT / 2, size=40)
    error = np.append(of_forty, 0.3)
    wns = rng.uniform(size=41)
    impurity = rng.uniform(size=41)
    scores = scores_of(error, wns, impurity)
    for key in scores:
        assert "spearman" not in key
        assert "compositionality" not in key
    assert scores["tre_mean"] > EXACT_FIT
    scores = scores_of(error + EXACT_FIT, wns, impurity)
    assert "compositionality" in scores


def test_as_many_words_as_sentences_take_in_random_vectors():
    """Why there is no score of the published protocol: each sentence has a word that no
    other has.
    """
    rng = np.random.default_rng(0)
    trees = [f"({n % 5} (2 a{n % 3}) ({n % 4} (1 b{n}) (2 c)))" for n in range(50)]
    vectors = {}
    rows_of_all = []
    rows_of_halves = []
    for number, row in enumerate(read_trees("\n".join(trees), "x", "x")):
        vectors[row["sentence"]] = rng.normal(size=16)
        row["composition"] = "sum"
        rows_of_all.append({**row, "fitted": True, "measured": True})
        is_fitted = number < 25
        rows_of_halves.append({**row, "fitted": is_fitted, "measured": not is_fitted})
    encode = Given(vectors.__getitem__)
    message = r"reconstructed exactly.*less than 1e-04, and tre_mean is \d.*dev_words_from_train"
    with pytest.raises(ValueError, match=message):
        TREE_RECONSTRUCTION.fill(tree_plan(rows_of_all), encode)
    plan = tree_plan(rows_of_halves)
    assert set(plan.trees.excluded) == {"unseen_word"}
    items = TREE_RECONSTRUCTION.fill(plan, encode)
    assert set(items.trees.excluded) == {"unseen_word"}
