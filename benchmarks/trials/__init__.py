"""Hostile trials: what becomes of bad vectors, damaged files, interrupted runs. See docs/trust.md."""
