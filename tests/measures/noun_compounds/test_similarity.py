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
    rows = [
        compound_row(
            compound,
            f"{place} {'very ' * place}{{}}",
            rand=[f"rand{number}" for number in range(n_rand)],
            id=f"row{place}",
            expert_class="NC",
        )
        for place, compound in enumerate(compounds)
    ]
    return similarity_plan(rows, split, with_words=True)


def items_of(vectors, plan, *, spans=False):
    """The same vectors at both levels, if there are spans."""
    return AFFINITY.fill(
        plan, Given(vectors.__getitem__, (lambda span: vectors[span.sentence]) if spans else None)
    )


def one_idiom(sentences):
    """Sentences of one unscored NC, with `PROBES` at angles to the original."""
    plan = plan_of(["black box"] * len(sentences))
    replaced = plan.without_spans().similarities.replaced.tolist()
    found = dict(zip(replaced, map(at, np.ravel(sentences)), strict=True))
    return items_of({text: found.get(text, at(0)) for text in plan.texts()}, plan)


def world(seed, n=12, d=6):
    """Two sentences for each of n compounds, at random."""
    rng = np.random.default_rng(seed)
    plan = plan_of(
        [f"compound{number}" for number in range(n) for _ in range(2)], 3, "naturalistic"
    )
    no_score = np.arange(n) % 4 == 3
    compounds = SimilarityCompounds(
        compound=plan.compounds.compound,
        class_=["NC", "PC", "C", ""] * (n // 4),
        # the fourth has one score of two
        comp=np.where(no_score & (np.arange(n) != 3), np.nan, rng.uniform(0, 5, n)),
        type_score=np.where(no_score, np.nan, rng.uniform(0, 5, n)),
        shares_word=rng.random(n) < 0.3,
    )
    return {text: rng.normal(size=d) for text in plan.texts()}, replace(plan, compounds=compounds)


def texts_of(plan, probe):
    """The sentences with compounds, and the same with a probe, row by row."""
    rows = plan.without_spans().similarities
    rows = rows[rows.probe == probe]
    return rows.original.tolist(), rows.replaced.tolist()


def flat(measure, items):
    """The scores at sentence level, without its name in the key."""
    return {
        key.removeprefix("sentence_"): value for key, value in measure.flat_scores(items).items()
    }


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
        keys = measure.flat_scores(items)
        assert not [
            key for key in keys if key.endswith(("_spearman", "_type", "_p", "_overlap", "_length"))
        ]
    scaled = flat(SCALED_SIMILARITY, items)
    # distances; the unrelated expressions lie at 90° and 120°
    of_syn, *of_rand = 1 - cos(30), 1.0, 1.5
    assert scaled["contrast_syn"] == pytest.approx(
        np.mean([(d - of_syn) / (d + of_syn) for d in of_rand])
    )
    assert scaled["scaled_sim_syn_mean"] == pytest.approx((cos(30) + 0.25) / 1.25)
    assert scaled["scaled_sim_words_syn_mean"] == pytest.approx(0.75 / 1.25)
    assert items.similarities.probe.tolist() == list(PROBES)
    np.testing.assert_allclose(
        items.similarities.similarity, [cos(a) for a in (30, 60, 90, 120, 20, 10)], atol=1e-12
    )


def test_a_sentence_with_near_unrelated_expressions_does_not_outweigh_the_others():
    """The first has Sim_R = (cos 60° − cos 5°) / (1 − cos 5°), about −130; the second .5."""
    scores = flat(SCALED_SIMILARITY, one_idiom([[60, 60, 5, 5, 20, 10], [60, 60, 90, 90, 20, 10]]))
    near = 1 - cos(5)
    assert scores["contrast_syn"] == pytest.approx(((near - 0.5) / (near + 0.5) + 0.5 / 1.5) / 2)
    assert scores["scaled_sim_syn_mean"] == pytest.approx(
        ((0.5 - cos(5)) / near + 0.5) / 2, rel=1e-4
    )  # float32 of cos 5°


def test_contrast_changes_its_sign_where_synonym_and_unrelated_expression_change_places():
    plan = plan_of([f"compound{number}" for number in range(12)], 1)
    vectors = {
        text: np.random.default_rng(number).normal(size=3)
        for number, text in enumerate(plan.texts())
    }
    gold, unrelated = (texts_of(plan, probe)[1] for probe in ("syn", "rand"))
    swapped = vectors | dict(zip(gold + unrelated, map(vectors.get, unrelated + gold), strict=True))
    one, other = (
        flat(SCALED_SIMILARITY, items_of(each, plan))["contrast_syn"] for each in (vectors, swapped)
    )
    assert one == pytest.approx(-other, abs=1e-12)
    assert abs(one) > 0.01


@pytest.mark.parametrize("dimensions", [1, 2, 4, 8])
def test_a_constant_with_noise_has_no_contrast(dimensions):
    """Mean of six seeds, of three sentences of 280 compounds each, as in English; Sim_R with a
    floor of −1 has .16.
    """
    plan = plan_of([f"compound{number}" for number in range(280) for _ in range(3)], 5)
    texts = plan.without_spans().texts()

    def score(seed):
        noise = 0.1 * np.random.default_rng(seed).normal(size=(len(texts), dimensions))
        vectors = dict(zip(texts, np.column_stack([np.ones(len(texts)), noise]), strict=True))
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
    items, compounds = items_of(vectors, plan), plan.compounds
    scores, sim = flat(AFFINITY, items), items.sim["sentence"]["syn"]
    original, syn = (np.array([vectors[text] for text in texts]) for texts in texts_of(plan, "syn"))
    expected = (
        (original * syn).sum(1) / np.linalg.norm(original, axis=1) / np.linalg.norm(syn, axis=1)
    )
    np.testing.assert_allclose(sim, expected, atol=1e-12)
    per_compound = expected.reshape(-1, 2).mean(axis=1)
    scored = ~np.isnan(compounds.comp + compounds.type_score)
    rho = stats.spearmanr(per_compound[scored], compounds.comp[scored])
    assert (scores["sim_syn_spearman"], scores["sim_syn_spearman_p"]) == pytest.approx(
        (rho.statistic, rho.pvalue)
    )
    apart = scored & ~compounds.shares_word
    rho = stats.spearmanr(per_compound[apart], compounds.comp[apart])
    assert scores["sim_syn_spearman_no_overlap"] == pytest.approx(rho.statistic)
    rho = stats.spearmanr(expected, plan.sentences.length)
    assert scores["sim_syn_spearman_length"] == pytest.approx(rho.statistic)


@pytest.mark.parametrize("measure", MEASURES)
def test_a_level_that_is_not_there_has_no_keys(measure):
    scores, spans = (
        measure.flat_scores(items_of(*world(5), spans=spans)) for spans in (False, True)
    )
    assert (scores["span_level"], spans["span_level"]) == (0, 1)
    assert not [key for key in scores if "span" in key and key != "span_level"]
    assert {key for key in spans if key.startswith("span_")} == {
        "span_level",
        *(key.replace("sentence_", "span_") for key in spans if key.startswith("sentence_")),
    }


def test_a_zero_vector_leaves_its_sentence_out_of_its_level_and_is_counted():
    vectors, plan = world(5)
    zero = texts_of(plan, "rand")[1][3 * 4 + 1]
    without = vectors | {zero: np.zeros(6)}
    spans = AFFINITY.fill(plan, Given(vectors.__getitem__, lambda span: without[span.sentence]))
    for level, items in (("span", spans), ("sentence", items_of(without, plan))):
        assert all(
            np.flatnonzero(np.isnan(values)).tolist() == [4] for values in items.sim[level].values()
        )
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
    items = items_of({text: np.append(vector, 1e3) for text, vector in vectors.items()}, plan)
    found = flat(AFFINITY, items)
    assert found["sim_syn_mean"] > 0.999 > plain["sim_syn_mean"]
    every = np.array([*vectors.values()])
    before = ([vectors[text] for text in texts] for texts in texts_of(plan, "syn"))
    z = [(np.array(part) - every.mean(0)) / every.std(0) for part in before]
    after = (z[0] * z[1]).sum(1) / np.linalg.norm(z[0], axis=1) / np.linalg.norm(z[1], axis=1)
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
    rows, found = [], {}
    for number, (syn, choice) in enumerate(affinities.items()):
        about = {"syn": syn, "words_syn": ["dark crate"], "rand": ["old dog"], "expert_class": "NC"}
        rows.append(compound_row("black box", f"{number} {{}}", **about, id=f"row{number}"))
        rows[-1]["compound"] += str(number)
        similarities = {syn: 0.5 + choice, "dark crate": 0.5, "old dog": 0.0}
        found |= {
            f"{number} {words}": at(np.degrees(np.arccos(value)))
            for words, value in similarities.items()
        }
    plan = similarity_plan(rows)
    items = items_of({text: found.get(text, at(0)) for text in plan.texts()}, plan)
    assert items.adjusted().tolist() == [False, True, False, True, True]
    affinity, scaled = flat(AFFINITY, items), flat(SCALED_SIMILARITY, items)
    assert affinity["forced_choice_nc"] == pytest.approx(4 / 5)
    assert affinity["forced_choice_nc_adjusted"] == pytest.approx(2 / 3)
    assert (
        affinity["n_sentence_forced_choice_nc_adjusted"]
        == scaled["n_sentence_contrast_syn_adjusted"]
        == 3
    )
    # unrelated expressions have a distance of 1
    contrasts = [sim / (2 - sim) for sim in (0.7, 0.4, 0.6)]
    assert scaled["contrast_syn_adjusted"] == pytest.approx(np.mean(contrasts))
