"""modifier_entailment: planted language models, balanced accuracy by hand."""

from __future__ import annotations

from statistics import mean

import pytest

from harness_ext.data.card import dataset_folder
from harness_ext.datasets_scripts.modifier_phrases.modifier_phrases import read_vocabulary

from .conftest import pmi

TASK = "modifier_entailment_mini"
YES, NO, UNKNOWN = ({"yes", "always", "true"}, {"no", "never", "false"}, {"unknown", "sometimes", "undecided"})
OF_ENOUGH = ("S-I", "NS-Pl", "NS-Pr")
"""Types with at least ten adjectives."""


def says(answers_of):
    def score(context, continuation):
        is_frame = context.startswith(("Question: Is it a", "Is it a", "Hypothesis"))
        return -0.1 if not is_frame and continuation.strip() in answers_of(context) else -3.0

    return score


def test_a_model_that_knows_the_types(evaluate):
    right = {"S-I": YES, "S-NI": YES, "NS-Pl": UNKNOWN, "NS-Pr": NO}
    words = read_vocabulary(dataset_folder("modifier_phrases") / "vocabulary.csv")
    answers = {f" {word.word} ": right[word.type] for word in words if word.type in right}
    scores, _ = evaluate(TASK, says(lambda context: answers[max(word for word in answers if word in context)]))
    assert {scores[f"accuracy_{name}"] for name in OF_ENOUGH} == {1}
    assert "accuracy_S-NI" not in scores  # six adjectives are too few
    assert scores["balanced_accuracy"] == scores["auc_subsective_vs_privative"] == scores["main_score"] == 1


@pytest.mark.slow
def test_a_model_to_which_every_adjective_is_subsective(evaluate):
    scores, samples = evaluate("modifier_entailment", says(lambda context: YES))
    assert len(samples) == (11 + 6 + 27 + 14) * 12 * 3
    assert [scores[f"accuracy_{name}"] for name in OF_ENOUGH] == [1, 0, 0]
    assert scores["balanced_accuracy"] == pytest.approx(1 / 3)
    assert scores["auc_subsective_vs_privative"] == 0.5
    prompts = [sample["doc"]["prompt"] for sample in samples]
    assert "Question: Is a fabricated story a story? Answer yes, no or unknown.\nAnswer:" in prompts
    assert any("an artificial chair, is it a chair?" in prompt for prompt in prompts)
    assert any("This is an occurrence." in prompt for prompt in prompts)


def test_a_guessing_model_by_hand(evaluate):
    scores, samples = evaluate(TASK)
    right = {}
    for sample in samples:
        doc = sample["doc"]
        values = pmi(sample)
        right.setdefault((doc["gold"], doc["adjective"]), []).append(values.index(max(values)) == doc["gold"])
    by_answer = [mean(mean(those) for key, those in right.items() if key[0] == answer) for answer in range(3)]
    assert scores["balanced_accuracy"] == pytest.approx(mean(by_answer), abs=1e-12)
    assert scores["accuracy_NS-Pr"] == pytest.approx(by_answer[1], abs=1e-12)
    assert scores["balanced_accuracy_ci_low"] < 1 / 3 < scores["balanced_accuracy_ci_high"]
