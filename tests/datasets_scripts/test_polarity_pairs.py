"""polarity_pairs: the readers and the cleaning rules by hand, what the card promises, and the authors' own files."""

from __future__ import annotations

from collections import Counter

import datasets
import pytest

from harness_ext.datasets_scripts.polarity_pairs.polarity_pairs import (
    pair_rows,
    reference_pairs,
    sentence_rows,
    system_pairs,
)


def removed_by(*pairs):
    return [row["removed_by"] for row in pair_rows(((0, *pair) for pair in pairs), "x")]


def test_the_rules_of_appendix_b():
    assert removed_by(
        ("It is not good .", "it is good"),  # only leaves out words
        ("It is bad .", "It is good ."),
        ("it is bad .", "it is  GOOD ."),  # the same again
        ("was bad", "bad was"),  # only moves them
        ("it is bad .", "it is great ."),
        ("It is fine .", "it is  fine ."),  # adds no word either, and is counted once
        ("It is fine .", "it is  fine ."),
    ) == ["no_added_word", None, "duplicate", "no_added_word", None, "copy", "copy"]


def test_reference_originals_are_negative(tmp_path):
    (tmp_path / "0").write_text("bad .\nworse .\n")
    (tmp_path / "1").write_text("Good. \nBetter.\n")
    assert list(reference_pairs(tmp_path / "0", tmp_path / "1")) == [(0, "bad .", "Good."), (0, "worse .", "Better.")]
    (tmp_path / "1").write_text("Good.\n")
    with pytest.raises(ValueError, match=r"0 has 2 lines and .*1 1; they must be pairs"):
        list(reference_pairs(tmp_path / "0", tmp_path / "1"))


def test_system_pairs_have_the_label_of_their_file(tmp_path):
    (tmp_path / "0").write_text("bad\tgood\t0\n")
    (tmp_path / "1").write_text("good\tbad\t1\nfine\n")
    assert next(system_pairs(tmp_path / "0", tmp_path / "1")) == (0, "bad", "good")
    with pytest.raises(ValueError, match=r"1, line 2: source TAB rewrite expected, found 'fine'"):
        list(system_pairs(tmp_path / "0", tmp_path / "1"))


def test_sentences_get_the_label_of_their_file_and_blank_lines_are_none(tmp_path):
    (tmp_path / "0").write_text("bad .\n\n worse .\r\n")
    (tmp_path / "1").write_text("good .\n")
    rows = list(sentence_rows((tmp_path / "0", tmp_path / "1"), "yelp-dev"))
    assert [(row["id"], row["text"], row["label"]) for row in rows] == [
        ("yelp-dev-0-1", "bad .", 0),
        ("yelp-dev-0-3", "worse .", 0),
        ("yelp-dev-1-1", "good .", 1),
    ]


def test_mini_is_as_the_card_says():
    rows = datasets.load_dataset("polarity_pairs", "mini")
    assert {split: Counter(part["label"]) for split, part in rows.items()} == {
        "train": {0: 200, 1: 200},
        "pairs": {0: 60, 1: 60},
    }
    assert set(rows["pairs"]["removed_by"]) == {None}
    assert rows["train"].features["label"].names == ["negative", "positive"]
