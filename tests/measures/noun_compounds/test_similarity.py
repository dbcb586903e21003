"""Affinity and Scaled Similarity of given vectors: vectors to items, items to scores, items to
resamples.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from harness_ext.measures.noun_compounds.affinity import Affinity
from harness_ext.measures.noun_compounds.scaled_similarity import ScaledSimilarity
from harness_ext.measures.noun_compounds.similarity import SimilarityCompounds, similarity_plan
from tests.measures.given import Given, at, compound_row


class AffinityOfAnyUnits(Affinity):
    fewest_units = 1  # worked out by hand


class ScaledSimilarityOfAnyUnits(ScaledSimilarity):
    fewest_units = 1


AFFINITY = AffinityOfAnyUnits()
SCALED_SIMILARITY = ScaledSimilarityOfAnyUnits()
MEASURES = [AFFINITY, SCALED_SIMILARITY]
PROBES = ("syn", "words_syn", "rand", "rand", "head", "modifier")


def cos(degrees):
    return float(np.cos(np.radians(degrees)))


def plan_of(compounds, n_rand=2, split=""):
    """A sentence for each compound named, of as many words as its place says, with all probes."""
    unrelated = [f"rand{number}" for number in range(n_rand)]
    rows = []
    for place, compound in enumerate(compounds):
        sentence = f"{place} {'very ' * place}{{}}"
        facts = {"rand": unrelated, "id": f"row{place}", "expert_class": "NC"}
        rows.append(compound_row(compound, sentence, **facts))
    return similarity_plan(rows, split, with_words=True)


def items_of(vectors, plan, *, spans=False):
    """The same vectors at both levels, if there are spans."""

    def vector_of_span(span):
        return vectors[span.sentence]

    return AFFINITY.fill(plan, Given(vectors.__getitem__, vector_of_span if spans else None))


def one_idiom(sentences):
    """Sentences of one unscored NC, with `PROBES` at angles to the original."""
    plan = plan_of(["black box"] * len(sentences))
    replaced = plan.without_spans().similarities.replaced.tolist()
    found = dict(zip(replaced, map(at, np.ravel(sentences)), strict=True))
    return items_of({text: found.get(text, at(0)) for text in plan.texts()}, plan)


def world(seed, n=12, d=6):
    """Two sentences for each of n compounds, at random."""
    rng = np.random.default_rng(seed)
    plan = plan_of(names_of(n, n_sentences=2), 3, "naturalistic")
    comp = rng.uniform(0, 5, n)
    comp[7::4] = np.nan  # the fourth has one score of two
    type_score = rng.uniform(0, 5, n)
    type_score[3::4] = np.nan
    compounds = SimilarityCompounds(
        compound=plan.compounds.compound,
        class_=["NC", "PC", "C", ""] * (n // 4),
        comp=comp,
        type_score=type_score,
        shares_word=rng.random(n) < 0.3,
    )
    vectors = {text: rng.normal(size=d) for text in plan.texts()}
    return vectors, replace(plan, compounds=compounds)


def names_of(n_compounds, n_sentences=1):
    """The compound of each sentence."""
    numbers = np.repeat(np.arange(n_compounds), n_sentences)
    return [f"compound{number}" for number in numbers]


def cosines(first, second):
    """Of the vectors at the same place; shape (n, d) each."""
    products = (first * second).sum(axis=1)
    return products / np.linalg.norm(first, axis=1) / np.linalg.norm(second, axis=1)


def texts_of(plan, probe):
    """The sentences with compounds, and the same with a probe, row by row."""
    rows = plan.without_spans().similarities
    rows = rows[rows.probe == probe]
    return rows.original.tolist(), rows.replaced.tolist()


def flat(measure, items):
    """The scores at sentence level, without its name in the key."""
    scores = measure.flat_scores(items)
    return {key.removeprefix("sentence_"): value for key, value in scores.items()}


def test_one_sentence_by_hand():
    items = one_idiom([[30, 60, 90, 120, 20, 10]])
    found = flat(AFFINITY, items)
    assert found["sim_syn_mean"] == pytest.approx(cos(30))
    assert found["sim_words_syn_mean"] == pytest.approx(0.5)
    assert found["sim_rand_mean"] == pytest.approx(-0.25)  # of 0 and -0.5
    assert found["sim_comp_mean"] == pytest.approx(cos(10))  # the more similar of 20° and 10°
    assert found["affinity_syn_words_syn_mean"] == pytest.approx(cos(30) - 0.5)
    assert found["affinity_syn_rand_mean"] == pytest.approx(cos(30) + 0.25)
    assert found["forced_choice_nc"] == 1
    for measure in MEASURES:  # without scores and lengths
        for key in measure.flat_scores(items):
            assert not key.endswith(("_spearman", "_type", "_p", "_overlap", "_length"))
    scaled = flat(SCALED_SIMILARITY, items)
    to_synonym = 1 - cos(30)
    to_unrelated = np.array([1.0, 1.5])  # at 90° and 120°
    contrasts = (to_unrelated - to_synonym) / (to_unrelated + to_synonym)
    assert scaled["contrast_syn"] == pytest.approx(contrasts.mean())
    assert scaled["scaled_sim_syn_mean"] == pytest.approx((cos(30) + 0.25) / 1.25)
    assert scaled["scaled_sim_words_syn_mean"] == pytest.approx(0.75 / 1.25)
    assert items.similarities.probe.tolist() == list(PROBES)
    expected = [cos(degrees) for degrees in (30, 60, 90, 120, 20, 10)]
    np.testing.assert_allclose(items.similarities.similarity, expected, atol=1e-12)


def test_a_sentence_with_near_unrelated_expressions_does_not_outweigh_the_others():
    """The first has Sim_R = (cos 60° − cos 5°) / (1 − cos 5°), about −130; the second .5."""
    scores = flat(SCALED_SIMILARITY, one_idiom([[60, 60, 5, 5, 20, 10], [60, 60, 90, 90, 20, 10]]))
    near = 1 - cos(5)
    contrasts = [(near - 0.5) / (near + 0.5), 0.5 / 1.5]
    assert scores["contrast_syn"] == pytest.approx(np.mean(contrasts))
    scaled = [(0.5 - cos(5)) / near, 0.5]
    # float32 of cos 5°
    assert scores["scaled_sim_syn_mean"] == pytest.approx(np.mean(scaled), rel=1e-4)


def test_contrast_changes_its_sign_where_synonym_and_unrelated_expression_change_places():
    plan = plan_of(names_of(12), 1)
    rng = np.random.default_rng(0)
    vectors = {text: rng.normal(size=3) for text in plan.texts()}
    _, synonyms = texts_of(plan, "syn")
    _, unrelated = texts_of(plan, "rand")
    swapped = dict(vectors)
    for synonym, expression in zip(synonyms, unrelated, strict=True):
        swapped[synonym] = vectors[expression]
        swapped[expression] = vectors[synonym]
    contrast = flat(SCALED_SIMILARITY, items_of(vectors, plan))["contrast_syn"]
    contrast_of_swapped = flat(SCALED_SIMILARITY, items_of(swapped, plan))["contrast_syn"]
    assert contrast == pytest.approx(-contrast_of_swapped, abs=1e-12)
    assert abs(contrast) > 0.01


@pytest.mark.parametrize("dimensions", [1, 2, 4, 8])
def test_a_constant_with_noise_has_no_contrast(dimensions):
    """Mean of six seeds, of three sentences of 280 compounds each, as in English; Sim_R with a
    floor of −1 has .16.
    """
    plan = plan_of(names_of(280, n_sentences=3), 5)
    texts = plan.without_spans().texts()
    constant = np.ones(len(texts))

    def score(seed):
        noise = 0.1 * np.random.default_rng(seed).normal(size=(len(texts), dimensions))
        vectors = dict(zip(texts, np.column_stack([constant, noise]), strict=True))
        items = SCALED_SIMILARITY.fill(plan, Given(vectors.__getitem__))
        return SCALED_SIMILARITY.statistic(items, "sentence_contrast_syn").value()

    assert abs(np.mean([score(seed) for seed in range(6)])) <= 0.02


@pytest.mark.parametrize(
    ("sentences", "choice"),
    [([(60, 30)], 0.0), ([(45, -45)], 0.5), ([(50, 49), (50, 49), (10, 80)], 1.0)],
    ids=["words", "tie", "one sentence wins by much and two lose by little"],
)
def test_forced_choice(sentences, choice):
    """It is of the mean affinity of the compound."""
    items = one_idiom([[syn, words_syn, 90, 90, 10, 10] for syn, words_syn in sentences])
    assert flat(AFFINITY, items)["forced_choice_nc"] == choice


def test_correlations_over_sentences_and_compounds():
    """`test_real_encoder` has means, spreads and other correlations."""
    vectors, plan = world(3)
    compounds = plan.compounds
    items = items_of(vectors, plan)
    scores = flat(AFFINITY, items)
    original, with_synonym = texts_of(plan, "syn")
    original_vectors = np.array([vectors[text] for text in original])
    synonym_vectors = np.array([vectors[text] for text in with_synonym])
    expected = cosines(original_vectors, synonym_vectors)
    np.testing.assert_allclose(items.sim["sentence"]["syn"], expected, atol=1e-12)
    per_compound = expected.reshape(-1, 2).mean(axis=1)
    scored = ~np.isnan(compounds.comp + compounds.type_score)
    rho = stats.spearmanr(per_compound[scored], compounds.comp[scored])
    assert scores["sim_syn_spearman"] == pytest.approx(rho.statistic)
    assert scores["sim_syn_spearman_p"] == pytest.approx(rho.pvalue)
    apart = scored & ~compounds.shares_word
    rho = stats.spearmanr(per_compound[apart], compounds.comp[apart])
    assert scores["sim_syn_spearman_no_overlap"] == pytest.approx(rho.statistic)
    rho = stats.spearmanr(expected, plan.sentences.length)
    assert scores["sim_syn_spearman_length"] == pytest.approx(rho.statistic)


@pytest.mark.parametrize("measure", MEASURES)
def test_a_level_that_is_not_there_has_no_keys(measure):
    scores = measure.flat_scores(items_of(*world(5)))
    assert scores["span_level"] == 0
    assert not [key for key in scores if "span" in key and key != "span_level"]
    scores = measure.flat_scores(items_of(*world(5), spans=True))
    assert scores["span_level"] == 1
    of_sentences = [key for key in scores if key.startswith("sentence_")]
    expected = {key.replace("sentence_", "span_") for key in of_sentences}
    assert {key for key in scores if key.startswith("span_")} == expected | {"span_level"}


def test_a_zero_vector_leaves_its_sentence_out_of_its_level_and_is_counted():
    vectors, plan = world(5)
    _, unrelated = texts_of(plan, "rand")
    zero = unrelated[3 * 4 + 1]
    without = vectors | {zero: np.zeros(6)}

    def vector_of_span(span):
        return without[span.sentence]

    spans = AFFINITY.fill(plan, Given(vectors.__getitem__, vector_of_span))
    for level, items in (("span", spans), ("sentence", items_of(without, plan))):
        for values in items.sim[level].values():
            assert np.flatnonzero(np.isnan(values)).tolist() == [4]
        for measure in MEASURES:
            assert measure.flat_scores(items)[f"n_excluded_zero_vector_{level}"] == 1
    assert AFFINITY.flat_scores(spans)["n_excluded_zero_vector_sentence"] == 0


def test_an_encoder_that_sees_no_difference_has_no_scale_and_no_contrast():
    vectors, plan = world(6)
    items = items_of(dict.fromkeys(vectors, np.ones(6)), plan)
    scores = flat(SCALED_SIMILARITY, items)
    assert scores["n_excluded_zero_scale_sentence"] == 24
    assert "scaled_sim_syn_mean" not in scores
    assert scores["contrast_syn"] == 0
    assert len(SCALED_SIMILARITY.statistic(items, SCALED_SIMILARITY.main).units) == 12
    assert flat(AFFINITY, items)["forced_choice_nc"] == 0.5


def test_standardising_takes_a_rogue_dimension_away():
    vectors, plan = world(7)
    plain = flat(AFFINITY, items_of(vectors, plan))
    assert plain["sim_syn_spearman_standardised"] > 0.7
    # one that does not vary only dilutes the others
    rogue = {text: np.append(vector, 1e3) for text, vector in vectors.items()}
    items = items_of(rogue, plan)
    found = flat(AFFINITY, items)
    assert found["sim_syn_mean"] > 0.999 > plain["sim_syn_mean"]
    all_vectors = np.array([*vectors.values()])
    mean = all_vectors.mean(axis=0)
    spread = all_vectors.std(axis=0)
    standardised = {text: (vector - mean) / spread for text, vector in vectors.items()}
    original, with_synonym = texts_of(plan, "syn")
    original_vectors = np.array([standardised[text] for text in original])
    synonym_vectors = np.array([standardised[text] for text in with_synonym])
    after = cosines(original_vectors, synonym_vectors)
    expected = stats.spearmanr(items.sim["sentence"]["syn"], after).statistic
    assert found["sim_syn_spearman_standardised"] == pytest.approx(expected)


def test_adjusted_scores_leave_out_what_counting_words_tells():
    """Of five idioms one has a synonym of one word and one shares a word; two of the three others
    are right.
    """
    affinities = {
        "recorder": 0.2,
        "flight recorder": 0.2,
        "flight box": 0.2,
        "top boss": -0.1,
        "idle talk": 0.1,
    }
    probes = {"words_syn": ["dark crate"], "rand": ["old dog"]}
    rows = []
    vectors = {}
    for number, (synonym, affinity) in enumerate(affinities.items()):
        facts = {"syn": synonym, **probes, "expert_class": "NC", "id": f"row{number}"}
        row = compound_row("black box", f"{number} {{}}", **facts)
        row["compound"] += str(number)
        rows.append(row)
        similarities = {synonym: 0.5 + affinity, "dark crate": 0.5, "old dog": 0.0}
        for words, similarity in similarities.items():
            vectors[f"{number} {words}"] = at(np.degrees(np.arccos(similarity)))
    plan = similarity_plan(rows)
    items = items_of({text: vectors.get(text, at(0)) for text in plan.texts()}, plan)
    assert items.adjusted().tolist() == [False, True, False, True, True]
    scores = flat(AFFINITY, items)
    scaled = flat(SCALED_SIMILARITY, items)
    assert scores["forced_choice_nc"] == pytest.approx(4 / 5)
    assert scores["forced_choice_nc_adjusted"] == pytest.approx(2 / 3)
    assert scores["n_sentence_forced_choice_nc_adjusted"] == 3
    assert scaled["n_sentence_contrast_syn_adjusted"] == 3
    # unrelated expressions have a distance of 1
    contrasts = [sim / (2 - sim) for sim in (0.7, 0.4, 0.6)]
    assert scaled["contrast_syn_adjusted"] == pytest.approx(np.mean(contrasts))
