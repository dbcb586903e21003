"""Affinity and Scaled Similarity of given vectors: vectors to items, items to scores, items to
resamples.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from pytest import approx
from scipy import stats

from harness_ext.measures.noun_compounds.affinity import Affinity
from harness_ext.measures.noun_compounds.scaled_similarity import ScaledSimilarity
from harness_ext.measures.noun_compounds.similarity import SimilarityCompounds, similarity_plan
from tests.measures.given import Given, at, chosen, compound_row, cos


class AffinityOfAnyUnits(Affinity):
    fewest_units = 1  # worked out by hand


class ScaledSimilarityOfAnyUnits(ScaledSimilarity):
    fewest_units = 1


AFFINITY = AffinityOfAnyUnits()
SCALED_SIMILARITY = ScaledSimilarityOfAnyUnits()
MEASURES = [AFFINITY, SCALED_SIMILARITY]
PROBES = ("syn", "words_syn", "rand", "rand", "head", "modifier")


def plan_of(compounds, n_rand=2, split=""):
    """A sentence for each compound named, of as many words as its place says, with all probes."""
    unrelated = [f"rand{number}" for number in range(n_rand)]
    rows = []
    for place, compound in enumerate(compounds):
        sentence = f"{place} {'very ' * place}{{}}"
        row = compound_row(
            compound,
            sentence,
            rand=unrelated,
            id=f"row{place}",
            expert_class="NC",
        )
        rows.append(row)
    return similarity_plan(rows, split, with_words=True)


def items_of(vectors, plan, *, spans=False):
    """The same vectors at both levels, if there are spans."""

    def vector_of_span(span):
        return vectors[span.sentence]

    of_span = vector_of_span if spans else None
    encode = Given(vectors.__getitem__, of_span)
    return AFFINITY.fill(plan, encode)


def one_idiom(sentences):
    """Sentences of one unscored NC, with `PROBES` at angles to the original."""
    plan = plan_of(["black box"] * len(sentences))
    vectors = dict.fromkeys(plan.texts(), at(0))
    replaced = plan.without_spans().similarities.replaced
    for text, degrees in zip(replaced, np.ravel(sentences), strict=True):
        vectors[text] = at(degrees)
    return items_of(vectors, plan)


def world(seed, n=12, d=6):
    """Two sentences for each of n compounds, at random."""
    rng = np.random.default_rng(seed)
    plan = plan_of(names_of(n, n_sentences=2), 3, "naturalistic")
    comp = rng.uniform(0, 5, n)
    comp[7::4] = np.nan  # the fourth has one score of two
    type_score = rng.uniform(0, 5, n)
    type_score[3::4] = np.nan
    shares_word = rng.random(n) < 0.3
    compounds = SimilarityCompounds(
        compound=plan.compounds.compound,
        class_=["NC", "PC", "C", ""] * (n // 4),
        comp=comp,
        type_score=type_score,
        shares_word=shares_word,
    )
    plan = replace(plan, compounds=compounds)
    return random_vectors(plan, rng, d), plan


def random_vectors(plan, rng, dimensions):
    return {text: rng.normal(size=dimensions) for text in plan.texts()}


def names_of(n_compounds, n_sentences=1):
    """The compound of each sentence."""
    numbers = np.repeat(np.arange(n_compounds), n_sentences)
    return [f"compound{number}" for number in numbers]


def cosines(first, second):
    """Of the vectors at the same place; shape (n, d) each."""
    products = (first * second).sum(axis=1)
    length_of_first = np.linalg.norm(first, axis=1)
    length_of_second = np.linalg.norm(second, axis=1)
    return products / length_of_first / length_of_second


def similarities_to_synonyms(vectors, plan):
    """Of each row's sentence and the same with the compound's synonym, shape (rows,)."""
    original, with_synonym = texts_of(plan, "syn")
    original_vectors = [vectors[text] for text in original]
    synonym_vectors = [vectors[text] for text in with_synonym]
    return cosines(np.array(original_vectors), np.array(synonym_vectors))


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
    degrees = [30, 60, 90, 120, 20, 10]
    items = one_idiom([degrees])
    found = flat(AFFINITY, items)
    expected = {
        "sim_syn_mean": approx(cos(30)),
        "sim_words_syn_mean": approx(0.5),
        "sim_rand_mean": approx(-0.25),  # of 0 and -0.5
        "sim_comp_mean": approx(cos(10)),  # the more similar of 20° and 10°
        "affinity_syn_words_syn_mean": approx(cos(30) - 0.5),
        "affinity_syn_rand_mean": approx(cos(30) + 0.25),
        "forced_choice_nc": 1,
    }
    assert chosen(found, expected) == expected
    for measure in MEASURES:  # without scores and lengths
        for key in measure.flat_scores(items):
            assert not key.endswith(("_spearman", "_type", "_p", "_overlap", "_length"))
    scaled = flat(SCALED_SIMILARITY, items)
    to_synonym = 1 - cos(30)
    to_unrelated = np.array([1.0, 1.5])  # at 90° and 120°
    contrasts = (to_unrelated - to_synonym) / (to_unrelated + to_synonym)
    assert scaled["contrast_syn"] == approx(contrasts.mean())
    assert scaled["scaled_sim_syn_mean"] == approx((cos(30) + 0.25) / 1.25)
    assert scaled["scaled_sim_words_syn_mean"] == approx(0.75 / 1.25)
    table = items.similarities
    assert table.probe.tolist() == list(PROBES)
    cosines_of_probes = list(map(cos, degrees))
    assert_allclose(table.similarity, cosines_of_probes, atol=1e-12)


def test_a_sentence_with_near_unrelated_expressions_does_not_outweigh_the_others():
    """The first has Sim_R = (cos 60° − cos 5°) / (1 − cos 5°), about −130; the second .5."""
    items = one_idiom(
        [
            [60, 60, 5, 5, 20, 10],
            [60, 60, 90, 90, 20, 10],
        ]
    )
    scores = flat(SCALED_SIMILARITY, items)
    near = 1 - cos(5)
    contrast_of_first = (near - 0.5) / (near + 0.5)
    contrast_of_second = 0.5 / 1.5
    expected = (contrast_of_first + contrast_of_second) / 2
    assert scores["contrast_syn"] == approx(expected)
    scaled_of_first = (0.5 - cos(5)) / near
    expected = (scaled_of_first + 0.5) / 2
    # float32 of cos 5°
    assert scores["scaled_sim_syn_mean"] == approx(expected, rel=1e-4)


def test_contrast_changes_its_sign_where_synonym_and_unrelated_expression_change_places():
    plan = plan_of(names_of(12), 1)
    rng = np.random.default_rng(0)
    vectors = random_vectors(plan, rng, 3)
    _, synonyms = texts_of(plan, "syn")
    _, unrelated = texts_of(plan, "rand")
    swapped = dict(vectors)
    for synonym, expression in zip(synonyms, unrelated, strict=True):
        swapped[synonym] = vectors[expression]
        swapped[expression] = vectors[synonym]
    scores = flat(SCALED_SIMILARITY, items_of(vectors, plan))
    scores_of_swapped = flat(SCALED_SIMILARITY, items_of(swapped, plan))
    contrast = scores["contrast_syn"]
    assert contrast == approx(-scores_of_swapped["contrast_syn"], abs=1e-12)
    assert abs(contrast) > 0.01


@pytest.mark.slow
@pytest.mark.parametrize(
    "dimensions",
    [1, *(pytest.param(number, marks=pytest.mark.slow) for number in (2, 4, 8))],
)
def test_a_constant_with_noise_has_no_contrast(dimensions):
    """Mean of six seeds, of three sentences of 280 compounds each, as in English; Sim_R with a
    floor of −1 has .16.
    """
    plan = plan_of(names_of(280, n_sentences=3), 5)
    texts = plan.without_spans().texts()
    constant = np.ones(len(texts))

    def score(seed):
        rng = np.random.default_rng(seed)
        noise = rng.normal(size=(len(texts), dimensions))
        rows = np.column_stack([constant, 0.1 * noise])
        vectors = dict(zip(texts, rows, strict=True))
        items = SCALED_SIMILARITY.fill(plan, Given(vectors.__getitem__))
        statistic = SCALED_SIMILARITY.statistic(items, "sentence_contrast_syn")
        return statistic.value()

    scores = [score(seed) for seed in range(6)]
    assert abs(np.mean(scores)) <= 0.02


@pytest.mark.parametrize(
    ("sentences", "choice"),
    [
        pytest.param([(60, 30)], 0.0, id="words"),
        pytest.param([(45, -45)], 0.5, id="tie"),
        pytest.param(
            [(50, 49), (50, 49), (10, 80)],
            1.0,
            id="one sentence wins by much and two lose by little",
        ),
    ],
)
def test_forced_choice(sentences, choice):
    """It is of the mean affinity of the compound."""
    degrees = [[*synonyms, 90, 90, 10, 10] for synonyms in sentences]
    scores = flat(AFFINITY, one_idiom(degrees))
    assert scores["forced_choice_nc"] == choice


def spearman_of(x, y, is_chosen):
    return stats.spearmanr(x[is_chosen], y[is_chosen])


def test_correlations_over_sentences_and_compounds():
    """`test_real_encoder` has means, spreads and other correlations."""
    vectors, plan = world(3)
    compounds = plan.compounds
    items = items_of(vectors, plan)
    scores = flat(AFFINITY, items)
    of_sentences = similarities_to_synonyms(vectors, plan)
    assert_allclose(items.sim["sentence"]["syn"], of_sentences, atol=1e-12)
    two_sentences_each = of_sentences.reshape(-1, 2)
    of_compounds = two_sentences_each.mean(axis=1)
    is_scored = np.isfinite(compounds.comp + compounds.type_score)
    rho = spearman_of(of_compounds, compounds.comp, is_scored)
    assert scores["sim_syn_spearman"] == approx(rho.statistic)
    assert scores["sim_syn_spearman_p"] == approx(rho.pvalue)
    is_apart = is_scored & ~compounds.shares_word
    rho = spearman_of(of_compounds, compounds.comp, is_apart)
    assert scores["sim_syn_spearman_no_overlap"] == approx(rho.statistic)
    rho = stats.spearmanr(of_sentences, plan.sentences.length)
    assert scores["sim_syn_spearman_length"] == approx(rho.statistic)


@pytest.mark.parametrize("measure", MEASURES)
def test_a_level_that_is_not_there_has_no_keys(measure):
    vectors, plan = world(5)
    scores = measure.flat_scores(items_of(vectors, plan))
    assert scores["span_level"] == 0
    assert [key for key in scores if "span" in key] == ["span_level"]
    scores = measure.flat_scores(items_of(vectors, plan, spans=True))
    assert scores["span_level"] == 1
    expected = {"span_level"}
    for key in scores:
        if key.startswith("sentence_"):
            expected.add(key.replace("sentence_", "span_"))
    of_spans = {key for key in scores if key.startswith("span_")}
    assert of_spans == expected


def test_a_zero_vector_leaves_its_sentence_out_of_its_level_and_is_counted():
    vectors, plan = world(5)
    _, unrelated = texts_of(plan, "rand")
    zero = unrelated[3 * 4 + 1]
    without = vectors | {zero: np.zeros(6)}

    def vector_of_span(span):
        return without[span.sentence]

    encode = Given(vectors.__getitem__, vector_of_span)
    items_by_level = {
        "span": AFFINITY.fill(plan, encode),
        "sentence": items_of(without, plan),
    }
    for level, items in items_by_level.items():
        for values in items.sim[level].values():
            (left_out,) = np.isnan(values).nonzero()
            assert left_out.tolist() == [4]
        for measure in MEASURES:
            scores = measure.flat_scores(items)
            assert scores[f"n_excluded_zero_vector_{level}"] == 1
    scores = AFFINITY.flat_scores(items_by_level["span"])
    assert scores["n_excluded_zero_vector_sentence"] == 0


def test_an_encoder_that_sees_no_difference_has_no_scale_and_no_contrast():
    vectors, plan = world(6)
    same_vector = dict.fromkeys(vectors, np.ones(6))
    items = items_of(same_vector, plan)
    scores = flat(SCALED_SIMILARITY, items)
    assert scores["n_excluded_zero_scale_sentence"] == 24
    assert "scaled_sim_syn_mean" not in scores
    assert scores["contrast_syn"] == 0
    statistic = SCALED_SIMILARITY.statistic(items, SCALED_SIMILARITY.main)
    assert len(statistic.units) == 12
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
    z_scores = stats.zscore([*vectors.values()], axis=0)
    standardised = dict(zip(vectors, z_scores, strict=True))
    before = items.sim["sentence"]["syn"]
    after = similarities_to_synonyms(standardised, plan)
    expected = stats.spearmanr(before, after).statistic
    assert found["sim_syn_spearman_standardised"] == approx(expected)


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
    rows = []
    vectors = {}
    for number, (synonym, affinity) in enumerate(affinities.items()):
        row = compound_row(
            "black box",
            f"{number} {{}}",
            syn=synonym,
            words_syn=["dark crate"],
            rand=["old dog"],
            expert_class="NC",
            id=f"row{number}",
        )
        row["compound"] += str(number)
        rows.append(row)
        similarities = {
            synonym: 0.5 + affinity,
            "dark crate": 0.5,
            "old dog": 0.0,
        }
        for words, similarity in similarities.items():
            degrees = np.degrees(np.arccos(similarity))
            vectors[f"{number} {words}"] = at(degrees)
    plan = similarity_plan(rows)
    originals = dict.fromkeys(plan.texts(), at(0))
    items = items_of(originals | vectors, plan)
    is_compared = items.adjusted()
    assert is_compared.tolist() == [False, True, False, True, True]
    scores = flat(AFFINITY, items)
    scaled = flat(SCALED_SIMILARITY, items)
    assert scores["forced_choice_nc"] == approx(4 / 5)
    assert scores["forced_choice_nc_adjusted"] == approx(2 / 3)
    assert scores["n_sentence_forced_choice_nc_adjusted"] == 3
    assert scaled["n_sentence_contrast_syn_adjusted"] == 3
    # unrelated expressions have a distance of 1
    similarities = np.array([0.7, 0.4, 0.6])
    contrasts = similarities / (2 - similarities)
    assert scaled["contrast_syn_adjusted"] == approx(contrasts.mean())
