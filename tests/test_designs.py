"""Designs of tasks: what recurs over units, by hand, and coverage in a planted design."""

import numpy as np
import pytest

import benchmarks.designs as designs
from benchmarks.designs import (
    Data,
    Design,
    coverage,
    idiom,
    intraclass_correlation,
    nested_correlation,
    opposite_word,
    planted,
    verb,
    verb_lemma,
)

N_GROUPS = 30

N_ROWS = 8
"""Of each group."""

GROUPS = np.repeat(np.arange(N_GROUPS), N_ROWS).astype(str)

ROWS = np.arange(N_GROUPS * N_ROWS).astype(str)


def test_what_rows_share_by_hand():
    pair = {"sentence1": "the child tries the food", "sentence2": "the child tests the food"}
    assert (verb(pair), verb_lemma(pair)) == ("tries", "try")
    rewrite = {"sentence": "He broke the ice, slowly.", "entailed": "He began to talk, slowly."}
    assert idiom(rewrite) == "ice"
    opposite = {"kind": "antonym", "source": "1", "first": "It is warm.", "second": "It is cold."}
    assert opposite_word(opposite) == "cold"
    assert opposite_word({**opposite, "kind": "same"}) == "1"


def test_the_correlation_within_classes_is_the_one_that_was_planted():
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(300), 10).astype(str)
    factors = {"row": np.arange(3000).astype(str), "group": groups}
    strengths = {"row": 1.0, "group": 0.3}
    values = planted(factors, strengths, is_crossed=False, rng=rng)
    assert values.std() == pytest.approx(1, abs=0.05)
    assert intraclass_correlation(values, groups) == pytest.approx(0.3, abs=0.05)
    assert intraclass_correlation(rng.normal(size=3000), groups) < 0.02
    assert intraclass_correlation(values, factors["row"]) == 0


def test_units_that_share_a_factor_hold_the_truth_too_rarely(monkeypatch):
    monkeypatch.setattr(designs, "WORLDS", 100)
    factors = {"row": ROWS, "group": GROUPS}
    nothing = np.zeros(len(ROWS))
    data = Data(ROWS, factors, nothing == 1, nothing)
    design = Design("planted", "", "", "mean", {"row": str, "group": str}, "group", dict)
    planted_correlations = {"row": 0.0, "group": 0.4}
    no_correlations = {"row": 0.0, "group": 0.0}
    held = coverage(design, data, planted_correlations, no_correlations)
    assert held["row"] < 0.8
    assert held["group"] > 0.9


def test_what_finer_groups_have_in_common_is_not_that_of_the_coarser_one():
    rng = np.random.default_rng(1)
    finer = np.repeat(np.arange(400), 4)
    coarser = finer // 8
    alike_in_finer = rng.normal(size=400)[finer] + rng.normal(size=1600)
    labels = coarser.astype(str)
    finer_labels = finer.astype(str)
    assert nested_correlation(alike_in_finer, labels, finer_labels) < 0.05
    alike_in_coarser = alike_in_finer + rng.normal(size=50)[coarser]
    found = nested_correlation(alike_in_coarser, labels, finer_labels)
    assert found == pytest.approx(1 / 3, abs=0.1)
