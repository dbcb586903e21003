"""`harness-ext leaderboard build`: the pages and the data that it writes."""

from __future__ import annotations

import csv
import json
from urllib.parse import quote

import pytest

from harness_ext.leaderboard.build import build
from harness_ext.results.load import load_results
from harness_ext.show.numbers import with_interval

from .small_board import FILE, truncated
from .synthetic import write_models


def lines(site):
    with (site / "data" / "board.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_names_of_strangers_are_texts(made_up, tmp_path):
    """Neither a script on a page nor a formula in a spreadsheet, nor a file anywhere else."""
    for name, number in (("=cmd|' /C calc'!A0", 1), ("<script>alert(1)</script>", 2), ("../../../escape", 3)):
        folder = made_up / f"results/synthetic__model-{number:05d}/1"
        for file in folder.glob("*.json"):
            text = file.read_text().replace(f"model:synthetic/model-{number:05d}", f"model:{quote(name)}")
            file.write_text(text.replace(f"synthetic/model-{number:05d}", name))
    site = tmp_path / "deep" / "site"
    assert build([made_up], site) == []
    names = {line["model"] for line in lines(site)}
    assert "'=cmd|' /C calc'!A0" in names
    assert "<script>alert(1)</script>" in names
    for page in site.rglob("*.html"):
        assert "<script>alert" not in page.read_text(encoding="utf-8")
    assert sorted(path.name for path in (tmp_path / "deep").iterdir()) == ["site"]
    assert len(list((site / "models").iterdir())) == 4


def test_opposites_have_a_page_and_no_say_in_the_overall_rank(tmp_path):
    write_models(tmp_path, range(1), ["MergeOpposites"])
    assert build([tmp_path], tmp_path / "site") == []
    front, page = ((tmp_path / "site" / f"{name}.html").read_text() for name in ("index", "tasks/mergeopposites"))
    assert "Opposites<wbr>" in front
    assert front.count("· not in the overall rank") == 4  # of the construct, in two tables, and its columns
    for entry in load_results(tmp_path).entries:
        for key in ("kept_apart_90", "threshold_90", "kept_apart_90_negation"):
            assert with_interval(entry.scores[key], entry.interval(key)) in page
    assert "negation: one sentence denies the other" in page


@pytest.mark.slow
def test_the_data_beside_the_pages(made_up, tmp_path):
    site = tmp_path / "site"
    build([made_up], site)
    rows, records = lines(site), json.loads((site / "data" / "board.json").read_text())
    assert len(rows) == len(records) == 16
    assert [float(row["main_score"]) for row in rows] == [one["main_score"] for one in records]
    assert {row["task"] for row in rows if row["in_overall_rank"] == "True"} == {"PolaritySensitivity"}
    assert {row["overall_best_rank"] for row in rows} <= set("1234")


@pytest.mark.slow
def test_the_command(made_up, run, tmp_path):
    environment = {"HARNESS_EXT_CACHE": str(tmp_path / "cache")}
    done = run("harness-ext", "leaderboard", "build", str(made_up), "-o", "site", "--strict", **environment)
    assert "index.html" in done.stdout
    truncated(made_up / FILE)
    done = run("harness-ext", "leaderboard", "build", str(made_up), "-o", "site", **environment)
    assert FILE in done.stderr
    assert "not on the board" in done.stderr
    assert FILE in (tmp_path / "site" / "problems.html").read_text()
    done = run(
        "harness-ext", "leaderboard", "build", str(made_up), "-o", "site", "--strict", check=False, **environment
    )
    assert done.returncode == 1
    for wrong in ("nowhere", str(tmp_path / "site")):
        done = run("harness-ext", "leaderboard", "build", wrong, check=False, **environment)
        assert done.returncode == 2
        assert wrong in done.stderr
        assert "Traceback" not in done.stderr
