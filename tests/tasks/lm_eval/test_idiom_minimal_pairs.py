"""idiom_minimal_pairs: planted language models, figures worked out from the saved samples, the
papers' own data.
"""

from __future__ import annotations

import re
from collections import defaultdict

import numpy as np
import pytest
from datasets import load_dataset
from scipy.stats import spearmanr

from .conftest import guess, pmi

TASK = "idiom_minimal_pairs_mini"
CLASSES = ("NC", "PC", "C")


def affinities(samples):
    """(class, compound) -> the affinity of each sentence and way to ask, from what was asked and
    answered.
    """
    found = defaultdict(list)
    for sample in samples:
        doc = sample["doc"]
        syn, words_syn = pmi(sample)
        found[doc["class"], doc["compound"]].append(syn - words_syn)
    return {key: np.array(values) for key, values in found.items()}


def assert_as_by_hand(scores, samples):
    """Accuracy and affinity per class."""
    for klass in CLASSES:
        accuracies = []
        means = []
        for (class_of_compound, _), values in affinities(samples).items():
            if class_of_compound == klass:
                accuracies.append((values > 0).mean())
                means.append(values.mean())
        assert scores[f"accuracy_{klass}"] == pytest.approx(np.mean(accuracies), abs=1e-12)
        assert scores[f"affinity_lm_{klass}"] == pytest.approx(np.mean(means), abs=1e-12)


def prefers(name):
    """Log-likelihoods of a model that prefers the option listed under a name in the data."""
    liked = set()
    for row in load_dataset("compound_mini", split="naturalistic"):
        option = row["syn"] if name == "syn" else row["words_syn"][0]
        liked.add(option["sentence"])

    def score(context, continuation):
        is_frame = context.startswith("Which")
        is_liked = continuation.strip() in liked
        per_character = -0.1 if is_liked and not is_frame else -2.0
        return per_character * len(continuation)

    return score


def test_figures_of_a_guessing_model(evaluate):
    scores, samples = evaluate(TASK)
    assert len(samples) == 60
    assert_as_by_hand(scores, samples)
    assert scores["main_score"] == scores["accuracy_NC"]
    assert scores["accuracy_NC_ci_low"] < 0.5 < scores["accuracy_NC_ci_high"]
    assert scores["accuracy_NC_stderr"] == scores["main_score_stderr"] > 0
    assert "affinity_lm_spearman" not in scores  # nobody has scored these compounds
    assert scores["n_excluded_unscored"] == 0
    assert scores["n_excluded_same"] == 0
    sample = samples[0]
    doc = sample["doc"]
    syn, words = doc["choices"]
    _, first_continuation = sample["arguments"][0]
    assert first_continuation == f" {syn}"
    second_value, _ = sample["filtered_resps"][1]
    assert second_value == guess(doc["prompt"], f" {words}")


def test_a_model_that_knows_idioms_gets_1_and_a_literal_one_0(evaluate):
    knows, _ = evaluate(TASK, prefers("syn"))
    literal, _ = evaluate(TASK, prefers("words_syn"))
    for klass in CLASSES:
        assert knows[f"accuracy_{klass}"] == 1
        assert literal[f"accuracy_{klass}"] == 0
    assert knows["affinity_lm_NC"] > 0
    # Wilson's interval of 0 of 20 with the correction: (z² + 1 + z √(z² + 2 − 1/20)) / (2 (20 +
    # z²)), z² = 3.8415
    assert literal["accuracy_NC_ci_low"] == 0
    assert literal["accuracy_NC_ci_high"] == pytest.approx(0.200453, abs=1e-6)
    assert knows["first_listed"] == 0.5
    assert literal["first_listed"] == 0.5


def prefers_first(context, option):
    place = context.rindex(option.strip())
    return -len(option) * (1 + place / 10_000)


def test_a_model_that_takes_what_is_listed_first_is_at_chance_and_found_out(evaluate):
    scores, _ = evaluate(TASK, prefers_first)
    assert scores["first_listed"] == 1
    assert scores["per_character_accuracy_NC"] == 0.5
    assert scores["per_character_accuracy_C"] == 0.5


def test_the_frame_is_the_prompt_without_the_sentence(evaluate):
    _, samples = evaluate(TASK, limit=2)
    for sample in samples:
        doc = sample["doc"]
        sentence, _, rest = doc["prompt"].partition("\n\n")
        assert sentence.startswith("Sentence: ")
        assert doc["frame"] == rest


def test_what_a_limit_leaves_too_few_of_is_nan_and_no_error(evaluate):
    scores, samples = evaluate(TASK, limit=32)
    documents = [sample["doc"] for sample in samples]
    assert {doc["class"] for doc in documents} == {*CLASSES}
    compounds = {doc["compound"] for doc in documents if doc["class"] == "NC"}
    assert scores["n_accuracy_NC"] == len(compounds) < 10
    for key in ("accuracy_NC", "accuracy_NC_stderr", "main_score"):
        assert np.isnan(scores[key])


@pytest.mark.slow
@pytest.mark.real_data
def test_on_the_published_compounds(evaluate, unverified_mirror):
    scores, samples = evaluate("idiom_minimal_pairs_en")
    assert_as_by_hand(scores, samples)
    assert len(samples) == 6 * (843 - 3 - scores["n_excluded_unscored"])
    assert scores["n_excluded_same"] == 3
    documents = [sample["doc"] for sample in samples]
    (dataset,) = {doc["dataset"] for doc in documents}
    assert re.fullmatch(r"ncimp/en\+unverified-[0-9a-f]{8}", dataset)
    human_scores = {doc["compound"]: doc["comp"] for doc in documents}
    pairs = []
    for (_, compound), values in affinities(samples).items():
        pairs.append((values.mean(), human_scores[compound]))
    expected = spearmanr(pairs).statistic
    assert scores["affinity_lm_spearman"] == pytest.approx(expected, abs=1e-9)
