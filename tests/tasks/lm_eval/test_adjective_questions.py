"""adjective_inference: a model that answers as people did, and no word in what is saved."""

from __future__ import annotations

import json

import pytest

from harness_ext.datasets_scripts.adjective_inference.adjective_inference import ANSWERS, bigram_words

TASK = "adjective_inference_mini"


def test_a_model_that_answers_as_people_did_and_samples_without_words(evaluate):
    from datasets import load_dataset

    words = bigram_words("mini")
    answers = {
        words[row["id"]]: ANSWERS[row["ratings"].index(1)]
        for row in load_dataset("adjective_inference", "mini", split="test")
    }

    def score(context, continuation):
        for (adjective, noun), answer in answers.items():
            if f" {adjective} {noun} still" in context:
                return 0.0 if continuation.strip() == answer else -30.0
        return -1.0

    scores, samples = evaluate(TASK, score)
    assert scores["mean_spearman"] == scores["main_score"] == pytest.approx(1)
    assert scores["jensen_shannon"] == pytest.approx(0, abs=1e-6)
    saved = json.dumps(samples, default=str)
    assert not any(f"{adjective} {noun}" in saved for adjective, noun in words.values())
