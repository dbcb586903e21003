"""Plain transformers as mteb models: sentence vectors pooled from token vectors, as in two of the papers.

`cls`, `cls+sep`, `mean_last4`: Wold, Simon, Velldal, Øvrelid: *Measuring Idiomaticity in Text Embedding Models with
ε-compositionality*, Table 1. `mean_last4_words`: He, Kramer Vieira, Garcia, Scarton, Idiart, Villavicencio 2025:
*Investigating Idiomaticity in Word Representations*, doi 10.1162/coli_a_00546.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from harness_ext.encoders.models.text_encoder import TextEncoder, loaded_revision, mteb_name
from harness_ext.encoders.spans import LAST_FOUR, TransformerSpans, tokens_of_words
from harness_ext.encoders.texts import EncodingError
from harness_ext.encoders.transformer import TokenModel, TokenStates
from harness_ext.model_name import ModelName

if TYPE_CHECKING:
    import torch

Pooling = Literal["cls", "cls+sep", "mean", "last_token", "mean_last4", "mean_last4_words"]
"""How to make a sentence vector:

- `cls`: the last hidden state of the first token, [CLS].
- `cls+sep`: the sum of the last hidden states of [CLS] and of the final [SEP].
- `mean`: the mean over all tokens, including special tokens, without padding, of the last hidden state.
- `last_token`: the last hidden state of the last token.
- `mean_last4`: the mean over all tokens, including special tokens, without padding, and the last four hidden states.
- `mean_last4_words`: the mean over the words (the parts that `str.split` gives). A word is the mean over its sub-word
  tokens and the last four hidden states. Special tokens belong to no word.
"""

_LAYERS: dict[str, tuple[int, ...]] = {
    "cls": (-1,),
    "cls+sep": (-1,),
    "mean": (-1,),
    "last_token": (-1,),
    "mean_last4": LAST_FOUR,
    "mean_last4_words": LAST_FOUR,
}


class PooledTransformer(TextEncoder):
    """Any Hugging Face checkpoint as an mteb model.

    Texts get no prompt. Texts that are too long for the model are truncated; one warning counts them.
    """

    def __init__(
        self,
        model_name: str,
        revision: str | None = None,
        *,
        device: str | None = None,
        pooling: Pooling | None = None,
        layer: int | None = None,
        dtype: str = "float32",
        max_length: int | None = None,
        **model_kwargs: Any,
    ) -> None:
        """Load the checkpoint; refuse a pooling that its tokenizer does not support.

        Args:
            model_name: A name on the Hub, or a folder. Options at its end, such as ` (pooling=…)`, are ignored.
            revision: A commit, branch or tag on the Hub.
            device: torch's name of the device; by default a GPU if there is one.
            pooling: See `Pooling`; by default `mean_last4`, of a single layer `mean`.
            layer: The hidden state to pool in place of the last, as Hugging Face numbers them: 0 the embeddings, 1 the
                first layer. Words inside sentences get the vectors of this layer alone.
            dtype: torch's name of the dtype.
            max_length: Limit of tokens per text, if the model allows more.
            **model_kwargs: For `AutoModel.from_pretrained`.

        Raises:
            ValueError: The pooling is unknown, needs a token that the tokenizer does not add, or needs more layers
                than there are; there is no such layer, or the pooling is of four layers; or the tokenizer is a slow
                one; names model and pooling.
        """
        import torch
        from sentence_transformers.util import get_device_name
        from transformers import AutoModel, AutoTokenizer

        checkpoint = ModelName.parse(model_name).checkpoint
        if pooling is None:
            pooling = "mean_last4" if layer is None else "mean"
        if pooling not in _LAYERS:
            raise ValueError(f"{checkpoint}: no pooling {pooling!r}; there are {', '.join(get_args(Pooling))}.")
        if layer is not None and len(_LAYERS[pooling]) > 1:
            raise ValueError(f"{checkpoint}: the pooling {pooling!r} is of four layers, not of layer {layer} alone.")
        self.pooling, self.layer = pooling, layer
        self.tokenizer = AutoTokenizer.from_pretrained(checkpoint, revision=revision)
        self.model = AutoModel.from_pretrained(checkpoint, revision=revision, **model_kwargs)
        self.model.to(device or get_device_name(), getattr(torch, dtype)).eval()
        self.max_seq_length = max_length
        token_model = TokenModel.of(self, checkpoint)
        if token_model is None:
            raise ValueError(f"{checkpoint}: {type(self.tokenizer).__name__} is no tokenizer of texts.")
        self.token_model = token_model
        token_model.check_layers(self._layers)
        if layer is not None:
            self.layer = layer % (token_model.n_layers + 1)  # a name has no negative numbers
        self._check_special_tokens()
        options = {"max_length": max_length} if max_length else {}
        super().__init__(
            mteb_name(checkpoint, **options_of(pooling, self.layer)),
            loaded_revision(checkpoint, revision),
            loader=PooledTransformer,
            experiment_kwargs=options | model_kwargs or None,
        )

    def encode_sentences(
        self, texts: Sequence[str], *, batch_size: int = 32, show_progress_bar: bool = True
    ) -> NDArray[np.float32]:
        """Encode each text as one vector; in the order of the texts, shape (n, d).

        Raises:
            EncodingError: A text has no token, not even a special one; or, with `mean_last4_words`, no token of a word.
                Names the text.
        """
        return self.token_model.text_vectors(
            texts, self._layers, self.pool, batch_size=batch_size, show_progress_bar=show_progress_bar
        )

    def span_encoder(
        self, layer_pooling: Literal["mean", "concatenate"], *, batch_size: int, show_progress_bar: bool
    ) -> TransformerSpans:
        """See `harness_ext.encoders.spans.LayeredEncoder`."""
        layers = LAST_FOUR if self.layer is None else (self.layer,)
        return TransformerSpans(self.token_model, layers, layer_pooling, batch_size, show_progress_bar)

    @property
    def _layers(self) -> tuple[int, ...]:
        return _LAYERS[self.pooling] if self.layer is None else (self.layer,)

    def pool(self, batch: TokenStates, texts: list[str]) -> torch.Tensor:
        """Pool the hidden states of a batch to a vector per text, shape (b, d)."""
        if self.pooling.startswith("mean"):
            return batch.mean(self._word_weights(batch, texts) if self.pooling == "mean_last4_words" else batch.mask)
        (states,) = batch.layers
        if self.pooling == "cls":
            return states[:, 0]
        last = states[range(len(states)), batch.mask.sum(dim=1) - 1]
        return last if self.pooling == "last_token" else states[:, 0].float() + last.float()

    def _word_weights(self, batch: TokenStates, texts: list[str]) -> torch.Tensor:
        """Weight of each token, shape (b, t): every word has the weight 1, shared by its tokens."""
        import torch

        weights = np.zeros(batch.mask.shape, dtype=np.float32)
        for row, (text, encoding) in enumerate(zip(texts, batch.encodings, strict=True)):
            words = tokens_of_words(encoding, text)
            if not words:
                raise EncodingError(
                    f"{self.token_model.name}: no word of {text!r} has a token, and the pooling 'mean_last4_words' "
                    "leaves special tokens out."
                )
            for tokens in dict.fromkeys(map(tuple, words)):  # words that share one token count once
                weights[row, list(tokens)] += 1 / len(tokens)
        return torch.from_numpy(weights).to(batch.mask.device)

    def _check_special_tokens(self) -> None:
        """Refuse a missing special token: tokenizers of causal models have no [CLS], or do not add it."""
        ids = self.tokenizer("a").input_ids
        found = {"cls": ids[:1] == [self.tokenizer.cls_token_id], "sep": ids[-1:] == [self.tokenizer.sep_token_id]}
        if missing := [token for token in self.pooling.split("+") if not found.get(token, True)]:
            raise ValueError(
                f"{self.token_model.name}: the pooling {self.pooling!r} needs a {' and a '.join(missing)} token in "
                f"every text, and {type(self.tokenizer).__name__} adds none. Use pooling='mean_last4'."
            )


def options_of(pooling: str, layer: int | None) -> dict[str, str]:
    """The options in the name of a model.

    Examples:
        >>> options_of("cls", None), options_of("cls", 6), options_of("mean", 6)
        ({'pooling': 'cls'}, {'pooling': 'cls', 'layer': '6'}, {'layer': '6'})
    """
    if layer is None:
        return {"pooling": pooling}
    return {**({} if pooling == "mean" else {"pooling": pooling}), "layer": str(layer)}
