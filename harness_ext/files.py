"""Files that are written completely or not at all."""

from __future__ import annotations

import errno
import os
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

DISK_ERRORS = {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM, errno.EFBIG, errno.EIO}
"""Errors of a disk that is full, read-only, broken, or not writable for the user."""


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Yield a temporary path to write to; at the end of the block its file replaces `path` in one step.

    A program killed inside the block leaves `path` unchanged, and a folder `.incomplete-…` beside it.

    Raises:
        OSError: The file cannot be written. Names `path`, because the system's own error does not if the disk is full.
    """
    try:
        with tempfile.TemporaryDirectory(dir=path.parent, prefix=".incomplete-") as folder:
            partial = Path(folder, path.name)
            yield partial
            partial.replace(path)
    except OSError as error:
        if error.errno not in DISK_ERRORS:
            raise
        raise OSError(error.errno, os.strerror(error.errno), str(path)) from error
