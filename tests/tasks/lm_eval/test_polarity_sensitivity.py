"""polarity_sensitivity: planted language models, PSS by hand, few-shot examples, the
papers' pairs.
"""

from __future__ import annotations

import pytest
from datasets import load_dataset

from .conftest import ScriptedLM, pmi

TASK = "polarity_sensitivity_mini"


@pytest.fixture
def label_of():
    """The label of the sentence asked about, by the end of the prompt."""
    labels = {}
    for row in load_dataset("polarity_pairs", "mini", split="pairs"):
        labels |= {row["text"]: row["label"], row["rewrite"]: 1 - row["label"]}
    return lambda context: labels[context.rsplit("Review: ", 1)[1].removesuffix("\nSentiment:")]


def says(label_of):
    def score(context, continuation):
        if context.endswith("Review:\nSentiment:"):
            return -1.0
        return 0.0 if continuation == (" negative", " positive")[label_of(context)] else -2.0

    return score


def test_a_model_that_knows_and_one_that_always_says_positive(evaluate, label_of):
    knows, samples = evaluate(TASK, says(label_of))
    assert [
        knows[key]
        for key in ("pss", "accuracy", "relative_pss", "pss_neg_to_pos", "pss_pos_to_neg")
    ] == [1] * 5
    assert knows["n_pairs"] == 120
    assert len(samples) == 240
    always, _ = evaluate(TASK, says(lambda context: 1), limit=60)
    assert [always[key] for key in ("pss", "accuracy", "relative_pss")] == [0, 0.5, 0]


def test_pss_of_a_guessing_model_by_hand(evaluate):
    scores, samples = evaluate(TASK, limit=101)
    right = {}
    for sample in samples:
        negative, positive = pmi(sample)
        right.setdefault(sample["doc"]["pair"], []).append(
            (positive > negative) == sample["doc"]["gold"]
        )
    whole = [sides for sides in right.values() if len(sides) == 2]
    assert len(whole) == len(right) - 1 == scores["n_pairs"] == 50  # the last pair has but one side
    pss = sum(all(sides) for sides in whole) / 50
    accuracy = sum(map(sum, whole)) / 100
    assert scores["pss"] == scores["main_score"] == pytest.approx(pss)
    assert scores["accuracy"] == pytest.approx(accuracy)
    assert scores["relative_pss"] == pytest.approx(pss / accuracy)
    assert scores["pss_ci_low"] < 0.25 < scores["pss_ci_high"]


def test_few_shot_examples_are_the_same_for_both_sides_of_a_pair_and_balanced(evaluate, label_of):
    lm = ScriptedLM(says(label_of))
    scores, samples = evaluate(TASK, lm=lm, num_fewshot=4, limit=40)
    assert scores["pss"] == 1
    (examples,) = {context[: context.rindex("Review:")] for context, _ in lm.asked}
    assert examples.startswith("Is each review negative or positive?\n\nReview: ")
    assert (
        examples.count("Sentiment: negative\n\n") == examples.count("Sentiment: positive\n\n") == 2
    )
    assert not any(sample["doc"]["prompt"] in examples for sample in samples)


@pytest.mark.slow
@pytest.mark.real_data
def test_on_the_reference_pairs(evaluate, mirror):
    scores, samples = evaluate("polarity_sensitivity_reference", num_fewshot=2)
    assert scores["n_pairs"] == 489
    assert scores["n_excluded_duplicate"] + scores["n_excluded_no_added_word"] == 11
    assert len(samples) == 978
    assert "pss_pos_to_neg" not in scores  # there are none
    assert scores["pss_ci_low"] < 0.25 < scores["pss_ci_high"]
