"""Shipped scores of encoders that know nothing: on the same data only, and what the encoders get when they run."""

from __future__ import annotations

import math
import shutil

import mteb
import pytest

from harness_ext.results import reference_scores
from harness_ext.results.load import load_results
from harness_ext.results.reference_scores import REFERENCE_MODELS, best_reference, scores_of


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    """The entry of letters on the small Affinity."""
    folder = tmp_path_factory.mktemp("results")
    model, task = mteb.get_model("compositionality/letters"), mteb.get_task("NounCompoundAffinityMini")
    mteb.evaluate(model, task, cache=mteb.ResultCache(folder), show_progress_bar=False)
    return load_results(folder).entries[0]


def test_shipped_scores_are_what_the_encoder_gets(measured):
    shipped = [one for one in reference_scores.reference_scores(measured) if one.model == measured.model]
    found = scores_of(measured)
    assert {one.key for one in shipped} == {one.key for one in found} != set()
    for one, other in zip(shipped, found, strict=True):
        assert one.key == other.key
        assert (one.value, one.low, one.high) == pytest.approx((other.value, other.low, other.high), abs=2e-3)


def test_the_best_is_one_that_knows_nothing(measured):
    best = best_reference(measured)
    assert best is not None
    assert best.model in REFERENCE_MODELS
    assert best.key == measured.measure.main
    assert best.value >= measured.main_score - 1e-6


def test_other_data_has_none(measured, monkeypatch):
    items = measured.items()
    fewer = items.restrict("compound", items.compounds.compound[:30])
    monkeypatch.setattr(type(measured), "items", lambda self: fewer)
    assert reference_scores.reference_scores(measured) == ()
    assert best_reference(measured) is None


def test_no_items_no_reference(measured, tmp_path):
    shutil.copytree(measured.file.parents[2], tmp_path / "results")
    for file in tmp_path.rglob("*.parquet"):
        file.unlink()
    assert reference_scores.reference_scores(load_results(tmp_path).entries[0]) == ()


def test_written_again_it_is_read_the_same(measured, tmp_path, monkeypatch):
    scores = scores_of(measured)
    assert not any(math.isnan(one.value) for one in scores)
    reference_scores.write(scores, tmp_path / "scores.csv")
    monkeypatch.setattr(reference_scores, "FILE", tmp_path / "scores.csv")
    reference_scores._shipped.cache_clear()
    again = reference_scores.reference_scores(measured)
    reference_scores._shipped.cache_clear()
    assert [(one.key, round(one.value, 6)) for one in scores] == [(one.key, one.value) for one in again]
