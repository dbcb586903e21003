"""Modifier consistency (Carvalho et al. 2025)."""
