"""The program `harness-ext`, also as `python -m harness_ext`."""

import os
import signal
import sys

from harness_ext.common.errors import INTERRUPTED

_SAID = b"\nInterrupted. No file is half written; run the same command again to go on.\n"


def main() -> None:
    """Run the command line; Ctrl-C ends it with one line, also while it imports what it needs."""
    signal.signal(signal.SIGINT, _interrupt)
    from harness_ext.cli import app

    try:
        app()
    finally:
        if signal.getsignal(signal.SIGINT) is _interrupt:  # it has ended by itself, and its status stands
            signal.signal(signal.SIGINT, signal.SIG_IGN)


def _interrupt(*_: object) -> None:
    """End as after an error, so that all is tidied up, but in silence; a second Ctrl-C ends at once."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    os.write(2, _SAID)  # not by print, which may be at work
    # What begins here may be lost in a callback of an import, or become another error in C code: then it ends there.
    sys.unraisablehook = lambda _: os._exit(INTERRUPTED)
    sys.excepthook = lambda *_: os._exit(INTERRUPTED)
    sys.exit(INTERRUPTED)  # of a KeyboardInterrupt, typer and the libraries make something else


if __name__ == "__main__":
    main()
