"""impli: the join and the normalisation by hand."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from harness_ext.datasets_scripts.impli.impli import normalized, triple_rows


def test_halves_are_joined_by_the_normalised_sentence():
    entailed = [
        ("A b ?", "A c ?"),
        ("A b?", "A d?"),
        ("Alone .", "One ."),
    ]
    not_entailed = [
        ("Other.", "None."),
        ("A b ?", "A e?"),
    ]
    rows = list(triple_rows(entailed, not_entailed, "x"))
    assert [tuple(row.values()) for row in rows] == [
        ("x-0", "A b?", "A c?", "A e?", None, 3),
        ("x-1", "Alone.", "One.", None, "no_not_entailed", 2),
        ("x-2", "Other.", None, "None.", "no_entailed", 0),
        ("x-3", "A b?", "A d?", None, "repeated", 0),
    ]


@given(st.text(alphabet="ab ?.!,;:'’", max_size=20))
def test_normalising_moves_no_character_and_is_done_at_once(text):
    once = normalized(text)
    assert once.replace(" ", "") == text.replace(" ", "")
    assert normalized(once) == once
