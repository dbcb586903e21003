"""Planted encoders, whose answers are known: a bag of weighted words, one that knows the answer, a
random one.

Each is a function from a text to its vector. `vectors_of` makes a function from texts to vectors of
it, as `harness_ext`'s functions take it; `PlantedModel` makes a model of it, as `mteb.evaluate`
takes it.
"""

from __future__ import annotations

import functools
import zlib
from contextlib import contextmanager

import mteb
import numpy as np
import pytest
from mteb.models import ModelMeta
from mteb.models.abs_encoder import AbsEncoder


@contextmanager
def with_noise():
    """Measure matched noise too, as outside of tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("HARNESS_EXT_NOISE", raising=False)
        yield


@functools.cache
def drawn(text, seed=0, dimensions=24):
    """A random vector, always the same for the same text and seed."""
    return np.random.default_rng(zlib.crc32(f"{seed} {text}".encode())).normal(size=dimensions)


def random_vector(seed=0, dimensions=24):
    """A control encoder: a random vector for each text."""
    return lambda text: drawn(text, seed, dimensions)


def bag_of_words(seed=0, dimensions=24, weight=lambda place: 1.0):
    """An encoder that adds up the random vectors of a text's words, each times a weight of its
    place from 0.
    """

    def vector(text):
        words = enumerate(text.split())
        return sum(
            (weight(place) * drawn(word, seed, dimensions) for place, word in words),
            np.zeros(dimensions),
        )

    return vector


def mean_of_words(seed=0, dimensions=24):
    """An encoder that averages the random vectors of a text's words."""
    added_up = bag_of_words(seed, dimensions)
    return lambda text: added_up(text) / len(text.split())


def drawn_bag(
    seed,
    dimension,
    dtype,
    *,
    whole=False,
    pooled="mean",
    constant=0.0,
    in_words=True,
    normalised=False,
):
    """A weighted bag of drawn vectors; words of small whole numbers have many equal distances."""
    shift = constant * drawn("", seed, dimension)

    def weight(word):
        return 1.0 if whole else np.exp(0.7 * drawn(f"weight of {word}", seed, 1)[0])

    def vector(text):
        words = text.split()
        weights, vectors = (
            np.array([*map(weight, words)]),
            np.array([drawn(word, seed, dimension) for word in words]),
        )
        total = {"sum": 1, "mean": len(weights), "weighted mean": weights.sum()}[pooled]
        added = weights @ ((2 * vectors).round() if whole else vectors) / total
        added = added + shift if in_words or len(words) > 1 else added
        return (added / (np.linalg.norm(added) if normalised else 1)).astype(dtype)

    return PlantedModel(vector)


def knows(answers, otherwise=None):
    """An encoder that knows the answer: it encodes `answers[text]` in place of a text, as
    `otherwise` does.

    Args:
        answers: Text -> what it means, such as the paraphrase that is right, or a class.
        otherwise: Encodes the answers, and the texts without an answer; `random_vector()` if
            nothing is said.
    """
    otherwise = otherwise or random_vector()
    return lambda text: otherwise(answers.get(text, text))


def bent(seed=1):
    """An encoder that is no sum of words, whose distances have ties that rounding breaks one way or
    the other.
    """
    added_up = bag_of_words(seed, weight=lambda place: 0.8**place)
    return lambda text: np.tanh(added_up(text))


def letters(text):
    """How often each letter is in a text, by its square root: no sum of words, which a tree would
    fit exactly.
    """
    return np.sqrt([text.count(letter) for letter in "abcdefghijklmnopqrstuvwxyz"])


def vectors_of(encode):
    """A function from texts to vectors, made of one from a text to its vector."""
    return lambda texts: np.array([encode(text) for text in texts])


COMMIT = "c0de" * 10
"""The revision of planted models."""


class PlantedModel(AbsEncoder):
    """A model of mteb.

    Attributes:
        calls: The texts of each call.
    """

    def __init__(self, encode, name="planted/model", revision=COMMIT, make=lambda vectors: vectors):
        """Make a model of a function from a text to its vector; `make` is what becomes of all
        vectors of a call.
        """
        self.mteb_model_meta = ModelMeta.create_empty(
            overwrites={"name": name, "revision": revision}
        )
        self.vectors_of, self.make, self.calls = vectors_of(encode), make, []

    def encode(self, inputs, **kwargs):
        texts = [text for batch in inputs for text in batch["text"]]
        self.calls.append(texts)
        return self.make(self.vectors_of(texts))


class PlantedSpanModel(PlantedModel):
    """A model that has vectors of spans too: those of their words, whatever the sentence.

    Attributes:
        spans: Every sentence and span that was asked for.
    """

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.spans = []

    def encode_spans(self, sentences, spans):
        self.spans += zip(sentences, spans, strict=True)
        return self.vectors_of(
            " ".join(text.split()[slice(*span)])
            for text, span in zip(sentences, spans, strict=True)
        )


def entries_of(model, task, folder=None, *, baselines=True, **options):
    """Run a task, or the task of a name, as mteb does: (split, subset) -> the entry of its result
    file.
    """
    task = mteb.get_task(task) if isinstance(task, str) else task
    task.with_baselines = baselines
    cache = mteb.ResultCache(folder) if folder else None
    (result,) = mteb.evaluate(
        model, task, cache=cache, show_progress_bar=False, **options
    ).task_results
    return {
        (split, entry["hf_subset"]): entry
        for split, entries in result.scores.items()
        for entry in entries
    }
