"""Language models as mteb models: hidden states of models from lm-eval, pooled to one vector per
text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from harness_ext.common.extras import imported
from harness_ext.common.model_name import ModelName
from harness_ext.encoders.models.pooled import PooledStates
from harness_ext.encoders.models.text_encoder import loaded_revision
from harness_ext.encoders.poolings import pooling_of
from harness_ext.encoders.transformer import TokenModel

if TYPE_CHECKING:
    from lm_eval.models.huggingface import HFLM


class LMHiddenStates(PooledStates):
    """A causal language model that lm-eval has loaded, as an mteb model.

    The model stays unchanged, quantized or spread over several devices. The same model encodes
    spans, see `harness_ext.encoders.spans`. Texts longer than lm-eval's `max_length` are truncated;
    one warning counts them.

    Examples:
        ```python
        from lm_eval.models.huggingface import HFLM

        model = LMHiddenStates(HFLM(pretrained="gpt2"), pooling="mean_last4")
        mteb.evaluate(model, mteb.get_task("EpsilonCompositionality"))
        ```
    """

    def __init__(self, lm: HFLM, pooling: str = "last_token") -> None:
        """Take the model that lm-eval's `hf` loads, and its tokenizer, out of lm-eval's wrapper.

        Raises:
            MissingExtraError: lm-eval is not installed.
            TypeError: The object is not one of lm-eval's Hugging Face models; no other models have
                hidden states.
            ValueError: As for `PooledStates`; or the tokenizer is a slow one, or the model is not
                causal, or runs in a way that its weights do not show; names model and pooling.
        """
        if not isinstance(lm, _hflm()):
            raise TypeError(
                f"LMHiddenStates needs lm_eval.models.huggingface.HFLM (--model hf), not {lm!r}."
            )
        by_name = isinstance(lm.pretrained, str)
        checkpoint = (
            lm.pretrained if by_name else lm.model.config.name_or_path or type(lm.model).__name__
        )
        if lm.backend != "causal":
            raise ValueError(
                f"{checkpoint} is an encoder-decoder; LMHiddenStates is for causal language models."
            )
        if lm.mixed_precision_dtype is not None:
            raise ValueError(
                f"{checkpoint}: load it with dtype={lm.mixed_precision_dtype}, not "
                "mixed_precision_dtype."
            )
        if hasattr(lm, "hook_to_steer"):
            raise ValueError(f"{checkpoint}: lm-eval steers a model only inside its own calls.")
        token_model = TokenModel.of(lm, checkpoint)
        if token_model is None:
            raise ValueError(
                f"{checkpoint}: {type(lm.model).__name__} has no hidden states that can be asked "
                "for."
            )
        super().__init__(
            token_model,
            pooling,
            None,
            loaded_revision(checkpoint, lm.revision) if by_name else None,
            loader=lm_hidden_states,
            experiment_kwargs=_changes(lm) or None,
        )

    def _options(self) -> dict[str, str]:
        return {"lm_states": self.pooling}


def lm_hidden_states(
    model_name: str,
    revision: str | None = None,
    *,
    device: str | None = None,
    pooling: str = "last_token",
    **lm_kwargs: Any,
) -> LMHiddenStates:
    """Load a checkpoint as `lm_eval run --model hf` does, for mteb; on a GPU if there is one, and
    no device is named.

    Further arguments are those of `--model_args`, for `HFLM`: dtype, parallelize, peft, …
    """
    from sentence_transformers.util import get_device_name

    checkpoint = ModelName.parse(model_name).checkpoint
    pooling_of(checkpoint, pooling)  # raises before a large checkpoint is loaded
    device = device or get_device_name()
    lm = _hflm()(pretrained=checkpoint, revision=revision or "main", device=device, **lm_kwargs)
    return LMHiddenStates(lm, pooling)


def _hflm() -> Any:
    return imported("lm_eval.models.huggingface", "lm", "(lm_states=…) needs").HFLM


def _changes(lm: HFLM) -> dict[str, str]:
    """Differences of the model from its checkpoint, so that mteb keeps the results of the two
    apart.
    """
    changes = {"peft": lm.peft, "delta": lm.delta}
    # of transformers 4
    stored = getattr(lm.config, "dtype", None) or getattr(lm.config, "torch_dtype", None)
    if stored is not None and lm.model.dtype != stored:
        changes["dtype"] = str(lm.model.dtype).removeprefix("torch.")
    return {name: value for name, value in changes.items() if value}
