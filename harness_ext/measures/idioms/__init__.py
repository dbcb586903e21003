"""Uses of idioms."""
