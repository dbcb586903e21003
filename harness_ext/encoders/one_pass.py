"""Vectors of words inside sentences, from the pass through the model that encodes the sentences.

While a model encodes sentences in its own way, hooks look at the tokens that its transformer is
given, and at the hidden states between its layers. They change nothing, and keep only the states of
the wanted tokens. A sentence is recognized by its tokens, so a sentence with a prompt, or from
another tokenizer, is left out.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from harness_ext.common.arrays import Vectors
from harness_ext.encoders.batches import EncodingError
from harness_ext.encoders.spans import SpanEncoder, TransformerSpans, picked, tokens_of_span

if TYPE_CHECKING:
    from tokenizers import Encoding

SentenceSpan = tuple[str, tuple[int, int]]
"""A sentence, and words in it."""

# for a pass that takes positions from the order of tokens
_KNOWN = {"input_ids", "attention_mask", "token_type_ids"}
# sentences that are tokenized together, which bounds the memory for places of tokens in the text
_AT_ONCE = 1024
_PADDING = 8  # tokens on the left, which show whether padding moves positions


class _FoundPlace(NamedTuple):
    """Words of a sentence that is in a batch.

    Attributes:
        place: The sentence, and the words.
        row: Of the sentence in the batch.
        columns: Of the tokens of the words.
    """

    place: SentenceSpan
    row: int
    columns: list[int]


class SpansAlong:
    """Takes the vectors of words in sentences while the model encodes the sentences.

    Attributes:
        taken: Span in its sentence -> vector, shape (d,). Left out are spans that were not encoded,
            or only with a prompt, and spans without a usable vector.
    """

    def __init__(self, encoder: SpanEncoder, places: list[SentenceSpan]) -> None:
        """Find the tokens of the words; only a transformer in evaluation mode can be looked
        into.
        """
        self.taken: dict[SentenceSpan, Vectors] = {}
        self._encoder: Any = encoder
        self._wanted: dict[bytes, list[tuple[SentenceSpan, list[int]]]] = {}
        if not isinstance(encoder, TransformerSpans) or encoder.token_model.model.training:
            return
        by_sentence: dict[str, list[SentenceSpan]] = {}
        for place in dict.fromkeys(places):
            by_sentence.setdefault(place[0], []).append(place)
        sentences = list(by_sentence)
        for start in range(0, len(sentences), _AT_ONCE):
            part = sentences[start : start + _AT_ONCE]
            encodings = encoder.token_model.tokenize(part)
            for sentence, encoding in zip(part, encodings, strict=True):
                self._want(by_sentence[sentence], encoding)

    def _want(
        self,
        places: list[SentenceSpan],
        encoding: Encoding,
    ) -> None:
        """Note which tokens of a sentence its places are."""
        ids = np.array(encoding.ids, dtype=np.int64).tobytes()
        for place in places:
            # raised when the place is encoded by itself
            with contextlib.suppress(EncodingError):
                tokens = tokens_of_span(encoding, *place)
                self._wanted.setdefault(ids, []).append((place, tokens))

    @contextlib.contextmanager
    def looking(self) -> Iterator[None]:
        """Take vectors inside the block, if hooks see what a pass of its own gives."""
        if not self._wanted:
            yield
            return
        # is the batch padded on the left -> do hooks see the right vectors; yes while it is tried
        self._is_right = {False: True, True: True}
        self._is_right = {
            False: self._sees(0),
            True: self._sees(_PADDING),
        }
        with self._hooks():
            yield

    @contextlib.contextmanager
    def _hooks(self) -> Iterator[None]:
        from torch import nn

        token_model = self._encoder.token_model
        model = token_model.model
        n_layers = token_model.n_layers
        lists = (
            part
            for part in model.modules()
            if isinstance(part, nn.ModuleList) and len(part) == n_layers
        )
        layers = next(lists, ())  # hidden state i goes into layer i; the last is the output
        self._order = [layer % (n_layers + 1) for layer in self._encoder.layers]
        hooks = [
            layers[state].register_forward_pre_hook(
                partial(self._see_state, state), with_kwargs=True
            )
            for state in self._order
            if state < len(layers)
        ]
        # sentence-transformers calls `model.forward`
        for whole in (model, token_model.caller):
            if isinstance(whole, nn.Module):
                hooks.append(whole.register_forward_pre_hook(self._see_tokens, with_kwargs=True))
                hooks.append(whole.register_forward_hook(self._see_output))
        try:
            yield
        finally:
            for hook in hooks:
                hook.remove()

    def vectors(self, places: list[SentenceSpan]) -> Vectors:
        """Return the vectors of places, shape (n, d). Sentences of places not taken go through the
        model again.
        """
        rest = [place for place in places if place not in self.taken]
        if rest:
            sentences = [sentence for sentence, _ in rest]
            spans = [span for _, span in rest]
            vectors = self._encoder.encode_spans(sentences, spans)
            self.taken.update(zip(rest, vectors, strict=True))
        return np.stack([self.taken[place] for place in places])

    def _see_tokens(
        self,
        _: Any,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> None:
        """Find the places in a batch, each with its row and columns."""
        import torch

        self._found: list[_FoundPlace] = []
        self._states: dict[int, NDArray[np.float32]] = {}
        given = args[0] if args and isinstance(args[0], Mapping) else kwargs
        ids = given.get("input_ids")
        mask = given.get("attention_mask")
        tensors = {name for name, value in given.items() if isinstance(value, torch.Tensor)}
        if ids is None or mask is None or mask.ndim != 2:
            return
        if not tensors <= _KNOWN:
            return
        is_token = mask.bool().cpu().numpy()
        tokens = ids.long().cpu().numpy()
        for row in range(len(tokens)):
            columns = np.flatnonzero(is_token[row])
            ids_of_row = tokens[row, is_token[row]].tobytes()
            wanted = self._wanted.get(ids_of_row, ())
            if not wanted:
                continue
            is_padded_on_the_left = bool(columns[0] > 0)
            if not self._is_right[is_padded_on_the_left]:
                continue
            for place, tokens_of_place in wanted:
                columns_of_place = columns[tokens_of_place].tolist()
                self._found.append(_FoundPlace(place, row, columns_of_place))

    def _see_state(
        self,
        number: int,
        _: Any,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> None:
        if self._found:
            states = args[0] if args else next(iter(kwargs.values()))
            tokens = [(found.row, found.columns) for found in self._found]
            self._states[number] = picked(states, tokens)

    def _see_output(
        self,
        _: Any,
        __: Any,
        output: Any,
    ) -> None:
        given = output.get("token_embeddings") if isinstance(output, Mapping) else None
        last = output[0] if given is None else given
        n_layers = self._encoder.token_model.n_layers
        self._see_state(n_layers, None, (last,), {})
        has_all_states = self._states.keys() >= {*self._order}
        if self._found and has_all_states:
            self._take()
        self._found = []

    def _take(self) -> None:
        """Take the vectors of the places that were found in a batch."""
        states = [self._states[number] for number in self._order]
        counts = [len(found.columns) for found in self._found]
        vectors = self._encoder.means(states, counts)
        for found, vector in zip(self._found, vectors, strict=True):
            if np.isfinite(vector).all():
                self.taken.setdefault(found.place, vector)

    def _sees(self, padding: int) -> bool:
        """Whether hooks see what a pass of its own gives, with padding on the left.

        They do not where a layer is called in a way of its own, or padding moves positions.
        """
        import torch

        token_model = self._encoder.token_model
        ids_of_shortest = min(self._wanted, key=len)
        place, tokens_of_place = self._wanted[ids_of_shortest][0]
        sentence, _ = place
        ids = np.frombuffer(ids_of_shortest, dtype=np.int64).tolist()
        if padding + len(ids) > token_model.max_length:
            return False
        (batch,) = token_model.token_states(
            [sentence],
            self._encoder.layers,
            show_progress_bar=False,
        )
        states = [picked(layer, [(0, tokens_of_place)]) for layer in batch.layers]
        expected = self._encoder.means(states, [len(tokens_of_place)])[0]
        pad = token_model.tokenizer.pad_token_id or 0
        inputs = {
            "input_ids": [pad] * padding + ids,
            "attention_mask": [0] * padding + [1] * len(ids),
        }
        tensors = {
            name: torch.tensor([row], device=token_model.input_device)
            for name, row in inputs.items()
        }
        with self._hooks(), torch.inference_mode():
            token_model.model(**tensors, return_dict=True)
        seen = self.taken.get(place)
        self.taken.clear()  # nothing else is in it before the block of `looking`
        if seen is None:
            return False
        is_exact = token_model.model.dtype == torch.float32
        tolerance = 1e-5 if is_exact else 1e-3
        return bool(1 - _cosine(expected, seen) <= tolerance)


def _cosine(
    first: Vectors,
    second: Vectors,
) -> float:
    """The cosine of two vectors, shape (d,); 0 where one is 0."""
    lengths = np.linalg.norm(first) * np.linalg.norm(second)
    if not lengths:
        return 0.0
    product = float(first.astype(np.float64) @ second)
    return float(product / lengths)
