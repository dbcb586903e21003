"""What the scores of several measures are broken down by."""

from __future__ import annotations

from harness_ext.evaluators.scores import Axis

CLASS = Axis(
    "class", {"C": "compositional", "PC": "partly compositional", "NC": "non-compositional, that is idiomatic"}
)
LEVEL = Axis(
    "level",
    {
        "sentence": "the encoder's own vector of the sentence",
        "span": "the vector of the compound's words inside the sentence, where the encoder gives one",
    },
)
