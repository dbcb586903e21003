"""The bench measures what it says, and runs; how long anything takes is never tested."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from benchmarks.bench.encoder import TINY, throughput
from benchmarks.bench.growth import copy_of
from benchmarks.bench.one_at_a_time import _check, epsilon_script
from benchmarks.bench.report import Section
from benchmarks.bench.run import SECTIONS, app
from benchmarks.bench.tasks import FULL, QUICK, SMALL

ROOT = Path(__file__).parents[1]


def test_copies_of_rows_have_no_text_in_common():
    def texts(value):
        if isinstance(value, dict):
            return {text for name, inside in value.items() if "class" not in name for text in texts(inside)}
        if isinstance(value, list):
            return {text for inside in value for text in texts(inside)}
        return {value} if isinstance(value, str) else set()

    row = {"id": "a", "class": "NC", "span": [0, 2], "sentence": "black box", "words_syn": [{"expression": "dark box"}]}
    one, other = copy_of(row, "0"), copy_of(row, "1")
    assert one == {**row, "id": "a0", "sentence": "black0 box0", "words_syn": [{"expression": "dark0 box0"}]}
    assert not texts(one) & texts(other)


def test_a_script_that_comes_to_other_distances_is_an_error():
    probes = [{"expression": "dark case"}, {"expression": "sooty crate"}]
    row = {"surface": "black box", "sentence": "a black box", "span": [1, 3], "words_syn": probes}
    found = epsilon_script(lambda text: np.array([1.0, len(text)]), [row])
    assert found.shape == (4, 4)  # two slots, two ordered pairs of synonyms
    _check("ε", found, found + 1e-5)
    with pytest.raises(AssertionError, match="ε: the script"):
        _check("ε", found, found + 1e-2)


def test_an_encoder_of_a_few_parameters_on_the_processor():
    from transformers import Qwen3Config

    rows = list(throughput(Qwen3Config(**TINY), "cpu", (2, 4), 8))
    assert [row["texts a second"] for row in rows] == sorted((row["texts a second"] for row in rows), reverse=True)
    assert {row["texts a batch"] for row in rows} == {2, 4}
    assert all(13 + 8 <= row["tokens a second"] / row["texts a second"] <= 13 + 40 for row in rows)


def test_a_section_says_what_is_missing_and_leaves_empty_columns_out():
    rows = [{"task": "A", "s": 0.123456, "MB": None}, {"task": "B", "not measured": "B's data are gone.\nDownload"}]
    assert Section("Title", "About.", rows).markdown() == (
        "## Title\n\nAbout.\n\n| task | s |\n| --- | ---: |\n| A | 0.123 |\n\n- Not measured: B. B's data are gone."
    )


@pytest.mark.slow
def test_the_command_measures_everything_at_its_smallest(run, minilm, tmp_path):
    run("python", "-m", "benchmarks.bench", "--quick", "--output", "bench", PYTHONPATH=str(ROOT))
    report = json.loads((tmp_path / "bench" / "bench.json").read_text(encoding="utf-8"))
    assert set(report["sections"]) == {title for title, _ in SECTIONS.values()}
    tasks = report["sections"]["Tasks against a plain encode"]
    assert [row["task"] for row in tasks] == [name for name, _ in QUICK]
    assert all(row["texts"] > 0 and row["items, MB"] > 0 for row in tasks)
    assert not [row for rows in report["sections"].values() for row in rows if "not measured" in row]
    said = (tmp_path / "bench" / "bench.md").read_text(encoding="utf-8")
    assert all(f"## {title}\n" in said for title, _ in SECTIONS.values())
    assert report["machine"]["torch"]


@pytest.mark.parametrize(("option", "there"), [("--only", list(SECTIONS)), ("--task", [name for name, _ in SMALL])])
def test_what_there_is_not_is_an_error_that_says_what_there_is(option, there, tmp_path):
    done = CliRunner().invoke(app, [option, "speed", "--output", str(tmp_path)], env={"COLUMNS": "2000"})
    assert done.exit_code == 2
    assert all(name in done.output for name in ("speed", *there))
    assert not list(tmp_path.iterdir())


def _tables():
    """The first tables of docs/performance.md: heading -> rows, as dictionaries."""
    page = (ROOT / "docs" / "performance.md").read_text(encoding="utf-8")
    found = {}
    for section in page.split("\n## ")[1:]:
        lines = next(iter(re.findall(r"(?:^\|.*\n)+", section, flags=re.MULTILINE)), "").splitlines()
        cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
        found[section.splitlines()[0]] = [dict(zip(cells[0], row, strict=True)) for row in cells[2:]] if cells else []
    return page, found


def test_the_page_has_every_section_and_every_task():
    page, found = _tables()
    titles = [title for title, _ in SECTIONS.values()]
    assert [title for title in found if title in titles] == titles
    assert all(name in page for name, _ in FULL + SMALL)
    assert {float(row["exponent"]) <= 1.2 for row in found["Growth with data"]} == {True}
    faster = {row["measure"]: float(row["pair / ours"]) for row in found["Against a pair at a time"]}
    assert min(faster["ε-compositionality"], faster["Montague"]) >= 4
