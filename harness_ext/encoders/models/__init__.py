"""Encoders that mteb has no wrapper for."""
