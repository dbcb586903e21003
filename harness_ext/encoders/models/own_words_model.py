"""Any model that only adds up its words, as `MODEL (own words)`: for every task of mteb."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from datasets import Dataset

from harness_ext.common.arrays import Vectors
from harness_ext.encoders.models.standardized import WrappedModel
from harness_ext.encoders.own_words import VERSION, own_words
from harness_ext.encoders.vectors import as_vectors
from harness_ext.encoders.words import segmenter
from harness_ext.measures.core.gain_keys import WORDS_FIT, WORDS_SIGNATURE

if TYPE_CHECKING:
    from mteb.abstasks.task_metadata import TaskMetadata
    from mteb.models import EncoderProtocol
    from mteb.types import BatchedInput, PromptType
    from torch.utils.data import DataLoader

Encode = Callable[[list[str]], Vectors]
"""Texts -> vectors, shape (n, d), all under the same prompt."""

_PROBE = "word"
"""A text by whose vectors prompts are told apart."""


@dataclass
class _Vocabulary:
    """What the texts of a task under one prompt have in common.

    Attributes:
        probe: The vector of `_PROBE` under the prompt.
        vectors: Texts -> their vectors, before the fit.
        bags: Texts -> their bags.
        words_fit: As `OwnWords.words_fit`, of the last fit.
        segmenter: What else than blanks splits the texts of the last fit into words; empty if nothing.
    """

    probe: Vectors
    vectors: dict[str, Vectors] = field(default_factory=dict)
    bags: dict[str, Vectors] = field(default_factory=dict)
    words_fit: float = 0.0
    segmenter: str = ""

    def fit(self, encode: Encode, task: str) -> None:
        """Fit the bags of the texts that have none; `task` is named in a warning."""
        if texts := list(self.vectors):
            fitted = own_words(texts, np.stack(list(self.vectors.values())), encode, task)
            self.words_fit, self.segmenter, self.vectors = fitted.words_fit, segmenter(texts), {}
            self.bags |= zip(texts, fitted.bags, strict=True)


class OwnWordsEncoder(WrappedModel):
    """The bags of a model's own words, see `harness_ext.encoders.own_words`.

    A task may send its texts in several calls, and one map from words to weights must hold for all of them. So mteb
    runs each task twice (`harness_ext.harnesses.mteb.run`): the first time all texts are collected, and are
    encoded as the model does; then their bags are fitted together, whatever the order of the calls. The texts of
    queries and documents have weights of their own if the model has different prompts for them.

    Without a first time, the new texts of each call are fitted together.

    Attributes:
        adds_up_words: Tells a task of this project to use bags.
    """

    option = "own words"
    adds_up_words = True

    def __init__(self, model: EncoderProtocol) -> None:
        super().__init__(model)
        self._vocabularies: dict[tuple[str, str, str], list[_Vocabulary]] = {}
        self._collects = False

    def how_fitted(self, task: str, split: str, subset: str) -> dict[str, Any]:
        """What results say of the bags of a task.

        Returns:
            `words_fit`, the least of queries and documents where they have different prompts, and `words_signature`,
            the version of the definition and what else than blanks found the words. Empty for a place that no text
            was encoded for, as where mteb encodes all subsets of a task of bitexts as one.
        """
        known = self._vocabularies.get((task, split, subset))
        if not known:
            return {}
        signature = "|".join([f"weights {VERSION}", *sorted({one.segmenter for one in known} - {""})])
        return {WORDS_FIT: min(one.words_fit for one in known), WORDS_SIGNATURE: signature}

    @contextmanager
    def collecting(self) -> Iterator[None]:
        """Collect the texts that are encoded meanwhile, to be fitted together."""
        self._collects, self._vocabularies = True, {}
        try:
            yield
        finally:
            self._collects = False

    def encode(
        self,
        inputs: DataLoader[BatchedInput],
        *,
        task_metadata: TaskMetadata,
        hf_split: str,
        hf_subset: str,
        prompt_type: PromptType | None = None,
        **kwargs: Any,
    ) -> Vectors:
        """Encode texts as their bags; arguments as of `mteb.models.EncoderProtocol`.

        Words are encoded like the texts of the call: with the same prompt, in batches of the same size.

        Returns:
            Shape (n, d).

        Raises:
            ValueError: No text has a word, or the texts are too few to fit a bag.
        """
        from torch.utils.data import DataLoader  # not above: `import mteb` does without torch

        place = {"task_metadata": task_metadata, "hf_split": hf_split, "hf_subset": hf_subset}

        def encode(some: list[str]) -> Vectors:
            loader: Any = DataLoader(Dataset.from_dict({"text": some}), batch_size=inputs.batch_size or 32)
            encoded = self.model.encode(loader, prompt_type=prompt_type, **place, **kwargs)
            return as_vectors(encoded, self.model.mteb_model_meta.embed_dim, kwargs.get("precision"))

        texts = [text for batch in inputs for text in batch["text"]]
        vocabulary = self._vocabulary((task_metadata.name, hf_split, hf_subset), encode)
        known = vocabulary.vectors.keys() | vocabulary.bags.keys()
        if new := [text for text in dict.fromkeys(texts) if text not in known]:
            vocabulary.vectors |= zip(new, encode(new), strict=True)
        if self._collects:
            return np.stack([vocabulary.vectors[text] for text in texts])
        vocabulary.fit(encode, task_metadata.name)
        return np.stack([vocabulary.bags[text] for text in texts])

    def _vocabulary(self, place: tuple[str, str, str], encode: Encode) -> _Vocabulary:
        """That of the task under the prompt of `encode`."""
        if place not in self._vocabularies and not self._collects:
            self._vocabularies = {}  # memory
        known = self._vocabularies.setdefault(place, [])
        probe = encode([_PROBE])[0]
        same = (one for one in known if np.allclose(one.probe, probe, rtol=1e-3, atol=1e-6))
        vocabulary = next(same, None)
        if vocabulary is None:
            known.append(vocabulary := _Vocabulary(probe))
        return vocabulary
