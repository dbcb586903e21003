"""Files that are there whole or not at all."""

from __future__ import annotations

import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """A path to write to in the place of `path`; what is there when the block ends well replaces `path` at once.

    A program killed inside the block leaves `path` as it was, and a folder `.incomplete-…` beside it.
    """
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=".incomplete-") as folder:
        partial = Path(folder, path.name)
        yield partial
        partial.replace(path)
