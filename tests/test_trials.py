"""The hostile trials run; all of them: `python -m benchmarks.trials`."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from benchmarks.trials.disks import why_no_disk
from benchmarks.trials.run import AREAS, attempt, attempt_all, table, trials_of
from benchmarks.trials.trial import OUTCOMES, Trial, Verdict, judge, unless_lost


def test_bad_names_end_in_clear_messages():
    assert len(trials_of("install and names")) >= 30
    quick = ("explain", "schema", "published", "export", "check", "a command", "a model with")
    found = attempt_all(trials_of("install and names", *quick))
    assert {verdict.outcome for _, verdict in found} == {"clear"}, found


def test_the_judge_tells_the_outcomes_apart(tmp_path):
    """Else a table of nothing but zeros would say nothing."""

    def ours():
        from harness_ext.results.load import load_results

        load_results(tmp_path / "gone")

    assert judge(lambda: 1, lambda value: value == 1).outcome == "right"
    assert judge(lambda: 2, lambda value: value == 1).outcome == "silent"
    assert judge(lambda: np.zeros(2) @ np.zeros(3), bool).outcome == "raw"
    assert judge(ours, bool, "gone").outcome == "clear"
    assert judge(ours, bool, "elsewhere").outcome == "raw"


def test_a_result_that_goes_is_lost(tmp_path):
    file = tmp_path / "results" / "a" / "1" / "T.json"
    file.parent.mkdir(parents=True)
    entry = '{"hf_subset": "default", "main_score": 0.5}'
    file.write_text(f'{{"task_name": "T", "dataset_revision": "1", "scores": {{"test": [{entry}]}}}}')

    def remove():
        file.unlink()
        return Verdict("right", "")

    assert unless_lost(tmp_path, lambda: Verdict("right", "")).outcome == "right"
    assert unless_lost(tmp_path, remove).outcome == "lost"


def test_a_trial_that_fails_itself_is_no_success():
    def fail(folder):
        raise ZeroDivisionError

    assert attempt(Trial("", "", fail)).outcome == "raw"


def test_the_table_in_the_documentation_is_one_of_this_script():
    page = Path(__file__).parents[1].joinpath("docs", "trust.md").read_text(encoding="utf-8")
    header, *rows = [line for line in page.partition("\n## ")[0].splitlines() if line.startswith("|")]
    assert header == table({}).splitlines()[0]
    assert [row.split("|")[1].strip() for row in rows[1:]] == [*AREAS, "**all**"]
    figures = {cells[1].strip(): [int(cell) for cell in cells[2:-1]] for cells in (row.split("|") for row in rows[1:])}
    assert all(tried == sum(outcomes) for tried, *outcomes in figures.values())
    assert figures["**all**"] == [sum(column) for column in zip(*(figures[area] for area in AREAS), strict=True)]
    assert table({"x": Counter(right=2, raw=1)}).splitlines()[2] == "| x | 3 | 2 | 0 | 1 | 0 | 0 |"


def only(**found):
    return {"tried": sum(found.values()), **dict.fromkeys(OUTCOMES, 0), **found}


@pytest.fixture
def outcomes(run):
    """Outcome -> how many of the trials of an area ended so, tried by the command: they fork, which threads forbid."""

    def outcomes(area, *beginnings):
        named = [option for name in beginnings for option in ("--named", name)]
        done = run("python", "-m", "benchmarks.trials", "--only", area, *named, "--details", check=False)
        last = next((line for line in reversed(done.stdout.splitlines()) if line.startswith("| **all**")), "")
        assert last, done.stderr
        found = dict(zip(("tried", *OUTCOMES), map(int, last.strip("| ").split("|")[1:]), strict=True))
        assert done.returncode == bool(found["raw"] + found["silent"] + found["lost"]), done.stderr
        assert not done.returncode, done.stdout
        return found

    return outcomes


@pytest.mark.slow
def test_a_command_that_is_killed_leaves_what_was_there_and_ends_well_the_next_time(outcomes):
    commands = ("run", "download", "export", "report", "board")
    moments = [f"{command}, moment {moment}" for command in commands for moment in ("02", "03")]
    assert outcomes("kills", *moments) == only(right=10)


@pytest.mark.slow
def test_a_disk_that_takes_no_more_is_named(outcomes):
    if why := why_no_disk():
        pytest.skip(f"no small disk can be mounted here: {why}")
    full = "run, room for 0%", "export, room for 30%"
    assert outcomes("disks", *full, "export, out only", "board, cache only") == only(clear=4)


@pytest.mark.slow
def test_encoders_that_fail_and_checkpoints_with_code_of_their_own(outcomes):
    beginnings = ("raises", "zeros", "float16", "a row", "mteb run, pooled of a model that needs")
    assert outcomes("encoders at work", *beginnings) == only(clear=6)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("area", "least"), [("network", 30), ("result folders", 44), ("fine-tuning", 20), ("signals and disk", 13)]
)
def test_an_area(area, least, outcomes):
    assert outcomes(area)["tried"] >= least
