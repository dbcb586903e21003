"""Models and vectors that are read from the user's own folders."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


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


def files_hash(places: Iterable[Path]) -> str:
    """What tells files and folders from others of the same names: the SHA-256 of the names and contents of the files.

    Of a folder all files count, also in folders inside, where sentence-transformers keeps modules; but no hidden ones,
    and none of the checkpoints that a `Trainer` leaves there. To an adapter belongs the model in the folder that it
    names.
    """
    digest = hashlib.sha256()
    for name, path in sorted(entry for place in places for entry in _files(place)):
        with path.open("rb") as file:
            digest.update(name.encode() + hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()


def vectors_hash(path: Path) -> str:
    """The hash of a file of word vectors; the large arrays of gensim's `.kv` lie in other files beside it."""
    return files_hash([path, *path.parent.glob(f"{path.name}.*.npy")])


def _files(place: Path) -> Iterator[tuple[str, Path]]:
    if place.is_file():
        yield place.name, place
    for path in place.rglob("*"):
        inside = path.relative_to(place)
        if path.is_file() and not any(part.startswith((".", "checkpoint-")) for part in inside.parts):
            yield inside.as_posix(), path
            if path.name == "adapter_config.json":
                base = json.loads(path.read_text(encoding="utf-8")).get("base_model_name_or_path") or ""
                if Path(base).is_dir() and Path(base).resolve() != place.resolve():
                    yield from ((f"{inside.as_posix()}/{name}", path) for name, path in _files(Path(base)))
