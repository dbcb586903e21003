"""compound_rating: the parser, planted answers, the correlations by hand, on the published scores."""

from __future__ import annotations

from math import fsum

import pytest
from scipy.stats import spearmanr

from harness_ext.language_models.rating import parse_rating


@pytest.mark.parametrize(
    ("answer", "rating"),
    [
        ("4", 4),
        (" 0\n", 0),
        ("3.5", 3.5),
        ("3,5", 3.5),
        ("**4**", 4),
        ("4/5", 4),
        ("4 out of 5.", 4),
        ("I would rate it 2 out of five, for it is an idiom with 2 words.", 2),
        ("On a scale from 0 to 5, this is a 1.", 1),
        ("Scale 0-5: 5", 5),
        ("Numa escala de 0 a 5, daria 4 de 5.", 4),
        ("Três.", 3),
        ("Five", 5),
        ("<think>Not 1, as 5 is literal.</think>\n3", 3),
        ("", None),
        ("lol", None),
        ("The compound is quite literal.", None),
        ("6", None),
        ("-1", None),
        ("100 %", None),
        ("10/5", None),
        ("someone", None),
    ],
)
def test_answers(answer, rating):
    assert parse_rating(answer) == rating


@pytest.fixture
def spoken(unverified_mirror):
    """What people say of a sentence, by the prompt that quotes it."""
    from datasets import load_dataset

    rows = load_dataset("nctti", "pt", split="naturalistic").to_list()
    scores = {f"Frase: {row['sentence']}": row["token_score"] for row in rows}

    def score_of(context):
        return scores[context.split("\n")[0]]

    return score_of


@pytest.mark.real_data
def test_a_model_that_answers_as_people_do(evaluate, spoken):
    scores, samples = evaluate("compound_rating_pt", answer=lambda context: f"Nota: {spoken(context)} de 5")
    assert scores["token_spearman"] == pytest.approx(1)
    assert scores["n_unparsable"] == scores["n_excluded_unscored"] == 0
    types, tokens = {}, {}
    for sample in samples:
        doc = sample["doc"]
        types[doc["compound"]] = doc["type_score"]
        tokens.setdefault(doc["compound"], []).append(doc["token_score"])
    rho = spearmanr(list(types.values()), [fsum(tokens[name]) / 3 for name in types]).statistic
    assert scores["type_spearman"] == scores["main_score"] == pytest.approx(rho, abs=1e-9)
    assert rho == pytest.approx(0.90, abs=0.02)  # NCTTI Table 2
    assert scores["type_spearman_ci_low"] < rho < scores["type_spearman_ci_high"]
    assert len(samples) == 540


@pytest.mark.real_data
def test_answers_that_are_none_are_counted_and_left_out(evaluate, spoken):
    def answer(context):
        score = spoken(context)
        return f"{score:.3f}" if score > 2 else "Não sei."

    scores, samples = evaluate("compound_rating_pt", answer=answer, limit=200)
    rated = [sample["doc"]["token_score"] for sample in samples if sample["doc"]["token_score"] > 2]
    assert scores["n_unparsable"] == 200 - len(rated) > 0
    assert scores["token_spearman"] == pytest.approx(1)


@pytest.mark.real_data
def test_no_answer_at_all(evaluate, unverified_mirror):
    scores, samples = evaluate("compound_rating_en", answer=lambda context: "lol")
    assert scores["n_unparsable"] == len(samples) == 840
    assert scores["n_excluded_unscored"] == 3  # dust storm
    assert scores["type_spearman"] != scores["type_spearman"]  # NaN
