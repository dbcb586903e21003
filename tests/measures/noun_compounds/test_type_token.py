"""Type and token idiomaticity of given vectors: vectors to items, items to scores, items to
resamples.
"""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from pytest import approx
from scipy.stats import pearsonr, spearmanr

from harness_ext.data.word_frequencies import zipf_frequency
from harness_ext.measures.noun_compounds.type_token import (
    TypeToken,
    rho_of_similarities,
    zipf_frequencies,
)
from harness_ext.measures.noun_compounds.type_token_items import type_token_plan
from tests.measures.given import Given, at, chosen, compound_row, cos


class TypeTokenOfAnyUnits(TypeToken):
    fewest_units = 1  # worked out by hand


TYPE_TOKEN = TypeTokenOfAnyUnits()


def items_of(
    compound,
    words,
    sentences,
    score,
    type_score,
    classes=None,
    *,
    spans=True,
):
    """Items of k compounds of two words in m / k sentences each, the same vectors at both levels.

    Vectors of the compounds alone, (k, d), of their words, (2 k, d), and of the sentences, (m, d),
    first those of the first; human scores in the sentences, (m,), and of the compounds, (k,);
    classes, all "C" if None.
    """
    n_compounds = len(compound)
    n_sentences_each = len(sentences) // n_compounds
    names = [f"{2 * number} {2 * number + 1}" for number in range(n_compounds)]
    vectors = dict(zip(names, compound, strict=True))
    for number, vector in enumerate(words):
        vectors[str(number)] = vector
    if classes is None:
        classes = ["C"] * n_compounds
    rows = []
    for number, sentence_vector in enumerate(sentences):
        place = number // n_sentences_each
        row = compound_row(
            names[place],
            f"{number}: {{}}",
            id=f"row{number}",
            expert_class=classes[place],
            type_score=type_score[place],
            token_score=score[number],
        )
        vectors[row["sentence"]] = sentence_vector
        rows.append(row)

    def vector_of_span(span):
        return vectors[span.sentence]

    of_span = vector_of_span if spans else None
    encode = Given(vectors.__getitem__, of_span)
    return TYPE_TOKEN.fill(type_token_plan(rows), encode)


def additive(angles, type_score, words=(1, 1)):
    """Compounds at angles whose words, of these lengths, stand at 0 and 90 degrees; one sentence
    each.
    """
    n = len(angles)
    compounds = [at(angle) if angle >= 0 else [0, 0] for angle in angles]
    modifier_length, head_length = words
    word_vectors = [
        [modifier_length, 0],
        [0, head_length],
    ]
    return items_of(
        compounds,
        word_vectors * n,
        sentences=np.ones((n, 2)),
        score=np.ones(n),
        type_score=type_score,
        spans=False,
    )


def test_phrase_additivity_by_hand():
    """The words sum to 45°; the compounds stand at 45, 55, 75 and 65 degrees."""
    angles = (45, 55, 75, 65)
    items = additive(angles, [5.0, 4.0, 1.0, 2.0])
    expected = [cos(degrees) for degrees in (0, 10, 30, 20)]
    assert_allclose(items.per_compound("phrase_additivity"), expected)
    scores = TYPE_TOKEN.flat_scores(items)
    assert scores["phrase_additivity_type_spearman"] == approx(1)
    swapped = additive(angles, [4.0, 5.0, 1.0, 2.0])
    scores = TYPE_TOKEN.flat_scores(swapped)
    rho = 1 - 6 * 2 / (4 * 15)
    assert scores["phrase_additivity_type_spearman"] == approx(rho)
    as_they_are = additive((45,), [0.0], words=(3, 1))
    additivity = as_they_are.per_compound("phrase_additivity")
    assert_allclose(additivity, 4 / np.sqrt(2 * 10))


def test_a_compound_with_unscored_type_and_a_zero_vector_are_left_out():
    without_last = (45, 55, 75, -1)
    items = additive(without_last, [5.0, 4.0, 1.0, 2.0])
    scores = TYPE_TOKEN.flat_scores(items)
    assert scores["n_excluded_zero_vector_phrase"] == 1
    assert scores["phrase_additivity_type_spearman"] == approx(1)
    statistic = TYPE_TOKEN.statistic(items, TYPE_TOKEN.main)
    assert statistic.units.tolist() == ["0 1", "2 3", "4 5"]
    unscored = additive(without_last, [5.0, np.nan, 1.0, 2.0])
    scores = TYPE_TOKEN.flat_scores(unscored)
    assert "phrase_additivity_type_spearman" not in scores  # two are left
    assert scores["n_excluded_no_type_score"] == 1


ANGLES = (10, 20, 40, 5, 15, 35, 60, 62, 66)
IN_SENTENCES = [at(angle) for angle in ANGLES]
SCORES = np.array([4.0, 3.0, 1.0, 5.0, 4.5, 4.4, 2.0, 2.0, 2.0])


def hand_made(sentences=IN_SENTENCES):
    """Three compounds, each alone at 0°, in sentences at `ANGLES`; their words sum to 90°."""
    return items_of(
        [at(0)] * 3,
        [at(80), at(100)] * 3,
        sentences,
        SCORES,
        [3.0, 4.0, 1.0],
        ["PC", "C", "NC"],
    )


def test_inside_sentences_by_hand():
    without_second = [at(10), [0, 0], *IN_SENTENCES[2:]]
    scores = TYPE_TOKEN.flat_scores(hand_made(without_second))
    assert scores["n_excluded_zero_vector"] == 1
    assert scores["n_excluded_cross_sentence_span"] == 2  # one pair is left of the first compound
    items = hand_made()
    scores = TYPE_TOKEN.flat_scores(items)
    out = np.cos(np.radians(ANGLES))
    mean_out = out.reshape(3, 3).mean(axis=1)
    assert_allclose(items.per_compound("nc_out"), mean_out)
    assert scores["nc_out_type_spearman"] == approx(1)
    out_comp = np.sqrt(1 - np.square(out))  # cos(90° - a)
    mean_out_comp = out_comp.reshape(3, 3).mean(axis=1)
    assert_allclose(items.per_compound("nc_out_comp"), mean_out_comp)
    assert scores["nc_out_comp_type_spearman"] == approx(-1)
    rho = spearmanr(out, SCORES).statistic
    assert scores["nc_out_token_spearman"] == approx(rho)


def test_words_that_are_not_listed_have_no_frequency():
    compounds = np.array(["black box", "caixa preta"])
    english, portuguese = zipf_frequencies(compounds)
    sum_of_words = zipf_frequency("black") + zipf_frequency("box")
    assert english == approx(sum_of_words / 2)
    assert np.isnan(portuguese)
    scores = TYPE_TOKEN.flat_scores(hand_made())  # numbers have none
    for key in scores:
        assert "frequency" not in key


@pytest.mark.parametrize("level", ["sentence", "span"])
def test_across_sentences_by_hand(level):
    """First compound: pairs 10°, 30°, 20° apart with differences 1, 3, 2. Second: 10°, 30°, 20°
    with .5, .6, .1.
    """
    items = hand_made()
    found = items.across_sentences[level]
    assert_allclose(found.rho, [-1, -0.5, np.nan])
    flat_scores = TYPE_TOKEN.flat_scores(items)
    scores = {key.removeprefix(f"{level}_"): value for key, value in flat_scores.items()}
    expected = {
        "cross_sentence_spearman_mean": approx(-0.75),
        "cross_sentence_spearman_std": approx(np.std([-1, -0.5], ddof=1)),
        "cross_sentence_spearman_mean_PC": approx(-1),
        "cross_sentence_spearman_mean_C": approx(-0.5),
    }
    assert chosen(scores, expected) == expected
    assert "cross_sentence_spearman_mean_NC" not in scores  # its three scores are the same
    assert scores[f"n_excluded_cross_sentence_{level}"] == 1
    degrees = [
        (10, 30, 20),
        (10, 30, 20),
        (2, 6, 4),
    ]
    cosines = np.cos(np.radians(degrees))
    spread = np.std(cosines, axis=1, ddof=1)
    assert_allclose(found.spread_of_cosines, spread, rtol=1e-5)  # cosines are float32
    spread = np.std(SCORES.reshape(3, 3), axis=1, ddof=1)
    assert_allclose(found.spread_of_scores, spread, atol=1e-12)


def test_equal_differences_are_ties():
    """2.8 - 2.55 and 2.55 - 2.3 differ in binary; as people's scores they do not."""
    items = items_of(
        compound=np.ones((1, 2)),
        words=np.ones((2, 2)),
        sentences=IN_SENTENCES[:3],
        score=[2.8, 2.55, 2.3],
        type_score=[2.0],
    )
    # differences .25 .5 .25 -> ranks 1.5 3 1.5; cosines of 10° 30° 20° -> ranks 3 1 2
    expected = pearsonr([1.5, 3, 1.5], [3, 1, 2]).statistic
    scores = TYPE_TOKEN.flat_scores(items)
    assert scores["span_cross_sentence_spearman_mean"] == approx(expected)


def test_compounds_that_are_the_sums_of_their_words_are_not_ranked():
    similarity = np.array([1.0, 1.0, 1.0, 1.0])
    score = np.array([4.0, 1.0, 3.0, 2.0])
    once = np.ones((1, 4))
    assert rho_of_similarities(similarity, score, once) == 0
    similarity[0] = 0.9
    # ranks 1, 3, 3, 3 and 4, 1, 3, 2: deviations -1.5, .5, .5, .5 and 1.5, -1.5, .5, -.5
    rho = rho_of_similarities(similarity, score, once)
    assert rho == approx(-3 / np.sqrt(3 * 5))
    without_the_first = np.array([[0.0, 2.0, 1.0, 1.0]])
    assert rho_of_similarities(similarity, score, without_the_first) == 0


COMPOUNDS = [f"mod{number} head{number}" for number in range(12)]


def turned(text):
    """Words at 0 and 90 degrees, compounds and their sentences turned away by what they are
    idiomatic.
    """
    if text in COMPOUNDS:
        number = COMPOUNDS.index(text)
        return at(45 + 3 * number)
    if text.startswith("see the"):
        *_, score = text.split()
        idiomaticity = 5 - float(score)
        return at(45 + 10 * idiomaticity)
    return at(0 if text.startswith("mod") else 90)


def turned_in_sentences(span):
    """In a sentence, the compound is turned away from the compound alone by what it is idiomatic
    there.
    """
    if span.sentence in COMPOUNDS:
        return at(45)
    return turned(span.sentence)


def scored_row(number, context, **changes):
    """Less compositional by 0.4 with each number, and by 0.1 (then 0.2) with each context."""
    type_score = 5 - 0.4 * number
    token_score = type_score - (0, 0.1, 0.3)[context - 1]
    facts = {
        "id": f"en-{number}-{context}",
        "expert_class": ("C", "PC", "NC")[number // 4],
        "type_score": type_score,
        "token_score": token_score,
        **changes,
    }
    return compound_row(COMPOUNDS[number], f"see the {{}} scored {token_score:.2f}", **facts)


ROWS = []
for number in range(12):
    for context in (1, 2, 3):
        ROWS.append(scored_row(number, context))


def measured(rows, of_span=turned_in_sentences):
    plan = TYPE_TOKEN.planned(rows, "naturalistic")
    items = TYPE_TOKEN.fill(plan, Given(turned, of_span))
    return TYPE_TOKEN.flat_scores(items), items


def test_an_encoder_that_knows_and_one_without_spans():
    scores, _ = measured(ROWS)
    for key in ("nc_out_type", "nc_out_comp_type", "nc_out_token", "nc_out_comp_token"):
        assert scores[f"{key}_spearman"] == approx(1)
    for level in ("sentence", "span"):
        # the more different the farther
        assert scores[f"{level}_cross_sentence_spearman_mean"] == approx(-1)
        for class_ in ("C", "PC", "NC"):
            assert scores[f"{level}_cross_sentence_spearman_mean_{class_}"] == -1.0
    assert scores["span_level"] == 1
    scores, items = measured(ROWS, None)
    assert scores["phrase_additivity_type_spearman"] == approx(1)
    assert scores["span_level"] == 0
    for key in scores:
        assert not key.startswith(("nc_out", "span_cross", "spread"))
        assert not key.endswith("_span")
    assert "n_excluded_zero_vector" not in scores
    additivity = items.per_compound("phrase_additivity")
    assert additivity[1] == approx(cos(3))


def test_what_has_no_partner_is_counted_and_named(caplog):
    rows = [
        *ROWS[:-3],
        scored_row(
            11,
            1,
            sentence=None,
            span=None,
            surface=None,
            id="no-sentence",
        ),
        scored_row(
            11,
            2,
            token_score=None,
            type_score=None,
            expert_class=None,
            id="no-score",
        ),
        scored_row(11, 3, type_score=None),
    ]
    scores, items = measured(rows)
    for reason in ("no_sentence", "no_score", "no_type_score"):
        assert scores[f"n_excluded_{reason}"] == 1
    for level in ("sentence", "span"):
        # one sentence is left of the last compound
        assert scores[f"n_excluded_cross_sentence_{level}"] == 1
    assert "no-sentence" in caplog.text
    assert "no-score" in caplog.text
    statistic = TYPE_TOKEN.statistic(items, TYPE_TOKEN.main)
    assert statistic.units.tolist() == COMPOUNDS[:11]


def test_hyphens_join_two_words():
    row = {**ROWS[0], "compound": "caixa-forte"}
    plan = TYPE_TOKEN.planned([row], "naturalistic")
    texts = plan.without_spans().texts()
    assert {"caixa", "forte", "caixa-forte"} <= {*texts}
