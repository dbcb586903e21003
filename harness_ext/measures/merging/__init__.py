"""Pairs at a threshold, and the decision whether texts may be merged by it."""
