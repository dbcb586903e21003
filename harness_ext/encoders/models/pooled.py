"""Plain transformers as mteb models: sentence vectors pooled from token vectors, as in two of the
papers.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import mteb
import numpy as np
from numpy.typing import NDArray

from harness_ext.common.model_name import ModelName, local_name
from harness_ext.encoders.models.text_encoder import TextEncoder, loaded_revision
from harness_ext.encoders.poolings import LIBRARY_POOLINGS, pooling_of
from harness_ext.encoders.spans import LAST_FOUR, TransformerSpans
from harness_ext.encoders.transformer import TokenModel
from harness_ext.measures.core.fill import LayerPooling


class PooledStates(TextEncoder):
    """A transformer whose hidden states are pooled to a vector per text.

    Attributes:
        token_model: The transformer.
        pooling: The name of the pooling, see `harness_ext.encoders.poolings.POOLINGS`.
        layer: The hidden state that is pooled alone, from 0; None for those of the pooling.
    """

    def __init__(
        self,
        token_model: TokenModel,
        pooling: str,
        layer: int | None,
        revision: str | None,
        **facts: Any,
    ) -> None:
        """Take a loaded transformer, whose name is the checkpoint; `facts` are further metadata.

        Raises:
            ValueError: The pooling is unknown, needs a token that the tokenizer does not add, or
                needs more layers than there are; or there is no such layer, or the pooling is of
                four; names model and pooling.
        """
        self._pooling = pooling_of(token_model.name, pooling, layer)
        token_model.check_layers(self._pooling.layers)
        self.token_model = token_model
        self.pooling = pooling
        # a name has no negative numbers
        self.layer = None if layer is None else layer % (token_model.n_layers + 1)
        self._check_special_tokens()
        folder = Path(token_model.name)
        name = (
            local_name(folder)
            if folder.exists() or "/" not in token_model.name
            else token_model.name
        )
        full_name = str(ModelName(name, self._options()))
        super().__init__(full_name, revision, **facts)

    def _options(self) -> dict[str, str]:
        """The options in the name of the model; of a single layer, `mean` is the default."""
        layer = {} if self.layer is None else {"layer": str(self.layer)}
        return layer if layer and self.pooling == "mean" else {"pooling": self.pooling, **layer}

    def _check_special_tokens(self) -> None:
        """Refuse a missing special token: tokenizers of causal models have no [CLS], or do not add
        it.
        """
        tokenizer = self.token_model.tokenizer
        ids = self.token_model.tokenize(["a"])[0].ids
        is_there = {
            "cls": ids[:1] == [tokenizer.cls_token_id],
            "sep": ids[-1:] == [tokenizer.sep_token_id],
        }
        missing = [token for token in self._pooling.special_tokens if not is_there[token]]
        if missing:
            raise ValueError(
                f"{self.token_model.name}: the pooling {self.pooling!r} needs a "
                f"{' and a '.join(missing)} token in every text, and {type(tokenizer).__name__} "
                "adds none. Use pooling='mean_last4'."
            )

    def encode_sentences(
        self,
        texts: Sequence[str],
        *,
        batch_size: int = 32,
        show_progress_bar: bool = True,
    ) -> NDArray[np.float32]:
        """See the base class; EncodingError for a text without tokens or, with a pooling of words,
        without words.
        """
        return self.token_model.text_vectors(
            texts,
            self._pooling.layers,
            self._pooling.pool,
            n_vectors=self._pooling.n_vectors,
            batch_size=batch_size,
            show_progress_bar=show_progress_bar,
        )

    def span_encoder(
        self, layer_pooling: LayerPooling, *, batch_size: int, show_progress_bar: bool
    ) -> TransformerSpans:
        """Make its span encoder, of its own layer or of the last four."""
        layers = LAST_FOUR if self.layer is None else (self.layer,)
        return TransformerSpans(
            self.token_model, layers, layer_pooling, batch_size, show_progress_bar
        )


class PooledTransformer(PooledStates):
    """Any Hugging Face checkpoint as an mteb model.

    Texts get no prompt; `repooled` gives them one. Too long texts are truncated; one warning counts
    them.
    """

    def __init__(
        self,
        model_name: str,
        revision: str | None = None,
        *,
        device: str | None = None,
        pooling: str | None = None,
        layer: int | None = None,
        dtype: str = "float32",
        max_length: int | None = None,
        **model_kwargs: Any,
    ) -> None:
        """Load the checkpoint.

        Args:
            model_name: A name on the Hub, or a folder. Options at its end, such as ` (pooling=…)`,
                are ignored.
            revision: A commit, branch or tag on the Hub.
            device: torch's name of the device; by default a GPU if there is one.
            pooling: A name of `POOLINGS`; by default `mean_last4`, of a single layer `mean`.
            layer: The hidden state to pool in place of the last, as Hugging Face numbers them: 0
                the embeddings, 1 the first layer. Words inside sentences get the vectors of this
                layer alone.
            dtype: torch's name of the dtype.
            max_length: Limit of tokens per text, if the model allows more.
            **model_kwargs: For `AutoModel.from_pretrained`.

        Raises:
            ValueError: As for `PooledStates`, or the tokenizer is a slow one.
        """
        import torch
        from sentence_transformers.util import get_device_name
        from transformers import AutoModel, AutoTokenizer

        checkpoint = ModelName.parse(model_name).checkpoint
        pooling = ("mean_last4" if layer is None else "mean") if pooling is None else pooling
        pooling_of(checkpoint, pooling, layer)  # raises before a large checkpoint is loaded
        self.tokenizer = AutoTokenizer.from_pretrained(checkpoint, revision=revision)
        self.model = AutoModel.from_pretrained(checkpoint, revision=revision, **model_kwargs)
        self.model.to(device or get_device_name(), getattr(torch, dtype)).eval()
        self.max_seq_length = max_length
        token_model = TokenModel.of(self, checkpoint)
        if token_model is None:
            raise ValueError(
                f"{checkpoint}: {type(self.tokenizer).__name__} is no tokenizer of texts."
            )
        options = {"max_length": max_length} if max_length else {}
        super().__init__(
            token_model,
            pooling,
            layer,
            self._revision(checkpoint, revision),
            experiment_kwargs=options | model_kwargs or None,
        )

    def _revision(
        self,
        checkpoint: str,
        revision: str | None,
    ) -> str | None:
        return loaded_revision(checkpoint, revision)


def repooled(
    model_name: str,
    revision: str | None = None,
    *,
    plain: str,
    pooling: str,
    **kwargs: Any,
) -> Any:
    """Load the model `plain` with its prompts as mteb does, and replace its pooling by one of
    `LIBRARY_POOLINGS`.

    Raises:
        ValueError: sentence-transformers has no pooling in the model, or its version pools another
            vector; names it.
    """
    import sentence_transformers

    meta = mteb.get_model_meta(plain).model_copy(update={"revision": revision})
    model: Any = meta.load_model(**kwargs)
    modules: Any = getattr(model, "model", None)
    for place, module in enumerate(
        modules if isinstance(modules, sentence_transformers.SentenceTransformer) else ()
    ):
        # not isinstance: sentence-transformers 5 has it in another module
        if type(module).__name__ == "Pooling":
            is_old = tuple(map(int, sentence_transformers.__version__.split(".")[:2])) < (6, 2)
            if is_old and pooling == "weighted_mean" and modules.tokenizer.padding_side == "left":
                reason = "before, a mean of weights by position counts the padding on the left"
                raise ValueError(
                    f"{model_name} needs sentence-transformers 6.2 or newer: {reason}."
                )
            dimension = (
                getattr(module, "embedding_dimension", None) or module.word_embedding_dimension
            )
            modules[place] = type(module)(
                dimension, LIBRARY_POOLINGS[pooling], include_prompt=module.include_prompt
            )
            return model
    raise ValueError(
        f"{model_name}: {plain} has no pooling of sentence-transformers that another could replace."
    )
