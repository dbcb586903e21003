"""Token vectors of Hugging Face transformers, batch by batch."""

from __future__ import annotations

import inspect
import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from harness_ext.encoders.at_once import AtOnce, attempt, fitted
from harness_ext.encoders.batches import EncodingError, longest_first, smaller
from harness_ext.encoders.wrappers import unwrapped

if TYPE_CHECKING:
    import torch
    from tokenizers import Encoding

logger = logging.getLogger(__name__)

_HIDDEN_STATES_BYTES = 128 * 2**20
"""A batch is split if the hidden states of all its layers would take more. A plain encode does not
keep them.
"""


class TokenStates(NamedTuple):
    """One batch.

    Attributes:
        model_name: For messages.
        rows: Indices of the texts.
        texts: The texts, shape (b,).
        encodings: Their tokens, shape (b,).
        mask: 1 for a token, 0 for padding, which is always on the right, shape (b, t).
        layers: The requested hidden states, each of shape (b, t, d), all on the device of the mask.
    """

    model_name: str
    rows: list[int]
    texts: list[str]
    encodings: list[Encoding]
    mask: torch.Tensor
    layers: list[torch.Tensor]

    def mean(self, weights: torch.Tensor) -> torch.Tensor:
        """Average over the layers and, weighted, over the tokens, in float32, shape (b, d).

        The weights, shape (b, t), are 0 for padding, and not all 0 in a row.
        """
        first, *others = (layer.float() for layer in self.layers)
        states = sum(others, start=first) / len(self.layers)
        weights = weights[:, :, None].float()
        sums = (states * weights).sum(dim=1)
        return sums / weights.sum(dim=1)


@dataclass(frozen=True)
class TokenModel:
    """A transformer and its tokenizer, without their wrappers.

    Attributes:
        name: For messages.
        model: A `transformers` model without its head.
        tokenizer: A fast `transformers` tokenizer.
        max_length: Limit of tokens per text, special tokens included; longer texts are truncated.
        lower_case: Whether to lower-case texts before the tokenizer.
        special_tokens: Whether the tokenizer adds its special tokens.
        caller: The wrapper that they were taken from.
    """

    name: str
    model: Any
    tokenizer: Any
    max_length: int
    lower_case: bool = False
    special_tokens: bool = True
    caller: Any = None

    @classmethod
    def of(
        cls,
        wrapper: Any,
        name: str | None = None,
    ) -> TokenModel | None:
        """Take them from an object with a `tokenizer` and an `auto_model` or `model`; None for
        other objects.

        Raises:
            ValueError: The tokenizer is a slow one, or the model has learned prompts outside its
                layers; names the model.
        """
        tokenizer = getattr(wrapper, "tokenizer", None)
        model: Any = getattr(wrapper, "auto_model", getattr(wrapper, "model", None))
        is_model = hasattr(model, "forward") and hasattr(model, "config")
        if not is_model or not callable(tokenizer):
            return None
        # not above: a plain function needs none of its seconds
        from transformers import PreTrainedModel

        name = name or model.config.name_or_path or type(model).__name__
        if not getattr(tokenizer, "is_fast", False):
            raise ValueError(
                f"{name}: {type(tokenizer).__name__} is a slow tokenizer, which cannot say which "
                "tokens make up which word. Load the model with its fast tokenizer "
                "(use_fast=True), if it has one."
            )
        if getattr(getattr(model, "active_peft_config", None), "is_prompt_learning", False):
            raise ValueError(
                f"{name}: its peft adapter is a learned prompt; only adapters of the weights are "
                "supported."
            )
        model = next(
            (inside for inside in unwrapped(model) if isinstance(inside, PreTrainedModel)), model
        )
        if isinstance(model, PreTrainedModel):
            # the language-model head costs time and gives logits only
            backbone: Any = model.base_model
            model = (
                backbone.get_encoder()
                if getattr(model.config, "is_encoder_decoder", False)
                else backbone
            )
        # lm-eval's is the second
        own = [getattr(wrapper, limit, None) for limit in ("max_seq_length", "max_length")]
        # tokenizers without a limit give 10^30, more than they can truncate to
        no_limit = 2**31 - 1
        limits = [*own, tokenizer.model_max_length, _n_positions(model), no_limit]
        return cls(
            name,
            model,
            tokenizer,
            min(limit for limit in limits if isinstance(limit, int)),
            bool(getattr(wrapper, "do_lower_case", False)),
            # lm-eval means all special tokens by it
            getattr(wrapper, "add_bos_token", None) is not False,
            wrapper,
        )

    @property
    def n_layers(self) -> int:
        """The number of hidden layers."""
        return int(self._config.num_hidden_layers)

    @property
    def hidden_size(self) -> int:
        """The dimension of the hidden states."""
        return int(self._config.hidden_size)

    @property
    def _config(self) -> Any:
        config = self.model.config
        return config.get_text_config() if hasattr(config, "get_text_config") else config

    def check_layers(self, layers: Sequence[int]) -> None:
        """Raise a ValueError for a missing hidden state; it names model and layer."""
        for layer in layers:
            if not -self.n_layers - 1 <= layer <= self.n_layers:
                raise ValueError(
                    f"{self.name} has {self.n_layers} hidden layers; there is no hidden state "
                    f"{layer}."
                )

    def token_states(
        self,
        texts: Sequence[str],
        layers: tuple[int, ...],
        *,
        batch_size: int = 32,
        show_progress_bar: bool = True,
    ) -> Iterator[TokenStates]:
        """Run `texts` through the model, each once, the longest first; too long texts are
        truncated.

        Layer -1 is the model's output, after its final normalization if it has one. A batch of
        several layers has fewer texts if `_HIDDEN_STATES_BYTES` requires it, or memory ends.
        """
        self.model.eval()
        for rows in longest_first(
            [*map(len, texts)], batch_size, show_progress_bar=show_progress_bar
        ):
            encodings = self.tokenize([texts[row] for row in rows])
            step = len(rows)
            if layers != (-1,):
                longest = max(map(len, encodings))
                step = self.texts_at_once(longest)
            first = 0
            while first < len(rows):
                earlier = fitted(self.model)
                step = min(step, earlier.batch_size) if earlier else step
                part = rows[first : first + step]
                tokens = encodings[first : first + step]
                computed = attempt(partial(self._states_and_mask, tokens, layers))
                if computed.result is None:
                    smaller(
                        self.model,
                        self.name,
                        AtOnce(step, step),
                        len(part),
                        computed.reason,
                    )
                    continue
                states, mask = computed.result
                yield TokenStates(
                    model_name=self.name,
                    rows=part,
                    texts=[texts[row] for row in part],
                    encodings=tokens,
                    mask=mask,
                    layers=states,
                )
                first += len(part)

    def text_vectors(
        self,
        texts: Sequence[str],
        layers: tuple[int, ...],
        pool: Callable[[TokenStates], torch.Tensor],
        *,
        n_vectors: int = 1,
        batch_size: int = 32,
        show_progress_bar: bool = True,
    ) -> NDArray[np.float32]:
        """Encode each text as one vector, shape (n, n_vectors · d); one warning counts the
        truncated texts.

        `pool` makes the vectors of a batch, each of `n_vectors` times d numbers. For layers see
        `token_states`.

        Raises:
            EncodingError: A text has no token at all, not even a special one; names it.
        """
        dimensions = n_vectors * self.hidden_size
        vectors = np.empty((len(texts), dimensions), dtype=np.float32)
        truncated = 0
        batches = self.token_states(
            texts,
            layers,
            batch_size=batch_size,
            show_progress_bar=show_progress_bar,
        )
        for batch in batches:
            for text, encoding in zip(batch.texts, batch.encodings, strict=True):
                if not len(encoding):
                    raise EncodingError(f"{self.name}: the tokenizer makes no token of {text!r}.")
                truncated += bool(encoding.overflowing)
            pooled = pool(batch).float().cpu()
            vectors[batch.rows] = pooled.numpy()
        if truncated:
            logger.warning(
                "%s: %d of %d texts were truncated to %d tokens.",
                self.name,
                truncated,
                len(texts),
                self.max_length,
            )
        return vectors

    def tokenize(self, texts: list[str]) -> list[Encoding]:
        """Tokenize texts as `token_states` does."""
        if self.lower_case:
            texts = [*map(_lower_case, texts)]
        encoded = self.tokenizer(
            texts,
            truncation=True,
            max_length=self.max_length,
            add_special_tokens=self.special_tokens,
        )
        return encoded.encodings

    def texts_at_once(self, length: int) -> int:
        """The most texts of `length` tokens in a batch whose hidden states are kept, at least 1."""
        itemsize = next(self.model.parameters()).element_size()
        n_states = (self.n_layers + 1) * max(1, length)
        bytes_per_text = n_states * self.hidden_size * itemsize
        return max(1, int(_HIDDEN_STATES_BYTES // bytes_per_text))

    def _inputs(
        self,
        encodings: list[Encoding],
    ) -> dict[str, torch.Tensor]:
        """Pad on the right, whatever the tokenizer's side: absolute positions must not move."""
        import torch

        pad = self.tokenizer.pad_token_id or 0
        ids = [encoding.ids for encoding in encodings]
        ones = [[1] * len(encoding) for encoding in encodings]
        types = [encoding.type_ids for encoding in encodings]
        columns = {
            "input_ids": _padded(ids, pad),
            "attention_mask": _padded(ones, 0),
        }
        claimed = "token_type_ids" in self.tokenizer.model_input_names
        # models take 0 by default
        if claimed and any(map(any, types)):
            columns["token_type_ids"] = _padded(types, 0)
        device = self.input_device
        return {name: torch.tensor(rows, device=device) for name, rows in columns.items()}

    def _states_and_mask(
        self, encodings: list[Encoding], layers: tuple[int, ...]
    ) -> tuple[list[torch.Tensor], torch.Tensor]:
        """Run a batch through the model: the hidden states of the layers, and the mask
        beside them.
        """
        import torch

        inputs = self._inputs(encodings)
        with torch.inference_mode():
            states = self._hidden_states(inputs, layers)
        return states, inputs["attention_mask"].to(states[0].device)

    @property
    def input_device(self) -> torch.device | int | str:
        """The device of the embeddings; accelerate knows it for a model spread over devices and
        disk.
        """
        for module in self.model.modules():
            hook = getattr(module, "_hf_hook", None)
            device = getattr(hook, "execution_device", None)
            if device is not None:
                return device
        parameter: torch.Tensor = next(self.model.parameters())
        return parameter.device

    def _hidden_states(
        self,
        inputs: dict[str, torch.Tensor],
        layers: tuple[int, ...],
    ) -> list[torch.Tensor]:
        options = {}
        if "use_cache" in inspect.signature(self.model.forward).parameters:
            options["use_cache"] = False
        output = self.model(
            **inputs,
            **options,
            output_hidden_states=layers != (-1,),
            return_dict=True,
        )
        if layers == (-1,):
            return [output.last_hidden_state]
        if getattr(output, "hidden_states", None) is None:
            raise ValueError(f"{self.name}: its forward pass returns no hidden states.")
        # some models normalize the last only there
        states = *output.hidden_states[:-1], output.last_hidden_state
        # layers may differ in device
        device = output.last_hidden_state.device
        return [states[layer].to(device) for layer in layers]


def _lower_case(text: str) -> str:
    """The text in lower case, unless that moves its characters, as with İ."""
    lower = text.lower()
    return lower if len(lower) == len(text) else text


def _padded(rows: list[list[int]], pad: int) -> list[list[int]]:
    """Pad rows on the right, to the longest of them."""
    length = max(map(len, rows))
    return [row + [pad] * (length - len(row)) for row in rows]


def _n_positions(model: Any) -> int | None:
    """The largest number of tokens; RoBERTa and similar models count positions from the padding
    index.
    """
    limit = getattr(model.config, "max_position_embeddings", None)
    table = getattr(getattr(model, "embeddings", None), "position_embeddings", None)
    reserved = getattr(table, "padding_idx", None)
    if limit is None or limit < 1:
        return None
    return int(limit) if reserved is None else int(limit) - reserved - 1
