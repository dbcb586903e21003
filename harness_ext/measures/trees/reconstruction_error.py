"""Tree reconstruction error: is a sentence vector a composition of word vectors along the parse?

Bhathena, Willis, Dass 2020: *Evaluating Compositionality of Sentence Representation Models*,
RepL4NLP, pp. 185-193, §4, after Andreas 2019, *Measuring Compositionality in Representation
Learning*. One vector per word is fitted so that composing them bottom-up over the parse gives the
encoder's sentence vectors (fit.py); TRE is the cosine distance that remains. It is then correlated
with how much the sentence's sentiment resists composition (forest.py).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from harness_ext.common.arrays import Flags, Floats, Indices, Integers, Names, Texts
from harness_ext.data.rows import FittedTreeRow
from harness_ext.measures.core.fill import Encoder, vectors_of
from harness_ext.measures.core.items import Items, Table, column, distance, only_planned, text
from harness_ext.measures.core.measure import EncoderMeasure, Row, Rows
from harness_ext.measures.core.scores import COUNT, number, score
from harness_ext.measures.core.view import View
from harness_ext.measures.core.wording import Consequences, Wording
from harness_ext.measures.trees.forest import Forest, tree_impurity, weighted_node_switching
from harness_ext.statistics.correlation import known_mean, known_std, rho
from harness_ext.statistics.statistic import Statistic, mean, of_units

EXACT_FIT = 1e-4
"""A fit that leaves half of the sentences less than this is exact.

It stops where the mean falls by less, so that what remains is how it got there, and says nothing of
the encoder.
"""

SINGLE_WORD = "single_word"
ZERO_VECTOR = "zero_vector"
UNSEEN_WORD = "unseen_word"
"""Why a tree is left out."""


@dataclass(frozen=True)
class TreeSentences(Table):
    """One row per tree of a plan, in the order of its `Forest`."""

    is_fitted: Flags = column("Whether words are fitted to it.")
    is_measured: Flags = column("Whether its distance is asked.")
    sentence: Texts = text("The sentence.")


@dataclass(frozen=True)
class ReconstructedTrees(Table):
    """One row per tree that is measured."""

    row: Names = column("Id of the dataset's row: a tree.")
    words: Integers = column("How many words the sentence has.")
    excluded: Names = column(
        "Why it is left out: single_word, zero_vector, unseen_word; else empty.",
        measured=True,
    )
    wns: Floats = column("Weighted node switching of its labels, in [0, 4].")
    impurity: Floats = column("Tree impurity of its labels, in [0, 4].")
    error: Floats = distance("TRE: distance of its vector from its composed words, in [0, 2].")

    def has_number(self, column: str) -> Flags:
        """Trees of one word, and those with a word of no fitted sentence, have no distance."""
        return (self.excluded == "") if column == "error" else super().has_number(column)


@dataclass(frozen=True)
class TreeFits(Table):
    """One row: the fit of the words."""

    composition: Names = column(
        "What makes a node's vector of its children's: sum, mean or linear."
    )
    sentences: Integers = column("How many sentences the words were fitted to.", measured=True)
    error: Floats = distance("Mean distance that remains in them, in [0, 2].")
    steps: Integers = column("RMSProp steps.", measured=True)
    converged: Flags = column("Whether the distance had stopped falling.", measured=True)


@dataclass(frozen=True)
class TreeItems(Items):
    """The trees, and the fit of their words."""

    trees: ReconstructedTrees
    fit: TreeFits
    sentences: TreeSentences | None = only_planned()
    forest: Forest | None = field(
        default=None,
        kw_only=True,
        repr=False,
        metadata={"planned": True},
    )

    def used(self) -> ReconstructedTrees:
        """The trees that were measured, without those left out."""
        return self.trees[self.trees.excluded == ""]

    def median_error(self) -> float:
        """The median distance of the trees that were measured; NaN if there are none."""
        error = self.used().error
        return float(np.median(error)) if len(error) else np.nan

    def is_exact(self) -> bool:
        """Whether the words take in the sentences, so that no correlation means anything."""
        return self.median_error() < EXACT_FIT


def negative_rho(x: Floats, y: Floats, times: Floats) -> Floats:
    """Minus Spearman's ρ, for the arguments see `rho`."""
    return -rho(x, y, times)


def known_errors(items: TreeItems) -> Floats:
    """TRE of each of `items.used()`; all NaN if the fit is exact, shape (n,)."""
    error = items.used().error
    return np.full(len(error), np.nan) if items.is_exact() else error


def n_excluded(items: TreeItems, reason: str) -> int:
    """How many trees are left out for a reason."""
    return int((items.trees.excluded == reason).sum())


class TreeReconstruction(EncoderMeasure[TreeItems]):
    """Tree reconstruction error (Bhathena et al., after Andreas)."""

    name = "tree_reconstruction"
    version = 3
    question = (
        "Is a sentence's vector made of the vectors of the words, even if their sentiment clashes?"
    )
    package = __package__
    published = "published.csv"
    row = FittedTreeRow
    items = TreeItems
    unit = "row"
    main = "compositionality"
    exploratory = (
        "It does not tell a trained encoder from random words on the dev split, and leaves out "
        "every tree with a word that no fitted sentence has, which most of these have."
    )
    additive = False  # its model is the sum of words itself

    def learned(self, row: Row) -> bool:
        """Whether words are only fitted to the tree of a row."""
        return not row["measured"]

    def plan(self, rows: Rows, split: str) -> TreeItems:
        """Mark the trees that words are fitted to and those that are measured, see `tree_plan`."""
        return tree_plan(rows)

    def fill(self, plan: TreeItems, encode: Encoder) -> TreeItems:
        """Fit the words, and compose the trees that are measured, see `tree_fill`."""
        return tree_fill(plan, encode)

    def wording(self) -> Wording:
        """Word the question and the main score."""
        return Wording(
            self.question,
            score=(
                "The more often sentiment switches inside a sentence, the better a sum of word "
                "vectors explains it, at a rank correlation of {value}."
            ),
            chance=Consequences(
                "A random order",
                above=(
                    "The more the parts of a sentence clash, the better the words explain it: "
                    "compositional, to the paper."
                ),
                below=(
                    "The more the parts of a sentence clash, the worse a sum of word vectors "
                    "explains its vector."
                ),
            ),
            right=(
                "A model that is compositional in the paper's sense has sentences nearer to a sum "
                "of their words (lower TRE) the more their sentiment switches on the way up the "
                "tree."
            ),
        )

    @score(
        title="what cannot be composed is where sentiment switches",
        formula=(
            "minus the rank correlation of TRE with weighted node switching; none if the fit is "
            "exact"
        ),
        range=(-1, 1),
        better="higher",
        chance=0,
        source="PSS paper §4, Table 2, there ρ itself",
        interval=True,
    )
    def compositionality(self, items: TreeItems) -> Statistic:
        used = items.used()
        return of_units(negative_rho, used.row, known_errors(items), used.wns)

    @score(
        title="TRE and weighted node switching",
        formula=(
            "Spearman's ρ over the trees, negative for an encoder that the paper calls "
            "compositional, with WNS: the mean over the inner nodes of |label − mean label of its "
            "children|, weighted by height"
        ),
        range=(-1, 1),
        better="lower",
        chance=0,
        source="PSS paper §4, Table 2",
        interval=True,
    )
    def spearman_tre_wns(self, items: TreeItems) -> Statistic:
        used = items.used()
        return of_units(rho, used.row, known_errors(items), used.wns)

    @score(
        like=spearman_tre_wns,
        title="TRE and tree impurity",
        formula=(
            "Spearman's ρ over the trees with TI: |label of the root − mean label of all nodes|"
        ),
        source="PSS paper §4",
    )
    def spearman_tre_ti(self, items: TreeItems) -> Statistic:
        used = items.used()
        return of_units(rho, used.row, known_errors(items), used.impurity)

    @score(
        title="mean tree reconstruction error",
        formula="mean cosine distance of a sentence vector from its composed words",
        range=(0, 2),
        better="lower",
        source="PSS paper §4, after Andreas 2019",
    )
    def tre_mean(self, items: TreeItems) -> Statistic:
        used = items.used()
        return mean(used.row, used.error)

    @number(
        title="spread of the tree reconstruction error",
        formula="its standard deviation over the trees (ddof 1)",
        range=(0, 2),
        source="PSS paper §4",
    )
    def tre_std(self, items: TreeItems) -> float:
        return known_std(items.used().error)

    @number(
        title="what the fit leaves",
        formula="mean of the distance in the sentences that the words were fitted to",
        range=(0, 2),
    )
    def fit_tre_mean(self, items: TreeItems) -> float:
        return float(items.fit.error[0])

    @number(
        title="how much of the data is measured",
        formula="trees that were measured / all trees",
        range=(0, 1),
    )
    def coverage(self, items: TreeItems) -> float:
        is_used = items.trees.excluded == ""
        return known_mean(is_used.astype(np.float64))

    @number(
        title="trees",
        formula="trees that were measured",
        range=COUNT,
        source="PSS paper §4",
    )
    def n_trees(self, items: TreeItems) -> int:
        return len(items.used())

    @number(
        title="sentences of the fit",
        formula="sentences that words were fitted to",
        range=COUNT,
    )
    def n_fitted(self, items: TreeItems) -> int:
        return int(items.fit.sentences[0])

    @number(
        title="trees of one word",
        formula="a word has no node to switch at",
        range=COUNT,
    )
    def n_excluded_single_word(self, items: TreeItems) -> int:
        return n_excluded(items, SINGLE_WORD)

    @number(
        title="trees with a zero vector",
        formula="the sentence's vector has no direction",
        range=COUNT,
    )
    def n_excluded_zero_vector(self, items: TreeItems) -> int:
        return n_excluded(items, ZERO_VECTOR)

    @number(
        title="trees with an unseen word",
        formula="a word is in none of the sentences that words were fitted to",
        range=COUNT,
    )
    def n_excluded_unseen_word(self, items: TreeItems) -> int:
        return n_excluded(items, UNSEEN_WORD)

    @number(
        title="steps of the fit",
        formula="RMSProp steps",
        range=COUNT,
    )
    def n_steps(self, items: TreeItems) -> int:
        return int(items.fit.steps[0])

    @number(
        title="whether the fit ended",
        formula="1 if the distance had stopped falling, else 0",
        range=(0, 1),
    )
    def converged(self, items: TreeItems) -> int:
        return int(items.fit.converged[0])

    def view(self, items: TreeItems) -> View:
        """View trees: how far a vector is from the best composition, and how sentiment switches."""
        trees = items.used()
        facts = {
            "tree": trees.row,
            "words": trees.words.astype(np.float64),
            "node switching": trees.wns,
        }
        return View.by_rank(facts, ("TRE", trees.error), -trees.wns, trees.row)


def tree_plan(rows: Rows) -> TreeItems:
    """Mark the trees that words are fitted to and those that are measured.

    Rows are `FittedTreeRow`s.
    """
    forest = Forest.of(rows)
    sentences = TreeSentences.of_columns(
        is_fitted=[row["fitted"] for row in rows],
        is_measured=[row["measured"] for row in rows],
        sentence=[row["sentence"] for row in rows],
    )
    is_measured = sentences.is_measured
    wns = weighted_node_switching(forest)
    is_single_word = np.isnan(wns)
    is_seen = np.isin(forest.word, words_of_trees(forest, sentences.is_fitted & ~is_single_word))
    has_unseen = np.bincount(forest.tree[~is_seen], minlength=len(wns)) > 0
    excluded = np.select([is_single_word, has_unseen], [SINGLE_WORD, UNSEEN_WORD], "")
    return TreeItems(
        trees=ReconstructedTrees.of_columns(
            row=np.array([row["id"] for row in rows])[is_measured],
            words=np.bincount(forest.tree[forest.is_leaf])[is_measured],
            excluded=excluded[is_measured],
            wns=wns[is_measured],
            impurity=tree_impurity(forest)[is_measured],
        ),
        fit=TreeFits.of_columns(composition=[rows[0]["composition"]]),
        sentences=sentences,
        forest=forest,
    )


def words_of_trees(forest: Forest, trees: Flags) -> Indices:
    """The numbers of the words of some trees, and -1 for their inner nodes."""
    return forest.word[trees[forest.tree]]


def tree_fill(plan: TreeItems, encode: Encoder) -> TreeItems:
    """Fit the words to the sentences they are to be fitted to, and compose those that are measured.

    Raises:
        ValueError: The fit is exact, so there is no main score; names a split with a score.
    """
    from harness_ext.measures.trees.fit import Fit, reconstruct  # not above: reading needs no torch

    sentences = plan.sentences
    forest = plan.forest
    assert sentences is not None and forest is not None
    composition = str(plan.fit.composition[0])
    targets = vectors_of(sentences.sentence, encode)
    is_zero = ~np.any(targets, axis=1)
    is_single_word = np.isnan(weighted_node_switching(forest))
    is_usable = ~(is_single_word | is_zero)
    is_fitted = sentences.is_fitted & is_usable
    fit = Fit(error=np.full(len(targets), np.nan), n_steps=0, converged=False)
    if is_fitted.any():
        fit = reconstruct(targets, forest, is_fitted, composition)
    error = np.where(is_usable, fit.error, np.nan)
    excluded = np.select(
        [is_single_word, is_zero, np.isnan(error)],
        [SINGLE_WORD, ZERO_VECTOR, UNSEEN_WORD],
        default="",
    )
    is_measured = sentences.is_measured
    items = TreeItems(
        trees=replace(plan.trees, excluded=excluded[is_measured], error=error[is_measured]),
        fit=TreeFits.of_columns(
            composition=[composition],
            sentences=[is_fitted.sum()],
            error=[known_mean(error[is_fitted])],
            steps=[fit.n_steps],
            converged=[fit.converged],
        ),
    )
    if items.is_exact():
        raise ValueError(
            "tree_reconstruction: no score for an encoder whose sentence vectors are reconstructed "
            "exactly. The median of the remaining distances (TRE) is "
            f"{items.median_error():.1e}, less than {EXACT_FIT:.0e}, and tre_mean is "
            f"{known_mean(items.used().error):.1e}. So a correlation would only show the path of "
            "the fit. Either these vectors are compositions of word vectors, or nearly every "
            "sentence has words of its own, which absorb any vector, even a random one. In the "
            "second case, fit the words to other sentences: --eval-splits dev_words_from_train."
        )
    return items


TREE_RECONSTRUCTION = TreeReconstruction()
