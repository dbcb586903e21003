"""Vectors that depend on what else is encoded, such as those of an encoder that pads without a mask."""

from harness_ext.measures.core.scores import Score

ENOUGH = 0.99
"""A cosine that rounding does not bring below, in half precision either."""

ALONE = Score(
    "cosine_alone",
    "cosine of a text's vector with that of the same text alone",
    f"the least of three texts, the shortest, the middle and the longest; there only where it is below {ENOUGH}",
    (-1, 1),
)
