"""Token vectors of Hugging Face transformers, batch by batch."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import torch
    from tokenizers import Encoding

_HIDDEN_STATES_BYTES = 128 * 2**20
"""A batch is split when the hidden states of all its layers, which a plain encode lets go, would take more."""

_NO_LIMIT = 2**31 - 1
"""Tokenizers that know no limit say 10^30, more than they can truncate to."""


class TokenStates(NamedTuple):
    """One batch.

    Attributes:
        rows: Which of the sentences.
        encodings: Their tokens, shape (b,).
        mask: 1 for a token, 0 for padding, which is always on the right, shape (b, t).
        layers: The hidden states asked for, each of shape (b, t, d).
    """

    rows: list[int]
    encodings: list[Encoding]
    mask: torch.Tensor
    layers: list[torch.Tensor]


@dataclass(frozen=True)
class TokenModel:
    """A transformer and its tokenizer, taken out of whatever wraps them.

    Attributes:
        name: For messages.
        model: A `transformers` model without its head.
        tokenizer: A fast `transformers` tokenizer.
        max_length: Longer texts are truncated to that many tokens, special tokens included.
        lower_case: Whether texts are to be lower-cased before the tokenizer sees them.
    """

    name: str
    model: Any
    tokenizer: Any
    max_length: int
    lower_case: bool = False

    @classmethod
    def of(cls, wrapper: Any, name: str | None = None) -> TokenModel | None:
        """Take them out of an object with a `tokenizer` and an `auto_model` or `model`; None if it has none.

        Raises:
            ValueError: The tokenizer is a slow one; names the model.
        """
        from transformers import PreTrainedModel

        tokenizer = getattr(wrapper, "tokenizer", None)
        model: Any = getattr(wrapper, "auto_model", getattr(wrapper, "model", None))
        if not callable(tokenizer) or not hasattr(model, "forward") or not hasattr(model, "config"):
            return None
        name = name or model.config.name_or_path or type(model).__name__
        if not getattr(tokenizer, "is_fast", False):
            raise ValueError(
                f"{name}: {type(tokenizer).__name__} is a slow tokenizer, which cannot say which tokens make up which "
                "word. Load the model with its fast tokenizer (use_fast=True), if it has one."
            )
        if isinstance(model, PreTrainedModel):
            backbone: Any = model.base_model  # the language-model head costs time and gives logits only
            model = backbone.get_encoder() if getattr(model.config, "is_encoder_decoder", False) else backbone
        limits = [getattr(wrapper, "max_seq_length", None), tokenizer.model_max_length, _n_positions(model), _NO_LIMIT]
        return cls(
            name,
            model,
            tokenizer,
            min(limit for limit in limits if limit is not None),
            bool(getattr(wrapper, "do_lower_case", False)),
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
        """Raise a ValueError that names model and layer if there is no such hidden state."""
        for layer in layers:
            if not -self.n_layers - 1 <= layer <= self.n_layers:
                raise ValueError(f"{self.name} has {self.n_layers} hidden layers; there is no hidden state {layer}.")

    def token_states(
        self,
        texts: Sequence[str],
        layers: tuple[int, ...],
        *,
        batch_size: int = 32,
        show_progress_bar: bool = True,
    ) -> Iterator[TokenStates]:
        """Run `texts` through the model, each once, the longest first.

        Args:
            texts: Non-empty or empty texts; long ones are truncated.
            layers: Which hidden states; -1 is the model's output, after its final normalisation if it has one.
            batch_size: Texts per batch, fewer where `_HIDDEN_STATES_BYTES` says so.
            show_progress_bar: Whether to show one.
        """
        import torch
        from tqdm.auto import tqdm

        self.model.eval()
        order = sorted(range(len(texts)), key=lambda row: -len(texts[row]))
        with tqdm(total=len(texts), desc="Encoding tokens", disable=not show_progress_bar) as progress:
            for start in range(0, len(order), batch_size):
                rows = order[start : start + batch_size]
                encodings = self._tokenize([texts[row] for row in rows])
                step = self._sentences_at_once(max(map(len, encodings)))
                for first in range(0, len(rows), step):
                    part = encodings[first : first + step]
                    inputs = self._inputs(part)
                    with torch.inference_mode():
                        states = self._hidden_states(inputs, layers)
                    yield TokenStates(rows[first : first + step], part, inputs["attention_mask"], states)
                    progress.update(len(part))

    def _tokenize(self, texts: list[str]) -> list[Encoding]:
        if self.lower_case:  # not where it would move the characters: İ
            texts = [text.lower() if len(text.lower()) == len(text) else text for text in texts]
        encoded = self.tokenizer(texts, truncation=True, max_length=self.max_length)
        encodings: list[Encoding] = encoded.encodings
        return encodings

    def _sentences_at_once(self, length: int) -> int:
        itemsize = next(self.model.parameters()).element_size()
        per_sentence = (self.n_layers + 1) * max(1, length) * self.hidden_size * itemsize
        return max(1, int(_HIDDEN_STATES_BYTES // per_sentence))

    def _inputs(self, encodings: list[Encoding]) -> dict[str, torch.Tensor]:
        """Pad on the right, whatever the tokenizer's side: absolute positions must not move."""
        import torch

        length = max(map(len, encodings))
        pad = self.tokenizer.pad_token_id or 0
        columns = {
            "input_ids": [encoding.ids + [pad] * (length - len(encoding)) for encoding in encodings],
            "attention_mask": [[1] * len(encoding) + [0] * (length - len(encoding)) for encoding in encodings],
        }
        if "token_type_ids" in self.tokenizer.model_input_names:
            columns["token_type_ids"] = [encoding.type_ids + [0] * (length - len(encoding)) for encoding in encodings]
        device = next(self.model.parameters()).device
        return {name: torch.tensor(values, device=device) for name, values in columns.items()}

    def _hidden_states(self, inputs: dict[str, torch.Tensor], layers: tuple[int, ...]) -> list[torch.Tensor]:
        if "use_cache" in inspect.signature(self.model.forward).parameters:
            output = self.model(**inputs, output_hidden_states=layers != (-1,), return_dict=True, use_cache=False)
        else:
            output = self.model(**inputs, output_hidden_states=layers != (-1,), return_dict=True)
        if layers == (-1,):
            return [output.last_hidden_state]
        hidden_states = getattr(output, "hidden_states", None)
        if hidden_states is None:
            raise ValueError(f"{self.name}: its forward pass returns no hidden states.")
        states = (*hidden_states[:-1], output.last_hidden_state)
        return [states[layer] for layer in layers]


def _n_positions(model: Any) -> int | None:
    """How many tokens fit; RoBERTa and its kin count positions from the padding index on."""
    limit = getattr(model.config, "max_position_embeddings", None)
    table = getattr(getattr(model, "embeddings", None), "position_embeddings", None)
    reserved = getattr(table, "padding_idx", None)
    if limit is None or limit < 1:
        return None
    return int(limit) if reserved is None else int(limit) - reserved - 1
