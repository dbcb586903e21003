"""The last lines of `mteb run`: what was measured, and the next command."""

import shlex
import sys
from collections.abc import Iterable
from pathlib import Path

from harness_ext.results.load import read_results
from harness_ext.show.interpretation import TERMS, cells_in_short
from harness_ext.show.result_tables import main_score


def end_of_run(
    folder: Path,
    files: Iterable[Path],
) -> None:
    """Print task, score, interval and cells of each result in these files, to the errors of the
    terminal.

    Args:
        folder: The output folder of the run, which the next command names.
        files: Result files of this project's tasks, as mteb writes them.
    """
    lines: list[str] = []
    for file in files:
        for entry in read_results(file, None).entries:
            lines.append(f"{entry.task}, {entry.data}: {main_score(entry)}")
            in_short = cells_in_short(entry)
            if in_short:
                lines.append(f"    {in_short}")
    if not lines:
        return
    command = f"Next: harness-ext show {shlex.quote(str(folder))}"
    print(
        "",
        *lines,
        TERMS,
        command,
        sep="\n",
        file=sys.stderr,
    )
