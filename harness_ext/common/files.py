"""Files that are written completely or not at all, and files that git-lfs has not fetched."""

import errno
import functools
import os
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

FULL = {errno.ENOSPC, errno.EDQUOT}
"""Errors of a disk that is full, or of a user's share of it."""

DISK_ERRORS = FULL | {
    errno.EROFS,
    errno.EACCES,
    errno.EPERM,
    errno.EFBIG,
    errno.EIO,
    errno.EEXIST,
    errno.ENOTDIR,
    errno.EISDIR,
    errno.ENAMETOOLONG,
    errno.ELOOP,
}
"""Errors of a place that cannot be written to: a disk that is full, read-only, broken or not the
user's; a path with a file in place of a folder or the other way round, with too long a name, or
with links in a circle."""

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

    A killed program leaves it; a later program that asks for one in the same `parent` removes those
    older than a day.
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
    """Yield a temporary path to write to; at the end of the block its file replaces `path` in one
    step.

    A program killed inside the block leaves `path` unchanged, and a folder `.incomplete-…` beside
    it. A link stays, and the file that it leads to is replaced. A pipe, a device, and the file that
    this program prints to stay too: at the end of the block the contents are written into them.

    Raises:
        OSError: The file cannot be written. Names `path`, because the system's own error does not
            if the disk is full.
    """
    try:
        if _is_kept(path):
            with tempfile.TemporaryDirectory() as folder:
                partial = Path(folder, path.name)
                yield partial
                with partial.open("rb") as written, _opened(path) as kept:
                    shutil.copyfileobj(written, kept)
        else:
            target = Path(os.path.realpath(path))
            with incomplete_folder(target.parent) as folder_beside:
                partial = folder_beside / path.name
                yield partial
                partial.replace(target)
    except OSError as error:
        if error.errno not in DISK_ERRORS:
            raise
        raise OSError(error.errno, os.strerror(error.errno), str(path)) from error


def _is_kept(path: Path) -> bool:
    """Whether a path is written into: a pipe, a device, or the file that this program prints to."""
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return False
    is_file_or_folder = stat.S_ISREG(mode) or stat.S_ISDIR(mode)
    return not is_file_or_folder or _descriptor(path) is not None


def _opened(path: Path) -> BinaryIO:
    """Open a path to write into it; if this program prints to it, behind what is printed."""
    descriptor = _descriptor(path)
    if descriptor is None:
        return path.open("wb")
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    return os.fdopen(os.dup(descriptor), "wb")


def _descriptor(path: Path) -> int | None:
    """The descriptor by which this program prints to a path, as to `/dev/stdout`, if it does."""
    for descriptor in (1, 2):
        with suppress(OSError):  # it is closed
            if os.path.samestat(path.stat(), os.fstat(descriptor)):
                return descriptor
    return None


def write_file(path: Path, text: str) -> None:
    """Write a text file as `whole_file` does; its folder is made if missing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(path) as partial:
        partial.write_text(text, encoding="utf-8")
