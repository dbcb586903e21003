"""The bench measures what it says, and runs; how long anything takes is never tested."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from benchmarks.bench.growth import TASKS, copy_of
from benchmarks.bench.report import Section
from benchmarks.bench.run import SECTIONS
from benchmarks.bench.tasks import FULL, QUICK, SMALL
from tests.every_command import save_tiny

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


def test_a_section_says_what_is_missing_and_leaves_empty_columns_out():
    rows = [{"task": "A", "s": 0.123456, "MB": None}, {"task": "B", "not measured": "B's data are gone.\nDownload"}]
    assert Section("Title", "About.", rows).markdown() == (
        "## Title\n\nAbout.\n\n| task | s |\n| --- | ---: |\n| A | 0.123 |\n\n- Not measured: B. B's data are gone."
    )


@pytest.mark.slow
def test_the_command_measures_everything_at_its_smallest(run, tmp_path):
    save_tiny(tmp_path)
    run("python", "-m", "benchmarks.bench", "--quick", "--model", "./tiny", "--output", "bench", PYTHONPATH=str(ROOT))
    report = json.loads((tmp_path / "bench" / "bench.json").read_text(encoding="utf-8"))
    assert set(report["sections"]) == {title for title, _ in SECTIONS.values()}
    tasks = report["sections"]["Tasks against a plain encode"]
    assert [row["task"] for row in tasks] == [name for name, _ in QUICK]
    assert all(row["texts"] > 0 and row["items, MB"] > 0 for row in tasks)
    assert not [row for rows in report["sections"].values() for row in rows if "not measured" in row]
    said = (tmp_path / "bench" / "bench.md").read_text(encoding="utf-8")
    assert all(f"## {title}\n" in said for title, _ in SECTIONS.values())
    assert report["machine"]["torch"]


def test_the_page_has_every_section_and_every_task():
    page = (ROOT / "docs" / "performance.md").read_text(encoding="utf-8")
    titles = [title for title, _ in SECTIONS.values()]
    assert [title for title in re.findall(r"^## (.*)$", page, re.MULTILINE) if title in titles] == titles
    assert all(name in page for name, _ in FULL + SMALL)
    _, growth = page.split("## Growth with data\n")
    exponents = re.findall(r"([\d.]+) \|$", growth, re.MULTILINE)
    assert len(exponents) == len(TASKS)
    assert max(map(float, exponents)) <= 1.2
