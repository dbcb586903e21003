"""Output of a run on disk: result files, their items, and the signature of a score."""
