"""Ways to get vectors that mteb has no wrapper for: spans, pooled transformers, static word vectors."""
