"""Files that are written completely or not at all, and files that git-lfs has not fetched."""

import errno
import functools
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

DISK_ERRORS = {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM, errno.EFBIG, errno.EIO}
"""Errors of a disk that is full, read-only, broken, or not writable for the user."""

POINTER = "It is a pointer of git-lfs. To get the file: git lfs pull."
_POINTER_BEGINS = b"version https://git-lfs"

_INCOMPLETE = ".incomplete-"
_SECONDS_KEPT = 86_400  # after these no program still writes to an incomplete folder


def is_pointer(path: Path) -> bool:
    """Whether a file is a pointer of git-lfs, as in a clone without it."""
    with path.open("rb") as file:
        return file.read(len(_POINTER_BEGINS)) == _POINTER_BEGINS


@contextmanager
def incomplete_folder(parent: Path) -> Iterator[Path]:
    """A folder `.incomplete-…` in `parent` to write to; it is removed when the block ends.

    A killed program leaves it; a later program that asks for one in the same `parent` removes those older than a day.
    """
    _remove_abandoned(parent)
    with tempfile.TemporaryDirectory(dir=parent, prefix=_INCOMPLETE) as folder:
        yield Path(folder)


@functools.cache
def _remove_abandoned(parent: Path) -> None:
    """Remove incomplete folders older than a day; once per program."""
    for folder in parent.glob(f"{_INCOMPLETE}*/"):
        try:
            is_old = time.time() - folder.stat().st_mtime > _SECONDS_KEPT
        except FileNotFoundError:  # another program was quicker
            continue
        if is_old:
            shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Yield a temporary path to write to; at the end of the block its file replaces `path` in one step.

    A program killed inside the block leaves `path` unchanged, and a folder `.incomplete-…` beside it.

    Raises:
        OSError: The file cannot be written. Names `path`, because the system's own error does not if the disk is full.
    """
    try:
        with incomplete_folder(path.parent) as folder:
            partial = folder / path.name
            yield partial
            partial.replace(path)
    except OSError as error:
        if error.errno not in DISK_ERRORS:
            raise
        raise OSError(error.errno, os.strerror(error.errno), str(path)) from error


def write_file(path: Path, text: str) -> None:
    """Write a text file as `whole_file` does; its folder is made if missing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(path) as partial:
        partial.write_text(text, encoding="utf-8")
