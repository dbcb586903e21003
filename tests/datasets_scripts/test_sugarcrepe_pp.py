"""sugarcrepe_pp: the mini captions, and the files as published."""

from __future__ import annotations

import datasets
import pytest


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
