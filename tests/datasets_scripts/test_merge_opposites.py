"""merge_opposites: the sentences written for this project, and the files as published."""

from __future__ import annotations

from collections import Counter

import datasets
import pytest

from harness_ext.tasks.merge_opposites import KIND


def test_the_mini_has_fifteen_sentences_of_eight_kinds():
    rows = datasets.load_dataset("merge_opposites", "mini", split="test").to_list()
    kinds = Counter(row["kind"] for row in rows)
    assert kinds.pop("same") == 120
    assert kinds == dict.fromkeys(list(KIND.values)[:8], 15)
    assert len({row["source"] for row in rows}) == 120
    assert len({row["second"] for row in rows} | {row["first"] for row in rows}) == 360


@pytest.mark.parametrize("kind", ["roles", "attributes", "direction"])
def test_what_is_exchanged_are_words_of_the_sentence(kind):
    rows = datasets.load_dataset("merge_opposites", "mini", split="test").to_list()
    for row in (row for row in rows if row["kind"] == kind):
        words = [Counter(row[text].lower().strip(".").split()) for text in ("first", "second")]
        grammar = {"a", "an", "the", "his", "her"}
        first, second = ({word for word in counts if word not in grammar} for counts in words)
        assert first == second, row


@pytest.mark.real_data
def test_published_files(mirror):
    rows = datasets.load_dataset("merge_opposites", "semantoneg", split="test").to_list()
    assert len(rows) == 3 * 3152
    assert len({row["source"] for row in rows}) == 2435
    distinct = Counter(kind for kind, *_ in {(row["kind"], row["first"], row["second"]) for row in rows})
    assert distinct == {"same": 3080, "antonym": 3076, "negation": 2440}
    captions = datasets.load_dataset("merge_opposites", "sugarcrepe_pp", split="test").to_list()
    assert len(captions) == 2 * 4757
    assert len({row["source"] for row in captions}) == 1542
    distinct = Counter(row[0] == "same" for row in {(row["kind"], row["first"], row["second"]) for row in captions})
    assert distinct == {True: 4568, False: 4754}  # 4749 if five pairs of two files counted once
