"""polarity_sensitivity: planted language models, PSS by hand, few-shot examples, the
papers' pairs.
"""

from __future__ import annotations

from collections import defaultdict

import pytest
from datasets import load_dataset

from .conftest import ScriptedLM, pmi

TASK = "polarity_sensitivity_mini"


@pytest.fixture
def label_of():
    """The label of the sentence asked about, by the end of the prompt."""
    labels = {}
    for row in load_dataset("polarity_pairs", "mini", split="pairs"):
        label = row["label"]
        labels[row["text"]] = label
        labels[row["rewrite"]] = 1 - label

    def label_of(context):
        _, _, last_review = context.rpartition("Review: ")
        return labels[last_review.removesuffix("\nSentiment:")]

    return label_of


def says(label_of):
    def score(context, continuation):
        if context.endswith("Review:\nSentiment:"):
            return -1.0
        answer = " positive" if label_of(context) else " negative"
        return 0.0 if continuation == answer else -2.0

    return score


def positive(context):
    return 1


def test_a_model_that_knows_and_one_that_always_says_positive(evaluate, label_of):
    knows, samples = evaluate(TASK, says(label_of))
    for key in ("pss", "accuracy", "relative_pss", "pss_neg_to_pos", "pss_pos_to_neg"):
        assert knows[key] == 1
    assert knows["n_pairs"] == 120
    assert len(samples) == 240
    always, _ = evaluate(TASK, says(positive), limit=60)
    assert always["pss"] == 0
    assert always["accuracy"] == 0.5
    assert always["relative_pss"] == 0


def test_pss_of_a_guessing_model_by_hand(evaluate):
    scores, samples = evaluate(TASK, limit=101)
    right = defaultdict(list)
    for sample in samples:
        doc = sample["doc"]
        of_negative, of_positive = pmi(sample)
        says_positive = of_positive > of_negative
        right[doc["pair"]].append(says_positive == doc["gold"])
    whole = [sides for sides in right.values() if len(sides) == 2]
    assert len(whole) == 50
    assert len(right) == 51  # the last pair has but one side
    assert scores["n_pairs"] == 50
    pss = sum(map(all, whole)) / 50
    accuracy = sum(map(sum, whole)) / 100
    assert scores["pss"] == pytest.approx(pss)
    assert scores["main_score"] == scores["pss"]
    assert scores["accuracy"] == pytest.approx(accuracy)
    assert scores["relative_pss"] == pytest.approx(pss / accuracy)
    assert scores["pss_ci_low"] < 0.25 < scores["pss_ci_high"]


def test_few_shot_examples_are_the_same_for_both_sides_of_a_pair_and_balanced(evaluate, label_of):
    lm = ScriptedLM(says(label_of))
    scores, samples = evaluate(TASK, lm=lm, num_fewshot=4, limit=40)
    assert scores["pss"] == 1
    before_last_review = {context.rpartition("Review:")[0] for context, _ in lm.asked}
    (examples,) = before_last_review
    assert examples.startswith("Is each review negative or positive?\n\nReview: ")
    assert examples.count("Sentiment: negative\n\n") == 2
    assert examples.count("Sentiment: positive\n\n") == 2
    for sample in samples:
        assert sample["doc"]["prompt"] not in examples


@pytest.mark.slow
@pytest.mark.real_data
def test_on_the_reference_pairs(evaluate, mirror):
    scores, samples = evaluate("polarity_sensitivity_reference", num_fewshot=2)
    assert scores["n_pairs"] == 489
    assert scores["n_excluded_duplicate"] + scores["n_excluded_no_added_word"] == 11
    assert len(samples) == 978
    assert "pss_pos_to_neg" not in scores  # there are none
    assert scores["pss_ci_low"] < 0.25 < scores["pss_ci_high"]
