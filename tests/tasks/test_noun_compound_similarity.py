from __future__ import annotations

import json
import time
from pathlib import Path

import mteb
import numpy as np
import pytest
from datasets import load_dataset
from mteb.cache import ResultCache

from harness_ext.tasks import NounCompoundAffinityMini
from tests.items_check import assert_rescored
from tests.planted import PlantedSpanModel, drawn, mean_of_words

ROOT = Path(__file__).parents[2]
SHARED = ROOT.parent / "shared"


def evaluate(model, *tasks):
    results = mteb.evaluate(model, [task() for task in tasks], cache=None, show_progress_bar=False)
    return [result.scores["naturalistic"][0] for result in results.task_results]


@pytest.fixture(scope="module")
def mini():
    return load_dataset("compound_mini", split="naturalistic").to_list()


def knows_replacements(rows, like):
    """A mean of words, to which a compound and its replacement `like` are one; longest expressions first."""
    known = {}
    for row in rows:
        probe = row[like][0] if like == "words_syn" else row[like]
        known[row["compound"]] = known[probe["expression"]] = mean_of_words()(probe["expression"])

    def vector(text):
        parts = []
        for expression in sorted(known, key=len, reverse=True):
            if f" {expression} " in f" {text} ":
                parts.append(known[expression])
                text = f" {text} ".replace(f" {expression} ", " ", 1)
        return np.mean([*parts, *map(drawn, text.split())], axis=0)

    return vector


@pytest.mark.parametrize(("like", "forced_choice"), [("syn", 1.0), ("words_syn", 0.0)])
def test_encoder_that_knows_the_synonym(mini, like, forced_choice):
    (scores,) = evaluate(PlantedSpanModel(knows_replacements(mini, like)), NounCompoundAffinityMini)
    for level in ("sentence", "span"):
        assert scores[f"{level}_forced_choice_nc"] == forced_choice
        assert scores[f"{level}_sim_{like}_mean"] == pytest.approx(1, abs=1e-6)
    assert scores["main_score"] == scores["sentence_forced_choice_nc"]
    assert scores["span_level"] == 1


@pytest.mark.slow
@pytest.mark.real_data
@pytest.mark.usefixtures("mirror", "without_own_words")
def test_reference_values_of_minilm(minilm, tmp_path):
    """Every figure, computed without this project; and what the items of a real run cost."""
    reference_file = SHARED / "reference_minilm.json"
    if not reference_file.exists():
        pytest.skip("no ../shared/reference_minilm.json")
    contents = json.loads(reference_file.read_text())
    (reference,) = (table for name, table in contents.items() if name.startswith("ncimp en neutral"))
    names = ["NounCompoundAffinity", "NounCompoundScaledSimilarity"]
    tasks = mteb.get_tasks(tasks=names, languages=["eng"], eval_splits=["neutral"])
    results = mteb.evaluate(mteb.get_model(minilm), tasks, cache=ResultCache(tmp_path), show_progress_bar=False)
    scores = {}
    for result in results.task_results:
        scores |= result.scores["neutral"][0]
    checked = 0
    for measure, expected in reference.items():
        assert (expected.pop("n"), expected.pop("n_nc")) == (281, 281 - scores["n_excluded_unscored"])
        for stat, value in expected.items():
            key = "sentence_forced_choice_nc" if stat == "forced_choice_nc" else f"sentence_{measure}_{stat}"
            assert scores[key] == pytest.approx(value, abs=1e-3), key
            checked += 1
    assert checked == 8 * 7 + 1
    for name in names:
        (file,) = tmp_path.rglob(f"{name}.json")
        before = time.perf_counter()
        assert_rescored(file)
        assert time.perf_counter() - before < 5
        assert sum(part.stat().st_size for part in file.parent.glob(f"{name}.*parquet")) < 5e6
