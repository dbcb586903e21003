"""Views of measures of encoders."""

from __future__ import annotations

import numpy as np

from harness_ext.arrays import Array, Floats
from harness_ext.evaluators.caption_swap import CaptionSwapItems
from harness_ext.evaluators.epsilon import EpsilonItems
from harness_ext.evaluators.idiom_paraphrase import IdiomParaphraseItems
from harness_ext.evaluators.merge_opposites import MERGE_OPPOSITES, MergeItems
from harness_ext.evaluators.montague_items import MontagueItems
from harness_ext.evaluators.pair_similarity import PairSimilarityItems
from harness_ext.evaluators.scaled_similarity import scaled_similarities
from harness_ext.evaluators.similarity import SimilarityItems
from harness_ext.evaluators.type_token import TypeTokenItems
from harness_ext.fitted.polarity_items import PolarityItems
from harness_ext.fitted.tree_reconstruction_error import TreeItems
from harness_ext.framework.items import positions
from harness_ext.show.views.view import (
    RANK_DIFFERENCE,
    Grid,
    View,
    percentiles,
    phrases,
    rank_difference,
    view_by,
)
from harness_ext.statistics.correlation import group_means


@view_by("epsilon")
def epsilon(items: EpsilonItems) -> View:
    """View compounds: their rank shares, and ε of each synonym in each sentence."""
    samples, compounds = items.samples, items.compounds
    share, is_literal = items.rank_shares, compounds.class_ == "C"
    of_compound = positions(samples.compound, compounds.compound)
    replaced = np.array(["\t".join(names) for names in zip(samples.row, samples.slot, samples.synonym, strict=True)])
    _, first, group = np.unique(replaced, return_index=True, return_inverse=True)
    order = np.argsort(first)
    sample = samples[first[order]]
    with np.errstate(divide="ignore", invalid="ignore"):
        idiomaticity, baseline = sample.idiomaticity, samples.baseline
    return View(
        Grid(
            {"compound": compounds.compound, "class": compounds.class_},
            {"rank share": share, "samples": np.bincount(of_compound, minlength=len(share)).astype(float)},
        ),
        np.select([compounds.class_ == "NC", is_literal], [1 - share, share], np.nan),
        Grid(
            {
                "compound": sample.compound,
                "row": sample.row,
                "replaced": sample.slot,
                "word": sample.word,
                "by": sample.synonym,
            },
            {
                "d alone": sample.phrase_distance,
                "d in sentence": sample.context_distance,
                "ε": idiomaticity,
                "mean baseline ε": group_means(baseline, group, len(first))[order],
            },
        ),
    )


@view_by("affinity")
def affinity(items: SimilarityItems) -> View:
    """View compounds: similarities of their replacements, and of the probes in each sentence."""
    table = items.similarities
    levels = [level for level in ("sentence", "span") if items.has(level)]
    means = {level: {name: items.per_compound(sim) for name, sim in items.sim(level).items()} for level in levels}
    wins = {level: of_level["syn"] - of_level["words_syn"] for level, of_level in means.items()}
    at_sentence = wins.pop("sentence")
    first = table[table.level == levels[0]]
    return View(
        Grid(
            _compound_facts(items),
            {
                "affinity": at_sentence,
                **{f"Sim({name})": means["sentence"][name] for name in ("syn", "words_syn", "rand")},
                **{f"affinity ({level})": values for level, values in wins.items()},
            },
        ),
        np.where(items.compounds.class_ == "NC", -at_sentence, np.nan),
        Grid(
            {"compound": first.compound, "row": first.row, "probe": first.probe, "expression": first.expression},
            {f"Sim ({level})": table.similarity[table.level == level] for level in levels},
        ),
    )


@view_by("scaled_similarity")
def scaled_similarity(items: SimilarityItems) -> View:
    """View compounds: scaled similarities of their replacements."""
    scaled = scaled_similarities(items, "sentence")
    in_sentences = {f"Sim_R({name})": scaled[f"scaled_sim_{name}"] for name in ("syn", "words_syn")}
    units = {name: items.per_compound(values) for name, values in in_sentences.items()}
    return View(
        Grid(_compound_facts(items), units),
        1 - units["Sim_R(syn)"],
        Grid({"compound": items.sentences.compound, "row": items.sentences.row}, in_sentences),
    )


def _compound_facts(items: SimilarityItems) -> dict[str, Array]:
    return {"compound": items.compounds.compound, "class": items.compounds.class_, "human score": items.compounds.comp}


@view_by("type_token")
def type_token(items: TypeTokenItems) -> View:
    """View compounds: cosines with their words and with themselves alone, beside human scores by rank."""
    compounds, sentences = items.compounds, items.sentences
    with_words = items.per_compound("phrase_additivity")
    difference = rank_difference(with_words, compounds.type_score)
    means, in_sentences = {}, {}
    for comparison, other in (("nc_out", "alone"), ("nc_out_comp", "words")):
        of_sentence = np.full(len(sentences), np.nan)
        rows = items.alone[items.alone.comparison == comparison]
        of_sentence[positions(rows.row, sentences.row)] = rows.similarity
        if not np.isnan(of_sentence).all():
            in_sentences[f"cos, in sentence with {other}"] = of_sentence
            means[f"cos, in sentence with {other}"] = items.per_compound(comparison)
    return View(
        Grid(
            {"compound": compounds.compound, "class": compounds.class_, "human score": compounds.type_score},
            {"cos, words": with_words, **means, RANK_DIFFERENCE: difference},
        ),
        np.abs(difference),
        Grid(
            {"compound": sentences.compound, "row": sentences.row, "human score": sentences.score},
            {**in_sentences, "cos, its other sentences": _with_other_sentences(items)},
        ),
    )


def _with_other_sentences(items: TypeTokenItems) -> Floats:
    """Compute the mean cosine of each sentence with the other sentences of its compound."""
    pairs = items.pairs[items.pairs.level == "sentence"]
    rows = positions(np.concatenate([pairs.row, pairs.other_row]), items.sentences.row)
    return group_means(np.tile(pairs.similarity, 2), rows, len(items.sentences))


@view_by("montague")
def montague(items: MontagueItems) -> View:
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
    return View(
        Grid(
            {"phrase": phrases(singles.adjective, singles.noun), "type": types},
            {
                "tests failed": np.where(np.isnan(wrong), np.nan, (misses > 0).sum(axis=0)),
                "d to adjective": singles.to_adjective,
                "d to noun": singles.to_noun,
                "d of adjective and noun": singles.between_words,
            },
        ),
        wrong,
        in_sentences=False,
    )


@view_by("polarity")
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
    )


@view_by("tree_reconstruction")
def tree_reconstruction(items: TreeItems) -> View:
    """View trees: the distance of their vector from a sum of words, and how often their sentiment switches."""
    trees = items.used()
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
        np.abs(percentiles(trees.error) - (1 - percentiles(trees.wns))),
    )


@view_by("role_swap", "transitive_similarity")
def pair_similarity(items: PairSimilarityItems) -> View:
    """View pairs of sentences: cosine against people's similarity, by rank."""
    pairs = items.pairs
    difference = percentiles(pairs.similarity) - percentiles(pairs.people)
    return View(
        Grid(
            {"pair": pairs.row, "kind": pairs.kind, "similarity by people": pairs.people},
            {RANK_DIFFERENCE: difference, "cos": pairs.similarity},
        ),
        np.abs(difference),
    )


@view_by("caption_swap")
def caption_swap(items: CaptionSwapItems) -> View:
    """View triplets: how much nearer a caption is to its paraphrase than either is to the negative."""
    triplets = items.triplets
    margin = np.minimum(triplets.negative_distance, triplets.between_distance) - triplets.paraphrase_distance
    return View(
        Grid(
            {"triplet": triplets.row, "file": triplets.file},
            {
                "margin": margin,
                "d to paraphrase": triplets.paraphrase_distance,
                "d to negative": triplets.negative_distance,
                "d of both": triplets.between_distance,
            },
        ),
        -margin,
    )


@view_by("idiom_paraphrase")
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
    )


@view_by("merge_opposites")
def merge_opposites(items: MergeItems) -> View:
    """View pairs: how far beyond the threshold of paraphrases an opposite is, and how far below it a paraphrase."""
    pairs = items.pairs
    beyond = pairs.similarity - MERGE_OPPOSITES.statistic(items, "threshold_90").value()
    return View(
        Grid({"pair": pairs.row, "kind": pairs.kind}, {"cos": pairs.similarity, "cos − threshold": beyond}),
        np.where(pairs.is_same, -beyond, beyond),
    )
