"""Views of models: figures of each compound, phrase, pair or tree from items, for the pages of units.

Each measure has a view. It names the units, their distances from the right result, and the comparisons behind them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy

from harness_ext.arrays import Array, Floats
from harness_ext.evaluators.caption_swap import CaptionSwapItems
from harness_ext.evaluators.epsilon import EpsilonItems
from harness_ext.evaluators.idiom_paraphrase import IdiomParaphraseItems
from harness_ext.evaluators.items import Items, positions
from harness_ext.evaluators.montague_items import MontagueItems
from harness_ext.evaluators.pair_similarity import PairSimilarityItems
from harness_ext.evaluators.polarity_items import PolarityItems
from harness_ext.evaluators.scaled_similarity import scaled_similarities
from harness_ext.evaluators.similarity import SimilarityItems
from harness_ext.evaluators.tree_reconstruction_error import TreeItems
from harness_ext.evaluators.type_token import TypeTokenItems
from harness_ext.statistics.correlation import group_means


@dataclass(frozen=True)
class Grid:
    """Rows with facts, the same for all models, and with figures of one model.

    Attributes:
        facts: Column -> values, shape (n,); the first names the unit.
        figures: Column -> values, shape (n,), NaN for none.
    """

    facts: Mapping[str, Array]
    figures: Mapping[str, Floats]


@dataclass(frozen=True)
class View:
    """The results of a model in one split and subset, by unit.

    Attributes:
        units: A row per unit; the first figure sums it up.
        wrong: Each unit's distance from the right result, shape (number of units,); NaN if no result is right.
        right: The right result, in a sentence.
        comparisons: The comparisons behind the figures; a column `row` names a row of the dataset. None if the units
            are rows themselves.
        in_sentences: Whether there are sentences to show.
        tolerated: The greatest distance from the right result that counts as right.
    """

    units: Grid
    wrong: Floats
    right: str
    comparisons: Grid | None = None
    in_sentences: bool = True
    tolerated: float = 0.5


def epsilon(items: EpsilonItems) -> View:
    """View compounds: their rank shares, and ε of each synonym in each sentence."""
    samples, compounds = items.samples, items.compounds
    share = items.rank_shares
    of_compound = positions(samples.compound, compounds.compound)
    words = np.char.add(np.char.add(samples.row, "\t"), np.char.add(np.char.add(samples.slot, "\t"), samples.synonym))
    _, first, group = np.unique(words, return_index=True, return_inverse=True)
    order = np.argsort(first)
    one = samples[first[order]]
    with np.errstate(divide="ignore", invalid="ignore"):
        idiomaticity, baseline = one.idiomaticity, samples.baseline
    return View(
        Grid(
            {"compound": compounds.compound, "class": compounds.class_},
            {"rank share": share, "samples": np.bincount(of_compound, minlength=len(share)).astype(float)},
        ),
        np.select([compounds.class_ == "NC", compounds.class_ == "C"], [1 - share, share], np.nan),
        "An idiomatic compound (NC) should have a rank share near 1, a literal compound (C) near 0. A rank share is "
        "the share of comparisons in which the compound changes its sentence more than its words explain.",
        Grid(
            {"compound": one.compound, "row": one.row, "replaced": one.slot, "word": one.word, "by": one.synonym},
            {
                "d alone": one.phrase_distance,
                "d in sentence": one.context_distance,
                "ε": idiomaticity,
                "mean baseline ε": group_means(baseline, group, len(first))[order],
            },
        ),
    )


def affinity(items: SimilarityItems) -> View:
    """View compounds: similarities of their replacements, and of the probes in each sentence."""
    sims = {level: items.sim(level) for level in ("sentence", "span") if items.has(level)}
    means = {level: {name: items.per_compound(sim) for name, sim in sims[level].items()} for level in sims}
    at_sentence = means["sentence"]
    wins = at_sentence["syn"] - at_sentence["words_syn"]
    figures = {
        "affinity": wins,
        **{f"Sim({name})": at_sentence[name] for name in ("syn", "words_syn", "rand")},
        **{
            f"affinity ({level})": of_level["syn"] - of_level["words_syn"]
            for level, of_level in means.items()
            if level != "sentence"
        },
    }
    return View(
        Grid(_compound_facts(items), figures),
        np.where(items.compounds.class_ == "NC", -wins, np.nan),
        "For an idiom (NC), affinity = Sim(syn) − Sim(words_syn) should be above 0: the synonym of the whole keeps the "
        "sentence nearer to the original than synonyms of the single words do.",
        _probes(items),
    )


def scaled_similarity(items: SimilarityItems) -> View:
    """View compounds: scaled similarities of their replacements."""
    scaled = scaled_similarities(items, "sentence")
    per_compound = {_SCALED[name]: items.per_compound(values) for name, values in scaled.items()}
    return View(
        Grid(_compound_facts(items), per_compound),
        1 - per_compound["Sim_R(syn)"],
        "Sim_R(syn) should be near 1 for every compound: its synonym keeps the sentence. Unrelated expressions have 0.",
        Grid(
            {"compound": items.sentences.compound, "row": items.sentences.row},
            {_SCALED[name]: values for name, values in scaled.items()},
        ),
    )


_SCALED = {"scaled_sim_syn": "Sim_R(syn)", "scaled_sim_words_syn": "Sim_R(words_syn)"}


def type_token(items: TypeTokenItems) -> View:
    """View compounds: cosines with their words and with themselves alone, beside human scores by rank."""
    compounds, sentences = items.compounds, items.sentences
    alone = items.per_compound("phrase_additivity")
    means = {name: items.per_compound(name) for name in ("nc_out", "nc_out_comp")}
    difference = percentiles(alone) - percentiles(np.where(np.isnan(alone), np.nan, compounds.type_score))
    in_sentences = {}
    for name in means:
        values = np.full(len(sentences), np.nan)
        rows = items.alone[items.alone.comparison == name]
        values[positions(rows.row, sentences.row)] = rows.similarity
        in_sentences[f"cos, {_ALONE[name]}"] = values
    return View(
        Grid(
            {"compound": compounds.compound, "class": compounds.class_, "human score": compounds.type_score},
            {
                "cos, words": alone,
                **{f"cos, {_ALONE[name]}": values for name, values in means.items() if not np.isnan(values).all()},
                "rank by model − by people": difference,
            },
        ),
        np.abs(difference),
        "The more compositional people find a compound (0 to 5), the nearer it should be to the sum of its words. A "
        "difference of ranks of 1 goes from one end of all compounds to the other.",
        Grid(
            {"compound": sentences.compound, "row": sentences.row, "human score": sentences.score},
            {
                **{name: values for name, values in in_sentences.items() if not np.isnan(values).all()},
                "cos, its other sentences": _with_other_sentences(items),
            },
        ),
    )


_ALONE = {"nc_out": "in sentence with alone", "nc_out_comp": "in sentence with words"}


def montague(items: MontagueItems) -> View:
    """View phrases of an adjective and a noun: how many of the two tests of set theory each fails, and by how much."""
    singles = items.singles
    types = items.adjectives.type[positions(singles.adjective, items.adjectives.adjective)]
    farther = np.maximum(singles.to_adjective, singles.to_noun) - singles.between_words
    nearer_noun = singles.to_adjective - singles.to_noun
    should_intersect = types == "S-I"
    should_be_subsective = np.isin(types, ["S-I", "S-NI"])
    misses = np.array(
        [np.where(should_intersect, farther, -farther), np.where(should_be_subsective, -nearer_noun, nearer_noun)]
    )
    wrong = np.where(types == "A", np.nan, misses.max(axis=0))
    failed = np.where(np.isnan(wrong), np.nan, (misses > 0).sum(axis=0))
    return View(
        Grid(
            {"phrase": np.char.add(np.char.add(singles.adjective, " "), singles.noun), "type": types},
            {
                "tests failed": failed,
                "d to adjective": singles.to_adjective,
                "d to noun": singles.to_noun,
                "d of adjective and noun": singles.between_words,
            },
        ),
        wrong,
        "A wild dog (S-I) should be nearer to both its words than they are to each other; phrases of other types "
        "should not. Subsective phrases (S-I, S-NI) should be nearer to the noun than to the adjective; others not.",
        in_sentences=False,
        tolerated=0.0,
    )


def polarity(items: PolarityItems) -> View:
    """View pairs: how many of the trained classifiers label both sentences correctly, or one."""
    pairs = items.usable_pairs()
    answers = items.answers[np.isin(items.answers.pair, pairs.pair)]
    place = positions(answers.pair, pairs.pair)
    kinds = np.char.add(np.char.add(answers.mode, " "), answers.classifier)
    both = (answers.original_correct & answers.rewrite_correct).astype(float)
    correct = (answers.original_correct.astype(float) + answers.rewrite_correct) / 2
    return View(
        Grid(
            {"pair": pairs.pair, "direction": pairs.direction},
            {
                f"both right, {kind}": group_means(np.where(kinds == kind, both, np.nan), place, len(pairs))
                for kind in dict.fromkeys(kinds.tolist())
            },
        ),
        1 - group_means(correct, place, len(pairs)),
        "Every trained classifier should label both sentences correctly (1): fb is trained on the vectors of the "
        "frozen encoder, ft together with the encoder.",
    )


def tree_reconstruction(items: TreeItems) -> View:
    """View trees: the distance of their vector from a sum of words, and how often their sentiment switches."""
    trees = items.used()
    difference = np.abs(percentiles(trees.error) - (1 - percentiles(trees.wns)))
    return View(
        Grid(
            {
                "tree": trees.row,
                "words": trees.words.astype(float),
                "node switching": trees.wns,
                "impurity": trees.impurity,
            },
            {"TRE": trees.error},
        ),
        difference,
        "A model that is compositional in the paper's sense has sentences nearer to a sum of their words (lower TRE) "
        "the more their sentiment switches on the way up the tree.",
    )


def pair_similarity(items: PairSimilarityItems) -> View:
    """View pairs of sentences: cosine against people's similarity, by rank."""
    pairs = items.pairs
    difference = percentiles(pairs.similarity) - percentiles(pairs.people)
    return View(
        Grid(
            {"pair": pairs.row, "kind": pairs.kind, "similarity by people": pairs.people},
            {"rank by model − by people": difference, "cos": pairs.similarity},
        ),
        np.abs(difference),
        "The more alike people find the sentences of a pair, the more alike they should be to the model. A difference "
        "of ranks of 1 goes from one end of all pairs to the other.",
    )


def caption_swap(items: CaptionSwapItems) -> View:
    """View triplets: how much nearer a caption is to its paraphrase than either is to the negative."""
    triplets = items.triplets
    nearest = np.minimum(triplets.negative_distance, triplets.between_distance)
    return View(
        Grid(
            {"triplet": triplets.row, "file": triplets.file},
            {
                "margin": nearest - triplets.paraphrase_distance,
                "d to paraphrase": triplets.paraphrase_distance,
                "d to negative": triplets.negative_distance,
                "d of both": triplets.between_distance,
            },
        ),
        triplets.paraphrase_distance - nearest,
        "The margin should be above 0: caption and paraphrase should be nearer to each other than to the negative.",
    )


def idiom_paraphrase(items: IdiomParaphraseItems) -> View:
    """View sentences: how much nearer the entailed rewrite is than the other."""
    triples = items.triples
    margin = triples.not_entailed_distance - triples.entailed_distance
    return View(
        Grid(
            {"sentence": triples.row},
            {"margin": margin, "d to entailed": triples.entailed_distance, "d to other": triples.not_entailed_distance},
        ),
        -margin,
        "The margin should be above 0: the rewrite that follows from the sentence should be nearer to it.",
    )


def _compound_facts(items: SimilarityItems) -> dict[str, Array]:
    return {"compound": items.compounds.compound, "class": items.compounds.class_, "human score": items.compounds.comp}


def _probes(items: SimilarityItems) -> Grid:
    table = items.similarities
    levels = [level for level in ("sentence", "span") if items.has(level)]
    first = table[table.level == levels[0]]
    figures = {f"Sim ({level})": table.similarity[table.level == level] for level in levels}
    names = {"compound": first.compound, "row": first.row, "probe": first.probe, "expression": first.expression}
    return Grid(names, figures)


def percentiles(values: Floats) -> Floats:
    """Rank values from 0 to 1, NaN left out, shape (k,)."""
    ranks = np.full(len(values), np.nan)
    known = ~np.isnan(values)
    if known.sum() > 1:
        ranks[known] = (scipy.stats.rankdata(values[known]) - 1) / (known.sum() - 1)
    return ranks


def _with_other_sentences(items: TypeTokenItems) -> Floats:
    """Compute the mean cosine of each sentence with the other sentences of its compound."""
    pairs = items.pairs[items.pairs.level == "sentence"]
    rows = positions(np.concatenate([pairs.row, pairs.other_row]), items.sentences.row)
    return group_means(np.tile(pairs.similarity, 2), rows, len(items.sentences))


def declared(items: Items, unit: str) -> View | None:
    """View units by the means of their measured numbers, for a measure without a view of its own.

    Args:
        items: Items of any measure.
        unit: The column that names the unit.

    Returns:
        The view of the first table with that column and measured numbers; None if there is no such table.
    """
    for table in items.tables().values():
        values = table.values()
        measured = [name for name in table.measured() if name in values and values[name].dtype.kind == "f"]
        if unit in values and measured:
            names, group = np.unique(values[unit], return_inverse=True)
            means = {name: group_means(values[name], group, len(names)) for name in measured}
            facts = {name: values[name] for name in (unit, *(values.keys() - {unit, *table.measured()}))}
            comparisons = Grid(facts, {name: values[name] for name in measured}) if "row" in facts else None
            return View(Grid({unit: names}, means), np.full(len(names), np.nan), "", comparisons)
    return None


VIEWS: dict[str, Callable[[Any], View]] = {
    "epsilon": epsilon,
    "affinity": affinity,
    "scaled_similarity": scaled_similarity,
    "type_token": type_token,
    "montague": montague,
    "polarity": polarity,
    "tree_reconstruction": tree_reconstruction,
    "role_swap": pair_similarity,
    "transitive_similarity": pair_similarity,
    "caption_swap": caption_swap,
    "idiom_paraphrase": idiom_paraphrase,
}
"""The view of each measure, by its name."""
