"""What a run leaves on disk: result files, their items, and the signature of a score."""
