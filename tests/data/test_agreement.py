"""Articles by sound, and plurals."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness_ext.data.agreement import article, plural, with_article


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
