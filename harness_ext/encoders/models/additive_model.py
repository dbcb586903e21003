"""Any model as its additive baseline, `MODEL (additive)`: for every task of mteb."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from harness_ext.common.arrays import Vectors
from harness_ext.encoders.additive_baseline import AdditiveBaseline, Encode
from harness_ext.encoders.batches import EncodingError, encode_texts
from harness_ext.encoders.models.standardized import WrappedModel
from harness_ext.encoders.models.text_encoder import texts_of
from harness_ext.encoders.one_call import depends_on_call, output_dtype
from harness_ext.measures.core.baseline_keys import ADDITIVE_FIT, ADDITIVE_SIGNATURE

if TYPE_CHECKING:
    from mteb.abstasks.task_metadata import TaskMetadata
    from mteb.models import EncoderProtocol
    from mteb.types import BatchedInput, PromptType
    from torch.utils.data import DataLoader


_Place = tuple[str, str, str]
"""Task, split and subset."""


@dataclass
class _Vocabulary:
    """What the texts of a task under one prompt have in common.

    Attributes:
        sample: The vector of one word, which tells the prompt from others.
        vectors: Texts -> their vectors, before the fit.
        bags: Texts -> their bags.
        fit: As `Bags.fit`, of the last fit.
        signature: As `AdditiveBaseline.signature`, of the last fit.
    """

    sample: Vectors
    vectors: dict[str, Vectors] = field(default_factory=dict)
    bags: dict[str, Vectors] = field(default_factory=dict)
    fit: float = 0.0
    signature: str = ""

    def fit_bags(self, encode: Encode) -> None:
        """Fit the bags of the texts that have none."""
        if not self.vectors:
            return
        texts = list(self.vectors)
        vectors = np.stack(list(self.vectors.values()))
        baseline = AdditiveBaseline(texts, vectors, encode)
        bags, self.fit = baseline.bags()
        self.bags |= zip(texts, bags, strict=True)
        self.signature = baseline.signature
        self.vectors = {}


class AdditiveEncoder(WrappedModel):
    """The additive baseline of a model, see `harness_ext.encoders.additive_baseline`.

    A task may send its texts in several calls, and one map from words to weights must hold for all
    of them. So mteb runs each task twice (`harness_ext.harnesses.mteb.run`): the first time all
    texts are collected, and are encoded as the model does; then their bags are fitted together,
    whatever the order of the calls. The texts of queries and documents have weights of their own if
    the model has different prompts for them.

    Without a first time, the new texts of each call are fitted together.

    Attributes:
        is_additive: Tells a task of this project to use bags.
    """

    option = "additive"
    is_additive = True

    def __init__(self, model: EncoderProtocol) -> None:
        super().__init__(model)
        self._vocabularies: dict[_Place, list[_Vocabulary]] = {}
        self._collects = False

    def how_fitted(
        self,
        task: str,
        split: str,
        subset: str,
    ) -> dict[str, Any]:
        """What results say of the bags of a task: `additive_fit` and `additive_signature`.

        The fit is the least of queries and documents where they have different prompts. Nothing is
        said of a place that no text was encoded for, as where mteb encodes all subsets of a task of
        bitexts as one.
        """
        known = self._vocabularies.get((task, split, subset))
        if not known:
            return {}
        signatures = {vocabulary.signature for vocabulary in known}
        return {
            ADDITIVE_FIT: min(vocabulary.fit for vocabulary in known),
            ADDITIVE_SIGNATURE: "|".join(sorted(signatures)),
        }

    @contextmanager
    def collecting(self) -> Iterator[None]:
        """Collect the texts that are encoded meanwhile, to be fitted together."""
        self._collects = True
        self._vocabularies = {}
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
        """Encode n texts as their bags, shape (n, d); called as mteb calls `EncoderProtocol`.

        Words and probes are encoded like the texts of the call: with the same prompt, in batches of
        the same size.

        Raises:
            ValueError: No text has a word, or the texts are too few to fit a bag.
            EncodingError: The vectors of the model depend on the call, and tasks that are not this
                project's ask in several; names the model.
        """
        if depends_on_call(self.model, kwargs):
            raise EncodingError(
                f"{self.mteb_model_meta.name}: vectors in {output_dtype(self.model, kwargs)} "
                "depend on all vectors of their call. Only tasks of this project encode texts, "
                f"words and probes in one call, and {task_metadata.name} does not."
            )
        options = {
            "batch_size": inputs.batch_size or 32,
            **kwargs,
            "prompt_type": prompt_type,
        }

        def encode(some: list[str]) -> Vectors:
            return encode_texts(
                self.model,
                some,
                task_metadata=task_metadata,
                hf_split=hf_split,
                hf_subset=hf_subset,
                encode_kwargs=options,
            )

        texts = texts_of(inputs)
        place = (task_metadata.name, hf_split, hf_subset)
        vocabulary = self._vocabulary(place, encode)
        known = vocabulary.vectors.keys() | vocabulary.bags.keys()
        new = [text for text in dict.fromkeys(texts) if text not in known]
        if new:
            vocabulary.vectors |= zip(new, encode(new), strict=True)
        if self._collects:
            return np.stack([vocabulary.vectors[text] for text in texts])
        vocabulary.fit_bags(encode)
        return np.stack([vocabulary.bags[text] for text in texts])

    def _vocabulary(self, place: _Place, encode: Encode) -> _Vocabulary:
        """That of the task under the prompt of `encode`."""
        if place not in self._vocabularies and not self._collects:
            self._vocabularies = {}  # memory
        known = self._vocabularies.setdefault(place, [])
        sample = encode(["word"])[0]
        for vocabulary in known:
            if np.allclose(vocabulary.sample, sample, rtol=1e-3, atol=1e-6):
                return vocabulary
        known.append(_Vocabulary(sample))
        return known[-1]
