"""Imported by the server that children are forked from: they find all imported, and a task measured once."""

import tempfile
from pathlib import Path

import tests.hostile.writing_commands  # noqa: F401
from tests.hostile.planted_results import measure

with tempfile.TemporaryDirectory() as name:
    measure(Path(name))
