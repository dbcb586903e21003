"""compound_mini: the rules that the head of its file promises."""

from __future__ import annotations

import re
from collections import Counter
from itertools import chain

import yaml

from harness_ext.data.card import dataset_folder

FILE = dataset_folder("compound_mini") / "compound_mini.yaml"
ENTRIES = yaml.safe_load(FILE.read_text(encoding="utf-8"))


def test_the_compounds_are_in_order_and_no_sentence_is_there_twice():
    place_of_class = {"NC": 0, "PC": 1, "C": 2}
    keys = [(place_of_class[entry["class"]], entry["compound"]) for entry in ENTRIES]
    assert keys == sorted(set(keys))
    sentences = chain.from_iterable(entry["sentences"] for entry in ENTRIES)
    assert len({*sentences}) == 360
    n_compounds = Counter(entry["class"] for entry in ENTRIES)
    assert n_compounds == {"NC": 45, "PC": 30, "C": 45}
    of_one_word = [entry["class"] for entry in ENTRIES if " " not in entry["gold_synonym"]]
    assert of_one_word == ["C", "C"], "gold synonyms that no adjusted score takes"


def test_every_entry_keeps_the_rules():
    for entry in ENTRIES:
        modifier, head = entry["compound"].split()
        words_of_compound = {modifier, head}
        for frame in entry["sentences"]:
            assert re.fullmatch(r"[A-Z].* \{\} .*[.?!]", frame)
            article = re.search(r"\ban? \{\}", frame)
            assert not article, "a replacement may begin with a vowel, or with none"
            words_of_frame = re.findall(r"\w+", frame.lower())
            assert words_of_compound.isdisjoint(words_of_frame)
        assert_are_synonyms(entry["modifier_synonyms"], modifier)
        assert_are_synonyms(entry["head_synonyms"], head)
        unrelated = {*entry["unrelated"]}
        assert [len(expression.split()) for expression in unrelated] == [2] * 5
        for replacement in (*unrelated, entry["gold_synonym"]):
            assert words_of_compound.isdisjoint(replacement.split())


def assert_are_synonyms(synonyms, original):
    """Three to five other words, each once."""
    assert 3 <= len(synonyms) == len({*synonyms}) <= 5
    assert original not in synonyms
    for synonym in synonyms:
        assert re.fullmatch("[a-z]+", synonym)
