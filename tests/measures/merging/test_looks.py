"""What hits look like, by hand and on this project's own pairs; which of them are drawn."""

import csv
from collections import Counter
from pathlib import Path

import pytest

from harness_ext.measures.merging.looks import REPLACED, SAME_TEXT, look_of, sample_by_look

ROOT = Path(__file__).parents[3]
OPPOSITES = ROOT / "datasets_scripts" / "merge_opposites" / "opposites.tsv"
QUESTIONS = ROOT / "docs" / "own_data" / "faq_pairs.csv"


@pytest.mark.parametrize(
    ("first", "second", "look"),
    [
        ("Is it open?", "is it OPEN", SAME_TEXT),
        ("Is delivery free from 50 euros?", "Is delivery free from 500 euros?", "number"),
        ("Two tablets a day", "Take ten tablets every day", "number"),
        ("Two tablets a day", "2 tablets a day", SAME_TEXT),
        ("Which items can be returned?", "Which items can't be returned?", "negation"),
        ("He isn't in, is he?", "Is he not in?", ""),
        ("Fly from Rome to Oslo.", "Fly from Oslo to Rome.", "direction"),
        ("Eat before you wash.", "Wash before you eat.", "order"),
        ("Wash before you eat.", "Wash after you eat.", "order"),
        ("The dog bit the man.", "The man bit the dog.", "roles"),
        ("How do I unlock my card?", "How do I lock my card?", "antonym"),
        ("How do I open an account?", "How do I close an account?", "antonym"),
        ("Do you ship to Austria?", "Do you ship to Australia?", "entity"),
        ("All seats are taken.", "Some seats are taken.", "quantifiers"),
        ("You may leave the room.", "You must leave the room.", "hedges"),
        ("Call me if it rains.", "Call me unless it rains.", "conditions"),
        ("Nina works at a bank.", "Nina works at a school now.", "update"),
        ("The warranty covers the battery.", "The warranty covers the phone.", REPLACED),
        ("How do I open an account?", "How can I open an account?", ""),
        ("How do I pay?", "Which payments do you take?", ""),
        ("", "?", SAME_TEXT),
        ("", "Where?", ""),
    ],
)
def test_looks_by_hand(first, second, look):
    assert look_of(first, second) == look
    assert bool(look_of(second, first)) == bool(look)


def test_most_opposites_look_like_one_and_few_paraphrases_do():
    """The rules were written beside these pairs; the questions were not looked at."""
    lines = OPPOSITES.read_text("utf-8").splitlines()
    n_opposites = 0
    n_paraphrases = 0
    for line in lines:
        _, text, paraphrase, opposite = line.split("\t")
        n_opposites += bool(look_of(text, opposite))
        n_paraphrases += bool(look_of(text, paraphrase))
    assert n_opposites >= 0.9 * len(lines)
    assert n_paraphrases <= 0.1 * len(lines)
    looking_like_one = Counter()
    with QUESTIONS.open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if look_of(row["first"], row["second"]):
                looking_like_one[row["kind"] == "same"] += 1
    assert looking_like_one[False] >= 11
    assert looking_like_one[True] <= 1


def test_a_sample_has_rare_looks_whole_and_never_the_same_text():
    looks = ["number"] * 50 + ["roles"] * 3 + [""] * 50 + [SAME_TEXT] * 50
    drawn = sample_by_look(looks, 23)
    n_drawn = Counter(looks[place] for place in drawn)
    assert n_drawn == {"number": 10, "roles": 3, "": 10}
    assert drawn == sorted(set(drawn))
    assert drawn == sample_by_look(looks, 23)
    assert drawn != sample_by_look(looks, 23, seed=1)
    assert len(sample_by_look(looks, 1000)) == 103
    assert sample_by_look([], 5) == []
