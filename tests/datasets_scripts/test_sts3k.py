"""sts3k: the reader by hand, and the groups."""

from harness_ext.datasets_scripts.sts3k.sts3k import (
    RatedPair,
    groups_by_first_word,
    pair_rows,
    read_pairs,
)


def test_pairs(tmp_path):
    file = tmp_path / "list"
    file.write_text("a b.;c d.;0.25\n")
    assert read_pairs(file) == [(("a b.", "c d."), 0.25)]


def test_pairs_whose_first_sentences_begin_with_one_word_are_a_group():
    """Whatever their second sentences are; an article is no word, nor is a mark part of one."""
    pairs = [
        ("The judge met a guard.", "A guard met the judge."),
        ("A guard met the judge.", "The judge met a guard."),
        ("Judge, meet the guard.", "Nobody met."),
        ("An apple fell.", "The judge met a guard."),
        ("Judges met.", "A guard met the judge."),
    ]
    assert groups_by_first_word(pairs) == [0, 1, 0, 2, 3]


def test_groups_are_counted_within_each_kind():
    dog = RatedPair(("The dog ran.", "It ran."), 1.0)
    cat = RatedPair(("The cat ran.", "It ran."), 0.5)
    kinds = ["ordinary", "ordinary", "adversarial", "ordinary"]
    rows = pair_rows([dog, cat, dog, cat], kinds, "sts3k")
    assert [row["group"] for row in rows] == [0, 1, 0, 1]
