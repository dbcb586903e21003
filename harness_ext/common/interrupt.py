"""Ctrl-C ends a program with one line, whatever it is doing. Imports nothing heavy: it is set
before all else.
"""

import os
import signal
import sys
from types import FrameType

INTERRUPTED = 130  # the exit status after Ctrl-C, as that of a shell


class IntendedExit(SystemExit):
    """This project ends the program, as by Ctrl-C. Any other `SystemExit` is of code of others."""


_SAID = b"\nInterrupted. No file is half written; run the same command again to go on.\n"


def end_in_one_line(
    _: int,
    frame: FrameType | None,
) -> None:
    """End as after an error, so that all is tidied up, but in silence; a second Ctrl-C ends at
    once.

    A handler of SIGINT.
    """
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    os.write(2, _SAID)  # not by print, which may be at work
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            # C++ aborts where it imports and gets an exception; an import has nothing to tidy up
            os._exit(INTERRUPTED)
        frame = frame.f_back
    # What begins here may be lost in a callback, or become another error in C code: then it ends
    # there.
    sys.unraisablehook = lambda _: os._exit(INTERRUPTED)
    sys.excepthook = lambda *_: os._exit(INTERRUPTED)
    # typer and the libraries make something else of a KeyboardInterrupt
    raise IntendedExit(INTERRUPTED)
