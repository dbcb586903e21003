"""Poolings: how the hidden states of a text's tokens become its vector. A new pooling is a row of
    `POOLINGS`.

`cls`, `cls+sep`, `mean_last4`: Wold, Simon, Velldal, Øvrelid: *Measuring Idiomaticity in Text
Embedding Models with ε-compositionality*, Table 1. `mean_last4`, for sentences, in the authors'
code: He, Kramer Vieira, Garcia, Scarton, Idiart, Villavicencio 2025: *Investigating Idiomaticity in
Word Representations*, doi 10.1162/coli_a_00546; `mean_last4_words` is our reading of their text.
`concat_last4_words`: Garcia, Kramer Vieira, Scarton, Idiart, Villavicencio
2021, doi 10.18653/v1/2021.acl-long.212. `weighted_mean`: Muennighoff 2022, *SGPT: GPT Sentence
Embeddings for Semantic Search*, Eq. 2: a causal model's later tokens have seen more of the text, so
the token at position i of t weighs i / (1 + … + t).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from harness_ext.encoders.batches import EncodingError
from harness_ext.encoders.spans import LAST_FOUR, tokens_of_words
from harness_ext.encoders.transformer import TokenStates

if TYPE_CHECKING:
    import torch


@dataclass(frozen=True)
class Pooling:
    """A pooling.

    Attributes:
        vector: Description of a text's vector, for the documentation.
        pool: A batch with the states of `layers` -> a vector per text, shape (b, n_vectors · d).
        layers: The hidden states, as Hugging Face numbers them. A pooling of the last can also be
            of any other.
        n_vectors: The number of vectors of d numbers that stand one after another in a text's
            vector.
        special_tokens: Tokens that the tokenizer must put around every text: `cls`, `sep`.
    """

    vector: str
    pool: Callable[[TokenStates], torch.Tensor]
    layers: tuple[int, ...] = (-1,)
    n_vectors: int = 1
    special_tokens: tuple[str, ...] = ()


def _first(batch: TokenStates) -> torch.Tensor:
    return batch.layers[0][:, 0]


def _last(batch: TokenStates) -> torch.Tensor:
    rows = range(len(batch.rows))
    last = batch.mask.sum(dim=1) - 1
    return batch.layers[0][rows, last]


def _mean(batch: TokenStates) -> torch.Tensor:
    return batch.mean(batch.mask)


def _weights_of_words(batch: TokenStates) -> torch.Tensor:
    """Weigh every word 1, shared by its tokens, shape (b, t); an EncodingError names a text without
    words.
    """
    import torch

    weights = np.zeros(batch.mask.shape, dtype=np.float32)
    for row, (text, encoding) in enumerate(zip(batch.texts, batch.encodings, strict=True)):
        words = tokens_of_words(encoding, text)
        if not words:
            raise EncodingError(
                f"{batch.model_name}: no word of {text!r} has a token, and special tokens are in "
                "no pooling of words."
            )
        for tokens in dict.fromkeys(map(tuple, words)):  # words that share one token count once
            weights[row, list(tokens)] += 1 / len(tokens)
    return torch.from_numpy(weights).to(batch.mask.device)


def _concatenated_words(batch: TokenStates) -> torch.Tensor:
    import torch

    weights = _weights_of_words(batch)
    means = []
    for layer in batch.layers:
        mean = batch._replace(layers=[layer]).mean(weights)
        means.append(mean)
    return torch.cat(means, dim=1)


def _first_and_last(batch: TokenStates) -> torch.Tensor:
    return _first(batch).float() + _last(batch).float()


def _mean_by_position(batch: TokenStates) -> torch.Tensor:
    positions = batch.mask.cumsum(dim=1)
    return batch.mean(positions * batch.mask)


def _mean_of_words(batch: TokenStates) -> torch.Tensor:
    return batch.mean(_weights_of_words(batch))


POOLINGS: dict[str, Pooling] = {
    "cls": Pooling(
        "the last hidden state of the first token, [CLS]", _first, special_tokens=("cls",)
    ),
    "cls+sep": Pooling(
        "the sum of the last hidden states of [CLS] and of the final [SEP]",
        _first_and_last,
        special_tokens=("cls", "sep"),
    ),
    "mean": Pooling("the mean over all tokens of the last hidden state", _mean),
    "last_token": Pooling(
        "the last hidden state of the last token; no other token has seen the whole text", _last
    ),
    "weighted_mean": Pooling(
        "the mean over all tokens, weighted by position, of the last hidden state (Muennighoff "
        "2022, SGPT, Eq. 2)",
        _mean_by_position,
    ),
    "mean_last4": Pooling(
        "the mean over all tokens and the last four hidden states", _mean, LAST_FOUR
    ),
    "mean_last4_words": Pooling(
        "the mean over the words; a word is the mean over its sub-word tokens and the last four "
        "hidden states",
        _mean_of_words,
        LAST_FOUR,
    ),
    "concat_last4_words": Pooling(
        "the same, with the last four hidden states one after another",
        _concatenated_words,
        LAST_FOUR,
        n_vectors=4,
    ),
}
"""Name -> pooling. *All tokens* are those of the text and special tokens, without padding; words
are the parts that `str.split` gives, and special tokens belong to none.
"""

LIBRARY_POOLINGS = {
    "cls": "cls",
    "mean": "mean",
    "last_token": "lasttoken",
    "weighted_mean": "weightedmean",
}
"""Name -> what sentence-transformers calls the same pooling; a model that takes instructions gets
them with these.
"""


def pooling_of(
    model_name: str,
    name: str,
    layer: int | None = None,
) -> Pooling:
    """Return the pooling of this name, of a single layer if one is given.

    Raises:
        ValueError: There is no such pooling, or it is of four layers and a single layer is asked
            for; names the model.
    """
    if name not in POOLINGS:
        raise ValueError(f"{model_name}: no pooling {name!r}; there are {', '.join(POOLINGS)}.")
    pooling = POOLINGS[name]
    if layer is not None and len(pooling.layers) > 1:
        raise ValueError(
            f"{model_name}: the pooling {name!r} is of four layers, not of layer {layer} alone."
        )
    return pooling if layer is None else replace(pooling, layers=(layer,))
