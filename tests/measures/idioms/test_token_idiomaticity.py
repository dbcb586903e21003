"""Token idiomaticity by hand and on planted encoders."""

from __future__ import annotations

from itertools import chain, combinations

import numpy as np
from pytest import approx
from scipy.spatial.distance import cosine as cosine_distance

from harness_ext.measures.idioms.token_idiomaticity import TokenIdiomaticity, use_plan
from tests.measures.given import share_of_wins
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


def alternating(name, n):
    """Uses of an expression, every other one idiomatic."""
    return [row(name, number, number % 2 == 0) for number in range(n)]


ROWS = list(chain.from_iterable(alternating(name, 12) for name in NAMES))


def scores_of(encode, rows=ROWS):
    items = BY_HAND.fill(use_plan(rows), vectors_of(encode))
    return BY_HAND.flat_scores(items)


def slow_auc(uses, nearness):
    of_same_reading = []
    of_other_reading = []
    for one, other in combinations(uses, 2):
        is_same = one["is_idiomatic"] == other["is_idiomatic"]
        values = of_same_reading if is_same else of_other_reading
        values.append(nearness(one["sentence"], other["sentence"]))
    return share_of_wins(of_same_reading, of_other_reading)


def mean_of_slow_aucs(nearness):
    aucs = []
    for name in NAMES:
        uses = [use for use in ROWS if use["expression"] == name]
        aucs.append(slow_auc(uses, nearness))
    return np.mean(aucs)


def test_a_slow_count_gives_the_auc():
    encode = random_vector(5)

    def cosine(one, other):
        return 1 - cosine_distance(encode(one), encode(other))

    def nearness_of_lengths(one, other):
        return -abs(len(one) - len(other))

    scores = scores_of(encode)
    assert scores["use_auc"] == approx(mean_of_slow_aucs(cosine))
    assert scores["length_auc"] == approx(mean_of_slow_aucs(nearness_of_lengths))


def readings_of(rows):
    return {row["sentence"]: str(row["is_idiomatic"]) for row in rows}


def constant(text):
    return np.ones(3)


def test_planted_encoders():
    perfect = scores_of(knows(readings_of(ROWS)))
    assert perfect["use_auc"] == 1.0
    blind = scores_of(constant)
    assert blind["use_auc"] == 0.5


def test_a_use_without_a_vector_takes_its_reading_along():
    """The first use has a zero vector, so that each later reading would move up by a place.

    The readings do not alternate: a shift by a place would mix them at every border.
    """
    runs = [False, True, False, True, False]
    lengths_of_runs = [1, 5, 2, 5, 3]
    is_idiomatic = np.repeat(runs, lengths_of_runs).tolist()
    rows = [row("kick", number, reading) for number, reading in enumerate(is_idiomatic)]
    encode = knows(readings_of(rows))

    def encode_all_but_the_first(text):
        vector = encode(text)
        is_first = text == rows[0]["sentence"]
        return np.zeros_like(vector) if is_first else vector

    scores = scores_of(encode_all_but_the_first, rows)
    assert scores["use_auc"] == 1.0


def test_what_is_left_out_is_counted():
    rows = alternating("kick", 210)
    rows += [row("few", number, number < 4) for number in range(20)]
    rows.append(row("kick", 999, True, "disliked"))
    encode = random_vector()

    def encode_all_but_the_seventh(text):
        return np.zeros(24) if text.startswith("kick 7.") else encode(text)

    items = BY_HAND.fill(use_plan(rows), vectors_of(encode_all_but_the_seventh))
    scores = BY_HAND.flat_scores(items)
    table = items.expressions
    has_auc = dict(zip(table.expression, table.has_number("auc"), strict=True))
    assert has_auc == {"few": False, "kick": True}
    counts = {}
    for key, value in scores.items():
        if key.startswith("n_excluded_"):
            counts[key.removeprefix("n_excluded_")] = value
    assert counts == {
        "unclear": 0,
        "disliked": 1,
        "beyond_200": 10,
        "no_vector": 1,
        "expressions": 1,
    }
    assert scores["n_use_auc"] == 1
