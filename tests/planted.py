"""Models of mteb whose answers are known, made of the functions of `tests.planted_vectors`: as
`mteb.evaluate` takes them.
"""

from __future__ import annotations

from contextlib import contextmanager

import mteb
import numpy as np
import pytest
from mteb.models import ModelMeta
from mteb.models.abs_encoder import AbsEncoder

from tests.planted_vectors import (
    bag_of_words,
    bent,
    drawn,
    knows,
    letters,
    mean_of_words,
    random_vector,
    vectors_of,
)

__all__ = [
    "COMMIT",
    "PlantedModel",
    "PlantedSpanModel",
    "bag_of_words",
    "bent",
    "drawn",
    "drawn_bag",
    "entries_of",
    "knows",
    "letters",
    "mean_of_words",
    "random_vector",
    "vectors_of",
    "with_noise",
]

COMMIT = "c0de" * 10
"""The revision of planted models."""


@contextmanager
def with_noise():
    """Measure matched noise too, as outside of tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("HARNESS_EXT_NOISE", raising=False)
        yield


def unchanged(vectors):
    """The vectors of a call as they are."""
    return vectors


class PlantedModel(AbsEncoder):
    """A model of mteb.

    Attributes:
        calls: The texts of each call.
    """

    def __init__(self, encode, name="planted/model", revision=COMMIT, make=unchanged):
        """Make a model of a function from a text to its vector; `make` is what becomes of all
        vectors of a call.
        """
        self.mteb_model_meta = ModelMeta.create_empty(
            overwrites={"name": name, "revision": revision}
        )
        self.vectors_of = vectors_of(encode)
        self.make = make
        self.calls = []

    def encode(self, inputs, **kwargs):
        texts = []
        for batch in inputs:
            texts += batch["text"]
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
        phrases = []
        for sentence, span in zip(sentences, spans, strict=True):
            words = sentence.split()[slice(*span)]
            phrases.append(" ".join(words))
        return self.vectors_of(phrases)


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

    def word_weight(word):
        if whole:
            return 1.0
        return np.exp(0.7 * drawn(f"weight of {word}", seed, 1)[0])

    def word_vector(word):
        vector = drawn(word, seed, dimension)
        return (2 * vector).round() if whole else vector

    def text_vector(text):
        words = text.split()
        weights = np.array([word_weight(word) for word in words])
        vectors = np.array([word_vector(word) for word in words])
        totals = {"sum": 1, "mean": len(weights), "weighted mean": weights.sum()}
        vector = weights @ vectors / totals[pooled]
        if in_words or len(words) > 1:
            vector = vector + shift
        if normalised:
            vector = vector / np.linalg.norm(vector)
        return vector.astype(dtype)

    return PlantedModel(text_vector)


def entries_of(model, task, folder=None, *, baselines=True, **options):
    """Run a task, or the task of a name, as mteb does: (split, subset) -> the entry of its result
    file.
    """
    task = mteb.get_task(task) if isinstance(task, str) else task
    task.with_baselines = baselines
    cache = mteb.ResultCache(folder) if folder else None
    results = mteb.evaluate(model, task, cache=cache, show_progress_bar=False, **options)
    (result,) = results.task_results
    entry_of_subset = {}
    for split, entries in result.scores.items():
        for entry in entries:
            entry_of_subset[split, entry["hf_subset"]] = entry
    return entry_of_subset
