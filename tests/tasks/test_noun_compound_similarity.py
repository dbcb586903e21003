from __future__ import annotations

import json
import time
from collections import Counter
from dataclasses import replace
from itertools import chain
from pathlib import Path

import mteb
import numpy as np
import pytest
from datasets import load_dataset
from mteb.cache import ResultCache
from mteb.timing import TimingStack

from harness_ext.encoders.encoding import TaskEncoder
from harness_ext.tasks import (
    NounCompoundAffinity,
    NounCompoundAffinityMini,
    NounCompoundScaledSimilarity,
    NounCompoundScaledSimilarityMini,
)
from tests.evaluators.given import compound_row
from tests.items_check import assert_rescored
from tests.planted import PlantedSpanModel, drawn, mean_of_words

ROOT = Path(__file__).parents[2]
SHARED = ROOT.parent / "shared"


def evaluate(model, *tasks):
    results = mteb.evaluate(model, [task() for task in tasks], cache=None, show_progress_bar=False)
    return [result.scores["naturalistic"][0] for result in results.task_results]


def task_encoder(model, task, split="naturalistic"):
    return TaskEncoder(model, task.metadata, hf_split=split, hf_subset="default", encode_kwargs={}, timer=TimingStack())


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


@pytest.mark.parametrize("order", [1, -1], ids=["affinity first", "scaled similarity first"])
def test_both_tasks_encode_nothing_twice(order, mini):
    model, tasks = PlantedSpanModel(mean_of_words()), (NounCompoundAffinityMini, NounCompoundScaledSimilarityMini)
    together = evaluate(model, *tasks[::order])
    probes = [
        probe
        for row in mini
        for probe in (row, row["syn"], row["head"], row["modifier"], row["words_syn"][0], *row["rand"])
    ]
    sentences = {probe["sentence"] for probe in probes}
    texts, spans = (Counter(each) for each in (chain(*model.calls), model.spans))
    assert set(texts) == sentences | {word for sentence in sentences for word in sentence.split()}
    assert set(spans) == {(probe["sentence"], tuple(probe["span"])) for probe in probes}
    assert {*texts.values(), *spans.values()} == {1}
    for scores, task in zip(
        together[::order], (NounCompoundAffinityMini, NounCompoundScaledSimilarityMini), strict=True
    ):
        (alone,) = evaluate(PlantedSpanModel(mean_of_words()), task)
        numbers = {key: value for key, value in alone.items() if isinstance(value, float)}
        assert numbers == pytest.approx({key: scores[key] for key in numbers})


VOCABULARY = {
    "a": [0, 0, 1], "the": [0, 0, 1], "is": [0, 0, 1], "this": [0, 0, 1], "on": [0, 1, 1], "here": [0, 1, 0],
    "black": [1, 0, 0], "box": [0, 1, 0], "flight": [1, 1, 0], "recorder": [1, 1, 0], "dark": [1, 0, 0],
    "crate": [0, 2, 0], "green": [2, 0, 0], "hat": [0, 0, 2], "slow": [0, 0, 1], "rain": [0, 0, 3],
    "red": [3, 0, 0], "pen": [0, 0, 1], "old": [0, 0, 2], "door": [0, 0, 1],
}  # fmt: skip


def by_hand(text):
    """The mean of hand-made word vectors, unknown words ignored."""
    known = [VOCABULARY[word] for word in text.split() if word in VOCABULARY]
    return np.mean(known, axis=0) if known else np.zeros(3)


def row(compound, syn, words_syn, rand, klass, score):
    people = {"expert_class": klass, "type_score": score, "comp": score}
    return compound_row(compound, syn=syn, words_syn=[words_syn], rand=rand, **people)


def test_static_word_vectors_by_hand():
    """Span level. black box = (½, ½, 0); flight recorder = (1, 1, 0), dark crate = (½, 1, 0), red pen = (1.5, 0, ½)."""
    rows = [row("black box", "flight recorder", "dark crate", ["red pen", "slow rain"], "NC", 1.0)]
    task, scaled_task = NounCompoundAffinity(), NounCompoundScaledSimilarity()
    encode = task_encoder(PlantedSpanModel(by_hand), task, "neutral")
    items = task.compare(rows, encode)
    found = replace(task.measure, fewest_units=1).flat_scores(items)
    words_syn = 1.5 / np.sqrt(2 * 1.25)
    red_pen = 1.5 / np.sqrt(2 * 2.5)
    rand = red_pen / 2  # slow rain has nothing in common with black box
    assert found["span_sim_syn_mean"] == pytest.approx(1)
    assert found["span_sim_words_syn_mean"] == pytest.approx(words_syn)
    assert found["span_sim_rand_mean"] == pytest.approx(rand)
    assert found["span_sim_comp_mean"] == pytest.approx(np.sqrt(0.5))  # black and box alike
    assert found["span_affinity_syn_words_syn_mean"] == pytest.approx(1 - words_syn)
    assert found["span_affinity_syn_rand_mean"] == pytest.approx(1 - rand)
    spans = items.similarities[items.similarities.level == "span"]
    assert spans.expression.tolist() == ["flight recorder", "dark crate", "red pen", "slow rain", "box", "black"]
    np.testing.assert_allclose(spans.similarity, [1, words_syn, red_pen, 0, 0.5**0.5, 0.5**0.5], atol=1e-7)
    # sentence level: this + is + the words, (1, 1, 2) against (2, 2, 2)
    assert found["sentence_sim_syn_mean"] == pytest.approx(8 / np.sqrt(6 * 12))
    scaled = replace(scaled_task.measure, fewest_units=1).flat_scores(scaled_task.compare(rows, encode))
    assert scaled["span_scaled_sim_syn"] == pytest.approx(1)
    assert scaled["span_scaled_sim_words_syn_mean"] == pytest.approx((words_syn - rand) / (1 - rand))
    assert "span_sim_syn_spearman_length" not in found  # neutral


def test_static_vectors_of_unknown_words_are_counted():
    rows = [
        row("black box", "flight recorder", "dark crate", ["red pen", "slow rain"], "NC", 1.0),
        row("green hat", "qwerty", "red door", ["slow rain", "old pen"], None, 2.0),
    ]
    task = NounCompoundAffinity()
    items = task.compare(rows, task_encoder(PlantedSpanModel(by_hand), task))
    found = task.measure.flat_scores(items)
    assert found["n_excluded_zero_vector_span"] == 1
    assert found["n_excluded_zero_vector_sentence"] == 0
    assert np.isnan(items.sim("span")["syn"]).tolist() == [False, True]
    assert not np.isnan(items.sim("sentence")["syn"]).any()
    assert items.compounds.class_.tolist() == ["NC", ""]


def test_compounds_that_share_a_word_with_their_synonym():
    """Without the second, which shares 'box', the order of the other three decides."""
    rows = [
        row("black box", "flight recorder", "dark crate", ["red pen"], "NC", 1.0),
        row("green box", "old box", "dark crate", ["red pen"], "C", 5.0),
        row("red pen", "green door", "dark crate", ["black box"], "C", 3.0),
        row("old door", "red box", "dark crate", ["black box"], "C", 4.0),
    ]
    task = NounCompoundAffinity()
    items = task.compare(rows, task_encoder(PlantedSpanModel(by_hand), task))
    found, sims = replace(task.measure, fewest_units=1).flat_scores(items), items.sim("span")["syn"]
    assert sims[0] > sims[2] > sims[3]
    assert found["span_sim_syn_spearman_no_overlap"] == pytest.approx(-1)
    assert found["span_sim_syn_spearman"] != pytest.approx(-1)


@pytest.mark.slow
@pytest.mark.real_data
def test_reference_values_of_minilm(minilm, unverified_mirror, tmp_path):
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
