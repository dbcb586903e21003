"""Planted encoders, whose answers are known: a bag of weighted words, one that knows the answer, a
random one.

Each is a function from a text to its vector. `vectors_of` makes a function from texts to vectors of
it, as `harness_ext`'s functions take it. This module needs numpy alone; `tests.planted` makes
models of mteb of the same functions.
"""

from __future__ import annotations

import functools
import zlib

import numpy as np


@functools.cache
def drawn(text, seed=0, dimensions=24):
    """A random vector, always the same for the same text and seed."""
    return np.random.default_rng(zlib.crc32(f"{seed} {text}".encode())).normal(size=dimensions)


def random_vector(seed=0, dimensions=24):
    """A control encoder: a random vector for each text."""

    def vector(text):
        return drawn(text, seed, dimensions)

    return vector


def equal_weight(place):
    """The weight of a word, wherever it stands."""
    return 1.0


def bag_of_words(seed=0, dimensions=24, weight=equal_weight):
    """An encoder that adds up the random vectors of a text's words, each times a weight of its
    place from 0.
    """

    def vector(text):
        total = np.zeros(dimensions)
        for place, word in enumerate(text.split()):
            total = total + weight(place) * drawn(word, seed, dimensions)
        return total

    return vector


def mean_of_words(seed=0, dimensions=24):
    """An encoder that averages the random vectors of a text's words."""
    added_up = bag_of_words(seed, dimensions)

    def vector(text):
        return added_up(text) / len(text.split())

    return vector


def knows(answers, otherwise=None):
    """An encoder that knows the answer: it encodes `answers[text]` in place of a text, as
    `otherwise` does.

    Args:
        answers: Text -> what it means, such as the paraphrase that is right, or a class.
        otherwise: Encodes the answers, and the texts without an answer; `random_vector()` if
            nothing is said.
    """
    otherwise = otherwise or random_vector()

    def vector(text):
        return otherwise(answers.get(text, text))

    return vector


def bent(seed=1):
    """An encoder that is no sum of words, whose distances have ties that rounding breaks one way or
    the other.
    """

    def weight(place):
        return 0.8**place

    added_up = bag_of_words(seed, weight=weight)

    def vector(text):
        return np.tanh(added_up(text))

    return vector


def letters(text):
    """How often each letter is in a text, by its square root: no sum of words, which a tree would
    fit exactly.
    """
    return np.sqrt([text.count(letter) for letter in "abcdefghijklmnopqrstuvwxyz"])


def vectors_of(encode):
    """A function from texts to vectors, made of one from a text to its vector."""

    def vectors(texts):
        return np.array([encode(text) for text in texts])

    return vectors
