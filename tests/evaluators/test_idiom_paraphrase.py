"""Idiom paraphrase by hand: what wins, and that ties are halves."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import spearmanr

from harness_ext.evaluators.idiom_paraphrase import EXPRESSION_PARAPHRASE, IDIOM_PARAPHRASE
from tests.evaluators.given import angles


def scores_of(triples, measure=IDIOM_PARAPHRASE, **columns):
    """Of texts that are angles in degrees; None is no text."""
    texts = [[None if text is None else str(text) for text in triple] for triple in triples]
    rows = [
        {"id": f"row {number}", "n_changed": number, "removed_by": None}
        | dict(zip(("sentence", "entailed", "not_entailed"), triple, strict=True))
        | {name: values[number] for name, values in columns.items()}
        for number, triple in enumerate(texts)
    ]
    measure = replace(measure, fewest_units=1)
    return measure.flat_scores(measure.fill(measure.planned(rows, ""), angles))


def test_by_hand():
    triples = [(0, 10, 40), (0, 30, 20), (0, 20, -20), (0, 15, 25), *[(0, 1, 2)] * 3]  # right, wrong, tie, right
    scores = scores_of(triples, removed_by=[*[None] * 4, "repeated", "no_entailed", "repeated"])
    assert scores["share_entailed"] == pytest.approx(2.5 / 4)
    assert (scores["n_excluded_repeated"], scores["n_excluded_no_entailed"]) == (2, 1)
    assert (scores["n_excluded_no_not_entailed"], scores["n_changed"]) == (0, 6)


def test_who_swaps_the_rewrites_gets_the_rest():
    triples = np.random.default_rng(0).uniform(0, 180, size=(50, 3))
    one, other = scores_of(triples), scores_of(triples[:, [0, 2, 1]])
    assert one["share_entailed"] + other["share_entailed"] == pytest.approx(1)


def test_compounds_by_hand():
    """Right, wrong, and a tie of the second expression; a pair without a paraphrase of its words."""
    scores = scores_of(
        [(0, 10, 40), (0, 30, 20), (0, 20, -20), (0, 5, None), (0, 10, 40)],
        EXPRESSION_PARAPHRASE,
        expression=["hot dog", "hot dog", "big deal", "big deal", "hot dog"],
        removed_by=[None, None, None, None, "same_text"],
    )
    assert scores["share_entailed"] == pytest.approx(1.5 / 3)
    assert (scores["n_share_entailed"], scores["n_excluded_same_text"]) == (2, 1)
    found, wanted = np.cos(np.radians([40, 20, 20, 5])), np.cos(np.radians([30, 10, 40, 0]))
    assert scores["self_consistency"] == pytest.approx(spearmanr(found.round(9), wanted.round(9)).statistic)
