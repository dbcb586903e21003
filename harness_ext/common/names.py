"""Names of tasks, of their data and of control encoders."""

from __future__ import annotations

OWN = "own/"
"""How names of tasks begin that are on a user's own data."""

REFERENCE_MODELS = (
    "compositionality/random-words",
    "compositionality/letters",
    "compositionality/trigrams",
    "compositionality/length",
    "compositionality/bigrams",
    "compositionality/untrained",
    "mteb/baseline-random-encoder",
)
"""The control encoders, which have no meaning: they are never ranked."""


def file_name(task: str) -> str:
    """The name of a task in names of files, which have no `/`."""
    return task.replace("/", "-")


def data_name(subset: str, split: str) -> str:
    """The name of the data of a result in tables: the split, after the subset where there are several."""
    return split if subset == "default" else f"{subset} {split}"
