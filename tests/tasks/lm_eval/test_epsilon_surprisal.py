"""epsilon_surprisal: ε by hand, planted language models."""

from __future__ import annotations

import math
from itertools import islice

import pytest
from datasets import load_dataset

from harness_ext.measures.epsilon.surprisal import sentence_epsilon

TASK = "epsilon_surprisal_mini"


def test_a_sentence_by_hand():
    """Slot 1: b, a, a' with surprisals 1, 2, 4 in the sentence and 0, 1, 3 bare; slot 2 has no two
    synonyms.
    """
    # a: ε(a,b,c) = |2-1|/|1-0| - 1 = 0, ε(a,a',c) = |2-4|/|1-3| - 1 = 0, difference 0
    # a': ε(a',b,c) = |4-1|/|3-0| - 1 = 0, ε(a',a,c) = 0
    found = sentence_epsilon(
        [[1, 2, 4], [1, 5]],
        [[0, 1, 3], [0, 7]],
    )
    assert found == (0.5, 2, 0)

    def of_one_slot(in_sentence, bare):
        return sentence_epsilon([in_sentence], [bare])

    # a: |3-1|/1 - 1 = 1 against |3-4|/2 - 1 = -.5: +1.5; a': |4-1|/3 - 1 = 0 against -.5: +.5
    assert of_one_slot([1, 3, 4], [0, 1, 3]) == (1.0, 2, 0)
    # a: |1-1|/1 - 1 = -1 against |1-4|/2 - 1 = .5: -1.5; a': |4-1|/3 - 1 = 0 against .5: -.5
    assert of_one_slot([1, 1, 4], [0, 1, 3]) == (0.0, 2, 0)
    # a: the first, +1.5, rank 2; a' is as far from b as b itself
    assert of_one_slot([1, 3, 4], [0, 1, 0]) == (1.0, 1, 1)
    assert of_one_slot([1, 3, 4], [2, 2, 2]) == (None, 0, 2)


def test_a_model_that_is_surprised_by_what_breaks_an_idiom(evaluate):
    """After an idiom all goes on as usual; after synonyms of the single words it does not. Literal
    ones do not care.
    """
    rows = load_dataset("compound_mini", split="naturalistic")
    idioms = {row["compound"] for row in rows if row["class"] == "NC"}

    def of_letters(text):
        """A small number that tells texts apart."""
        return sum(map(ord, text)) / 1e4

    def surprisal(context):
        """Of each word after a context."""
        last_words = context.split()[-2:]
        if len(last_words) == 1:
            return 3 + len(context) / 10 + of_letters(context)
        if " ".join(last_words) in idioms:
            return 1
        return 9 + of_letters("".join(last_words))

    def score(context, continuation):
        n_words = len(continuation.split())
        return -n_words * surprisal(context)

    scores, samples = evaluate(TASK, score)
    assert scores["rank_share_NC"] == 1
    assert scores["rank_share_C"] < 0.9
    # some literal compounds are at 1 too
    assert scores["auc_nc_vs_c"] == scores["main_score"] >= 0.9
    assert len(samples) == 60
    documents = {sample["doc"]["id"]: sample["doc"] for sample in samples}
    doc = documents["en-naturalistic-1-black_box"]
    assert [context.rpartition("found the ")[2] for context in doc["contexts"]] == [
        "black box",
        "dark box",
        "inky box",
        "black box",
        "black crate",
        "black carton",
        "black",
        "dark",
        "inky",
        "box",
        "crate",
        "carton",
    ]
    assert doc["follows"] == "under a torn wing."
    assert doc["n_words"] == 4
    n_pairs = 0
    for doc in documents.values():
        n_pairs += sum(math.perm(len(words) - 1, 2) for words in doc["slots"])
    assert scores["n_samples"] + scores["n_excluded_zero_distance"] == n_pairs


def test_a_guessing_model_is_at_chance(evaluate):
    scores, samples = evaluate(TASK)
    assert scores["auc_nc_vs_c_ci_low"] < 0.5 < scores["auc_nc_vs_c_ci_high"]
    sample = samples[0]
    doc = sample["doc"]
    surprisals = iter([-value / doc["n_words"] for value, _ in sample["filtered_resps"]])

    def of_slots():
        return [list(islice(surprisals, len(words))) for words in doc["slots"]]

    in_sentence = of_slots()
    bare = of_slots()
    found = sentence_epsilon(in_sentence, bare)
    assert found.rank_share == pytest.approx(sample["main_score"][3])


@pytest.mark.slow
@pytest.mark.real_data
def test_on_the_published_compounds(evaluate, unverified_mirror):
    scores, samples = evaluate("epsilon_surprisal_en")
    n_left_out = -scores["n_excluded_zero_distance"]
    for key, value in scores.items():
        if key.startswith("n_excluded_") and key.count("_") < 5:
            n_left_out += value
    assert scores["n_excluded_unscored"] == 6  # dust storm, small fry
    assert scores["n_excluded_nothing_follows"] > 100
    assert len(samples) == 843 - n_left_out
    assert 0.4 < scores["auc_nc_vs_c"] < 0.6
