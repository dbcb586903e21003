"""Retrieval by hand, on planted encoders, and the published row of a real one."""

from __future__ import annotations

import numpy as np
import pytest

from harness_ext import measure
from harness_ext.measures.kinds.idiom_retrieval import IDIOM_RETRIEVAL, IdiomRetrieval
from harness_ext.results.published import published_scores
from tests.planted_vectors import knows, random_vector, vectors_of
from tests.results.planted_items import retrieval_rows


class ByHand(IdiomRetrieval):
    fewest_units = 1


def scores_of(rows, vector, measure=IDIOM_RETRIEVAL):
    return measure.flat_scores(measure.fill(measure.planned(rows, ""), vectors_of(vector)))


def scores_by_hand(vectors):
    usages = ("literal", "idiomatic", "simplification", "sense", "literal", "idiomatic", "literal")
    rows = [
        {
            "id": str(n),
            "is_query": n > 4,
            "expression": "big deal" if n == 4 else "hot dog",
            "usage": usage,
        }
        for n, usage in enumerate(usages)
    ]
    rows = [{**row, "sentence": row["id"]} for row in rows]
    return scores_of(rows, lambda text: vectors[int(text)], ByHand())


def test_by_hand():
    """From the idiomatic query the order is 1, 0, 2, 4, 3: two of three; from the literal one, 4 is
    first.
    """
    angles = np.array([0.2, 0.1, 0.3, 0.5, 0.4, 0.0, 0.41])
    scores = scores_by_hand(np.stack([np.cos(angles), np.sin(angles)], axis=1))
    assert scores["r_precision_idiomatic"] == pytest.approx(2 / 3)
    assert scores["r_precision_literal"] == 0.0
    assert scores["r_precision"] == pytest.approx(1 / 3)
    at_best = 1 + 1 / np.log2(3) + 1 / 2
    assert scores["ndcg_10_idiomatic"] == pytest.approx((1 + 1 / 2 + 1 / np.log2(6)) / at_best)
    assert scores["ndcg_10_literal"] == pytest.approx(1 / np.log2(5))  # 4, 3, 2, 0, 1


def test_equal_documents_stay_in_their_order_and_a_query_without_direction_is_counted():
    vectors = np.ones((7, 2))
    scores = scores_by_hand(vectors)
    assert (scores["r_precision_idiomatic"], scores["r_precision_literal"]) == (
        pytest.approx(2 / 3),
        1,
    )
    vectors[5] = 0
    scores = scores_by_hand(vectors)
    assert scores["n_excluded_zero_vector"] == 1
    assert scores["r_precision"] == scores["r_precision_literal"] == 1.0
    assert "r_precision_idiomatic" not in scores


def test_planted_encoders():
    rows = [
        *retrieval_rows(
            None, 12, ("literal", "idiomatic", "simplification", "sense"), n_documents=6
        )
    ]
    senses = {row["sentence"]: f"{row['expression']} {row['usage'] == 'literal'}" for row in rows}
    words = {row["sentence"]: row["expression"] for row in rows}
    perfect, blind, random = (
        scores_of(rows, vector) for vector in (knows(senses), knows(words), random_vector(3))
    )
    assert perfect["r_precision"] == perfect["ndcg_10"] == 1.0
    # literal documents come first in the data, which decides ties
    assert blind["r_precision_literal"] == 1.0
    assert blind["r_precision_idiomatic"] == pytest.approx(12 / 18)
    assert random["r_precision_ci_low"] < (6 + 18) / 2 / 288 < random["r_precision_ci_high"]


@pytest.mark.slow
@pytest.mark.real_data
@pytest.mark.usefixtures("mirror", "without_baselines")
def test_the_published_row_of_a_real_encoder(minilm):
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(minilm, device="cpu")
    found = measure(lambda texts: model.encode(texts), "IdiomRetrieval").scores.flat()
    (cells,) = [
        cells
        for place, cells in published_scores("IdiomRetrieval").items()
        if place.model == minilm
    ]
    own = {key: cell.value for key, cell in cells.items() if cell.has_key}
    assert len(own) == 6
    assert {key: found[key] for key in own} == pytest.approx(own, abs=1e-4)
