"""Makes the repository of a new board."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import version
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

_HIDDEN = {"github": ".github", "gitignore": ".gitignore"}
"""Name in the package -> name in the repository. Tools that make packages leave out names with a leading dot."""


def init(folder: Path, title: str) -> list[Path]:
    """Make the repository.

    Args:
        folder: The folder to make.
        title: The board's title.

    Returns:
        The files written.

    Raises:
        FileExistsError: The folder is not empty.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise FileExistsError(f"{folder} is there already, and not empty. Name another folder.")
    written = []
    for place, source in _files(files("harness_ext.leaderboard") / "template"):
        path = folder / place
        path.parent.mkdir(parents=True, exist_ok=True)
        text = source.read_text(encoding="utf-8")
        path.write_text(
            text.replace("@TITLE@", title).replace("@VERSION@", version("compositionality-harness")), encoding="utf-8"
        )
        written.append(path)
    return written


def _files(folder: Traversable, place: Path = Path()) -> Iterator[tuple[Path, Traversable]]:
    for each in sorted(folder.iterdir(), key=lambda one: one.name):
        there = place / _HIDDEN.get(each.name, each.name)
        if each.is_dir():
            yield from _files(each, there)
        else:
            yield there, each
