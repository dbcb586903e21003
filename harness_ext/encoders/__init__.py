"""Ways to get vectors that mteb has no wrapper for: spans, pooled transformers, static word vectors."""

import mteb  # noqa: F401 - the import of mteb imports our registry: not from inside the import of that registry
