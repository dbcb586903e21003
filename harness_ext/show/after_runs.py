"""Has the results of `mteb run` printed at its end; imports what prints them when there is
something to print.
"""

from collections.abc import Sequence
from pathlib import Path

from harness_ext.harnesses.mteb.run import call_after_runs


def register() -> None:
    """Ask to be called at the end of each `mteb run`."""
    call_after_runs(_print_results)


def _print_results(
    folder: Path,
    files: Sequence[Path],
) -> None:
    from harness_ext.show.end_of_run import end_of_run  # not above: mteb imports this module

    end_of_run(folder, files)
