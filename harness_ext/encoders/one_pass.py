"""Vectors of words inside sentences, from the pass through the model that encodes the sentences.

While a model encodes sentences in its own way, hooks look at the tokens that its transformer is
given, and at the hidden states between its layers. They change nothing, and keep only the states of
the wanted tokens. A sentence is recognized by its tokens, so a sentence with a prompt, or from
another tokenizer, is left out.
"""

import contextlib
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from harness_ext.common.arrays import Vectors
from harness_ext.encoders.batches import EncodingError
from harness_ext.encoders.spans import SpanEncoder, TransformerSpans, picked, tokens_of_span

SentenceSpan = tuple[str, tuple[int, int]]
"""A sentence, and words in it."""

# for a pass that takes positions from the order of tokens
_KNOWN = {"input_ids", "attention_mask", "token_type_ids"}
# sentences that are tokenized together, which bounds the memory for places of tokens in the text
_AT_ONCE = 1024
_PADDING = 8  # tokens on the left, which show whether padding moves positions


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
        of_sentence: dict[str, list[SentenceSpan]] = {}
        for place in dict.fromkeys(places):
            of_sentence.setdefault(place[0], []).append(place)
        sentences = list(of_sentence)
        for start in range(0, len(sentences), _AT_ONCE):
            part = sentences[start : start + _AT_ONCE]
            for sentence, encoding in zip(part, encoder.token_model.tokenize(part), strict=True):
                for place in of_sentence[sentence]:
                    # raised when the place is encoded by itself
                    with contextlib.suppress(EncodingError):
                        tokens = place, tokens_of_span(encoding, *place)
                        self._wanted.setdefault(
                            np.array(encoding.ids, dtype=np.int64).tobytes(), []
                        ).append(tokens)

    @contextlib.contextmanager
    def looking(self) -> Iterator[None]:
        """Take vectors inside the block, if hooks see what a pass of its own gives."""
        if not self._wanted:
            yield
            return
        # whether there is padding on the left -> so are vectors
        self._is_right = dict.fromkeys((False, True), True)
        self._is_right = {bool(padding): self._sees(padding) for padding in (0, _PADDING)}
        with self._hooks():
            yield

    @contextlib.contextmanager
    def _hooks(self) -> Iterator[None]:
        from torch import nn

        model, n_layers = self._encoder.token_model.model, self._encoder.token_model.n_layers
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
        for whole in (model, self._encoder.token_model.caller):
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
        if rest := [place for place in places if place not in self.taken]:
            spans = self._encoder.encode_spans(
                [sentence for sentence, _ in rest], [span for _, span in rest]
            )
            self.taken.update(zip(rest, spans, strict=True))
        return np.stack([self.taken[place] for place in places])

    def _see_tokens(self, _: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Find the places in a batch, each with its row and columns."""
        import torch

        self._found: list[tuple[SentenceSpan, int, list[int]]] = []
        self._states: dict[int, NDArray[np.float32]] = {}
        given = args[0] if args and isinstance(args[0], Mapping) else kwargs
        ids, mask = given.get("input_ids"), given.get("attention_mask")
        tensors = {name for name, value in given.items() if isinstance(value, torch.Tensor)}
        if ids is None or mask is None or mask.ndim != 2 or not tensors <= _KNOWN:
            return
        there, tokens = mask.bool().cpu().numpy(), ids.long().cpu().numpy()
        for row in range(len(tokens)):
            columns = np.flatnonzero(there[row])
            wanted = self._wanted.get(tokens[row, there[row]].tobytes(), ())
            if wanted and self._is_right[bool(columns[0])]:
                self._found += [(place, row, columns[inside].tolist()) for place, inside in wanted]

    def _see_state(
        self, number: int, _: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> None:
        if self._found:
            states = args[0] if args else next(iter(kwargs.values()))
            self._states[number] = picked(
                states, [(row, columns) for _, row, columns in self._found]
            )

    def _see_output(self, _: Any, __: Any, output: Any) -> None:
        given = output.get("token_embeddings") if isinstance(output, Mapping) else None
        last = output[0] if given is None else given
        self._see_state(self._encoder.token_model.n_layers, None, (last,), {})
        if self._found and self._states.keys() >= {*self._order}:
            counts = [len(columns) for _, _, columns in self._found]
            vectors = self._encoder.means([self._states[number] for number in self._order], counts)
            for (place, _, _), vector in zip(self._found, vectors, strict=True):
                if np.isfinite(vector).all():
                    self.taken.setdefault(place, vector)
        self._found = []

    def _sees(self, padding: int) -> bool:
        """Whether hooks see what a pass of its own gives, with padding on the left.

        They do not where a layer is called in a way of its own, or padding moves positions.
        """
        import torch

        token_model = self._encoder.token_model
        tokens = min(self._wanted, key=len)
        place, inside = self._wanted[tokens][0]
        ids = np.frombuffer(tokens, dtype=np.int64).tolist()
        if padding + len(ids) > token_model.max_length:
            return False
        (batch,) = token_model.token_states(
            [place[0]], self._encoder.layers, show_progress_bar=False
        )
        expected = self._encoder.means(
            [picked(layer, [(0, inside)]) for layer in batch.layers], [len(inside)]
        )[0]
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
        self.taken.clear()
        if seen is None:
            return False
        lengths = np.linalg.norm(expected) * np.linalg.norm(seen)
        cosine = float(expected.astype(np.float64) @ seen) / lengths if lengths else 0.0
        tolerance = 1e-5 if token_model.model.dtype == torch.float32 else 1e-3
        return bool(1 - cosine <= tolerance)
