"""Agreement of replacements with their sentence: articles by sound, and number."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness_ext.data.agreement import agreed_row, article, plural, with_agreed_article, with_article
from harness_ext.data.compounds import filled_probe


@pytest.mark.parametrize(
    ("words", "expected"),
    [("apple hour heir honest umbrella uninvited usher utter onerous 8", "an"), ("box unit user european one x", "a")],
)
def test_articles_by_sound(words, expected):
    assert {word: article(word) for word in words.split()} == dict.fromkeys(words.split(), expected)
    assert with_article(words) == f"{expected} {words}"


@given(st.from_regex(r"[a-z]{1,8}", fullmatch=True))
def test_a_plural_is_its_own_plural(noun):
    assert plural(plural(noun)) == plural(noun)


def row_of(frame, compound, surface, replacement):
    probe = filled_probe(frame, surface)
    other = filled_probe(frame, replacement)
    return {
        "compound": compound,
        "surface": surface,
        "sentence": probe["sentence"],
        "span": probe["span"],
        **dict.fromkeys(("syn", "head", "modifier"), other),
        "words_syn": [other],
        "rand": [other],
    }


def test_an_article_follows_the_replacement_and_keeps_its_case():
    row = agreed_row(row_of("A {} fell .", "black box", "black box", "inky crate"))
    assert row["words_syn"][0]["sentence"] == "An inky crate fell ."
    assert row["sentence"] == "A black box fell ."


def test_an_article_of_the_original_that_needs_no_change_stays():
    sentence = ["an", "historic", "box"]
    assert with_agreed_article(sentence, 1, "hollow") == sentence


def test_a_plural_compound_has_plural_replacements():
    row = agreed_row(row_of("All {} fell .", "black box", "black boxes", "inky crate"))
    assert row["syn"]["expression"] == "inky crates"
    assert row["modifier"]["expression"] == "inky crate"  # a modifier has no number
    cold = agreed_row(row_of("His {} stayed .", "cold feet", "cold feet", "icy sole"))
    assert cold["syn"]["expression"] == "icy sole"
