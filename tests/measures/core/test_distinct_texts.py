"""Each distinct text has a vector, in one place."""

from __future__ import annotations

import numpy as np
import pytest

from harness_ext.measures.core.distinct_texts import DistinctTexts
from harness_ext.measures.core.fill import Encoded
from harness_ext.measures.core.inputs import Span, Sum, as_texts

SPAN = Span("a black box", 1, 3)
OTHER = Span("a box", 1, 2)
OF_WORDS = Sum(("black", "box"))
OF_SPANS = Sum((SPAN, OTHER))
TEXTS = [OF_WORDS, "box", SPAN, "box", OF_SPANS, "rain"]


class Lengths:
    """A text is its letters and 1, words inside a sentence are their places."""

    has_spans = True

    def __init__(self):
        self.asked = []

    def __call__(self, texts):
        self.asked.append(texts)
        return np.array([[len(text), 1] for text in texts], dtype=np.float32)

    def with_spans(self, texts, spans, layer_pooling):
        places = np.array([[span.start, span.end, 0] for span in spans], dtype=np.float32)
        return self(texts), places


def test_texts_are_encoded_once_and_sums_stand_behind_their_parts():
    lengths = Lengths()
    encoded = Encoded.of(DistinctTexts(TEXTS), lengths)
    assert lengths.asked == [["black", "box", "rain"]]
    of_whole, of_inside = encoded.vectors
    assert of_whole.tolist() == [[5, 1], [3, 1], [4, 1], [8, 2]]
    assert of_inside.tolist() == [[1, 3, 0], [1, 2, 0], [2, 5, 0]]
    assert encoded.rows(as_texts(["rain", OF_WORDS, "box"])).tolist() == [2, 3, 1]
    assert encoded.rows(as_texts([OF_SPANS, SPAN])).tolist() == [2, 0]


def test_rows_are_those_of_the_array_that_is_asked_for():
    texts = DistinctTexts(TEXTS)
    column = as_texts(["rain", "box"])
    assert texts.rows(column) is texts.rows(column)
    rows = [texts.rows(as_texts([text])).tolist() for text in ("rain", "box", "black")]
    assert rows == [[2], [1], [0]]


def test_a_text_that_is_not_there_is_an_error():
    with pytest.raises(KeyError, match="snow"):
        DistinctTexts(TEXTS).rows(as_texts(["snow"]))
