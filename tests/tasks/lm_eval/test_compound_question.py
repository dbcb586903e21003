"""compound_question: planted language models, shares worked out from the saved samples."""

from __future__ import annotations

import re
from collections import Counter
from statistics import mean

import pytest
from datasets import load_dataset

from .conftest import pmi

TASK = "compound_question_mini"


def picks(option_of):
    """A model that picks the option that `option_of` names for the compound asked about, as text or
    as letter.
    """
    rows = load_dataset("compound_mini", split="naturalistic")
    options = {row["compound"]: option_of(row)["expression"] for row in rows}

    def score(context, continuation):
        if context.startswith("Question: What does it mean?"):
            return -5.0 * len(continuation.strip())
        wanted, answer = (
            options[re.search(r'What does "(.+?)" mean', context)[1]],
            continuation.strip(),
        )
        listed = dict(re.findall(r"^([A-D])\. (.+)$", context, flags=re.MULTILINE))
        return (-0.1 if listed.get(answer, answer) == wanted else -5.0) * len(answer)

    return score


@pytest.mark.slow
def test_a_model_that_knows_and_one_that_reads_literally(evaluate):
    knows, _ = evaluate(TASK, picks(lambda row: row["syn"]))
    literal, _ = evaluate(TASK, picks(lambda row: row["words_syn"][0]))
    for form in ("cloze", "letter"):
        for klass in ("NC", "PC", "C"):
            assert (knows[f"{form}_accuracy_{klass}"], knows[f"{form}_literal_{klass}"]) == (1, 0)
            assert (literal[f"{form}_accuracy_{klass}"], literal[f"{form}_literal_{klass}"]) == (
                0,
                1,
            )
    assert (knows["main_score"], literal["main_score"]) == (1, 0)


def test_shares_of_a_guessing_model_by_hand(evaluate):
    scores, samples = evaluate(TASK, limit=400)
    right = {}
    for sample in samples:
        doc, values = sample["doc"], pmi(sample)
        role = doc["roles"][values.index(max(values))]
        right.setdefault((doc["format"], doc["class"], doc["compound"]), []).append(role == "syn")
    for form in ("cloze", "letter"):
        for klass in ("NC", "PC", "C"):
            key = f"{form}_accuracy_{klass}"
            of_compounds = [mean(those) for one, those in right.items() if one[:2] == (form, klass)]
            assert scores[key] == pytest.approx(mean(of_compounds))
            assert scores[f"{key}_ci_low"] <= 0.25 <= scores[f"{key}_ci_high"]


@pytest.mark.slow
def test_a_model_that_always_says_a_is_at_chance(evaluate):
    scores, samples = evaluate(
        TASK, lambda context, continuation: -float("ABCD".find(continuation.strip()) % 97)
    )
    assert {scores[f"letter_accuracy_{klass}"] for klass in ("NC", "PC", "C")} == {0.25}
    letters = Counter(
        sample["doc"]["gold"] for sample in samples if sample["doc"]["format"] == "letter"
    )
    # of 60 compounds the right one is each letter as often
    assert letters == dict.fromkeys(range(4), 15)


@pytest.mark.slow
@pytest.mark.real_data
def test_on_the_published_compounds(evaluate, unverified_mirror):
    scores, samples = evaluate("compound_question_en")
    assert len(samples) == 5 * (843 - scores["n_excluded_same"] - scores["n_excluded_unscored"])
    assert all(
        len({choice.lower() for choice in sample["doc"]["choices"]}) == 4 for sample in samples
    )
    assert 0.2 < scores["letter_accuracy_NC"] < 0.3
