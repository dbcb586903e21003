"""What all texts begin with, which is the instruction, computed once by encoders that only look back.

In a causal transformer nothing that follows changes the states of what came before. So the keys and values of the first
tokens, which an instruction makes the same in every text, are kept, and each batch goes on from there. That is done
below sentence-transformers, in the forward pass of the transformer, so that prompts, batches and poolings stay as they
are: its output has the states of all tokens, as ever.
"""

from __future__ import annotations

import contextlib
import copy
import functools
import logging
import os
import weakref
from typing import TYPE_CHECKING, Any

import numpy as np

from harness_ext.encoders.transformer import unwrapped
from harness_ext.encoders.vectors import UnusableVectorsError, as_vectors

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import torch

logger = logging.getLogger(__name__)

VARIABLE = "HARNESS_EXT_PREFIX_SHARING"
"""`0` computes every text from its first token on."""

LEAST_TEXTS = 256
"""Of fewer texts, what is saved is not worth the check."""

CHECKED = 32
"""How many texts are encoded both ways before the others are."""

LARGEST_DISTANCE = 1e-5
"""The cosine distance of the two vectors of a text up to which they count as the same."""

_LEAST_TOKENS = 4
_KNOWN = {"input_ids", "attention_mask", "return_dict"}
_USED: weakref.WeakSet[Any] = weakref.WeakSet()


def encode_sharing(model: object, texts: list[str], encode: Callable[[list[str]], Any]) -> Any:
    """What `encode(texts)` returns, with the tokens that all texts begin with computed once where that is possible.

    That is: the model is a `SentenceTransformer` around a causal transformer of the transformers library. `CHECKED` of
    the texts are encoded both ways; if any two vectors of one text differ, a warning says so and all texts are encoded
    the plain way.

    Args:
        model: Whose vectors they are.
        texts: What to encode.
        encode: Texts -> what the model returns for them.
    """
    transformer = causal_transformer(model) if len(texts) >= LEAST_TEXTS and os.environ.get(VARIABLE) != "0" else None
    if transformer is None:
        return encode(texts)
    sample = texts[:: len(texts) // CHECKED][:CHECKED]
    plain = encode(sample)
    with _sharing(transformer) as shared:
        try:
            distance = _largest_distance(plain, encode(sample))
        except (RuntimeError, TypeError, ValueError, AttributeError, IndexError) as error:
            distance, reason = np.inf, f"its transformer cannot go on from what was computed before ({error})"
        else:
            reason = f"vectors would differ by a cosine distance of {distance:.1e} (at most {LARGEST_DISTANCE:g})"
        if distance <= LARGEST_DISTANCE and shared.tokens:
            _USED.add(transformer)
            return encode(texts)
    if distance > LARGEST_DISTANCE:
        name = getattr(getattr(model, "mteb_model_meta", None), "name", None) or type(model).__name__
        logger.warning("%s: the instruction is computed anew for each text: %s.", name, reason)
    return encode(texts)


def has_shared(model: object) -> bool:
    """Whether vectors of this model were computed with shared tokens."""
    return (transformer := causal_transformer(model)) is not None and transformer in _USED


def causal_transformer(model: object) -> Any:
    """The transformer inside, if its tokens only look back and the model encodes by sentence-transformers; or None."""
    from sentence_transformers import SentenceTransformer
    from transformers import PreTrainedModel

    sentence_transformer = next((layer for layer in unwrapped(model) if isinstance(layer, SentenceTransformer)), None)
    if sentence_transformer is None or type(sentence_transformer).encode is not SentenceTransformer.encode:
        return None
    found = getattr(next(iter(sentence_transformer), None), "auto_model", None)
    if not isinstance(found, PreTrainedModel) or not type(found).__module__.startswith("transformers."):
        return None
    looks_back = [
        module.is_causal for module in found.modules() if isinstance(getattr(module, "is_causal", None), bool)
    ]
    return found if looks_back and all(looks_back) and not found.config.is_encoder_decoder else None


def _largest_distance(plain: Any, shared: Any) -> float:
    try:
        one, other = (as_vectors(each, None, None).astype(np.float64) for each in (plain, shared))
    except UnusableVectorsError:
        return np.inf
    if one.shape != other.shape:
        return np.inf
    lengths = np.linalg.norm(one, axis=1) * np.linalg.norm(other, axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        distances = 1 - (one * other).sum(axis=1) / lengths
    return float(distances.max()) if np.isfinite(distances).all() else np.inf


@contextlib.contextmanager
def _sharing(transformer: Any) -> Iterator[_SharedPrefix]:
    """Within this, the transformer goes on from the tokens that its batches have in common."""
    plain = transformer.forward
    before = vars(transformer).get("forward")  # accelerate puts its own there
    shared = _SharedPrefix(plain)

    @functools.wraps(plain)  # sentence-transformers looks at its parameters
    def forward(*args: Any, **kwargs: Any) -> Any:
        return shared(*args, **kwargs)

    transformer.forward = forward
    try:
        yield shared
    finally:
        del transformer.forward
        if before is not None:
            transformer.forward = before


class _SharedPrefix:
    """A forward pass that goes on from the tokens with which all of its batches so far begin.

    Attributes:
        tokens: These tokens.
    """

    def __init__(self, forward: Callable[..., Any]) -> None:
        self._forward = forward
        self.tokens: list[int] = []
        self._states: torch.Tensor | None = None
        self._cache: Any = None

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        ids, mask = kwargs.get("input_ids"), kwargs.get("attention_mask")
        given = {name for name, value in kwargs.items() if value is not None}
        if args or ids is None or mask is None or mask.ndim != 2 or not given <= _KNOWN:
            return self._forward(*args, **kwargs)
        starts, lengths = mask.argmax(dim=1), mask.sum(dim=1)
        n = self._common(ids, starts, lengths)
        return self._forward(**kwargs) if n < _LEAST_TOKENS else self._go_on(n, ids, starts, lengths)

    def _common(self, ids: torch.Tensor, starts: torch.Tensor, lengths: torch.Tensor) -> int:
        """How many tokens of the batch to take from before; the same for all batches once they are the instruction."""
        import torch

        least = int(lengths.min()) - 1  # each text has a token of its own, whose state is computed
        if least < _LEAST_TOKENS:
            return 0
        first = ids.gather(1, starts[:, None] + torch.arange(least, device=ids.device))
        expected = first[0]
        if self.tokens:
            expected = torch.tensor(self.tokens[:least], device=ids.device)
            first = first[:, : len(expected)]
        n = int((first == expected).all(dim=0).long().cumprod(dim=0).sum())
        if n < _LEAST_TOKENS:
            return 0
        if not self.tokens or n < len(self.tokens):
            output = self._forward(input_ids=expected[None, :n], use_cache=True, return_dict=True)
            self._states, self._cache = output.last_hidden_state, output.past_key_values
            self.tokens = expected[:n].tolist()
        return n

    def _go_on(self, n: int, ids: torch.Tensor, starts: torch.Tensor, lengths: torch.Tensor) -> Any:
        """The output for a batch whose first n tokens are those before; states of padding are 0."""
        import torch

        batch, rest = len(ids), int(lengths.max()) - n
        places = torch.arange(rest, device=ids.device)
        mask = places < (lengths - n)[:, None]
        columns = (starts[:, None] + n + places).clamp(max=ids.shape[1] - 1)
        cache = copy.deepcopy(self._cache)  # the forward pass adds to it
        cache.batch_repeat_interleave(batch)
        output = self._forward(
            input_ids=ids.gather(1, columns),
            attention_mask=torch.cat([mask.new_ones(batch, n), mask], dim=1).long(),
            past_key_values=cache,
            use_cache=True,
            return_dict=True,
        )
        computed = output.last_hidden_state
        states = computed.new_zeros(batch, ids.shape[1], computed.shape[2])
        rows = torch.arange(batch, device=ids.device)[:, None]
        states[rows, starts[:, None] + torch.arange(n, device=ids.device)] = self._states
        rows, kept = mask.nonzero(as_tuple=True)
        states[rows, columns[rows, kept]] = computed[rows, kept]
        output.last_hidden_state, output.past_key_values = states, None
        return output
