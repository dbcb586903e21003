"""What a unigram model, and answers by length or by place, get in each task: docs/lm_eval_trivial.csv has it."""

from __future__ import annotations

import csv
import math
from collections import Counter
from pathlib import Path

import pytest
from datasets import load_dataset

from harness_ext.tasks import TASKS

from .conftest import guess

WITH_OPTIONS = (
    "idiom_minimal_pairs_mini",
    "compound_question_mini",
    "modifier_entailment_mini",
    "polarity_sensitivity_mini",
)
"""The small tasks whose main score is of PMI."""

TABLE = Path(__file__).parents[3] / "docs" / "lm_eval_trivial.csv"


@pytest.fixture(scope="module")
def unigram():
    """Log-likelihoods of a unigram model, trained by counting on the sentences of compound_mini, smoothed by one."""
    rows = load_dataset("compound_mini", split="naturalistic")
    words = Counter(word for row in rows for word in row["sentence"].lower().split())
    total = sum(words.values()) + len(words) + 1

    def score(context, continuation):
        return math.fsum(math.log((words[word] + 1) / total) for word in continuation.lower().split())

    return score


def models(unigram):
    return {
        "unigram": unigram,
        "shortest": lambda context, continuation: -float(len(continuation)),
        "longest": lambda context, continuation: float(len(continuation)),
        # of what the prompt lists, the one that it lists first; what it does not list comes last
        "first": lambda context, continuation: -float(context.find(continuation.strip()) % 10**6),
    }


@pytest.fixture(params=["counted words", "random words", "random words, per token"])
def context_free(request, unigram):
    """A model to which no word depends on another."""

    def random(context, continuation):
        words = continuation.lower().split()
        found = math.fsum(guess("", word) for word in words)
        return found / len(words) if request.param.endswith("per token") else found

    return unigram if request.param == "counted words" else random


@pytest.mark.slow
@pytest.mark.parametrize("task", WITH_OPTIONS)
def test_a_unigram_model_is_at_chance_on_every_pmi_score(evaluate, context_free, task):
    scores, _ = evaluate(task, context_free)
    checked = 0
    for key, (about, _) in TASKS[task].measure.scores.by_key().items():
        raw = key.startswith(("raw_", "per_character_")) or key == "first_listed"
        if about.chance is None or raw or math.isnan(scores.get(key, math.nan)):
            continue
        low, high = scores.get(f"{key}_ci_low", scores[key]), scores.get(f"{key}_ci_high", scores[key])
        assert low <= about.chance + 1e-9 and about.chance - 1e-9 <= high, key
        checked += 1
    assert checked
    measure = TASKS[task].measure
    assert scores["main_score"] == pytest.approx(measure.scores.by_key()[measure.main][0].chance)


@pytest.mark.slow
def test_the_table_of_the_documentation(evaluate, unigram):
    """Each row: what the model gets by PMI, and by probability alone."""
    _, *rows = csv.reader(TABLE.read_text(encoding="utf-8").splitlines())
    table = {(task, key): values for task, key, _chance, *values in rows}
    expected = {}
    for task in WITH_OPTIONS:
        main = TASKS[task].measure.main
        by_model = {name: evaluate(task, score)[0] for name, score in models(unigram).items()}
        for key in (main, f"per_character_{main}", f"raw_{main}"):
            expected[task, key] = [f"{scores[key]:.3f}" for scores in by_model.values()]
    assert table == expected
