"""The bench measures what it says, and runs; how long anything takes is never tested."""

import json
from pathlib import Path

import pytest

from benchmarks.bench.own_time import QUICK_PAIRS
from benchmarks.bench.run import TITLE
from benchmarks.bench.tasks import QUICK
from tests.command_line import save_tiny

ROOT = Path(__file__).parents[1]


@pytest.mark.slow
def test_the_command_measures_everything_at_its_smallest(run, tmp_path):
    save_tiny(tmp_path)
    line = "python -m benchmarks.bench --quick --model ./tiny --output bench"
    run(*line.split(), PYTHONPATH=str(ROOT), HARNESS_EXT_NOISE="1")
    report = json.loads((tmp_path / "bench" / "bench.json").read_text(encoding="utf-8"))
    tasks = report["tasks"]
    assert [row["task"] for row in tasks] == [name for name, _ in QUICK]
    assert all(row["texts"] > 0 and row["items, MB"] > 0 for row in tasks)
    assert not [row for row in tasks if "not measured" in row]
    (own_time,) = report["own_time"]
    assert all(own_time[f"{phase}, s"] > 0 for phase in ("fits", "noise", "fills", "draws"))
    assert [row["rated pairs"] for row in report["pairs"]] == [*QUICK_PAIRS]
    (board,) = report["boards"]
    assert (board["models"], board["results"]) == (2, 6)
    for column in ("build, s", "build, MB", "verify, s", "verify, MB"):
        assert board[column] > 0
    of_task, of_all = report["tokens"]
    assert of_task["tokens of texts"] == of_all["tokens of texts"] > of_task["texts"] > 0
    assert of_task["words and probes"] == of_all["words and probes"] > 0
    said = (tmp_path / "bench" / "bench.md").read_text(encoding="utf-8")
    assert f"## {TITLE}\n" in said
