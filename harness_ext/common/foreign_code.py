"""Code of others, such as a check, an encoder or the code of a checkpoint, may not end the program.

A program that ends by `sys.exit()` has the status 0, which says of a gate that all is well.
"""

import traceback
from collections.abc import Iterator
from contextlib import contextmanager

from harness_ext.common.interrupt import IntendedExit


class ForeignExitError(RuntimeError):
    """Code of others tried to end the program; the message says whose, how and where."""


@contextmanager
def no_exit(owner: str) -> Iterator[None]:
    """Make `sys.exit()` in the block an error like any other. Ctrl-C ends the program as ever.

    Args:
        owner: Whose code runs in the block, for the message, such as the name of a model.

    Raises:
        ForeignExitError: The block raised `SystemExit`.
    """
    try:
        yield
    except IntendedExit:
        raise
    except SystemExit as error:
        frames = [
            frame
            for frame in traceback.extract_tb(error.__traceback__)
            if not frame.filename.startswith("<frozen ")  # as that of `exit()`
        ]
        place = f"{frames[-1].filename}, line {frames[-1].lineno}"
        raise ForeignExitError(
            f"{owner} ends the program: {error!r} in {place}. It must return, or raise an error."
        ) from error
