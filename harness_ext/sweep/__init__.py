"""Measures many models on many tasks: one process per model, on this machine or on a Ray cluster."""
