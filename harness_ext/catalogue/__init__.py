"""A row for each task of either harness, which tasks, documentation, results, reports and boards read.

Imports the measures and plain Python alone, so that reading results needs no harness.
"""
