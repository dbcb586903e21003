"""Token idiomaticity by hand and on planted encoders."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from harness_ext.measures.idioms.token_idiomaticity import TokenIdiomaticity, use_plan
from tests.planted_vectors import knows, random_vector, vectors_of


class ByHand(TokenIdiomaticity):
    fewest_units = 1


BY_HAND = ByHand()


def row(expression, number, is_idiomatic, removed_by=None):
    sentence = f"{expression} {number}" + "." * (number % 9)
    return {
        "id": f"{expression} {number:04}",
        "expression": expression,
        "sentence": sentence,
        "is_idiomatic": is_idiomatic,
        "removed_by": removed_by,
    }


NAMES = ("kick", "spill", "bite")
ROWS = [row(name, number, number % 2 == 0) for name in NAMES for number in range(12)]


def scores_of(encode, rows=ROWS):
    return BY_HAND.flat_scores(BY_HAND.fill(use_plan(rows), vectors_of(encode)))


def slow_auc(uses, nearness):
    values = {True: [], False: []}
    for one, other in combinations(uses, 2):
        same = one["is_idiomatic"] == other["is_idiomatic"]
        values[same].append(nearness(one["sentence"], other["sentence"]))
    return np.mean([(a > b) + (a == b) / 2 for a in values[True] for b in values[False]])


def test_a_slow_count_gives_the_auc():
    def cosine(one, other):
        one, other = (
            vector / np.linalg.norm(vector) for vector in map(random_vector(5), (one, other))
        )
        return one @ other

    scores = scores_of(random_vector(5))
    uses = [[each for each in ROWS if each["expression"] == name] for name in NAMES]
    assert scores["use_auc"] == pytest.approx(np.mean([slow_auc(each, cosine) for each in uses]))
    of_lengths = [slow_auc(each, lambda one, other: -abs(len(one) - len(other))) for each in uses]
    assert scores["length_auc"] == pytest.approx(np.mean(of_lengths))


def test_planted_encoders():
    readings = {each["sentence"]: str(each["is_idiomatic"]) for each in ROWS}
    assert scores_of(knows(readings))["use_auc"] == 1.0
    assert scores_of(lambda text: np.ones(3))["use_auc"] == 0.5


def test_a_use_without_a_vector_takes_its_reading_along():
    """The first use has a zero vector, so that each later reading would move up by a place.

    The readings do not alternate: a shift by a place would mix them at every border.
    """
    borders = (0, 1, 6, 8, 13)
    rows = [row("kick", number, sum(number >= b for b in borders) % 2 == 0) for number in range(16)]
    readings = {each["sentence"]: str(each["is_idiomatic"]) for each in rows}
    encode = knows(readings)

    def encode_all_but_the_first(text):
        vector = encode(text)
        return np.zeros_like(vector) if text == rows[0]["sentence"] else vector

    assert scores_of(encode_all_but_the_first, rows)["use_auc"] == 1.0


def test_what_is_left_out_is_counted():
    rows = [row("kick", number, number % 2 == 0) for number in range(210)]
    rows += [
        row("kick", 999, True, "disliked"),
        *(row("few", number, number < 4) for number in range(20)),
    ]
    encode = vectors_of(
        lambda text: np.zeros(24) if text.startswith("kick 7.") else random_vector()(text)
    )
    items = BY_HAND.fill(use_plan(rows), encode)
    scores, table = BY_HAND.flat_scores(items), items.expressions
    assert dict(zip(table.expression, table.has_number("auc"), strict=True)) == {
        "few": False,
        "kick": True,
    }
    counts = {
        key.removeprefix("n_excluded_"): value
        for key, value in scores.items()
        if key.startswith("n_excluded_")
    }
    assert counts == {
        "unclear": 0,
        "disliked": 1,
        "beyond_200": 10,
        "no_vector": 1,
        "expressions": 1,
    }
    assert scores["n_use_auc"] == 1
