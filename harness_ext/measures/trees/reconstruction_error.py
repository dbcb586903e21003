"""Tree reconstruction error: is a sentence vector a composition of word vectors along the parse?

Bhathena, Willis, Dass 2020: *Evaluating Compositionality of Sentence Representation Models*, RepL4NLP, pp. 185-193, §4,
after Andreas 2019, *Measuring Compositionality in Representation Learning*. One vector per word is fitted so that
composing them bottom-up over the parse gives the encoder's sentence vectors (tree_fit.py); TRE is the cosine distance
that remains. It is then correlated with how much the sentence's sentiment resists composition (forest.py).
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from harness_ext.common.arrays import Flags, Floats, Integers, Names, Texts
from harness_ext.data.rows import FittedTreeRow
from harness_ext.measures.core.fill import Encoder, vectors_of
from harness_ext.measures.core.items import Items, Table, column, distance, only_planned, text
from harness_ext.measures.core.old_measure import Measure, Rows
from harness_ext.measures.core.old_scores import AxisValues, Scores, correlation, count, declared, like, proportion
from harness_ext.measures.core.view import View
from harness_ext.measures.core.wording import Consequences, Wording
from harness_ext.measures.trees.forest import Forest, tree_impurity, weighted_node_switching
from harness_ext.statistics.correlation import known_mean, known_std, rho
from harness_ext.statistics.statistic import Statistic, mean, of_units

EXACT_FIT = 1e-4
"""A fit that leaves half of the sentences less than this is exact: it stops where the mean falls by less, so that what
remains is how it got there, and says nothing of the encoder."""


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
    excluded: Names = column("Why it is left out: single_word, zero_vector, unseen_word; else empty.", measured=True)
    wns: Floats = column("Weighted node switching of its labels, in [0, 4].")
    impurity: Floats = column("Tree impurity of its labels, in [0, 4].")
    error: Floats = distance("TRE: distance of its vector from its composed words, in [0, 2].")

    def has_number(self, column: str) -> Flags:
        """Trees of one word, and those with a word that no fitted sentence has, have no distance."""
        return (self.excluded == "") if column == "error" else super().has_number(column)


@dataclass(frozen=True)
class TreeFits(Table):
    """One row: the fit of the words."""

    composition: Names = column("What makes a node's vector of its children's: sum, mean or linear.")
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
    forest: Forest | None = field(default=None, kw_only=True, repr=False, metadata={"planned": True})

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


def _with_error(column: str, formula: Callable[..., Any] = rho) -> Callable[[TreeItems, AxisValues], Statistic]:
    """The correlation of TRE with a column of the trees; of none if the fit is exact."""

    def statistic(items: TreeItems, _: AxisValues) -> Statistic:
        used = items.used()
        error = np.where(items.is_exact(), np.nan, used.error)
        return of_units(formula, used.row, error, getattr(used, column))

    return statistic


def _n_excluded(reason: str) -> Callable[[TreeItems, AxisValues], int]:
    return lambda items, _: int((items.trees.excluded == reason).sum())


_SOURCE = "PSS paper §4, Table 2"


@dataclass(frozen=True)
class TreeScores(Scores):
    """The scores of tree reconstruction."""

    compositionality: float = correlation(
        "what cannot be composed is where sentiment switches",
        "minus the rank correlation of TRE with weighted node switching; none if the fit is exact",
        direction="higher",
        source=f"{_SOURCE}, there ρ itself",
        interval=True,
        compute=_with_error("wns", lambda error, wns, times: -rho(error, wns, times)),
    )
    spearman_tre_wns: float = correlation(
        "TRE and weighted node switching",
        "Spearman's ρ over the trees, negative for an encoder that the paper calls compositional, with WNS: the mean "
        "over the inner nodes of |label − mean label of its children|, weighted by height",
        direction="lower",
        source=_SOURCE,
        interval=True,
        compute=_with_error("wns"),
    )
    spearman_tre_ti: float = like(
        spearman_tre_wns,
        "TRE and tree impurity",
        "Spearman's ρ over the trees with TI: |label of the root − mean label of all nodes|",
        source="PSS paper §4",
        compute=_with_error("impurity"),
    )
    tre_mean: float = declared(
        "mean tree reconstruction error",
        "mean cosine distance of a sentence vector from its composed words",
        range=(0, 2),
        direction="lower",
        source="PSS paper §4, after Andreas 2019",
        compute=lambda items, _: mean(items.used().row, items.used().error),
    )
    tre_std: float = declared(
        "spread of the tree reconstruction error",
        "its standard deviation over the trees (ddof 1)",
        range=(0, 2),
        source="PSS paper §4",
        value=lambda items, _: known_std(items.used().error),
    )
    fit_tre_mean: float = declared(
        "what the fit leaves",
        "mean of the distance in the sentences that the words were fitted to",
        range=(0, 2),
        value=lambda items, _: items.fit.error[0],
    )
    coverage: float = proportion(
        "how much of the data is measured",
        "trees that were measured / all trees",
        value=lambda items, _: known_mean((items.trees.excluded == "").astype(float)),
    )
    n_trees: int = count(
        "trees", "trees that were measured", source="PSS paper §4", value=lambda items, _: len(items.used())
    )
    n_fitted: int = count(
        "sentences of the fit", "sentences that words were fitted to", value=lambda items, _: items.fit.sentences[0]
    )
    n_excluded_single_word: int = count(
        "trees of one word", "a word has no node to switch at", value=_n_excluded("single_word")
    )
    n_excluded_zero_vector: int = count(
        "trees with a zero vector", "the sentence's vector has no direction", value=_n_excluded("zero_vector")
    )
    n_excluded_unseen_word: int = count(
        "trees with an unseen word",
        "a word is in none of the sentences that words were fitted to",
        value=_n_excluded("unseen_word"),
    )
    n_steps: int = count("steps of the fit", "RMSProp steps", value=lambda items, _: items.fit.steps[0])
    converged: int = proportion(
        "whether the fit ended",
        "1 if the distance had stopped falling, else 0",
        value=lambda items, _: int(items.fit.converged[0]),
    )


def tree_plan(rows: Rows, _: str = "") -> TreeItems:
    """Mark the trees that words are fitted to and those that are measured; rows are `FittedTreeRow`s."""
    forest = Forest.of(rows)
    sentences = TreeSentences.of_rows((row["fitted"], row["measured"], row["sentence"]) for row in rows)
    wns, measured = weighted_node_switching(forest), sentences.is_measured
    of_fitted = np.isin(forest.word, forest.word[sentences.is_fitted[forest.tree] & ~np.isnan(wns)[forest.tree]])
    has_unseen = np.bincount(forest.tree[~of_fitted], minlength=len(wns)) > 0
    trees = ReconstructedTrees(
        row=np.array([row["id"] for row in rows])[measured],
        words=np.bincount(forest.tree[forest.is_leaf])[measured],
        excluded=np.select([np.isnan(wns), has_unseen], ["single_word", "unseen_word"], "")[measured],
        wns=wns[measured],
        impurity=tree_impurity(forest)[measured],
    )
    return TreeItems(trees, TreeFits.of_rows([(rows[0]["composition"],)]), sentences=sentences, forest=forest)


def tree_fill(plan: TreeItems, encode: Encoder) -> TreeItems:
    """Fit the words to the sentences they are to be fitted to, and compose those that are measured.

    Raises:
        ValueError: The fit is exact, so there is no main score; names a split with a score.
    """
    from harness_ext.measures.trees.fit import Fit, reconstruct  # not above: reading needs no torch

    sentences, forest, composition = plan.sentences, plan.forest, str(plan.fit.composition[0])
    assert sentences is not None and forest is not None
    targets, wns = vectors_of(sentences.sentence, encode), weighted_node_switching(forest)
    zero = ~np.any(targets, axis=1)
    usable = ~(np.isnan(wns) | zero)
    fitted = sentences.is_fitted & usable
    fit = Fit(np.full(len(targets), np.nan), 0, False)
    if fitted.any():
        fit = reconstruct(targets, forest, fitted, composition)
    error = np.where(usable, fit.error, np.nan)
    excluded = np.select(
        [np.isnan(wns), zero, np.isnan(error)], ["single_word", "zero_vector", "unseen_word"], default=""
    )
    items = TreeItems(
        replace(plan.trees, excluded=excluded[sentences.is_measured], error=error[sentences.is_measured]),
        TreeFits.of_columns(
            composition=[composition],
            sentences=[fitted.sum()],
            error=[known_mean(error[fitted])],
            steps=[fit.n_steps],
            converged=[fit.converged],
        ),
    )
    if items.is_exact():
        raise ValueError(
            "tree_reconstruction: no score for an encoder whose sentence vectors are reconstructed exactly. The median "
            f"of the remaining distances (TRE) is {items.median_error():.1e}, less than {EXACT_FIT:.0e}, and tre_mean "
            f"is {known_mean(items.used().error):.1e}. So a correlation would only show the path of the fit. Either "
            "these vectors are compositions of word vectors, or nearly every sentence has words of its own, which "
            "absorb any vector, even a random one. In the second case, fit the words to other sentences: --eval-splits "
            "dev_words_from_train."
        )
    return items


def _view(items: TreeItems) -> View:
    """View trees: how far a vector is from the best composition, against how seldom its sentiment switches."""
    trees = items.used()
    facts = {"tree": trees.row, "words": trees.words.astype(float), "node switching": trees.wns}
    return View.by_rank(facts, ("TRE", trees.error), -trees.wns, trees.row)


TREE_RECONSTRUCTION = Measure(
    name="tree_reconstruction",
    version=2,
    package=__package__,
    published="published.csv",
    needs=FittedTreeRow,
    learned=lambda row: not row["measured"],
    plan=tree_plan,
    fill=tree_fill,
    main="compositionality",
    unit="row",
    items=TreeItems,
    scores=TreeScores,
    exploratory="It does not tell all-MiniLM-L6-v2 from random words (difference .050 [−.056, .152]), and leaves out "
    "every tree with a word that no fitted sentence has: 61 % of dev.",
    additive=False,  # its model is the sum of words itself
    view=_view,
    wording=Wording(
        question="Is a sentence's vector made of the vectors of the words, even if their sentiment clashes?",
        score=(
            "The more often sentiment switches inside a sentence, the better a sum of word vectors explains it, at a "
            "rank correlation of {value}."
        ),
        chance=Consequences(
            "A random order",
            above="The more the parts of a sentence clash, the better the words explain it: compositional, to the "
            "paper.",
            below="The more the parts of a sentence clash, the worse a sum of word vectors explains its vector.",
        ),
        right=(
            "A model that is compositional in the paper's sense has sentences nearer to a sum of their words (lower "
            "TRE) the more their sentiment switches on the way up the tree."
        ),
    ),
)
