"""compound_mini: what its readme promises."""

from __future__ import annotations

import re
from collections import Counter

import datasets
import pytest
import yaml

from harness_ext.data.builder import features_of
from harness_ext.data.card import dataset_folder
from harness_ext.datasets_scripts.ncimp.ncimp import Ncimp

ENTRIES = yaml.safe_load((dataset_folder("compound_mini") / "compound_mini.yaml").read_text(encoding="utf-8"))


def test_sixty_compounds_twenty_a_class_in_order():
    assert Counter(entry["class"] for entry in ENTRIES) == {"NC": 20, "PC": 20, "C": 20}
    keys = [(("NC", "PC", "C").index(entry["class"]), entry["compound"]) for entry in ENTRIES]
    assert keys == sorted(keys)
    assert len({entry["compound"] for entry in ENTRIES}) == 60
    assert len({frame for entry in ENTRIES for frame in entry["sentences"]}) == 180
    two_words = Counter(entry["class"] for entry in ENTRIES if len(entry["gold_synonym"].split()) == 2)
    assert two_words == {"NC": 20, "PC": 20, "C": 18}, "gold synonyms that a controlled score takes"


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry["compound"])
def test_an_entry_keeps_the_rules(entry):
    modifier, head = entry["compound"].split()
    assert entry["compound"] == entry["compound"].lower()
    assert len(entry["sentences"]) == 3
    for frame in entry["sentences"]:
        assert re.fullmatch(r"[A-Z].* \{\} .*[.?!]", frame)
        assert not re.search(r"\ban? \{\}", frame), "a replacement may begin with a vowel, or with none"
        assert not {modifier, head} & set(re.findall(r"\w+", frame.lower()))
    for original, synonyms in ((modifier, entry["modifier_synonyms"]), (head, entry["head_synonyms"])):
        assert 3 <= len(synonyms) == len(set(synonyms)) <= 5
        assert original not in synonyms
        assert all(re.fullmatch(r"[a-z]+", synonym) for synonym in synonyms)
    assert len(set(entry["unrelated"])) == 5
    for expression in entry["unrelated"]:
        assert len(expression.split()) == 2
        assert not {modifier, head} & set(expression.split())
    assert not {modifier, head} & set(entry["gold_synonym"].split())


def test_loads_in_the_schema_of_ncimp():
    rows = datasets.load_dataset("compound_mini", split="naturalistic")
    assert len(rows) == 180
    assert rows.features == features_of(Ncimp.ROW)
    for row in rows:
        assert row["sentence"].split()[slice(*row["span"])] == row["surface"].split()
        assert len(row["rand"]) == 5
