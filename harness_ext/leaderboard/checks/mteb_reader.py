"""Asks mteb to read what is submitted: a file that it cannot read would break
`mteb.ResultCache(BOARD).load_results()` for everybody.
"""

import os
from collections.abc import Sequence
from pathlib import Path

from harness_ext.leaderboard.checks.finding import Finding
from harness_ext.leaderboard.checks.helper_process import HelperProcess

MTEB = HelperProcess("-m", "harness_ext.leaderboard.checks.mteb_program")


def mteb_findings(files: Sequence[Path]) -> list[Finding]:
    """Find the first file that mteb cannot read.

    Args:
        files: Results in a folder, and the metadata of its model, which passed all other checks.
    """
    # The process keeps the folder in which it was started.
    names = [os.fsencode(file.absolute()).hex() for file in files]
    answer = MTEB.ask(["read", *names])
    if answer is None:
        message = "mteb cannot read the results: the process that read them died."
        return [Finding(files[0].parent, "", "", "results that mteb reads", message)]
    (problem,) = answer
    if problem is None:
        return []
    number, key, reason = problem
    return [Finding(files[number], key, reason, "as mteb writes it", "mteb cannot read it.")]


def is_registered(name: str, revision: str) -> bool:
    """Whether mteb's registry, or this project's models in it, pins a revision of a model."""
    answer = MTEB.ask(["registered", name, revision])
    return answer == [True]
