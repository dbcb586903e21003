"""A row for each task of either harness: what tasks, documentation, results, reports and boards know of it.

Imports the measures and plain Python alone, so that reading results needs no harness.
"""
