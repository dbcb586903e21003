"""transitive_sentences: what bad lines say, the mini pairs, and the files as published."""

from __future__ import annotations

import datasets
import pytest

from harness_ext.datasets_scripts.transitive_sentences.transitive_sentences import TransitiveSentences


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a;b;7\n", r"pairs, line 1, column 'similarity': a number from 0 to 1 expected, found '7'"),
        ("a;b;1\nb;a;1\na;b;0\n", r"pairs, line 3, column 'sentence1': another value than in .*line 1 expected"),
    ],
)
def test_a_bad_line_is_named(tmp_path, text, message):
    (tmp_path / "pairs").write_text(text)
    builder = TransitiveSentences(config_name="mini", cache_dir=str(tmp_path))
    with pytest.raises(ValueError, match=message):
        list(builder.rows({"pairs": tmp_path / "pairs"}, "test"))


def test_each_mini_verb_is_near_in_one_sentence_and_far_in_another():
    rows = datasets.load_dataset("transitive_sentences", "mini", split="test").to_list()
    assert len(rows) == 66
    replacements = {0.0: set(), 1.0: set()}
    for row in rows:
        first, second = row["sentence1"].split(), row["sentence2"].split()
        (changed,) = [place for place, pair in enumerate(zip(first, second, strict=True)) if len(set(pair)) == 2]
        assert changed == 2
        replacements[row["similarity"]].add((first[2], second[2]))
    assert replacements[0.0] == replacements[1.0]


@pytest.mark.real_data
@pytest.mark.parametrize(("config", "n_pairs"), [("gs2011", 199), ("ks2013", 108)])
def test_published_files(mirror, config, n_pairs):
    rows = datasets.load_dataset("transitive_sentences", config, split="test").to_list()
    assert len(rows) == n_pairs
    assert all(0 <= row["similarity"] <= 1 for row in rows)
    assert len({(row["sentence1"], row["sentence2"]) for row in rows}) == n_pairs
