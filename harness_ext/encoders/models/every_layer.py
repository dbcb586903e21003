"""Every layer of a checkpoint as an encoder of its own, in a single pass through the model."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from harness_ext.encoders.memory import Item
from harness_ext.encoders.models.pooled import PooledStates, PooledTransformer
from harness_ext.encoders.poolings import pooling_of
from harness_ext.encoders.spans import TransformerSpans
from harness_ext.encoders.transformer import TokenStates

if TYPE_CHECKING:
    import torch


class EveryLayer:
    """Computes the vectors of texts and spans in every layer, from the embeddings to the model's
    output.

    Remembers them until `forget`: (layers + 1) · d numbers of 4 bytes per text.
    """

    def __init__(self, model: PooledTransformer) -> None:
        """Take a model that pools a single layer; any layer."""
        self._model = model
        token_model = model.token_model
        self._pooling = pooling_of(token_model.name, model.pooling, model.layer)
        self._layers = tuple(range(token_model.n_layers + 1))
        self.forget()

    def encoders(self) -> list[OneLayer]:
        """Make an encoder per layer, in their order."""
        return [OneLayer(self._model, layer, self) for layer in self._layers]

    def forget(self) -> None:
        """Forget all vectors."""
        # text, or sentence and span -> a vector per layer
        self._known: dict[Hashable, NDArray[np.float32]] = {}

    def texts(
        self,
        layer: int,
        texts: Sequence[str],
        **options: Any,
    ) -> NDArray[np.float32]:
        """Return the vectors of texts in a layer, shape (n, d); options are batch_size and
        show_progress_bar.
        """

        def pool(batch: TokenStates) -> torch.Tensor:
            import torch

            vectors = []
            for states in batch.layers:
                pooled = self._pooling.pool(batch._replace(layers=[states]))
                vectors.append(pooled.float())
            return torch.cat(vectors, dim=1)

        def encode(new: list[str]) -> NDArray[np.float32]:
            return self._model.token_model.text_vectors(
                new,
                self._layers,
                pool,
                n_vectors=len(self._layers),
                **options,
            )

        return self._remembered(layer, texts, encode)

    def spans(
        self,
        layer: int,
        sentences: Sequence[str],
        spans: Sequence[tuple[int, int]],
    ) -> NDArray[np.float32]:
        """Return the vectors of words in sentences in a layer, shape (n, d)."""

        def encode(new: list[tuple[str, tuple[int, int]]]) -> NDArray[np.float32]:
            encoder = TransformerSpans(
                self._model.token_model,
                self._layers,
                "concatenate",  # side by side; `_remembered` takes the layers apart again
                batch_size=32,
                show_progress_bar=True,
            )
            new_sentences = [sentence for sentence, _ in new]
            new_spans = [span for _, span in new]
            return encoder.encode_spans(new_sentences, new_spans)

        places = list(zip(sentences, spans, strict=True))
        return self._remembered(layer, places, encode)

    def _remembered(
        self,
        layer: int,
        items: Sequence[Item],
        encode: Callable[[list[Item]], NDArray[np.float32]],
    ) -> NDArray[np.float32]:
        """The vectors of items in a layer, shape (n, d). Items that are new are encoded in all
        layers, side by side, shape (new items, layers · d), and remembered.
        """
        new = [item for item in dict.fromkeys(items) if item not in self._known]
        if new:
            vectors = encode(new)
            by_layer = vectors.reshape(len(new), len(self._layers), -1)
            self._known.update(zip(new, by_layer, strict=True))
        vectors_of_layer = [self._known[item][layer] for item in items]
        return np.stack(vectors_of_layer)


class OneLayer(PooledStates):
    """A `PooledTransformer` of a single layer, with the weights and the vectors of an
    `EveryLayer`.
    """

    layer: int

    def __init__(
        self,
        model: PooledTransformer,
        layer: int,
        every: EveryLayer,
    ) -> None:
        self._every = every
        meta = model.mteb_model_meta
        super().__init__(
            model.token_model,
            model.pooling,
            layer,
            meta.revision,
            loader=meta.loader,
            experiment_kwargs=meta.experiment_kwargs,
        )

    def encode_sentences(
        self,
        texts: Sequence[str],
        **options: Any,
    ) -> NDArray[np.float32]:
        """See the base class; the vectors of the other layers are computed too, and remembered."""
        return self._every.texts(self.layer, texts, **options)

    def encode_spans(
        self,
        sentences: Sequence[str],
        spans: Sequence[tuple[int, int]],
    ) -> NDArray[np.float32]:
        """See `harness_ext.encoders.spans.SpanEncoder`; the other layers as for sentences."""
        return self._every.spans(self.layer, sentences, spans)
