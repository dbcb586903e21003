"""compound_mini: the rules that the head of its file promises."""

from __future__ import annotations

import re
from collections import Counter
from itertools import chain

import yaml

from harness_ext.data.card import dataset_folder

ENTRIES = yaml.safe_load(
    (dataset_folder("compound_mini") / "compound_mini.yaml").read_text(encoding="utf-8")
)


def test_the_compounds_are_in_order_and_no_sentence_is_there_twice():
    place_of_class = {"NC": 0, "PC": 1, "C": 2}
    keys = [(place_of_class[entry["class"]], entry["compound"]) for entry in ENTRIES]
    assert keys == sorted(set(keys))
    sentences = chain.from_iterable(entry["sentences"] for entry in ENTRIES)
    assert len({*sentences}) == 360
    assert Counter(entry["class"] for entry in ENTRIES) == {"NC": 45, "PC": 30, "C": 45}
    one_word = [entry["class"] for entry in ENTRIES if len(entry["gold_synonym"].split()) == 1]
    assert one_word == ["C", "C"], "gold synonyms that no adjusted score takes"


def test_every_entry_keeps_the_rules():
    for entry in ENTRIES:
        modifier, head = entry["compound"].split()
        for frame in entry["sentences"]:
            assert re.fullmatch(r"[A-Z].* \{\} .*[.?!]", frame)
            assert not re.search(r"\ban? \{\}", frame), (
                "a replacement may begin with a vowel, or with none"
            )
            assert not {modifier, head} & set(re.findall(r"\w+", frame.lower()))
        assert_are_synonyms(entry["modifier_synonyms"], modifier)
        assert_are_synonyms(entry["head_synonyms"], head)
        unrelated = {*entry["unrelated"]}
        assert [len(expression.split()) for expression in unrelated] == [2] * 5
        replacements = " ".join([*unrelated, entry["gold_synonym"]])
        assert not {modifier, head} & {*replacements.split()}


def assert_are_synonyms(synonyms, original):
    """Three to five other words, each once."""
    assert 3 <= len(synonyms) == len({*synonyms}) <= 5
    assert original not in synonyms
    for synonym in synonyms:
        assert re.fullmatch("[a-z]+", synonym)
