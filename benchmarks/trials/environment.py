"""Environments that are not as they should be: the commands say what is wrong, or do as ever."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from benchmarks.trials.results import FIRST, sound
from benchmarks.trials.trial import Trial, Verdict, environment, harness_ext, judge_command, run

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

AREA = "environment"
LIST = ("mteb", "available-tasks", "-t", "EpsilonCompositionalityMini")
LISTED = "EpsilonCompositionalityMini"
OURS = (
    *("HARNESS_EXT_MIRROR", "HARNESS_EXT_CACHE", "HARNESS_EXT_VECTORS", "HARNESS_EXT_SENTIMENT_TREES"),
    *("HARNESS_EXT_USE", "HARNESS_EXT_ELMO", "HARNESS_EXT_ITEMS", "HARNESS_EXT_ALLOW_UNVERIFIED"),
)

LISTINGS: dict[str, dict[str, str]] = {
    "every variable of ours nonsense": dict.fromkeys((*OURS, "HARNESS_EXT_AUTOLOAD"), "/no/such"),
    "every variable of ours empty": dict.fromkeys((*OURS, "HARNESS_EXT_AUTOLOAD"), ""),
    "every variable of ours a device": dict.fromkeys(OURS, "/dev/null"),
    "warnings are errors": {"PYTHONWARNINGS": "error::UserWarning"},
    "an ASCII locale": {"LC_ALL": "C", "PYTHONUTF8": "0"},
    "optimised Python": {"PYTHONOPTIMIZE": "2"},
    "no home": {"HOME": "/no/such"},
}
"""What tasks are listed in, by mteb."""

SHOWS: dict[str, dict[str, str | None]] = {
    "a terminal of 20 columns": {"COLUMNS": "20"},
    "a terminal of no columns": {"COLUMNS": "0"},
    "columns that are a word": {"COLUMNS": "wide"},
    "a dumb terminal": {"TERM": "dumb"},
    "no colours": {"NO_COLOR": "1"},
    "nonsense in every variable": dict.fromkeys(OURS, "\N{SNOWMAN}"),
}
"""What results are shown in."""

SOURCES: dict[str, tuple[dict[str, str | None], tuple[str, ...]]] = {
    "a mirror that there is not": ({"HARNESS_EXT_MIRROR": "/no/such"}, ("/no/such",)),
    "a mirror that is a file": ({"HARNESS_EXT_MIRROR": "/dev/null"}, ("/dev/null",)),
    "a cache that cannot be written": ({"HARNESS_EXT_CACHE": "/dev/null/cache"}, ("HARNESS_EXT_CACHE",)),
    "no mirror and no network": ({"HARNESS_EXT_MIRROR": None}, ("HARNESS_EXT_MIRROR", "HF_HUB_OFFLINE")),
    "trees that there are not": (
        {"HARNESS_EXT_SENTIMENT_TREES": "/gone"},
        ("/gone", "train.txt"),
    ),
}
"""What a task with data to be fetched is run in, and what a message must have in it."""


def trials() -> Iterator[Trial]:
    """Listing, showing, fetching."""
    for kind, variables in LISTINGS.items():
        yield Trial(AREA, f"tasks are listed: {kind}", functools.partial(_list, variables))
    for kind, variables in SHOWS.items():
        yield Trial(AREA, f"results are shown: {kind}", functools.partial(_show, variables))
    for kind, (variables, names) in SOURCES.items():
        yield Trial(AREA, f"a task is run: {kind}", functools.partial(_fetch, variables, names))


def _list(variables: dict[str, str], folder: Path) -> Verdict:
    return judge_command(run(*LIST, folder=folder, **variables), lambda said: LISTED in said, "HARNESS_EXT")


def _show(variables: dict[str, str | None], folder: Path) -> Verdict:
    out = sound(folder)
    with environment(**variables):
        columns = variables.get("COLUMNS") or "200"
        return judge_command(harness_ext("show", out, columns=columns), lambda said: FIRST in said, FIRST)


def _fetch(variables: dict[str, str | None], names: tuple[str, ...], folder: Path) -> Verdict:
    """The sources of the task are nowhere else."""
    from benchmarks.trials.encoders import Planted, main_score
    from benchmarks.trials.trial import judge

    task = "TreeReconstruction" if "HARNESS_EXT_SENTIMENT_TREES" in variables else "EpsilonCompositionality"
    settings = {"HARNESS_EXT_MIRROR": None, "HARNESS_EXT_CACHE": str(folder / "cache"), "HF_HUB_OFFLINE": "1"}
    if "HARNESS_EXT_CACHE" in variables:
        settings["HF_HUB_OFFLINE"] = None  # so that it is written to, before anything is asked for
    with environment(**settings | variables):
        return judge(lambda: main_score(task, Planted(lambda vectors: vectors)), lambda score: False, *names)
