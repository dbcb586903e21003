"""Environments that are not as they should be: the commands say what is wrong, or do as ever."""

import pytest

from tests.hostile.judge import command, harness_ext
from tests.hostile.planted_results import FIRST, TASK, Planted, main_score, sound

pytestmark = [pytest.mark.hostile, pytest.mark.slow]
LIST = ("mteb", "available-tasks", "-t", TASK)
OURS = (
    *("HARNESS_EXT_MIRROR", "HARNESS_EXT_CACHE", "HARNESS_EXT_VECTORS", "HARNESS_EXT_SENTIMENT_TREES"),
    *("HARNESS_EXT_USE", "HARNESS_EXT_ELMO", "HARNESS_EXT_ITEMS", "HARNESS_EXT_ALLOW_UNVERIFIED"),
)

LISTINGS = {
    "every variable of ours nonsense": dict.fromkeys((*OURS, "HARNESS_EXT_AUTOLOAD"), "/no/such"),
    "every variable of ours a device": dict.fromkeys(OURS, "/dev/null"),
    "warnings are errors": {"PYTHONWARNINGS": "error::UserWarning"},
    "an ASCII locale": {"LC_ALL": "C", "PYTHONUTF8": "0"},
    "optimised Python": {"PYTHONOPTIMIZE": "2"},
    "no home": {"HOME": "/no/such"},
}
"""What tasks are listed in, by mteb."""

SHOWS = {
    "a terminal of 20 columns": {"COLUMNS": "20"},
    "columns that are a word": {"COLUMNS": "wide"},
    "nonsense in every variable": dict.fromkeys(OURS, "\N{SNOWMAN}"),
}
"""What results are shown in."""

SOURCES = {
    "a mirror that there is not": ({"HARNESS_EXT_MIRROR": "/no/such"}, ("/no/such",)),
    "a mirror that is a file": ({"HARNESS_EXT_MIRROR": "/dev/null"}, ("/dev/null",)),
    "a cache that cannot be written": ({"HARNESS_EXT_CACHE": "/dev/null/cache"}, ("HARNESS_EXT_CACHE",)),
    "no mirror and no network": ({"HARNESS_EXT_MIRROR": None}, ("HARNESS_EXT_MIRROR", "HF_HUB_OFFLINE")),
    "trees that there are not": ({"HARNESS_EXT_SENTIMENT_TREES": "/gone"}, ("/gone", "train.txt")),
}
"""What a task with data to be fetched is run in, and what a message must have in it."""


@pytest.mark.parametrize("kind", LISTINGS)
def test_tasks_are_listed(kind, judge):
    judge(lambda: command(*LIST, **LISTINGS[kind]), lambda said: TASK in said, "HARNESS_EXT")


@pytest.mark.parametrize("kind", SHOWS)
def test_results_are_shown(kind, tmp_path, environment, judge):
    out = sound(tmp_path)
    environment(**SHOWS[kind])
    columns = SHOWS[kind].get("COLUMNS", "200")
    judge(lambda: harness_ext("show", out, columns=columns), lambda said: FIRST in said, FIRST)


@pytest.mark.parametrize("kind", SOURCES)
def test_a_task_is_run_whose_sources_are_nowhere(kind, tmp_path, environment, judge):
    variables, names = SOURCES[kind]
    task = "TreeReconstruction" if "HARNESS_EXT_SENTIMENT_TREES" in variables else "EpsilonCompositionality"
    environment(**{"HARNESS_EXT_MIRROR": None, "HARNESS_EXT_CACHE": str(tmp_path / "cache"), **variables})
    if "HARNESS_EXT_CACHE" in variables:
        environment(HF_HUB_OFFLINE=None)  # so that it is written to, before anything is asked for
    judge(lambda: main_score(task, Planted()), None, *names)
