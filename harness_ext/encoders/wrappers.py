"""The models inside a model: wrappers of mteb, sentence-transformers, lm-eval and peft."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

from harness_ext.common.wraps import attribute

_INSIDE = ("token_model", "auto_model", "model")
"""Attributes with the wrapped model: of our wrappers, sentence-transformers', most others."""

_DEEPEST = 10
"""No wrapper is deeper. The bound is for objects that invent every attribute."""

_CACHED = "mteb.models.cache_wrappers:CachedEmbeddingWrapper._model"


def unwrapped(model: Any) -> Iterator[Any]:
    """Yield the model and, level by level, the wrapped models: of mteb, sentence-transformers,
    lm-eval and peft.
    """
    opened: list[Any] = []
    while model is not None and len(opened) < _DEEPEST:
        if any(model is other for other in opened):
            return
        opened.append(model)
        yield model
        model = _inside(model)


def _inside(model: Any) -> Any:
    """The model that a wrapper wraps; None for others."""
    # they take seconds to import, and are not imported for this
    caches = sys.modules.get("mteb.models.cache_wrappers")
    library = sys.modules.get("sentence_transformers")
    if caches is not None and isinstance(model, caches.CachedEmbeddingWrapper):
        return attribute(model, _CACHED)
    if library is not None and isinstance(model, library.SentenceTransformer):
        return next(iter(model), None)
    for name in _INSIDE:
        inside = getattr(model, name, None)
        if inside is not None:
            return inside
    return None
