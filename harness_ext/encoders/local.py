"""Models and vectors that are read from the user's own folders."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def folders_of(variable: str) -> list[Path]:
    """The folders that an environment variable names, separated by `os.pathsep`."""
    return [Path(folder) for folder in os.environ.get(variable, "").split(os.pathsep) if folder]


def first_found(names: Iterable[str], folders: Sequence[Path]) -> Path | None:
    """The first file or folder of one of these names that lies in one of `folders`; the earlier folder goes first."""
    names = list(names)
    return next((folder / name for folder in folders for name in names if (folder / name).exists()), None)


def find_local(model_name: str, names: Sequence[str], folders: Sequence[Path], variable: str, source: str) -> Path:
    """As `first_found`.

    Args:
        model_name: For the message.
        names: What the model may be called there.
        folders: Where to look.
        variable: The environment variable that adds to `folders`.
        source: Where to get the model.

    Raises:
        FileNotFoundError: It lies in none; says where to get it and where to put it.
    """
    if found := first_found(names, folders):
        return found
    where = ", ".join(map(str, folders)) or f"the folders of {variable}, which is not set"
    raise FileNotFoundError(
        f"{model_name}: none of {', '.join(names)} in {where}. Get it from {source}, and set the environment variable "
        f"{variable} to the folder that it lies in."
    )


def files_hash(files: Iterable[Path]) -> str:
    """What tells files from others of the same names: the SHA-256 of their names and contents, by name."""
    digest = hashlib.sha256()
    for path in sorted(files, key=lambda path: path.name):
        with path.open("rb") as file:
            digest.update(path.name.encode() + hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()
