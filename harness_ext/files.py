"""Files that are there whole or not at all."""

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
"""What the system says where a disk is full, only to be read, not the user's to write, or broken."""


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """A path to write to in the place of `path`; what is there when the block ends well replaces `path` at once.

    A program killed inside the block leaves `path` as it was, and a folder `.incomplete-…` beside it.

    Raises:
        OSError: It cannot be written; names `path`, which the system does not where the disk is full.
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
