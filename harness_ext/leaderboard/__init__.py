"""Boards that anyone can host: what is submitted, how far it can be trusted, and the repository it goes to."""
