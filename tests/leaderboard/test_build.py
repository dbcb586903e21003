"""`harness-ext leaderboard build`: the pages and the data that it writes."""

from __future__ import annotations

import csv
import json
import re
import shutil

import pytest

from harness_ext.leaderboard.build import build
from harness_ext.leaderboard.checks.records import Rerun, cell_key
from harness_ext.results.load import load_results
from harness_ext.show.numbers import with_interval
from tests.leaderboard.small_board import FILE, rename, truncated, write_models


@pytest.fixture(scope="module")
def site(four_models, tmp_path_factory):
    """Of four models, three with names of strangers, one with another version of a measure, one
    that was run again.
    """
    folder = shutil.copytree(four_models, tmp_path_factory.mktemp("board"), dirs_exist_ok=True)
    entry = next(entry for entry in load_results(folder).entries if entry.model.endswith("0"))
    Rerun(
        *cell_key(entry), entry.digest, "float32", entry.scores, "a maintainer", "2026-01-31"
    ).write(folder)
    for name, number in (
        ("=cmd|' /C calc'!A0", 1),
        ("<script>alert(1)</script>", 2),
        ("../../../escape\u202e", 3),
    ):
        rename(folder, number, name)
    (folder / FILE).write_text((folder / FILE).read_text().replace("polarity-", "polarity-9"))
    site = tmp_path_factory.mktemp("deep") / "site"
    assert build([folder], site) == []
    return site


@pytest.fixture
def lines(site):
    """The rows of its table."""
    with (site / "data" / "board.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_names_of_strangers_are_texts(site, lines):
    """Neither a script on a page nor a formula in a spreadsheet, nor a file anywhere else."""
    names = {line["model"] for line in lines}
    assert "'=cmd|' /C calc'!A0" in names
    assert "<script>alert(1)</script>" in names
    assert "../../../escape\ufffd" in names
    for page in site.rglob("*.html"):
        assert "<script>alert" not in page.read_text(encoding="utf-8")
    assert [path.name for path in site.parent.iterdir()] == ["site"]
    assert len(list((site / "models").iterdir())) == 4
    assert "another version" in (site / "tasks" / "polaritysensitivity.html").read_text()


def test_headings_lead_to_the_glossary(site):
    glossary = (site / "glossary.html").read_text(encoding="utf-8")
    terms = set(re.findall(r'<dt id="([^"]*)"', glossary))
    linked = set()
    for page in site.rglob("*.html"):
        linked.update(re.findall(r'glossary\.html#([^"]*)"', page.read_text(encoding="utf-8")))
    assert linked <= terms
    assert {"95-interval", "additive-baseline", "chance", "matched-noise", "ranks"} <= linked
    page = (site / "tasks" / "polaritysensitivity.html").read_text(encoding="utf-8")
    heading = 'vs <a href="../glossary.html#matched-noise">noise</a></th>'
    assert heading in page


def test_the_data_beside_the_pages(site, lines):
    records = json.loads((site / "data" / "board.json").read_text())
    assert len(lines) == len(records) == 16
    assert [float(line["main_score"]) for line in lines] == [one["main_score"] for one in records]
    assert {line["overall_lists"] for line in lines} == {""}  # polarity as by default is on no list
    assert {line["overall_english_best_rank"] for line in lines} == {""}
    page = next((site / "models").glob("synthetic*.html")).read_text()
    assert "It has no overall place: it lacks 17 of the 17 scores of the list english" in page
    assert re.search(
        r"it lacks on the list <i>english</i></summary><p class=\"note\">EpsilonComp", page
    )
    assert sorted(line["trust"] for line in lines) == ["rerun"] + ["scores follow from items"] * 15


def test_opposites_have_a_page_and_no_say_in_the_overall_place(tmp_path):
    write_models(tmp_path, range(1), ["MergeOpposites"])
    assert build([tmp_path], tmp_path / "site") == []
    front, page = (
        (tmp_path / "site" / f"{name}.html").read_text()
        for name in ("index", "tasks/mergeopposites")
    )
    assert "<h2>Opposites</h2>" in front
    assert front.count("· in no overall place") == 2
    for entry in load_results(tmp_path).entries:
        for key in ("kept_apart_90", "threshold_90", "kept_apart_90_negation"):
            assert with_interval(entry.scores[key], entry.interval(key)) in page
    assert "negation: one sentence denies the other" in page


@pytest.mark.slow
def test_the_command(made_up, run, tmp_path):
    build = ("harness-ext", "leaderboard", "build")
    truncated(made_up / FILE)
    line = (*build, str(made_up), "-o", "site")
    done = run(*line)
    assert "index.html" in done.stdout
    assert FILE in done.stderr
    assert "not on the board" in done.stderr
    assert FILE in (tmp_path / "site" / "problems.html").read_text()
    assert run(*line, "--strict", check=False).returncode == 1
    for wrong in ("nowhere", str(tmp_path / "site")):
        done = run(*build, wrong, check=False)
        assert done.returncode == 2
        assert wrong in done.stderr
        assert "Traceback" not in done.stderr
