"""Affinity and Scaled Similarity on an encoder that knows synonyms."""

from __future__ import annotations

import re

import pytest
from datasets import load_dataset

from tests.planted import PlantedSpanModel, entries_of, mean_of_words


def knows_replacements(rows, like):
    """A mean of words, to which a compound and its replacement `like` are one word; longest
    expressions first.
    """
    word_of_expression = {}
    for row in rows:
        probe = row[like][0] if like == "words_syn" else row[like]
        word = row["compound"].replace(" ", "_")
        word_of_expression[row["compound"]] = word
        word_of_expression[probe["expression"]] = word
    longest_first = sorted(word_of_expression, key=len, reverse=True)
    pattern = "|".join(map(re.escape, longest_first))
    expressions = re.compile(rf"\b(?:{pattern})\b")
    mean = mean_of_words()

    def word_of_match(found):
        return word_of_expression[found[0]]

    def vector(text):
        return mean(expressions.sub(word_of_match, text))

    return vector


@pytest.mark.parametrize(
    ("like", "forced_choice"),
    [
        ("syn", 1.0),
        ("words_syn", 0.0),
    ],
)
def test_encoder_that_knows_the_synonym(like, forced_choice):
    rows = load_dataset("compound_mini", split="naturalistic").to_list()
    model = PlantedSpanModel(knows_replacements(rows, like))
    entries = entries_of(model, "NounCompoundAffinityMini", baselines=False)
    (scores,) = entries.values()
    for level in ("sentence", "span"):
        assert scores[f"{level}_forced_choice_nc"] == forced_choice
        assert scores[f"{level}_sim_{like}_mean"] == pytest.approx(1, abs=1e-6)
    assert scores["main_score"] == scores["sentence_forced_choice_nc"]
    assert scores["span_level"] == 1
