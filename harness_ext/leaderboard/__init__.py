"""Boards that anyone can host: submissions, their checks, the ranking, the pages, and a board's
repository.
"""
