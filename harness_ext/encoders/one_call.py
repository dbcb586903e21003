"""Encoders whose vectors depend on the call: integers on a grid between the extremes of its
vectors.

The grid of a dimension begins at its least value among the vectors of a call, and ends at its
greatest. Vectors of two calls lie on two grids, so no distance between them means anything.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from harness_ext.encoders.wrappers import unwrapped

_FLOATS = {"", "float32"}
"""Values of `precision` that change no vector."""

_BY_ITSELF = ("float", "bfloat", "binary")
"""How the dtypes begin to which mteb's wrapper rounds each value by itself."""


def output_dtype(model: object, encode_kwargs: Mapping[str, Any]) -> str:
    """Name the dtype that vectors are converted to, such as `int8`; "" if they stay as the model
    gives them.

    It is that of mteb's `CompressionWrapper`, else the argument `precision` of
    sentence-transformers.
    """
    precision = str(encode_kwargs.get("precision") or "")
    return _compressed_to(model) or ("" if precision in _FLOATS else precision)


def depends_on_call(model: object, encode_kwargs: Mapping[str, Any]) -> bool:
    """Whether the vector of a text depends on what else is encoded in the same call."""
    compressed = _compressed_to(model)
    if compressed:
        return not compressed.startswith(_BY_ITSELF)
    return output_dtype(model, encode_kwargs) != ""


def mixed_calls(model: object, encode_kwargs: Mapping[str, Any]) -> str:
    """Say which wrapper mixes vectors of several calls, and what to do; "" if none does."""
    from mteb.models import CachedEmbeddingWrapper, CompressionWrapper

    if not depends_on_call(model, encode_kwargs):
        return ""
    is_compressed = False
    for layer in unwrapped(model):
        is_compressed = is_compressed or isinstance(layer, CompressionWrapper)
        if is_compressed and _is_made_of_texts(layer):
            return (
                "mteb's CompressionWrapper stands around a model with (additive) or "
                "(standardized), which a task makes of the vectors of all its texts. Wrap the "
                "model without them."
            )
        if isinstance(layer, CachedEmbeddingWrapper):
            return (
                "mteb's CachedEmbeddingWrapper would mix vectors of several calls, and those in "
                f"{output_dtype(model, encode_kwargs)} depend on the call. Measure without it."
            )
    return ""


def _is_made_of_texts(layer: object) -> bool:
    """Whether a layer is `AdditiveEncoder` or `StandardizedEncoder`."""
    flags = (getattr(layer, name, False) for name in ("is_additive", "is_standardized"))
    return any(flag is True for flag in flags)


def _compressed_to(model: object) -> str:
    """The dtype of mteb's `CompressionWrapper`, such as `int8`; "" if there is none."""
    from mteb.models import CompressionWrapper  # not above: reading results needs no mteb

    for layer in unwrapped(model):
        if isinstance(layer, CompressionWrapper):
            settings = getattr(layer.mteb_model_meta, "experiment_kwargs", None) or {}
            return str(settings.get("output_dtypes", "compressed"))
    return ""
