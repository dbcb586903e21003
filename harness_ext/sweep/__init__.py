"""Measures many models on many tasks: a task of Ray per model, on this machine or on a cluster."""
