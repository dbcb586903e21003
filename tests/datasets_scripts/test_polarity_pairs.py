"""polarity_pairs: the readers and the cleaning rules by hand."""

from __future__ import annotations

from harness_ext.datasets_scripts.polarity_pairs.polarity_pairs import (
    Pair,
    pair_rows,
    reference_pairs,
    sentence_rows,
    system_pairs,
)


def removed_by(*pairs):
    rows = pair_rows([Pair(0, *pair) for pair in pairs], "x")
    return [row["removed_by"] for row in rows]


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


def test_originals_and_rewrites_stand_in_two_files_or_in_one_of_each_label(tmp_path):
    files = tmp_path / "0", tmp_path / "1"
    for file, text in zip(files, ("bad .\tgood .\n", "Good. \tBad.\n"), strict=True):
        file.write_text(text)
    assert list(system_pairs(*files)) == [(0, "bad .", "good ."), (1, "Good.", "Bad.")]
    assert list(reference_pairs(*files)) == [(0, "bad .\tgood .", "Good. \tBad.")]


def test_sentences_get_the_label_of_their_file_and_blank_lines_are_none(tmp_path):
    (tmp_path / "0").write_text("bad .\n\n worse .\r\n")
    (tmp_path / "1").write_text("good .\n")
    rows = list(sentence_rows((tmp_path / "0", tmp_path / "1"), "yelp-dev"))
    assert [(row["id"], row["text"], row["label"]) for row in rows] == [
        ("yelp-dev-0-1", "bad .", 0),
        ("yelp-dev-0-3", "worse .", 0),
        ("yelp-dev-1-1", "good .", 1),
    ]
