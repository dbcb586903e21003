"""A task's view of a model."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from harness_ext.common.arrays import Vectors
from harness_ext.encoders.additive_baseline import FEWEST, AdditiveBaseline, Probes
from harness_ext.encoders.batches import (
    EncodingError,
    as_seen_by_models,
    checked,
    encode_texts,
)
from harness_ext.encoders.encoding_key import EncodingKey, encoding_key
from harness_ext.encoders.identity.facts import backend_of, dtype_of, options_of, prompt_of
from harness_ext.encoders.matched_noise import DEFINITION
from harness_ext.encoders.memory import MEMORY, Item
from harness_ext.encoders.one_call import depends_on_call, mixed_calls, output_dtype
from harness_ext.encoders.one_pass import SentenceSpan, SpansAlong
from harness_ext.encoders.spans import span_encoder
from harness_ext.encoders.word_keys import word_keys
from harness_ext.measures.core.fill import LayerPooling
from harness_ext.measures.core.inputs import Span
from harness_ext.statistics.distance import cosine_distance
from harness_ext.statistics.standardization import standardized

if TYPE_CHECKING:
    from mteb.abstasks.task_metadata import TaskMetadata
    from mteb.models import EncoderProtocol, ModelMeta
    from mteb.timing import TimingStack

_OF_LOADING = ("embed_dim", "clipping_margin")
"""Settings of mteb that change vectors: how many dimensions, and the cut of
`CompressionWrapper`.
"""

_WIDE = {"float32", "float64"}
"""Dtypes of which equal words have vectors that are equal but for the last digits."""

_ENDPOINT = "endpoint"
"""The backend of which nobody knows the dtype."""

# the key for how many compounds have no injected vector
WITHOUT_VECTOR = "n_compounds_without_vector"


class TaskEncoder:
    """Encodes texts with a model, for one split of one subset of a task.

    Attributes:
        is_additive: Whether the vector of a text is a weighted sum of word vectors, see
            `additive_baseline`.
        is_of_one_call: Whether vectors depend on the call, see `harness_ext.encoders.one_call`. All
            texts, words and probes then go through the model in one call, with the first of them,
            and are remembered by this object alone.

    Raises:
        EncodingError: A wrapper mixes vectors of several calls; names the model and what to do.
    """

    is_additive = False

    def __init__(
        self,
        model: EncoderProtocol,
        task_metadata: TaskMetadata,
        *,
        hf_split: str,
        hf_subset: str,
        encode_kwargs: dict[str, Any],
        timer: TimingStack,
        model_meta: ModelMeta | None = None,
        fewest_permutations: int = FEWEST,
    ) -> None:
        self._model_meta = model_meta or model.mteb_model_meta
        self.hf_split = hf_split
        self.hf_subset = hf_subset
        inside: Any = model
        if getattr(inside, "is_additive", False) is True:  # `AdditiveEncoder`
            self.is_additive = True
            inside = inside.model
        # `StandardizedEncoder`
        self._is_standardized = getattr(inside, "is_standardized", False) is True
        self._model: EncoderProtocol = inside.model if self._is_standardized else inside
        self._task_metadata = as_seen_by_models(task_metadata)
        self._encode_kwargs = encode_kwargs
        self._timer = timer
        self._fewest_permutations = fewest_permutations
        self._levels: dict[str, None] = {}
        self._of_baseline = ""
        self._of_noise = ""
        self._dtype = ""
        mixed = mixed_calls(self._model, encode_kwargs)
        if mixed:
            raise EncodingError(f"{self._model_meta.name}: {mixed}")
        self.is_of_one_call = depends_on_call(self._model, encode_kwargs)
        self._expected: dict[str, None] = {}
        self._one_call: tuple[dict[str, int], Vectors] | None = None

    @property
    def has_spans(self) -> bool:
        """Whether the model gives vectors of the words inside a sentence."""
        return not self.is_additive and span_encoder(self._model) is not None

    def additive_baseline(self, texts: list[str]) -> AdditiveBaseline:
        """Encode the words of distinct texts and their probes, see
        `harness_ext.encoders.additive_baseline`.

        They are encoded like texts: same call, same prompt. They are remembered across the splits,
        subsets and tasks of a run. In a standardized space they are standardized by the mean and
        deviation of the texts. Otherwise an encoder that adds up words would not be its own bag.

        Raises:
            ValueError: The texts have no additive baseline; says why.
        """
        self.expect(texts, texts)
        vectors = self._remembered("sentence", texts, self._encode)

        def encode(strings: list[str]) -> Vectors:
            encoded = self._remembered("word", strings, self._encode)
            return standardized(encoded, vectors) if self._is_standardized else encoded

        of_texts = standardized(vectors) if self._is_standardized else vectors
        baseline = AdditiveBaseline(texts, of_texts, encode, self._fewest_permutations)
        self._of_baseline = baseline.signature
        return baseline

    def word_keys(self, baseline: AdditiveBaseline) -> Mapping[str, str]:
        """Tell which words of a baseline the model tells apart: word -> its key, see
        `harness_ext.encoders.word_keys`.
        """
        dtype = self._output_dtype()
        is_exact = dtype in _WIDE and backend_of(self._model) != _ENDPOINT
        found = word_keys(baseline.words, baseline.directions, is_exact=is_exact)
        self._of_noise = f"{DEFINITION}, {found.signature}"
        return found.keys

    def expect(
        self,
        texts: list[str],
        of_baseline: list[str],
    ) -> None:
        """Say which distinct texts a task compares, and for which an additive baseline is asked.

        Only an encoder whose vectors depend on the call needs to know it, before it encodes a text.
        """
        if not self.is_of_one_call or self._one_call is not None:
            return
        self._expected |= dict.fromkeys(texts)
        with suppress(ValueError):  # raised again where the baseline is asked
            strings = Probes.of(of_baseline, self._fewest_permutations).strings()
            self._expected |= dict.fromkeys(strings)

    def add_compounds(
        self,
        rows: Iterable[Mapping[str, Any]],
    ) -> dict[str, int]:
        """Add the compounds of `CompoundRow`s to a model with vectors of compounds
        (`encoders.models.injected`).

        Returns:
            `WITHOUT_VECTOR` -> the number of such compounds; empty for other models and rows.
        """
        add = getattr(self._model, "add_compounds", None)
        forms = {}
        for row in rows:
            if "compound" in row:
                forms[row["compound"]] = row["compound"]
                forms[row["surface"]] = row["compound"]
        if add is None or not forms:
            return {}
        forms.pop(None, None)  # compounds without a sentence
        without_vector = add(forms)
        return {WITHOUT_VECTOR: len(without_vector)}

    def __call__(self, texts: list[str]) -> Vectors:
        """Encode n distinct texts, except those with vectors in memory from another task, shape (n,
        d).
        """
        if self.is_additive:
            return self.additive_baseline(texts).bags().vectors
        vectors = self._remembered("sentence", texts, self._encode)
        return standardized(vectors) if self._is_standardized else vectors

    def with_spans(
        self,
        texts: list[str],
        spans: list[Span],
        layer_pooling: LayerPooling = "mean",
    ) -> tuple[Vectors, Vectors]:
        """Encode texts, and words inside sentences. Only if `has_spans`.

        If possible, vectors of words come from the pass that encodes the texts: see
        `harness_ext.encoders.one_pass`. All other sentences go through the model again.

        Returns:
            The vectors of the texts, as in `__call__`, and one vector per distinct span, in their
            order, (n, d).

        Raises:
            ValueError: The model gives no vectors of spans.
        """
        encoder = span_encoder(
            self._model,
            layer_pooling=layer_pooling,
            batch_size=self._encode_kwargs.get("batch_size", 32),
            show_progress_bar=self._encode_kwargs.get("show_progress_bar", True),
        )
        if encoder is None:
            raise ValueError(
                f"{self._model.mteb_model_meta.name} gives no vectors of the words inside a "
                "sentence."
            )
        places = []
        for span in spans:
            words = (span.start, span.end)
            places.append((span.sentence, words))
        along = SpansAlong(encoder, places)
        with along.looking():
            vectors = self(texts)

        def encode(new: list[SentenceSpan]) -> Vectors:
            return checked(
                along.vectors(new),
                [sentence for sentence, _ in new],
                self._model,
                self._task_metadata,
            )

        level = f"span, layers {layer_pooling}"
        # all layers side by side are large, and one task alone asks for them
        is_kept = layer_pooling != "concatenate"
        span_vectors = self._remembered(level, places, encode, is_kept=is_kept)
        if self._is_standardized:
            return vectors, standardized(span_vectors)
        return vectors, span_vectors

    def cosine_alone(self, texts: list[str]) -> float:
        """The least cosine of a text's vector with its vector alone: of the shortest, the middle
        and the longest.
        """
        by_length = sorted(texts, key=len)
        middle = by_length[len(texts) // 2]
        three = [*dict.fromkeys((by_length[0], middle, by_length[-1]))]
        parts = [self._remembered("sentence", three, self._encode)]
        for text in three:
            alone = self._encode([text], show_progress_bar=False)
            parts.append(alone)
        vectors = np.concatenate(parts)
        rows = np.arange(len(three))
        distances = cosine_distance(vectors, rows, rows + len(three))
        return 1 - float(np.nan_to_num(distances).max())

    def _encode(
        self,
        texts: list[str],
        **changed: Any,
    ) -> Vectors:
        """Let the texts pass through the model."""
        return encode_texts(
            self._model,
            texts,
            task_metadata=self._task_metadata,
            hf_split=self.hf_split,
            hf_subset=self.hf_subset,
            encode_kwargs={**self._encode_kwargs, **changed},
        )

    def _remembered(
        self,
        level: str,
        items: list[Item],
        encode: Callable[[list[Item]], Vectors],
        *,
        is_kept: bool = True,
    ) -> Vectors:
        """Encode what is not in memory. Words and probes are shared across splits and subsets, and
        with texts, where the model chooses by neither.
        """
        is_of_words = level == "word"
        if not is_of_words or self.is_additive:
            self._levels.setdefault(level.split(",")[0])
        phase = "Encoding words" if is_of_words else "Encoding"
        with self._timer(phase, split=self.hf_split, subset=self.hf_subset):
            if self.is_of_one_call and level in {"sentence", "word"}:
                vectors = self._from_one_call(items)
            elif is_kept:
                key = self._memory_key(level)
                vectors = MEMORY.vectors(self._model, key, items, encode)
            else:
                vectors = encode(items)
        self._dtype = str(vectors.dtype)
        return vectors

    def _memory_key(self, level: str) -> Hashable:
        """A key of everything that a vector depends on besides the model and the text."""
        key = self._encoding_key
        if not key.depends_on_place:
            # a word is a text
            return ("sentence" if level == "word" else level), key
        place = () if level == "word" else (self.hf_split, self.hf_subset)
        return level, place, key

    def _from_one_call(self, texts: list[Any]) -> Vectors:
        """The vectors of texts, from the one call that encodes them and all that is expected."""
        if self._one_call is None:
            strings = list(dict.fromkeys([*self._expected, *texts]))
            numbers = {text: number for number, text in enumerate(strings)}
            self._one_call = numbers, self._encode(strings)
        numbers, vectors = self._one_call
        new = [text for text in texts if text not in numbers]
        if new:
            raise EncodingError(
                f"{self._model_meta.name}: its vectors depend on the call, and {new[0]!r} is asked "
                "for after the one call. Name it to TaskEncoder.expect before the first text."
            )
        return vectors[[numbers[text] for text in texts]]

    @cached_property
    def _encoding_key(self) -> EncodingKey:
        # once: a change of weights is looked for
        return encoding_key(self._model, self._task_metadata, self._encode_kwargs)

    def facts(self) -> dict[str, str]:
        """List the signature's facts about the vectors, from the model to the additive baseline."""
        settings = self._model_meta.experiment_kwargs or {}
        loaded = {name: settings[name] for name in _OF_LOADING if name in settings}
        options = {**loaded, **options_of(self._encode_kwargs)}
        return {
            "model": str(self._model_meta.name),
            "revision": str(self._model_meta.revision),
            "level": "+".join(self._levels),
            "prompt": prompt_of(self._model, self._task_metadata, self._encode_kwargs),
            "dtype": self._output_dtype(),
            "backend": backend_of(self._model),
            "options": ", ".join(f"{name}={value}" for name, value in options.items()),
            "additive": self._of_baseline,
            "noise": self._of_noise,
        }

    def _output_dtype(self) -> str:
        """The dtype that vectors are converted to, else that of the weights, else of the
        vectors.
        """
        converted = output_dtype(self._model, self._encode_kwargs)
        return converted or dtype_of(self._model) or self._dtype
