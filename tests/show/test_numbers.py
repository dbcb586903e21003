"""Numbers as tables have them."""

from __future__ import annotations

import math

import pytest

from harness_ext.show.numbers import between, p_value, signed, signed_between, with_interval


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.2, ".200"),
        (0.0014, ".001"),
        (0.00051, ".001"),
        (0.00049, "<.001"),
        (0.0, "<.001"),
        (math.nan, ""),
    ],
)
def test_a_p_value_that_would_be_0_is_below_a_thousandth(value, text):
    assert p_value(value) == text


def test_a_difference_has_a_sign_and_what_is_unknown_nothing():
    assert [signed(value) for value in (0.25, -0.25, 0.0, math.nan)] == [
        "+.250",
        "-.250",
        ".000",
        "",
    ]
    assert signed_between(-0.1, 0.2) == "-.100 to +.200"
    assert signed_between(math.nan, math.nan) == ""
    assert between((-0.1, 0.2)) == "-.100 to .200"
    assert between(None) == with_interval(None) == ""
    assert with_interval(0.15, (0.1, 0.2)) == ".150 [.100, .200]"
