"""Models and vectors in the user's own folders."""

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path


def folders_of(variable: str) -> list[Path]:
    """List the folders in an environment variable, separated by `os.pathsep`."""
    folders = os.environ.get(variable, "").split(os.pathsep)
    return [Path(folder) for folder in folders if folder]


def first_found(
    names: Sequence[str],
    folders: Sequence[Path],
) -> Path | None:
    """Find the first file or folder with one of these names in `folders`; the earlier folder goes
    first.
    """
    for folder in folders:
        for name in names:
            path = folder / name
            if path.exists():
                return path
    return None


def find_local(
    model_name: str,
    names: Sequence[str],
    variable: str,
    source: str,
    more_folders: Sequence[Path] = (),
) -> Path:
    """Find a model of one of these names in the folders of an environment variable, or in more
    folders.

    Raises:
        FileNotFoundError: The model is in none of them; tells where to get it and where to put it.
    """
    folders = [*folders_of(variable), *more_folders]
    path = first_found(names, folders)
    if path:
        return path
    where = ", ".join(map(str, folders)) or f"the folders of {variable}, which is not set"
    raise FileNotFoundError(
        f"{model_name}: none of {', '.join(names)} in {where}. Get it from {source}, and set the "
        f"environment variable {variable} to the folder that it lies in."
    )


def files_hash(places: Iterable[Path]) -> str:
    """Hash names and contents of files by SHA-256, to distinguish files and folders of the same
    names.

    All files of a folder and its subfolders count (sentence-transformers keeps modules there),
    except hidden files and the checkpoints of a `Trainer`. The hash of an adapter includes the
    model in the folder that the adapter names.
    """
    digest = hashlib.sha256()
    entries: list[tuple[str, Path]] = []
    for place in places:
        entries += _files(place)
    for name, path in sorted(entries):
        with path.open("rb") as file:
            content = hashlib.file_digest(file, "sha256")
        digest.update(name.encode() + content.digest())
    return digest.hexdigest()


def vectors_hash(path: Path) -> str:
    """Hash a file of word vectors; gensim keeps large arrays of a `.kv` in other files
    beside it.
    """
    return files_hash([path, *path.parent.glob(f"{path.name}.*.npy")])


def _files(place: Path) -> Iterator[tuple[str, Path]]:
    if place.is_file():
        yield place.name, place
    for path in place.rglob("*"):
        inside = path.relative_to(place)
        if not path.is_file() or any(map(_is_left_out, inside.parts)):
            continue
        yield inside.as_posix(), path
        if path.name == "adapter_config.json":
            base = _base_of_adapter(path)
            if base is not None and base.resolve() != place.resolve():
                for name, file in _files(base):
                    yield f"{inside.as_posix()}/{name}", file


def _is_left_out(name: str) -> bool:
    """Whether a file or folder is hidden, or a checkpoint of a `Trainer`."""
    return name.startswith((".", "checkpoint-"))


def _base_of_adapter(path: Path) -> Path | None:
    """The folder of the model that an adapter was made for, by its configuration; None where it
    names none, or a model on the Hub.
    """
    config = json.loads(path.read_text(encoding="utf-8"))
    base = config.get("base_model_name_or_path")
    if not base or not Path(base).is_dir():
        return None
    return Path(base)
