"""compound_mini: the rules that the head of its file promises."""

from __future__ import annotations

import re
from collections import Counter

import yaml

from harness_ext.data.card import dataset_folder

ENTRIES = yaml.safe_load(
    (dataset_folder("compound_mini") / "compound_mini.yaml").read_text(encoding="utf-8")
)


def test_the_compounds_are_in_order_and_no_sentence_is_there_twice():
    keys = [(("NC", "PC", "C").index(entry["class"]), entry["compound"]) for entry in ENTRIES]
    assert keys == sorted(set(keys))
    assert len({frame for entry in ENTRIES for frame in entry["sentences"]}) == 360
    assert Counter(klass for klass, _ in keys) == {0: 45, 1: 30, 2: 45}
    one_word = [entry["class"] for entry in ENTRIES if len(entry["gold_synonym"].split()) == 1]
    assert one_word == ["C", "C"], "gold synonyms that no adjusted score takes"


def test_every_entry_keeps_the_rules():
    for entry in ENTRIES:
        pair = entry["compound"].split()
        for frame in entry["sentences"]:
            assert re.fullmatch(r"[A-Z].* \{\} .*[.?!]", frame)
            assert not re.search(r"\ban? \{\}", frame), (
                "a replacement may begin with a vowel, or with none"
            )
            assert not {*pair} & set(re.findall(r"\w+", frame.lower()))
        for original, synonyms in zip(
            pair, (entry["modifier_synonyms"], entry["head_synonyms"]), strict=True
        ):
            assert 3 <= len(synonyms) == len({*synonyms}) <= 5
            assert all(
                re.fullmatch("[a-z]+", synonym) and synonym != original for synonym in synonyms
            )
        assert [len(expression.split()) for expression in {*entry["unrelated"]}] == [2] * 5
        assert not {*pair} & {*" ".join([*entry["unrelated"], entry["gold_synonym"]]).split()}
