"""The bench measures what it says, and runs; how long anything takes is never tested."""

from __future__ import annotations

import json
import multiprocessing
import re
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from benchmarks.bench.clock import peak_megabytes, ratio
from benchmarks.bench.encoder import TINY, throughput
from benchmarks.bench.growth import copy_of, exponent, metrics, phrases, rows_of
from benchmarks.bench.one_at_a_time import _check, epsilon_script
from benchmarks.bench.report import Section
from benchmarks.bench.run import SECTIONS, app
from benchmarks.bench.tasks import FULL, QUICK, SMALL

ROOT = Path(__file__).parents[1]


def test_the_exponent_of_a_power_is_that_power():
    sizes = [10, 100, 1000]
    assert exponent(sizes, [0.3 * size**1.5 for size in sizes]) == pytest.approx(1.5)


def test_the_ratio_is_that_of_runs_in_turn():
    """A machine that is ten times as slow in one of three rounds changes nothing."""
    assert ratio([2.0, 20.0, 2.0], [1.0, 10.0, 1.0]) == 2.0


def _peak_after(megabytes):
    kept = np.ones(megabytes * 1_000_000, dtype=np.uint8)
    return peak_megabytes() + 0 * len(kept)


def test_the_peak_of_a_process_is_its_own():
    """Not that of the process which started it, as `getrusage` has it."""
    large = np.ones(600_000_000, dtype=np.uint8)
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        little, much = pool.apply(_peak_after, (1,)), pool.apply(_peak_after, (300,))
    assert little < peak_megabytes() - len(large) / 1e6 + 200
    assert 250 < much - little < 350


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


@pytest.mark.parametrize("name", ["EpsilonCompositionality", "TypeTokenIdiomaticity"])
def test_ten_times_the_rows_are_ten_times_the_data(name):
    one, three = (rows_of(name, "EpsilonCompositionalityMini", size) for size in (1, 3))
    assert len(three) == 3 * len(one) == 3 * len({row["id"] for row in three}) / 3
    assert len({row["compound"] for row in three}) == 3 * len({row["compound"] for row in one})
    assert metrics(name, one).processor > 0


def test_phrases_of_adjectives_of_every_type():
    rows = phrases(5)
    assert len(rows) == 5 * 12 + 5 * 4 * 12
    assert {row["types"][0] for row in rows} == {"S-I", "S-NI", "NS-Pl", "NS-Pr", "A"}


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
