"""The models inside a model: wrappers of mteb, sentence-transformers, lm-eval and peft."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

from harness_ext.common.wraps import attribute

_INSIDE = ("token_model", "auto_model", "model", "_model")
"""Attributes with the wrapped model: of our wrappers, sentence-transformers', most others."""


def unwrapped(model: Any) -> Iterator[Any]:
    """Yield the model and, level by level, the wrapped models: of mteb, sentence-transformers,
    lm-eval and peft.
    """
    opened: list[Any] = []
    # no wrapper is deeper than 10; the bound is for objects that invent every attribute
    while model is not None and len(opened) < 10 and not any(model is other for other in opened):
        opened.append(model)
        yield model
        # it takes seconds to import, and is not imported for this
        library = sys.modules.get("sentence_transformers")
        caches = sys.modules.get("mteb.models.cache_wrappers")
        if caches is not None and isinstance(model, caches.CachedEmbeddingWrapper):
            model = attribute(model, "mteb.models.cache_wrappers:CachedEmbeddingWrapper._model")
        elif library is not None and isinstance(model, library.SentenceTransformer):
            model = next(iter(model), None)
        else:
            model = next(
                (inside for name in _INSIDE if (inside := getattr(model, name, None)) is not None),
                None,
            )
