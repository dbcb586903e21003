"""Vectors of words inside sentences, from the pass through the model that encodes the sentences.

While a model encodes sentences in its own way, its transformer returns the hidden states of all layers too. The states
of the wanted tokens are copied. Input, computation and output of the model stay the same, bit for bit. A sentence is
recognised by its tokens, so a sentence with a prompt, or from another tokenizer, is left out. No hidden state outlives
its batch.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from harness_ext.arrays import Vectors
from harness_ext.encoders.spans import SpanEncoder, TransformerSpans, tokens_of_span
from harness_ext.encoders.texts import EncodingError
from harness_ext.encoders.transformer import all_states

Place = tuple[str, tuple[int, int]]
"""A sentence, and words in it."""

_KNOWN = {"input_ids", "attention_mask", "token_type_ids", "return_dict", "use_cache", "output_hidden_states"}
"""Arguments of a forward pass that takes tokens, and takes positions from their order."""

_AT_ONCE = 1024
"""Sentences whose tokens are looked up together, which bounds the memory for their places in the text."""

_SHIFT = 8
"""Tokens, and padding before them, that show whether padding on the left moves positions."""

_LARGEST_DISTANCE = 1e-5
"""Largest cosine distance between the states of a token with padding and without that moves nothing, in float32."""

_LARGEST_HALF_PRECISION_DISTANCE = 1e-3
"""The same in half precision."""


class SpansAlong:
    """Copies the vectors of words in sentences while the model encodes the sentences.

    Attributes:
        taken: Place -> vector, shape (d,). Left out are places that were not encoded, or only with a prompt; places in
            batches whose hidden states would take too much memory; and places without a usable vector.
    """

    def __init__(self, encoder: SpanEncoder, places: list[Place]) -> None:
        """Prepare.

        Args:
            encoder: The span encoder of the model. Only a transformer in evaluation mode has vectors to copy.
            places: The sentences, and their words as `SpanEncoder.encode_spans` takes them.
        """
        self.taken: dict[Place, Vectors] = {}
        self._encoder: Any = encoder
        self._copies = isinstance(encoder, TransformerSpans) and not encoder.token_model.model.training
        if not isinstance(encoder, TransformerSpans) or not self._copies:
            return
        self._plain: Callable[..., Any] = encoder.token_model.model.forward
        self._wanted: dict[bytes, list[tuple[Place, list[int]]]] = {}
        of_sentence: dict[str, list[Place]] = {}
        for place in places:
            of_sentence.setdefault(place[0], []).append(place)
        sentences = list(of_sentence)
        for start in range(0, len(sentences), _AT_ONCE):
            part = sentences[start : start + _AT_ONCE]
            for sentence, encoding in zip(part, encoder.token_model.tokenize(part), strict=True):
                wanted = self._wanted.setdefault(np.array(encoding.ids, dtype=np.int64).tobytes(), [])
                for place in of_sentence[sentence]:
                    with contextlib.suppress(EncodingError):  # raised when the place is encoded by itself
                        wanted.append((place, tokens_of_span(encoding, *place)))

    @contextlib.contextmanager
    def copying(self) -> Iterator[None]:
        """Copy inside the block."""
        if not self._copies:
            yield
            return
        model: Any = self._encoder.token_model.model
        before = vars(model).get("forward")  # accelerate sets its own

        @functools.wraps(model.forward)  # sentence-transformers reads its parameters
        def in_its_place(*args: Any, **kwargs: Any) -> Any:
            return self._forward(*args, **kwargs)

        model.forward = in_its_place
        try:
            yield
        finally:
            del model.forward
            if before is not None:
                model.forward = before

    def vectors(self, places: list[Place], check: Callable[[Any, list[str]], Vectors]) -> tuple[Vectors, bool]:
        """Return the vectors of places. Sentences of places without a copy go through the model again.

        Args:
            places: Some of the places.
            check: The span encoder's output, and its sentences -> vectors.

        Returns:
            Shape (n, d), and whether all are copies.
        """
        rest = [place for place in places if place not in self.taken]
        if rest:
            sentences = [sentence for sentence, _ in rest]
            spans = self._encoder.encode_spans(sentences, [span for _, span in rest])
            self.taken.update(zip(rest, check(spans, sentences), strict=True))
        return np.stack([self.taken[place] for place in places]), not rest

    def _forward(self, *args: Any, **kwargs: Any) -> Any:
        """Do as the transformer's own `forward`."""
        found = self._found(*args, **kwargs)
        if not found:
            return self._plain(*args, **kwargs)
        output = self._plain(**{**kwargs, "output_hidden_states": True, "return_dict": True})
        states = all_states(output)
        picked = [states[layer].detach() for layer in self._encoder.layers]
        vectors = self._encoder.means(picked, [(row, columns) for _, row, columns in found])
        for (place, _, _), vector in zip(found, vectors, strict=True):
            if np.isfinite(vector).all():
                self.taken.setdefault(place, vector)
        if not kwargs.get("output_hidden_states"):
            output = type(output)(**{name: value for name, value in output.items() if name != "hidden_states"})
        return output

    def _found(self, *args: Any, **kwargs: Any) -> list[tuple[Place, int, list[int]]]:
        """Find the places in a batch, each with its row and columns."""
        ids, mask = kwargs.get("input_ids"), kwargs.get("attention_mask")
        given = {name for name, value in kwargs.items() if value is not None}
        if args or ids is None or mask is None or mask.ndim != 2 or not given <= _KNOWN:
            return []
        if kwargs.get("return_dict") is False or len(ids) > self._encoder.token_model.texts_at_once(ids.shape[1]):
            return []
        there, tokens = mask.bool().cpu().numpy(), ids.long().cpu().numpy()
        rows = (
            (row, np.flatnonzero(there[row]), self._wanted.get(tokens[row, there[row]].tobytes(), ()))
            for row in range(len(tokens))
        )
        return [
            (place, row, columns[inside].tolist())
            for row, columns, wanted in rows
            if wanted and (not columns[0] or self._padding_moves_nothing)
            for place, inside in wanted
        ]

    @functools.cached_property
    def _padding_moves_nothing(self) -> bool:
        """Whether padding leaves states unchanged. It does not if positions are counted from the first column."""
        import torch

        token_model = self._encoder.token_model
        ids = np.frombuffer(next(iter(self._wanted)), dtype=np.int64)[:_SHIFT].tolist()
        padding = [token_model.tokenizer.pad_token_id or 0] * _SHIFT
        states = []
        for before in ([], padding):
            inputs = {"input_ids": [*before, *ids], "attention_mask": [0] * len(before) + [1] * len(ids)}
            tensors = {name: torch.tensor([row], device=token_model.input_device) for name, row in inputs.items()}
            with torch.inference_mode():
                output = self._plain(**tensors, return_dict=True).last_hidden_state[0, len(before) :]
            states.append(output.float().cpu().numpy())
        in_full = token_model.model.dtype == torch.float32
        return _largest_distance(*states) <= (_LARGEST_DISTANCE if in_full else _LARGEST_HALF_PRECISION_DISTANCE)


def _largest_distance(one: Vectors, other: Vectors) -> float:
    """The largest cosine distance between rows of (n, d) and (n, d); infinity if one is undefined."""
    one, other = one.astype(np.float64), other.astype(np.float64)
    lengths = np.linalg.norm(one, axis=1) * np.linalg.norm(other, axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        distances = 1 - (one * other).sum(axis=1) / lengths
    return float(distances.max()) if np.isfinite(distances).all() else np.inf
