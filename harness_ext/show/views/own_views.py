"""Views of measures whose declarations do not say which unit, figure or right result to show."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from harness_ext.arrays import Names
from harness_ext.evaluators.affinity import affinities
from harness_ext.evaluators.epsilon import EpsilonItems
from harness_ext.evaluators.montague_items import MontagueItems
from harness_ext.evaluators.rated_pairs import RatedPairItems
from harness_ext.evaluators.similarity import SimilarityItems
from harness_ext.evaluators.type_token import TypeTokenItems
from harness_ext.fitted.tree_reconstruction_error import TreeItems
from harness_ext.framework.items import Items, positions
from harness_ext.framework.measure import Measure
from harness_ext.language_models.entailment import ANSWERS, EntailmentItems
from harness_ext.language_models.option_scores import option_values
from harness_ext.language_models.polarity_answers import LABELS, SIDES, PolarityItems
from harness_ext.show.views.view import View, declared_view, percentiles
from harness_ext.statistics.correlation import group_means
from harness_ext.tasks.merge_opposites import MERGE_OPPOSITES

_RANK_DIFFERENCE = "rank by model − by people"


def view_of(measure: Measure[Any], items: Items) -> View | None:
    """View the units of items; None if no table of theirs has units and measured numbers."""
    own = _OWN.get(measure.name)
    return own(items) if own else declared_view(measure, items)


def _epsilon(items: EpsilonItems) -> View:
    """View compounds by their rank shares."""
    compounds, classes, share = items.compounds.compound, items.compounds.class_, items.rank_shares
    return View(
        {"compound": compounds, "class": classes},
        {"rank share": share},
        np.select([classes == "NC", classes == "C"], [1 - share, share], np.nan),
        _rows_of(compounds, items.samples),
    )


def _affinity(items: SimilarityItems) -> View:
    """View compounds by the means of Sim over their sentences."""
    compounds = items.compounds
    means = {name: items.per_compound(values) for name, values in affinities(items, "sentence").items()}
    affinity = means["affinity_syn_words_syn"]
    return View(
        {"compound": compounds.compound, "class": compounds.class_, "human score": compounds.comp},
        {"affinity": affinity, **{f"Sim({name})": means[f"sim_{name}"] for name in ("syn", "words_syn", "rand")}},
        np.where(compounds.class_ == "NC", -affinity, np.nan),
        _rows_of(compounds.compound, items.sentences),
    )


def _type_token(items: TypeTokenItems) -> View:
    """View compounds by their cosines with their words, beside human scores by rank."""
    compounds, with_words = items.compounds, items.per_compound("phrase_additivity")
    people = np.where(np.isnan(with_words), np.nan, compounds.type_score)
    difference = percentiles(with_words) - percentiles(people)
    return View(
        {"compound": compounds.compound, "class": compounds.class_, "human score": compounds.type_score},
        {"cos, words": with_words, _RANK_DIFFERENCE: difference},
        np.abs(difference),
        _rows_of(compounds.compound, items.sentences),
    )


def _rows_of(compounds: Names, table: Any) -> Names:
    """The first row of each compound in a table with both, shape (k,); empty for none."""
    first = dict(zip(table.compound.tolist()[::-1], table.row.tolist()[::-1], strict=True))
    return np.array([first.get(name, "") for name in compounds.tolist()])


def _montague(items: MontagueItems) -> View:
    """View phrases of an adjective and a noun: how many of the two tests of set theory each fails, and by how much."""
    singles = items.singles
    types = items.adjectives.type[positions(singles.adjective, items.adjectives.adjective)]
    farther = np.maximum(singles.to_adjective, singles.to_noun) - singles.between_words
    nearer_noun = singles.to_adjective - singles.to_noun
    misses = np.array(
        [
            np.where(types == "S-I", farther, -farther),
            np.where(np.isin(types, ["S-I", "S-NI"]), -nearer_noun, nearer_noun),
        ]
    )
    wrong = np.where(types == "A", np.nan, misses.max(axis=0))
    figures = {
        "tests failed": np.where(np.isnan(wrong), np.nan, (misses > 0).sum(axis=0)),
        "d to adjective": singles.to_adjective,
        "d to noun": singles.to_noun,
        "d of adjective and noun": singles.between_words,
    }
    return View({"phrase": _phrases(singles), "type": types}, figures, wrong, None)


def _entailment(items: EntailmentItems) -> View:
    """View phrases of an adjective and a noun: whether the answer is right for the type of the adjective."""
    documents = items.documents
    values = option_values(documents, ANSWERS)
    is_expected = np.array(ANSWERS)[:, None] == documents.expected
    right, best_other = (np.where(rows, values, -np.inf).max(axis=0) for rows in (is_expected, ~is_expected))
    names, first, phrase = np.unique(_phrases(documents), return_index=True, return_inverse=True)
    facts = {"phrase": names, "type": documents.type[first], "expected": documents.expected[first]}
    means = {
        name: group_means(values, phrase, len(names))
        for name, values in (("right", documents.right()), ("margin", right - best_other))
    }
    return View(facts, means, -means["margin"], None)


def _phrases(table: Any) -> Names:
    """Join adjectives and nouns, shape (n,)."""
    joined: Names = np.char.add(np.char.add(table.adjective, " "), table.noun)
    return joined


def _polarity_answers(items: PolarityItems) -> View:
    """View pairs: whether the labels of both sentences are right, and by which margin."""
    pairs, first, second = items.documents.right_of_pairs()
    documents = items.documents[np.isin(items.documents.pair, pairs)]
    _, first_of, pair = np.unique(documents.pair, return_index=True, return_inverse=True)
    negative, positive = option_values(documents, LABELS)
    margin = (2 * documents.label - 1) * (positive - negative)
    sides = {
        f"margin, {name}": group_means(np.where(documents.side == side, margin, np.nan), pair, len(pairs))
        for name, side in zip(("original", "rewrite"), SIDES, strict=True)
    }
    facts = {"pair": pairs, "direction": documents.direction[first_of]}
    return View(facts, {"both right": first * second, **sides}, -np.minimum(*sides.values()), pairs)


def _tree_reconstruction(items: TreeItems) -> View:
    """View trees: the distance of their vector from a sum of words, and how often their sentiment switches."""
    trees = items.used()
    facts = {
        "tree": trees.row,
        "words": trees.words.astype(float),
        "node switching": trees.wns,
        "impurity": trees.impurity,
    }
    wrong = np.abs(percentiles(trees.error) - (1 - percentiles(trees.wns)))
    return View(facts, {"TRE": trees.error}, wrong, trees.row)


def _pair_similarity(items: RatedPairItems) -> View:
    """View pairs of sentences: cosine against people's similarity, by rank."""
    pairs = items.pairs
    difference = percentiles(pairs.similarity) - percentiles(pairs.people)
    facts = {"pair": pairs.row, "kind": pairs.kind, "similarity by people": pairs.people}
    return View(facts, {_RANK_DIFFERENCE: difference, "cos": pairs.similarity}, np.abs(difference), pairs.row)


def _merge_opposites(items: Any) -> View:
    """View pairs: how far beyond the threshold of paraphrases an opposite is, and how far below it a paraphrase."""
    pairs = items.pairs
    beyond = pairs.similarity - MERGE_OPPOSITES.statistic(items, "threshold_90").value()
    figures = {"cos": pairs.similarity, "cos − threshold": beyond}
    return View({"pair": pairs.row, "kind": pairs.kind}, figures, np.where(pairs.is_same, -beyond, beyond), pairs.row)


_OWN: Mapping[str, Callable[[Any], View]] = {
    "epsilon": _epsilon,
    "affinity": _affinity,
    "type_token": _type_token,
    "montague": _montague,
    "entailment": _entailment,
    "polarity_answers": _polarity_answers,
    "tree_reconstruction": _tree_reconstruction,
    "role_swap": _pair_similarity,
    "transitive_similarity": _pair_similarity,
    "merge_opposites": _merge_opposites,
}
"""Measure -> its own view."""
