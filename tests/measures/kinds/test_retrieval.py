"""Retrieval by hand, on planted encoders, and the published row of a real one."""

from __future__ import annotations

import numpy as np
import pytest
from pytest import approx

from harness_ext import measure
from harness_ext.measures.kinds.idiom_retrieval import IDIOM_RETRIEVAL, IdiomRetrieval
from harness_ext.results.published import published_scores
from tests.measures.given import chosen
from tests.planted_vectors import knows, random_vector, vectors_of
from tests.results.planted_items import retrieval_rows


class ByHand(IdiomRetrieval):
    fewest_units = 1


def scores_of(rows, vector, measure=IDIOM_RETRIEVAL):
    plan = measure.planned(rows, "")
    items = measure.fill(plan, vectors_of(vector))
    return measure.flat_scores(items)


def row(number, usage, expression="hot dog", is_query=False):
    """A row whose text is the place of its vector."""
    return {
        "id": str(number),
        "sentence": str(number),
        "is_query": is_query,
        "expression": expression,
        "usage": usage,
    }


def scores_by_hand(vectors):
    rows = [
        row(0, "literal"),
        row(1, "idiomatic"),
        row(2, "simplification"),
        row(3, "sense"),
        row(4, "literal", expression="big deal"),
        row(5, "idiomatic", is_query=True),
        row(6, "literal", is_query=True),
    ]

    def vector(text):
        return vectors[int(text)]

    return scores_of(rows, vector, ByHand())


def test_by_hand():
    """From the idiomatic query the order is 1, 0, 2, 4, 3: two of three; from the literal one, 4 is
    first.
    """
    angles = np.array([0.2, 0.1, 0.3, 0.5, 0.4, 0.0, 0.41])
    vectors = np.column_stack([np.cos(angles), np.sin(angles)])
    scores = scores_by_hand(vectors)
    assert scores["r_precision_idiomatic"] == approx(2 / 3)
    assert scores["r_precision_literal"] == 0.0
    assert scores["r_precision"] == approx(1 / 3)
    gains = 1 + 1 / 2 + 1 / np.log2(6)
    gains_at_best = 1 + 1 / np.log2(3) + 1 / 2
    assert scores["ndcg_10_idiomatic"] == approx(gains / gains_at_best)
    assert scores["ndcg_10_literal"] == approx(1 / np.log2(5))  # 4, 3, 2, 0, 1


def test_equal_documents_stay_in_their_order_and_a_query_without_direction_is_counted():
    vectors = np.ones((7, 2))
    scores = scores_by_hand(vectors)
    assert scores["r_precision_idiomatic"] == approx(2 / 3)
    assert scores["r_precision_literal"] == 1
    vectors[5] = 0
    scores = scores_by_hand(vectors)
    assert scores["n_excluded_zero_vector"] == 1
    assert scores["r_precision"] == scores["r_precision_literal"] == 1.0
    assert "r_precision_idiomatic" not in scores


def test_planted_encoders():
    usages = ("literal", "idiomatic", "simplification", "sense")
    rows = list(retrieval_rows(None, 12, usages, n_documents=6))
    words = {}
    senses = {}
    for row in rows:
        sense = "literal" if row["usage"] == "literal" else "idiomatic"
        words[row["sentence"]] = row["expression"]
        senses[row["sentence"]] = f"{row['expression']} {sense}"
    perfect = scores_of(rows, knows(senses))
    blind = scores_of(rows, knows(words))
    random = scores_of(rows, random_vector(3))
    assert perfect["r_precision"] == 1.0
    assert perfect["ndcg_10"] == 1.0
    # literal documents come first in the data, which decides ties
    assert blind["r_precision_literal"] == 1.0
    assert blind["r_precision_idiomatic"] == approx(12 / 18)
    chance = (6 + 18) / 2 / 288
    assert random["r_precision_ci_low"] < chance < random["r_precision_ci_high"]


@pytest.mark.slow
@pytest.mark.real_data
@pytest.mark.usefixtures("mirror", "without_baselines")
def test_the_published_row_of_a_real_encoder(minilm):
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(minilm, device="cpu")
    found = measure(model.encode, "IdiomRetrieval").scores.flat()
    published = published_scores("IdiomRetrieval")
    (cells,) = [cells for place, cells in published.items() if place.model == minilm]
    expected = {key: cell.value for key, cell in cells.items() if cell.has_key}
    assert len(expected) == 6
    assert chosen(found, expected) == approx(expected, abs=1e-4)
