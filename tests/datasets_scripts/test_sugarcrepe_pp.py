"""sugarcrepe_pp: what bad entries say, the mini captions, and the files as published."""

from __future__ import annotations

import json

import datasets
import pytest

from harness_ext.datasets_scripts.sugarcrepe_pp.sugarcrepe_pp import read_triplets

ENTRY = {"id": 0, "caption": "a", "caption2": "b", "negative_caption": "c"}


def test_triplets(tmp_path):
    (tmp_path / "swap.json").write_text(json.dumps([ENTRY]))
    assert list(read_triplets(tmp_path / "swap.json")) == [("a", "b", "c")]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (json.dumps([ENTRY, {**ENTRY, "negative_caption": " "}]), r"entry 1 \(from 0\): a text 'negative_caption'"),
        (json.dumps([{"caption": "a"}]), r"swap.json, entry 0 \(from 0\): a text 'caption2' expected, found None"),
        (json.dumps(["a"]), r"swap.json, entry 0 \(from 0\): a text 'caption' expected"),
        (json.dumps(ENTRY), r"swap.json: a list of triplets expected, found dict"),
        ("[", r"swap.json is not a UTF-8 JSON file"),
    ],
)
def test_a_bad_entry_is_named(tmp_path, content, message):
    (tmp_path / "swap.json").write_text(content)
    with pytest.raises(ValueError, match=message):
        list(read_triplets(tmp_path / "swap.json"))


def test_other_encodings_are_refused(tmp_path):
    (tmp_path / "swap.json").write_bytes(b'["\xe9"]')
    with pytest.raises(ValueError, match=r"swap.json is not a UTF-8 JSON file"):
        list(read_triplets(tmp_path / "swap.json"))


def test_the_mini_negatives_have_the_words_of_the_caption():
    splits = datasets.load_dataset("sugarcrepe_pp", "mini")
    assert {name: len(split) for name, split in splits.items()} == {"swap_obj": 30, "swap_att": 30}
    for row in (row for split in splits.values() for row in split):
        words = {name: set(row[name].lower().strip(".").split()) - {"a", "an", "the"} for name in row if name != "id"}
        assert words["caption"] == words["negative"], row
        assert words["caption"] != words["paraphrase"], row
        assert len({row[name] for name in row}) == 4


@pytest.mark.real_data
def test_published_files(mirror):
    splits = datasets.load_dataset("sugarcrepe_pp", "scpp")
    assert {name: len(split) for name, split in splits.items()} == {
        "swap_obj": 245, "swap_att": 666, "replace_att": 788, "replace_rel": 1406, "replace_obj": 1652,
    }  # fmt: skip
    assert sum(map(len, splits.values())) == 4757
