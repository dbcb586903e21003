"""Ways to get vectors that mteb has no wrapper for."""
