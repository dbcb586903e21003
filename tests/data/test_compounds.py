"""Probes: expressions in sentences."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness_ext.data.compounds import filled_probe, located_probe, slot_words, tagged_probe

words = st.lists(st.text("aßé黑1.,'", min_size=1), min_size=1, max_size=6)


def test_reads_a_tagged_sentence_with_stray_blanks():
    assert tagged_probe(" this is an  old box . ", "[False, False, False, True, True, False]") == {
        "expression": "old box",
        "sentence": "this is an old box .",
        "span": [3, 5],
    }


@pytest.mark.parametrize(
    ("tag", "message"),
    [
        ("[False, True]", r"2 marks for the 3 words"),
        ("[False, False, False]", "marks no word"),
        ("[True, False, True]", "not next to each other"),
        ("[0, 1, 1]", "not a list of True and False"),
        ("", "not a list"),
        ("[True, False, __import__('os')]", "not a list"),
        ("{[]: 1}", "not a list"),
        ("[" * 5000, "not a list"),
    ],
)
def test_a_tag_that_does_not_fit_is_refused(tag, message):
    with pytest.raises(ValueError, match=message):
        tagged_probe("a black box", tag)


@given(before=words, expression=words, after=words)
def test_the_span_is_where_the_expression_stands(before, expression, after):
    frame = " ".join([*before, "{}", *after])
    probe = filled_probe(frame, " ".join(expression))
    start, end = probe["span"]
    assert probe["sentence"].split() == before + expression + after
    assert probe["sentence"].split()[start:end] == expression == probe["expression"].split()
    tag = str([start <= place < end for place in range(len(probe["sentence"].split()))])
    assert tagged_probe(probe["sentence"], tag) == probe


def test_an_expression_stands_between_the_marks_of_the_one_free_place_of_a_frame():
    for frame in ("no place here", "{} and {}", "the {}s", "the x{} is"):
        with pytest.raises(ValueError, match="must stand once"):
            filled_probe(frame, "black box")
    assert filled_probe("ecco («{}»)!", "lato nero") == {
        "expression": "lato nero",
        "sentence": "ecco («lato nero»)!",
        "span": [1, 3],
    }


@pytest.mark.parametrize(
    ("sentence", "marks", "compound", "surface", "span"),
    [
        ("i tassi di mortalità, oggi", "01010", "tasso di mortalità", "tassi di mortalità", [1, 4]),
        ("le scuole dell'obbligo e", "0100", "scuola dell'obbligo", "scuole dell'obbligo", [1, 3]),
        ("sogni d ' oro .", "10010", "sogni d'oro", "sogni d ' oro", [0, 4]),
    ],
)
def test_a_tag_with_gaps_is_closed_where_the_compound_is_known(
    sentence, marks, compound, surface, span
):
    target = tagged_probe(sentence, str([mark == "1" for mark in marks]), compound)
    assert (target["expression"], target["span"]) == (surface, span)


def test_an_expression_is_found_nearest_to_its_place():
    assert located_probe("gas e Gas, poi", "gas", 2)["span"] == [2, 3]
    with pytest.raises(ValueError, match=r"'gas' is not in 'niente'"):
        located_probe("niente", "gas", 0)


def test_the_words_of_each_slot_are_distinct_and_begin_with_the_compounds_own():
    replacements = [
        {"expression": each} for each in ("inky crate", "dark box", "inky carton", "safe")
    ]
    row = {"surface": "black box", "words_syn": replacements}
    assert slot_words(row) == [["black", "inky", "dark"], ["box", "crate", "carton"]]
    assert slot_words({**row, "surface": "blackbox"}) == []
