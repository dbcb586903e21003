"""Vectors that mteb has no wrapper for: spans, pooled transformers, static word vectors."""

import mteb  # noqa: F401 - mteb's import imports our model registry, so it must come first
