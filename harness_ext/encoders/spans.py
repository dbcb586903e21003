"""Span level: the vector of some words inside their sentence.

He, Kramer Vieira, Garcia, Scarton, Idiart, Villavicencio 2025: *Investigating Idiomaticity in Word Representations*,
doi 10.1162/coli_a_00546: the mean over the sub-word tokens of the words and over the last four hidden layers; for
static vectors, the mean of the word vectors.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

import numpy as np

from harness_ext.encoders.texts import EncodingError
from harness_ext.encoders.transformer import TokenModel, unwrapped

if TYPE_CHECKING:
    from collections.abc import Sequence

    import torch
    from numpy.typing import NDArray
    from tokenizers import Encoding

LAST_FOUR = (-4, -3, -2, -1)
"""The hidden layers of the papers."""

_BLANK_TOKENS = frozenset({"▁", "Ġ"})
"""SentencePiece's and byte-level BPE's blank; alone it belongs to no word, wherever its offsets point."""


@runtime_checkable
class SpanEncoder(Protocol):
    """What gives the vectors of words in sentences. A model with this method is its own span encoder."""

    def encode_spans(self, sentences: Sequence[str], spans: Sequence[tuple[int, int]]) -> NDArray[np.float32]:
        """The vectors of `words[start:end]`, where words are `sentence.split()`.

        Equal sentences are run through the model once, however many spans they have. No prompt or instruction is put
        before them, and what a model does after its last layer (pooling, projection, normalisation) is left out.

        Args:
            sentences: One per span.
            spans: (start, end): the first word and the one after the last, counted from 0. Where the same words occur
                twice in a sentence, it is this place that counts.

        Returns:
            Shape (n, d).

        Raises:
            EncodingError: A span is none of its sentence, maps to no token, is cut off because the sentence is longer
                than the model allows, or got a NaN or an infinity; names sentence and span.
        """
        ...


@runtime_checkable
class LayeredEncoder(Protocol):
    """A model that is no transformer and has layers of its own."""

    def span_encoder(
        self, layer_pooling: Literal["mean", "concatenate"], *, batch_size: int, show_progress_bar: bool
    ) -> SpanEncoder:
        """Its span encoder; the arguments are those of the function `span_encoder`."""
        ...


def span_encoder(
    model: Any,
    *,
    layers: tuple[int, ...] = LAST_FOUR,
    layer_pooling: Literal["mean", "concatenate"] = "mean",
    batch_size: int = 32,
    show_progress_bar: bool = True,
) -> SpanEncoder | None:
    """The span encoder of a model that is already loaded; nothing is loaded again.

    A wrapper (mteb's, sentence-transformers', lm-eval's) is opened until there is a Hugging Face transformer with its
    tokenizer.

    Args:
        model: An mteb encoder, or any object that has or wraps a transformer and its tokenizer.
        layers: Which hidden states, as Hugging Face numbers them: 0 the embeddings, 1 the first layer, -1 the last.
            Static vectors have none and ELMo uses all of its own; they ignore it.
        layer_pooling: Mean over the layers (NCIMP), or the layers one after another (NCTTI): d is then larger by
            their number.
        batch_size: Sentences per batch. Fewer are used where their hidden states would take too much memory.
        show_progress_bar: Whether to show one, over the distinct sentences.

    Returns:
        None for a model that exposes no token vectors: an API, a random baseline, a compiled (ONNX) model.

    Raises:
        ValueError: The model's tokenizer is a slow one, which cannot say where in the text its tokens come from; or
            the model has no such layers; names the model.
    """
    if isinstance(model, SpanEncoder):
        return model
    if isinstance(model, LayeredEncoder):
        return model.span_encoder(layer_pooling, batch_size=batch_size, show_progress_bar=show_progress_bar)
    token_model = _token_model(model)
    if token_model is None:
        return None
    return TransformerSpans(token_model, layers, layer_pooling, batch_size, show_progress_bar)


def _token_model(model: Any) -> TokenModel | None:
    """The transformer and the tokenizer inside `model`, if there are any."""
    name = getattr(getattr(model, "mteb_model_meta", None), "name", None)
    found = (inside if isinstance(inside, TokenModel) else TokenModel.of(inside, name) for inside in unwrapped(model))
    return next((token_model for token_model in found if token_model is not None), None)


class TransformerSpans:
    """The `SpanEncoder` of a transformer."""

    def __init__(
        self,
        token_model: TokenModel,
        layers: tuple[int, ...],
        layer_pooling: Literal["mean", "concatenate"],
        batch_size: int,
        show_progress_bar: bool,
    ) -> None:
        if layer_pooling not in {"mean", "concatenate"}:
            raise ValueError(f"layer_pooling is 'mean' or 'concatenate', not {layer_pooling!r}.")
        token_model.check_layers(layers)
        self._token_model = token_model
        self._layers = layers
        self._concatenate = layer_pooling == "concatenate"
        self._batch_size = batch_size
        self._show_progress_bar = show_progress_bar

    def encode_spans(self, sentences: Sequence[str], spans: Sequence[tuple[int, int]]) -> NDArray[np.float32]:
        """See `SpanEncoder.encode_spans`."""
        if len(sentences) != len(spans):
            raise ValueError(f"{len(sentences)} sentences for {len(spans)} spans.")
        places: dict[str, list[int]] = {}
        for place, sentence in enumerate(sentences):
            places.setdefault(sentence, []).append(place)
        texts = list(places)
        dimensions = self._token_model.hidden_size * (len(self._layers) if self._concatenate else 1)
        vectors = np.empty((len(sentences), dimensions), dtype=np.float32)
        for batch in self._token_model.token_states(
            texts, self._layers, batch_size=self._batch_size, show_progress_bar=self._show_progress_bar
        ):
            found = [
                (place, number, tokens_of_span(encoding, texts[row], spans[place]))
                for number, (row, encoding) in enumerate(zip(batch.rows, batch.encodings, strict=True))
                for place in places[texts[row]]
            ]
            means = self._means(batch.layers, [(number, tokens) for _, number, tokens in found])
            vectors[[place for place, _, _ in found]] = means
            if not np.isfinite(means).all():
                place = found[int(np.isfinite(means).all(axis=1).argmin())][0]
                raise EncodingError(
                    f"{self._token_model.name} returned NaN or infinite values for the span {spans[place]} of "
                    f"{sentences[place]!r}. If the model runs in half precision, try float32."
                )
        return vectors

    def _means(self, layers: list[torch.Tensor], found: list[tuple[int, list[int]]]) -> NDArray[np.float32]:
        """The mean over the tokens of each (row of the batch, tokens), layers averaged or side by side."""
        rows = [number for number, tokens in found for _ in tokens]
        columns = [token for _, tokens in found for token in tokens]
        picked = [layer[rows, columns].float().cpu().numpy() for layer in layers]
        states = np.concatenate(picked, axis=1) if self._concatenate else np.mean(picked, axis=0)
        counts = np.array([len(tokens) for _, tokens in found], dtype=np.float32)
        starts = np.cumsum([0, *(len(tokens) for _, tokens in found[:-1])])
        sums: NDArray[np.float32] = np.add.reduceat(states, starts, axis=0)
        return sums / counts[:, None]


def tokens_of_span(encoding: Encoding, sentence: str, span: tuple[int, int]) -> list[int]:
    """The tokens that make up `sentence.split()[start:end]`.

    Args:
        encoding: The tokens of `sentence`, with their places in it.
        sentence: The sentence.
        span: (start, end), in words.

    Raises:
        EncodingError: The span is none of the sentence, a word of it has no token, or a token of it belongs to a word
            beside it too; names sentence and span.
    """
    words = _words(sentence)
    start, end = span
    if not 0 <= start < end <= len(words):
        raise EncodingError(f"The span {span} is none of the {len(words)} words of {sentence!r}.")
    begin, stop = words[start][0], words[end - 1][1]
    what = f"The span {span} ({sentence[begin:stop]!r}) of {sentence!r}"

    pieces = _pieces(encoding)
    if encoding.overflowing:
        kept = (min((left for _, left, _ in pieces), default=0), max((right for _, _, right in pieces), default=0))
        if begin < kept[0] or stop > kept[1]:
            raise EncodingError(
                f"{what} is cut off: the model takes {len(encoding)} tokens. Raise its max_seq_length if it can take "
                "more, or leave the sentence out."
            )
    inside = [(index, left, right) for index, left, right in pieces if left < stop and right > begin]
    for word_begin, word_stop in words[start:end]:
        if not any(left < word_stop and right > word_begin for _, left, right in inside):
            raise EncodingError(f"{what}: the tokenizer makes no token of {sentence[word_begin:word_stop]!r}.")
    for index, left, right in inside:
        if sentence[left:begin].strip() or sentence[stop:right].strip():
            raise EncodingError(f"{what}: its token {encoding.tokens[index]!r} belongs to a word beside it too.")
    return [index for index, _, _ in inside]


def tokens_of_words(encoding: Encoding, sentence: str) -> list[list[int]]:
    """The tokens of each word of `sentence.split()`, in its order.

    A word that has no token, or was cut off, is left out; a token that belongs to two words is in both.
    """
    pieces = _pieces(encoding)
    found = (
        [index for index, left, right in pieces if left < stop and right > begin] for begin, stop in _words(sentence)
    )
    return [tokens for tokens in found if tokens]


def _words(sentence: str) -> list[tuple[int, int]]:
    """Where each word of `sentence.split()` begins and stops."""
    return [match.span() for match in re.finditer(r"\S+", sentence)]


def _pieces(encoding: Encoding) -> list[tuple[int, int, int]]:
    """Each token that is a piece of the text: its index, and where in the text it begins and stops."""
    tokens, special = encoding.tokens, encoding.special_tokens_mask
    return [
        (index, left, right)
        for index, (left, right) in enumerate(encoding.offsets)
        if left < right and not special[index] and tokens[index] not in _BLANK_TOKENS
    ]
