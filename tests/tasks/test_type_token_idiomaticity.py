"""TypeTokenIdiomaticity: an encoder that knows how idiomatic compounds are, and rows that lack something."""

from __future__ import annotations

import logging
from dataclasses import replace

import numpy as np
import pytest

from harness_ext.evaluators.type_token import TYPE_TOKEN
from tests.evaluators.given import Given, at, compound_row

MEASURE = replace(TYPE_TOKEN, fewest_units=1)
COMPOUNDS = [f"mod{number} head{number}" for number in range(12)]


def turned(text):
    """Words at 0 and 90 degrees, compounds and their sentences turned away by what they are idiomatic."""
    if text in COMPOUNDS:
        return at(45 + 3 * COMPOUNDS.index(text))
    if text.startswith("see the"):
        return at(45 + 10 * (5 - float(text.split()[-1])))
    return at(0 if text.startswith("mod") else 90)


def turned_in_sentences(span):
    """In a sentence, the compound is turned away from the compound alone by what it is idiomatic there."""
    return at(45) if span.sentence in COMPOUNDS else turned(span.sentence)


def row(number, context, **changes):
    """Less compositional by 0.4 with each number, and by 0.1 (then 0.2) with each context."""
    token_score = 5 - 0.4 * number - (0, 0.1, 0.3)[context - 1]
    about = {"id": f"en-{number}-{context}", "expert_class": ("C", "PC", "NC")[number // 4]}
    about |= {"type_score": 5 - 0.4 * number, "token_score": token_score, **changes}
    return compound_row(COMPOUNDS[number], f"see the {{}} scored {token_score:.2f}", **about)


ROWS = [row(number, context) for number in range(12) for context in (1, 2, 3)]


def measured(rows, of_span=turned_in_sentences):
    items = MEASURE.fill(MEASURE.planned(rows, "naturalistic"), Given(turned, of_span))
    return MEASURE.flat_scores(items), items


def test_an_encoder_that_knows_and_one_without_spans():
    scores, _ = measured(ROWS)
    for key in ("nc_out_type", "nc_out_comp_type", "nc_out_token", "nc_out_comp_token"):
        assert scores[f"{key}_spearman"] == pytest.approx(1)
    for level in ("sentence", "span"):
        assert scores[f"{level}_cross_sentence_spearman_mean"] == pytest.approx(-1)  # the more different the farther
        assert {scores[f"{level}_cross_sentence_spearman_mean_{klass}"] for klass in ("C", "PC", "NC")} == {-1.0}
    assert scores["span_level"] == 1
    scores, items = measured(ROWS, None)
    assert scores["phrase_additivity_type_spearman"] == pytest.approx(1)
    assert scores["span_level"] == 0
    assert not [key for key in scores if key.startswith(("nc_out", "span_cross", "spread")) or key.endswith("_span")]
    assert "n_excluded_zero_vector" not in scores
    assert items.per_compound("phrase_additivity")[1] == pytest.approx(np.cos(np.radians(3)))


def test_what_has_no_partner_is_counted_and_named(caplog):
    rows = [
        *ROWS[:-3],
        row(11, 1, sentence=None, span=None, surface=None, id="no-sentence"),
        row(11, 2, token_score=None, type_score=None, expert_class=None, id="no-score"),
        row(11, 3, type_score=None),
    ]
    with caplog.at_level(logging.WARNING):
        scores, items = measured(rows)
    assert scores["n_excluded_no_sentence"] == 1
    assert scores["n_excluded_no_score"] == 1
    assert scores["n_excluded_no_type_score"] == 1
    assert scores["n_excluded_cross_sentence_sentence"] == 1  # one sentence is left of the last compound
    assert scores["n_excluded_cross_sentence_span"] == 1
    assert "no-sentence" in caplog.text
    assert "no-score" in caplog.text
    assert MEASURE.units(items).tolist() == COMPOUNDS[:11]


def test_hyphens_join_two_words():
    plan = MEASURE.planned([{**ROWS[0], "compound": "caixa-forte"}], "naturalistic")
    assert {"caixa", "forte", "caixa-forte"} <= {*plan.without_spans().texts()}
