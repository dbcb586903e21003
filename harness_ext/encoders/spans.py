"""Vectors of the words inside a sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray


class SpanEncoder(Protocol):
    """Something that gives a vector of some words of a sentence, as they are in that sentence."""

    def encode_spans(self, sentences: Sequence[str], spans: Sequence[tuple[int, int]]) -> NDArray[np.float32]:
        """One vector per sentence, of the words from the first number of its span to before the second, (n, d)."""
        ...


def span_encoder(
    model: Any,
    *,
    layers: Sequence[int] = (-4, -3, -2, -1),
    layer_pooling: Literal["mean", "concatenate"] = "mean",
    batch_size: int = 32,
    show_progress_bar: bool = True,
) -> SpanEncoder | None:
    """The model itself if it encodes spans, else None."""
    return model if hasattr(model, "encode_spans") else None
