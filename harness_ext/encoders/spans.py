"""Span level: vectors of words inside their sentence.

He, Kramer Vieira, Garcia, Scarton, Idiart, Villavicencio 2025: *Investigating Idiomaticity in Word
Representations*, doi 10.1162/coli_a_00546: the mean over the sub-word tokens of the words and over
the last four hidden layers; for static vectors, the mean of the word vectors.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from harness_ext.encoders.batches import EncodingError, words_of_span
from harness_ext.encoders.transformer import TokenModel
from harness_ext.encoders.wrappers import unwrapped
from harness_ext.measures.core.fill import LayerPooling

if TYPE_CHECKING:
    import torch
    from tokenizers import Encoding

logger = logging.getLogger(__name__)

LAST_FOUR = (-4, -3, -2, -1)  # the hidden layers of the papers

_BLANKS = {"▁", "Ġ"}
"""The blank of SentencePiece, or of byte-level BPE, alone: it belongs to no word, whatever its
offsets.
"""


@runtime_checkable
class SpanEncoder(Protocol):
    """Encodes words in sentences. A model with this method is its own span encoder."""

    def encode_spans(
        self,
        sentences: Sequence[str],
        spans: Sequence[tuple[int, int]],
    ) -> NDArray[np.float32]:
        """Encode `words[start:end]`, where words are `sentence.split()`.

        Equal sentences run through the model once, however many spans they have. They get no prompt
        or instruction, and the steps after the last layer (pooling, projection, normalization) are
        left out.

        A span is the first word and the first word after it, counted from 0, in the sentence at its
        place in the list.

        Returns:
            Shape (n, d); zeros for a span that is cut off, because the sentence is too long for the
            model.

        Raises:
            EncodingError: A span is not in its sentence, or has no token; names sentence and span.
        """
        ...


class CutOffError(EncodingError):
    """A word lies beyond the last token that the model takes; names sentence and span."""


def span_encoder(
    model: Any,
    *,
    layer_pooling: LayerPooling = "mean",
    batch_size: int = 32,
    show_progress_bar: bool = True,
) -> SpanEncoder | None:
    """Make the span encoder of a loaded model; nothing is loaded again.

    Wrappers (mteb's, sentence-transformers', lm-eval's) are opened until a Hugging Face transformer
    with its tokenizer is found. A model with a method `span_encoder` makes its own. None for a
    model that exposes no token vectors: an API, a random baseline, a compiled (ONNX) model.

    Args:
        model: An mteb encoder, or any object that has or wraps a transformer and its tokenizer.
        layer_pooling: Mean over the last four layers (NCIMP), or concatenation (NCTTI), which
            multiplies d by four.
        batch_size: Sentences per batch; fewer if their hidden states would take too much memory.
        show_progress_bar: Whether to show a progress bar, over the distinct sentences.

    Raises:
        ValueError: The model has a slow tokenizer, which does not tell the places of its tokens in
            the text, or fewer than four layers; names the model.
    """
    if isinstance(model, SpanEncoder):
        return model
    if hasattr(model, "span_encoder"):
        return model.span_encoder(
            layer_pooling, batch_size=batch_size, show_progress_bar=show_progress_bar
        )
    name = getattr(getattr(model, "mteb_model_meta", None), "name", None)
    for inside in unwrapped(model):
        token_model = inside if isinstance(inside, TokenModel) else TokenModel.of(inside, name)
        if token_model is not None:
            return TransformerSpans(
                token_model, LAST_FOUR, layer_pooling, batch_size, show_progress_bar
            )
    return None


class TransformerSpans:
    """The `SpanEncoder` of a transformer.

    Attributes:
        token_model: The transformer.
        layers: The hidden states that are averaged or concatenated.
    """

    def __init__(
        self,
        token_model: TokenModel,
        layers: tuple[int, ...],
        layer_pooling: LayerPooling,
        batch_size: int,
        show_progress_bar: bool,
    ) -> None:
        if layer_pooling not in {"mean", "concatenate"}:
            raise ValueError(f"layer_pooling is 'mean' or 'concatenate', not {layer_pooling!r}.")
        token_model.check_layers(layers)
        self.token_model = token_model
        self.layers = layers
        self._concatenate = layer_pooling == "concatenate"
        self._batch_size = batch_size
        self._show_progress_bar = show_progress_bar

    def encode_spans(
        self,
        sentences: Sequence[str],
        spans: Sequence[tuple[int, int]],
    ) -> NDArray[np.float32]:
        """See `SpanEncoder.encode_spans`."""
        if len(sentences) != len(spans):
            raise ValueError(f"{len(sentences)} sentences for {len(spans)} spans.")
        places: dict[str, list[int]] = {}
        for place, sentence in enumerate(sentences):
            places.setdefault(sentence, []).append(place)
        texts = list(places)
        n_vectors = len(self.layers) if self._concatenate else 1
        dimensions = n_vectors * self.token_model.hidden_size
        shape = (len(sentences), dimensions)
        vectors = np.zeros(shape, dtype=np.float32)
        cut_off: list[CutOffError] = []
        for batch in self.token_model.token_states(
            texts,
            self.layers,
            batch_size=self._batch_size,
            show_progress_bar=self._show_progress_bar,
        ):
            located: list[int] = []
            tokens: list[tuple[int, list[int]]] = []
            for number, row in enumerate(batch.rows):
                text = texts[row]
                encoding = batch.encodings[number]
                for place in places[text]:
                    try:
                        columns = tokens_of_span(encoding, text, spans[place])
                    except CutOffError as error:
                        cut_off.append(error)
                        continue
                    located.append(place)
                    tokens.append((number, columns))
            if not located:
                continue
            states = [picked(layer, tokens) for layer in batch.layers]
            counts = [len(columns) for _, columns in tokens]
            vectors[located] = self.means(states, counts)
        if cut_off:
            logger.warning(
                "%s: %d of %d words in sentences are left out, because they are cut off. The "
                "first: %s",
                self.token_model.name,
                len(cut_off),
                len(spans),
                cut_off[0],
            )
        return vectors

    def means(
        self,
        states: list[NDArray[np.float32]],
        counts: list[int],
    ) -> NDArray[np.float32]:
        """Average the tokens of each span, with layers averaged or concatenated, shape (n, d).

        The states of each of `layers` are those of the tokens of all spans, one after the other,
        shape (t, d).
        """
        if self._concatenate:
            token_vectors = np.concatenate(states, axis=1)
        else:
            token_vectors = np.mean(states, axis=0)
        starts = np.cumsum([0, *counts[:-1]])
        sums: NDArray[np.float32] = np.add.reduceat(token_vectors, starts, axis=0)
        divisors = np.array(counts, dtype=np.float32)
        return sums / divisors[:, None]


def picked(
    states: torch.Tensor,
    places: list[tuple[int, list[int]]],
) -> NDArray[np.float32]:
    """The hidden states of some tokens, each (row of the batch, columns of the tokens), (b, t, d)
    -> (n, d).
    """
    rows: list[int] = []
    columns: list[int] = []
    for row, columns_of_span in places:
        rows += [row] * len(columns_of_span)
        columns += columns_of_span
    token_vectors = states[rows, columns]
    return token_vectors.detach().float().cpu().numpy()


def tokens_of_span(
    encoding: Encoding,
    sentence: str,
    span: tuple[int, int],
) -> list[int]:
    """Find the tokens of `sentence.split()[start:end]`, where (start, end) is the span, among those
    of the sentence.

    Raises:
        CutOffError: The sentence is too long for the model, and a word of the span is cut off.
        EncodingError: The span is not in the sentence, a word of it has no token, or a token also
            belongs to a neighboring word; names sentence and span.
    """
    words_of_span(sentence, span)  # raises if it is not in the sentence
    start, end = span
    words = _words(sentence)[start:end]
    begin, _ = words[0]
    _, stop = words[-1]
    what = f"The span {span} ({sentence[begin:stop]!r}) of {sentence!r}"

    pieces = _pieces(encoding)
    if encoding.overflowing:
        first = min((piece.begin for piece in pieces), default=0)
        last = max((piece.stop for piece in pieces), default=0)
        if begin < first or stop > last:
            raise CutOffError(
                f"{what} is cut off: the model takes {len(encoding)} tokens. Raise its "
                "max_seq_length if it can take more."
            )
    inside = [piece for piece in pieces if piece.overlaps(begin, stop)]
    for word_begin, word_stop in words:
        if not any(piece.overlaps(word_begin, word_stop) for piece in inside):
            raise EncodingError(
                f"{what}: the tokenizer makes no token of {sentence[word_begin:word_stop]!r}."
            )
    for piece in inside:
        before = sentence[piece.begin : begin].strip()
        after = sentence[stop : piece.stop].strip()
        if before or after:
            token = encoding.tokens[piece.token]
            raise EncodingError(f"{what}: its token {token!r} belongs to a word beside it too.")
    return [piece.token for piece in inside]


def tokens_of_words(
    encoding: Encoding,
    sentence: str,
) -> list[list[int]]:
    """List the tokens of each word of `sentence.split()`, in order.

    Words without tokens, and words that were cut off, are left out. A token of two words is in both
    lists.
    """
    pieces = _pieces(encoding)
    tokens_by_word = []
    for begin, stop in _words(sentence):
        tokens = [piece.token for piece in pieces if piece.overlaps(begin, stop)]
        if tokens:
            tokens_by_word.append(tokens)
    return tokens_by_word


def _words(sentence: str) -> list[tuple[int, int]]:
    """Find start and end of each word of `sentence.split()`."""
    return [match.span() for match in re.finditer(r"\S+", sentence)]


class _Piece(NamedTuple):
    """A token that is a piece of a text.

    Attributes:
        token: Its number among the tokens of the text.
        begin: Its first character in the text.
        stop: The first character after it.
    """

    token: int
    begin: int
    stop: int

    def overlaps(self, begin: int, stop: int) -> bool:
        """Whether it has a character from `begin` on, before `stop`."""
        return self.begin < stop and self.stop > begin


def _pieces(encoding: Encoding) -> list[_Piece]:
    """Find the tokens that are pieces of the text."""
    pieces = []
    for number, (begin, stop) in enumerate(encoding.offsets):
        is_special = encoding.special_tokens_mask[number]
        is_blank = encoding.tokens[number] in _BLANKS
        if begin < stop and not is_special and not is_blank:
            pieces.append(_Piece(number, begin, stop))
    return pieces
