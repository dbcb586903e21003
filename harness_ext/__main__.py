"""The program `harness-ext`, also as `python -m harness_ext`."""

import signal

from harness_ext.common.interrupt import end_in_one_line


def main() -> None:
    """Run the command line; Ctrl-C ends it with one line, also while it imports what it needs."""
    signal.signal(signal.SIGINT, end_in_one_line)
    from harness_ext.cli import app

    try:
        app()
    finally:
        # it has ended by itself, and its status stands
        if signal.getsignal(signal.SIGINT) is end_in_one_line:
            signal.signal(signal.SIGINT, signal.SIG_IGN)


if __name__ == "__main__":
    main()
