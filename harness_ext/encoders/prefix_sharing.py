"""Shared beginnings of texts, computed once per batch in causal transformers.

In a causal transformer the state of a token depends only on the token itself and on the tokens before it. So an
instruction has the same states in every text, and so have the first words of minimal pairs. A batch is read as a tree,
and each text is a path in it.
The distinct tokens stand in one sequence, each at its position in its texts, under a mask that shows each token only
its predecessors (tree attention: Miao et al. 2024, SpecInfer, https://doi.org/10.1145/3620666.3651335, section 4). This
happens in the forward pass of the transformer, below sentence-transformers and below the poolings of this project.
Prompts, batches and poolings stay the same, and the output has the states of all tokens, as usual.
"""

from __future__ import annotations

import contextlib
import logging
import os
from collections.abc import Callable, Iterator
from itertools import chain, compress
from typing import TYPE_CHECKING, Any

import numpy as np

from harness_ext.arrays import Vectors
from harness_ext.encoders.transformer import TokenModel, all_states, is_sentence_transformer, unwrapped, with_forward

if TYPE_CHECKING:
    import torch

logger = logging.getLogger(__name__)

VARIABLE = "HARNESS_EXT_PREFIX_SHARING"
"""`0` switches sharing off."""

LEAST_TEXTS = 256
"""For fewer texts the check costs more than sharing saves."""

CHECKED = 32
"""Number of texts that are first encoded both ways."""

LARGEST_DISTANCE = 1e-5
"""Largest allowed cosine distance between the two vectors of a text, in float32."""

LARGEST_HALF_PRECISION_DISTANCE = 1e-3
"""Largest allowed cosine distance in half precision, even if plain vectors differ more between batch sizes."""

MOST_TOKENS = 512
"""Tokens of one sequence. A batch with more distinct tokens is halved, because each token attends to the whole."""

WIDER = 8
"""Number of batches that are read as one tree, so that more texts share their beginnings."""

_WORTH_IT = 0.75
"""Largest share of distinct tokens, among all tokens and padding of a batch, for which a tree is used."""

_WINDOWS = ("sliding_window", "window_size", "attention_chunk_size")
"""Names in configurations for the number of tokens that a layer looks back."""

_KNOWN = {"input_ids", "attention_mask", "return_dict", "use_cache", "output_hidden_states"}


def encode_sharing(
    model: object, texts: list[str], encode: Callable[..., Vectors], batch_size: int = 32, wider: int = WIDER
) -> tuple[Vectors, bool]:
    """Encode texts, and compute shared beginnings of a batch once, if possible.

    It is possible for a causal transformer of the transformers library in a `SentenceTransformer`, or in an encoder
    with a `TokenModel` (see `causal_transformer`). First, `CHECKED` of the texts are encoded both ways. If the two
    vectors of a text differ by more than `LARGEST_DISTANCE`, or sharing fails, all texts are encoded the plain way,
    with a warning. In half precision the plain path's vectors depend on the batch size. There the tolerance is twice
    the difference between encoding in a batch and one by one.

    Args:
        model: The model.
        texts: The texts to encode.
        encode: Texts -> vectors of shape (n, d), by the model; takes `show_progress_bar` and `batch_size`.
        batch_size: Number of texts that the plain path encodes at once.
        wider: Number of such batches that are read as one tree.

    Returns:
        The vectors, shape (n, d), and whether beginnings were shared.
    """
    if len(texts) < LEAST_TEXTS or os.environ.get(VARIABLE) == "0":
        return encode(texts), False
    transformer, reason = causal_transformer(model)
    if transformer is not None:
        reason = _objection(transformer, _sample(texts), encode)
    if not reason:
        with sharing(transformer, batch_size) as tree:
            return encode(texts, batch_size=wider * batch_size), tree.is_used
    name = getattr(getattr(model, "mteb_model_meta", None), "name", None) or type(model).__name__
    level = logging.INFO if transformer is None else logging.WARNING  # most encoders are not causal transformers
    logger.log(level, "%s: beginnings of texts are not shared: %s.", name, reason)
    return encode(texts), False


def causal_transformer(model: object) -> tuple[Any, str]:
    """Find the causal transformer inside a model that encodes by sentence-transformers or by a `TokenModel`.

    Returns:
        The transformer and "", or None and the reason.
    """
    encoding = (layer for layer in unwrapped(model) if isinstance(layer, TokenModel) or is_sentence_transformer(layer))
    outer = next(encoding, None)
    if outer is None:
        return None, "it does not encode by sentence-transformers"
    from sentence_transformers import SentenceTransformer
    from transformers import PreTrainedModel

    if getattr(model, "remembers", False) is True:
        return None, "it remembers its vectors, so that there is nothing to check"
    if isinstance(outer, TokenModel):
        found = outer.model
    elif type(outer).encode is not SentenceTransformer.encode or "encode" in vars(outer):
        return None, "it has an encode of its own"
    else:
        found = getattr(next(iter(outer), None), "auto_model", None)
    if not isinstance(found, PreTrainedModel) or not type(found).__module__.startswith("transformers."):
        return None, "it is no model of the transformers library in PyTorch"
    config = found.config.get_text_config()
    looks_back = [
        module.is_causal for module in found.modules() if isinstance(getattr(module, "is_causal", None), bool)
    ]
    if config.is_encoder_decoder or not looks_back or not all(looks_back) or not getattr(config, "is_causal", True):
        return None, "its tokens look ahead"
    attention = getattr(config, "_attn_implementation", None)
    if not getattr(found, "_supports_attention_backend", False) or attention not in {"eager", "sdpa"}:
        return None, f"its attention ({attention}) takes no mask of its own for each token"
    if config.output_hidden_states or any(getattr(one, "_compiled_call_impl", None) for one in (outer, found)):
        return None, "it returns the states of all layers, or is compiled"
    return found, ""


def _sample(texts: list[str]) -> list[str]:
    """Take `CHECKED` texts, in groups of four neighbours of the alphabet, which may begin alike."""
    ordered = sorted(texts)
    starts = np.linspace(0, len(ordered) - 4, CHECKED // 4).astype(int).tolist()
    return [text for start in starts for text in ordered[start : start + 4]]


def _objection(transformer: Any, sample: list[str], encode: Callable[..., Vectors]) -> str:
    """The reason to take the plain path; "" if there is none."""
    import torch

    plain = encode(sample, show_progress_bar=False)
    with sharing(transformer, CHECKED, worth_it=1) as tree:
        try:
            distance = largest_distance(plain, encode(sample, show_progress_bar=False))
        except Exception as error:  # a transformer may fail in any way on such a mask
            return f"its transformer fails on a tree of texts ({type(error).__name__}: {error})"
    if not tree.is_used:
        return "it does not call its transformer with tokens alone, or the texts are too long"
    allowed = LARGEST_DISTANCE
    if distance > allowed and transformer.dtype in {torch.bfloat16, torch.float16}:
        one_by_one = np.concatenate([encode([text], show_progress_bar=False) for text in sample])
        allowed = min(max(allowed, 2 * largest_distance(plain, one_by_one)), LARGEST_HALF_PRECISION_DISTANCE)
    return "" if distance <= allowed else f"vectors differ by a cosine distance of {distance:.1e}, over {allowed:.1e}"


def largest_distance(one: Vectors, other: Vectors) -> float:
    """The largest cosine distance between rows of (n, d) and (n, d); infinity if one is undefined."""
    one, other = one.astype(np.float64), other.astype(np.float64)
    lengths = np.linalg.norm(one, axis=1) * np.linalg.norm(other, axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        distances = 1 - (one * other).sum(axis=1) / lengths
    return float(distances.max()) if np.isfinite(distances).all() else np.inf


@contextlib.contextmanager
def sharing(transformer: Any, batch_size: int, worth_it: float = _WORTH_IT) -> Iterator[_Tree]:
    """Make the transformer read its batches as trees inside the block, if `worth_it` allows.

    Other batches, which may be larger than `batch_size`, go through it in parts of that size.
    """
    tree = _Tree(transformer, batch_size, worth_it)
    with with_forward(transformer, tree.forward):
        yield tree


class _Tree:
    """A forward pass that computes shared beginnings of a batch once.

    Attributes:
        is_used: Whether any batch was read as a tree.
    """

    def __init__(self, transformer: Any, batch_size: int, worth_it: float) -> None:
        self._plain: Callable[..., Any] = transformer.forward
        self._batch_size = batch_size
        self._worth_it = worth_it
        self._dtype = transformer.dtype
        config = transformer.config.get_text_config()
        windows = [value for name in _WINDOWS if isinstance(value := getattr(config, name, None), int)]
        self._most = min(MOST_TOKENS, *windows) if windows else MOST_TOKENS  # no layer's window may cut a sequence
        self.is_used = False

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Do as the transformer's own `forward`, but with 0 as the states of padding."""
        from transformers.modeling_outputs import BaseModelOutputWithPast

        ids, mask = kwargs.get("input_ids"), kwargs.get("attention_mask")
        given = {name for name, value in kwargs.items() if value is not None}
        if args or ids is None or mask is None or mask.ndim != 2 or not given <= _KNOWN or kwargs.get("use_cache"):
            return self._plain(*args, **kwargs)
        texts = [list(compress(*text)) for text in zip(ids.tolist(), mask.tolist(), strict=True)]
        n_distinct = len(_paths(texts)[0])
        if not n_distinct or n_distinct > self._worth_it * ids.numel() or ids.shape[1] > self._most:
            return self._in_parts(**kwargs)
        self.is_used = True
        order = sorted(range(len(texts)), key=texts.__getitem__)  # halves of the batch keep equal beginnings together
        every_layer = bool(kwargs.get("output_hidden_states"))
        computed = self._states([texts[row] for row in order], ids.device, every_layer)
        layers = tuple(_in_batch(states, mask, order) for states in computed)
        return BaseModelOutputWithPast(last_hidden_state=layers[-1], hidden_states=layers if every_layer else None)

    def _in_parts(self, input_ids: torch.Tensor, attention_mask: torch.Tensor, **others: Any) -> Any:
        """Take the plain path, for `batch_size` texts at once."""
        import torch

        parts = [slice(start, start + self._batch_size) for start in range(0, len(input_ids), self._batch_size)]
        outputs = [
            self._plain(input_ids=input_ids[part], attention_mask=attention_mask[part], **others) for part in parts
        ]
        whole = outputs[0]
        whole.last_hidden_state = torch.cat([output.last_hidden_state for output in outputs])
        if others.get("output_hidden_states"):
            layers = zip(*(output.hidden_states for output in outputs), strict=True)
            whole.hidden_states = tuple(torch.cat(layer) for layer in layers)
        return whole

    def _states(self, texts: list[list[int]], device: torch.device, every_layer: bool) -> list[torch.Tensor]:
        """Compute the states of the tokens of all texts, one text after the other, in every layer or the last.

        Returns:
            Shape (tokens, d) for each layer.
        """
        import torch

        distinct, paths = _paths(texts)
        if len(distinct) > self._most:
            half = len(texts) // 2
            halves = (self._states(part, device, every_layer) for part in (texts[:half], texts[half:]))
            return [torch.cat(layer) for layer in zip(*halves, strict=True)]
        positions, sees = _positions_and_mask(len(distinct), paths)
        hidden = torch.zeros(sees.shape, dtype=self._dtype).masked_fill(~sees, torch.finfo(self._dtype).min)
        output = self._plain(
            input_ids=torch.tensor([[token for _, token in distinct]], device=device),
            position_ids=positions[None].to(device),
            attention_mask=hidden[None, None].to(device),
            use_cache=False,
            return_dict=True,
            **({"output_hidden_states": True} if every_layer else {}),
        )
        nodes = torch.tensor(list(chain(*paths)))
        layers = all_states(output) if every_layer else (output.last_hidden_state,)
        return [states[0][nodes.to(states.device)] for states in layers]


def _in_batch(computed: torch.Tensor, mask: torch.Tensor, order: list[int]) -> torch.Tensor:
    """Put states of tokens, shape (tokens, d), into the places of a mask (b, t), whose rows were read in an order."""
    import torch

    states = computed.new_zeros(*mask.shape, computed.shape[1])
    rows, columns = mask[order].nonzero(as_tuple=True)
    states[torch.tensor(order, device=rows.device)[rows], columns] = computed
    return states


def _paths(texts: list[list[int]]) -> tuple[list[tuple[int, int]], list[list[int]]]:
    """Number the nodes of the tree of texts: equal tokens after equal beginnings are one node.

    Args:
        texts: The tokens of each text.

    Returns:
        For each node its predecessor (-1 at the beginning) and its token; for each text the numbers of its nodes.
    """
    numbers: dict[tuple[int, int], int] = {}
    paths: list[list[int]] = []
    for tokens in texts:
        path = [-1]
        for token in tokens:
            path.append(numbers.setdefault((path[-1], token), len(numbers)))
        paths.append(path[1:])
    return list(numbers), paths


def _positions_and_mask(n: int, paths: list[list[int]]) -> tuple[torch.Tensor, torch.Tensor]:
    """Position of each of n nodes in its texts, shape (n,), and the nodes that it sees, shape (n, n)."""
    import torch

    longest = max(map(len, paths))
    padded = torch.tensor([[*path, *[n] * (longest - len(path))] for path in paths])  # n: no token
    positions = torch.zeros(n + 1, dtype=torch.long)
    positions[padded] = torch.arange(longest).expand_as(padded)
    sees = torch.zeros(n + 1, n + 1, dtype=torch.bool)
    sees[padded[:, :, None], padded[:, None, :]] = torch.ones(longest, longest, dtype=torch.bool).tril()
    return positions[:n], sees[:n, :n]
