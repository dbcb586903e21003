"""compound_question: planted language models, shares worked out from the saved samples."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from itertools import product
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
        answer = continuation.strip()
        if context.startswith("Question: What does it mean?"):
            return -5.0 * len(answer)
        compound = re.search(r'What does "(.+?)" mean', context)[1]
        listed = dict(re.findall(r"^([A-D])\. (.+)$", context, flags=re.MULTILINE))
        is_wanted = listed.get(answer, answer) == options[compound]
        per_character = -0.1 if is_wanted else -5.0
        return per_character * len(answer)

    return score


def synonym(row):
    return row["syn"]


def word_by_word(row):
    return row["words_syn"][0]


FORMS = ("cloze", "letter")
CLASSES = ("NC", "PC", "C")


def test_the_frame_lists_the_options_of_the_prompt(evaluate):
    _, samples = evaluate(TASK, limit=2)
    for sample in samples:
        document = sample["doc"]
        _, _, listed = document["prompt"].partition("in this sentence?\n")
        assert document["frame"] == f"Question: What does it mean?\n{listed}"


@pytest.mark.slow
def test_a_model_that_knows_and_one_that_reads_literally(evaluate):
    knows, _ = evaluate(TASK, picks(synonym))
    literal, _ = evaluate(TASK, picks(word_by_word))
    for form, klass in product(FORMS, CLASSES):
        assert knows[f"{form}_accuracy_{klass}"] == 1
        assert knows[f"{form}_literal_{klass}"] == 0
        assert literal[f"{form}_accuracy_{klass}"] == 0
        assert literal[f"{form}_literal_{klass}"] == 1
    assert knows["main_score"] == 1
    assert literal["main_score"] == 0


def test_shares_of_a_guessing_model_by_hand(evaluate):
    scores, samples = evaluate(TASK, limit=400)
    right = defaultdict(list)
    for sample in samples:
        doc = sample["doc"]
        values = pmi(sample)
        role = doc["roles"][values.index(max(values))]
        right[doc["format"], doc["class"], doc["compound"]].append(role == "syn")
    shares = defaultdict(list)
    for (form, klass, _), answers in right.items():
        shares[form, klass].append(mean(answers))
    for form, klass in product(FORMS, CLASSES):
        key = f"{form}_accuracy_{klass}"
        assert scores[key] == pytest.approx(mean(shares[form, klass]))
        assert scores[f"{key}_ci_low"] <= 0.25 <= scores[f"{key}_ci_high"]


def says_a(context, continuation):
    return -float("ABCD".find(continuation.strip()) % 97)


@pytest.mark.slow
def test_a_model_that_always_says_a_is_at_chance(evaluate):
    scores, samples = evaluate(TASK, says_a)
    for klass in CLASSES:
        assert scores[f"letter_accuracy_{klass}"] == 0.25
    documents = [sample["doc"] for sample in samples]
    letters = Counter(doc["gold"] for doc in documents if doc["format"] == "letter")
    # of 60 compounds the right one is each letter as often
    assert letters == {0: 15, 1: 15, 2: 15, 3: 15}


@pytest.mark.slow
@pytest.mark.real_data
def test_on_the_published_compounds(evaluate, unverified_mirror):
    scores, samples = evaluate("compound_question_en")
    n_excluded = scores["n_excluded_same"] + scores["n_excluded_unscored"]
    assert len(samples) == 5 * (843 - n_excluded)
    for sample in samples:
        choices = {choice.lower() for choice in sample["doc"]["choices"]}
        assert len(choices) == 4
    assert 0.2 < scores["letter_accuracy_NC"] < 0.3
