"""Language models as mteb models: hidden states of models from lm-eval, pooled to one vector per text.

`weighted_mean`: Muennighoff 2022, *SGPT: GPT Sentence Embeddings for Semantic Search*, Eq. 2: a causal model's later
tokens have seen more of the text, so the token at position i of t weighs i / (1 + … + t).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
from mteb.models import ModelMeta
from numpy.typing import NDArray

from harness_ext.encoders.models.text_encoder import TextEncoder, loaded_revision, mteb_name
from harness_ext.encoders.spans import LAST_FOUR
from harness_ext.encoders.transformer import TokenModel, TokenStates
from harness_ext.model_name import ModelName

if TYPE_CHECKING:
    import torch
    from lm_eval.models.huggingface import HFLM

LMPooling = Literal["last_token", "mean", "mean_last4", "weighted_mean"]
"""How to pool the hidden states of a text's tokens, including special tokens, without padding:

- `last_token`: the last hidden state of the last token; no other token has seen the whole text.
- `mean`: the mean over the tokens, of the last hidden state.
- `mean_last4`: the mean over the tokens and over the last four hidden states.
- `weighted_mean`: the mean over the tokens weighted by their position, of the last hidden state.
"""


class LMHiddenStates(TextEncoder):
    """A causal language model that lm-eval has loaded, as an mteb model.

    The model stays unchanged, quantised or spread over several devices. The same model encodes spans, see
    `harness_ext.encoders.spans`. Texts longer than lm-eval's `max_length` are truncated; one warning counts them.

    Examples:
        ```python
        from lm_eval.models.huggingface import HFLM

        model = LMHiddenStates(HFLM(pretrained="gpt2"), pooling="mean_last4")
        mteb.evaluate(model, mteb.get_task("EpsilonCompositionality"))
        ```
    """

    def __init__(self, lm: HFLM, pooling: LMPooling = "last_token") -> None:
        """Take the model and its tokenizer out of lm-eval's wrapper.

        Args:
            lm: The model that lm-eval's `hf` loads.
            pooling: See `LMPooling`.

        Raises:
            TypeError: The object is not one of lm-eval's Hugging Face models; no other models have hidden states.
            ValueError: The pooling is unknown or needs more layers than there are; the tokenizer is a slow one; or the
                model is not causal, or runs in a way that its weights do not show; names model and pooling.
        """
        from lm_eval.models.huggingface import HFLM

        if not isinstance(lm, HFLM):
            raise TypeError(f"LMHiddenStates needs lm_eval.models.huggingface.HFLM (--model hf), not {lm!r}.")
        by_name = isinstance(lm.pretrained, str)
        checkpoint = lm.pretrained if by_name else lm.model.config.name_or_path or type(lm.model).__name__
        if pooling not in get_args(LMPooling):
            raise ValueError(f"{checkpoint}: no pooling {pooling!r}; there are {', '.join(get_args(LMPooling))}.")
        if lm.backend != "causal":
            raise ValueError(f"{checkpoint} is an encoder-decoder; LMHiddenStates is for causal language models.")
        if lm.mixed_precision_dtype is not None:
            raise ValueError(f"{checkpoint}: load it with dtype={lm.mixed_precision_dtype}, not mixed_precision_dtype.")
        if hasattr(lm, "hook_to_steer"):
            raise ValueError(f"{checkpoint}: lm-eval steers a model only inside its own calls.")
        token_model = TokenModel.of(lm, checkpoint)
        if token_model is None:
            raise ValueError(f"{checkpoint}: {type(lm.model).__name__} has no hidden states that can be asked for.")
        self.pooling = pooling
        self.token_model = token_model
        self._layers = LAST_FOUR if pooling == "mean_last4" else (-1,)
        token_model.check_layers(self._layers)
        super().__init__(
            mteb_name(checkpoint, lm_states=pooling),
            loaded_revision(checkpoint, lm.revision) if by_name else None,
            loader=lm_hidden_states,
            experiment_kwargs=_changes(lm) or None,
        )

    def encode_sentences(
        self, texts: Sequence[str], *, batch_size: int = 32, show_progress_bar: bool = True
    ) -> NDArray[np.float32]:
        """Encode each text as one vector; in the order of the texts, shape (n, d).

        Raises:
            EncodingError: A text has no token, not even a special one; names the text.
        """
        return self.token_model.text_vectors(
            texts, self._layers, self._pool, batch_size=batch_size, show_progress_bar=show_progress_bar
        )

    def _pool(self, batch: TokenStates, texts: list[str]) -> torch.Tensor:
        position = batch.mask.cumsum(dim=1)  # from 1; padding is on the right
        if self.pooling == "last_token":
            return batch.mean((position == position[:, -1:]) * batch.mask)
        return batch.mean(position * batch.mask if self.pooling == "weighted_mean" else batch.mask)


def lm_hidden_states(
    model_name: str,
    revision: str | None = None,
    *,
    device: str | None = None,
    pooling: LMPooling = "last_token",
    **lm_kwargs: Any,
) -> LMHiddenStates:
    """Load a checkpoint as `lm_eval run --model hf` does, for mteb.

    Args:
        model_name: A name on the Hub, or a folder. ` (lm_states=…)` at its end is ignored.
        revision: A commit, branch or tag on the Hub.
        device: torch's name of the device; by default a GPU if there is one.
        pooling: See `LMPooling`.
        **lm_kwargs: For `HFLM`, as in `--model_args`: dtype, parallelize, peft, …
    """
    from lm_eval.models.huggingface import HFLM
    from sentence_transformers.util import get_device_name

    lm = HFLM(
        pretrained=ModelName.parse(model_name).checkpoint,
        revision=revision or "main",
        device=device or get_device_name(),
        **lm_kwargs,
    )
    return LMHiddenStates(lm, pooling)


def lm_states_meta(name: str, revision: str | None = None) -> ModelMeta | None:
    """Metadata to load `some/checkpoint (lm_states=last_token)` in mteb; None for a name of another form.

    Raises:
        ValueError: There is no such pooling; lists the poolings.
    """
    named = ModelName.parse(name)
    if named.options.keys() != {"lm_states"}:
        return None
    pooling = named.options["lm_states"]
    if pooling not in get_args(LMPooling):
        raise ValueError(f"{name}: no pooling {pooling!r}; there are {', '.join(get_args(LMPooling))}.")
    facts = {
        "name": name,
        "loader": lm_hidden_states,
        "loader_kwargs": {"pooling": pooling},
        "framework": ["PyTorch", "Transformers"],
        "adapted_from": named.checkpoint,
    }
    # not in the facts: mteb would replace a revision of None by a placeholder, and ask the Hub for it
    return ModelMeta.create_empty(facts).model_copy(update={"revision": revision})


def _changes(lm: HFLM) -> dict[str, str]:
    """Differences of the model from its checkpoint, so that mteb keeps the results of the two apart."""
    changes = {"peft": lm.peft, "delta": lm.delta}
    stored = getattr(lm.config, "dtype", None)
    if stored is not None and lm.model.dtype != stored:
        changes["dtype"] = str(lm.model.dtype).removeprefix("torch.")
    return {name: value for name, value in changes.items() if value}
