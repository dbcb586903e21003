"""Polarity sensitivity scoring (Bhathena et al. 2020)."""
