"""A board in a real browser, of 8 and of 1 000 models: nothing fails, nothing is asked for elsewhere, it is quick."""

from __future__ import annotations

import json
import shutil
from statistics import quantiles

import pytest

from harness_ext.leaderboard.build import build
from harness_ext.measures.polarity.sensitivity import POLARITY
from harness_ext.tasks.overall import LISTS, ListedColumn
from tests.leaderboard.small_board import lie, list_of, rename, write_models

pytestmark = pytest.mark.slow

TASKS = ("PolaritySensitivity", "TreeReconstruction", "TransitiveSimilarity")
SCRIPT = "<script>alert(1)</script>"
LIAR = "synthetic/model-00007"
PAGES = (
    ("index.html", "light"),
    ("index.html", "dark"),
    ("tasks/polaritysensitivity.html", "dark"),
    ("problems.html", "light"),
    ("models/script-alert-1-script-1-float32.html", "dark"),
)
TABLES = "[...document.querySelectorAll('table.sortable')].every(table => table.classList.contains('dataTable'))"
AT_ONCE = 100
"""Milliseconds of computing from a key or a click to the table that it asks for."""


@pytest.fixture(scope="module")
def few(tmp_path_factory):
    """Eight models: one is called a script, one on other data, one damaged, one with the best scores and no items."""
    results = tmp_path_factory.mktemp("results")
    write_models(results, range(8), TASKS)
    folders = [results / f"results/synthetic__model-{number:05d}/1" for number in range(8)]
    rename(results, 0, SCRIPT)
    other = folders[1] / "PolaritySensitivity.json"
    other.write_text(other.read_text().replace("made-up", "another"))
    (folders[2] / "TreeReconstruction.json").write_text("{")
    lie(results, folders[7] / "PolaritySensitivity.json")
    site = tmp_path_factory.mktemp("site")
    with pytest.MonkeyPatch.context() as monkeypatch:
        polarity = ListedColumn("PolaritySensitivity", "default", POLARITY.definition, ("reference",))
        list_of(monkeypatch, polarity, *(one for one in LISTS["english"] if one.task == "TransitiveSimilarity"))
        assert len(build([results], site)) == 1
    return site


@pytest.fixture(scope="module")
def many(few, tmp_path_factory):
    """The same with a hundred and more of each model: how a page is drawn depends on its data alone."""
    site = shutil.copytree(few, tmp_path_factory.mktemp("many"), dirs_exist_ok=True)
    (file,) = (site / "assets").glob("board-data*.js")
    before, _, data = file.read_text().rstrip("; \n").partition("{")
    content = json.loads("{" + data)
    named = [{**row, "name": f"synthetic/model-{number:03d}"} for number, row in enumerate(content["rows"] * 125)]
    file.write_text(f"{before}{json.dumps(content | {'rows': named}, separators=(',', ':'))};")
    return site


@pytest.fixture
def visit(open_page):
    """Open a page of a site."""

    def visit(site, name="index.html", width=1200, scheme="light"):
        ready = f"{TABLES}{' && window.boardTable' * (name == 'index.html')}"
        return open_page(site.as_uri(), name, ready, width, scheme)

    return visit


def models(page):
    """The names in the rows of the ranking that are on the screen."""
    return page.locator("#board tbody tr td.model").all_inner_texts()


@pytest.mark.parametrize(("name", "scheme"), PAGES)
def test_pages_are_accessible(visit, few, accessible, name, scheme):
    page = visit(few, name, scheme=scheme)
    assert SCRIPT in (models(page) if name == "index.html" else [SCRIPT])  # it is shown, and does not run
    accessible(page)


def test_a_column_is_sorted_with_self_reported_scores_below(visit, few):
    page = visit(few)
    header = page.locator("#board thead th", has_text="Polarity").first
    for direction, place in (("descending", -1), ("ascending", 0)):
        header.click()
        page.wait_for_selector(f"#board th[aria-sort='{direction}']")
        assert [name for name in models(page) if name != "synthetic/model-00001"][place] == LIAR  # that has no score


@pytest.mark.parametrize("width", [360, 1280])
def test_charts_fill_the_width_and_name_every_model_and_score(visit, few, width):
    page = visit(few, width=width)
    panels = page.locator("#panels .panel")
    assert panels.count() == page.evaluate("board.tables[0].length") == 3  # overall, and two categories
    right, ends = page.evaluate(
        "[document.getElementById('panels').getBoundingClientRect().right,"
        " Math.max(...[...document.querySelectorAll('.panel')].map((one) => one.getBoundingClientRect().right))]"
    )
    assert abs(right - ends) < 2
    values = [float(text) for text in panels.first.locator(".value").all_inner_texts()]
    assert len(values) > 5
    assert values == sorted(values, reverse=True)
    looks = "lines => lines.map(({children: [name, track]}) => [name.title, track.style.color])"
    found = page.eval_on_selector_all(".panel li", looks)
    assert len({tuple(one) for one in found}) == len({name for name, _ in found}) == 8


def test_a_thousand_models_at_once(visit, many):
    """The first page is small, and its table sorts and searches within a tenth of a second."""
    first = (many / "index.html").read_text()
    parts = [many / "index.html", *(part for part in (many / "assets").iterdir() if f"assets/{part.name}" in first)]
    assert sum(part.stat().st_size for part in parts) <= 2_000_000
    page = visit(many)
    assert page.locator("#board tbody tr").count() == 25
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})  # not what it waits for other programs

    def computed():
        """Seconds that the page's thread has computed."""
        metrics = {one["name"]: one["value"] for one in session.send("Performance.getMetrics")["metrics"]}
        return metrics["TaskDuration"]

    drawn = "document.getElementById('board').getBoundingClientRect(); return boardTable.page.info().recordsDisplay"
    actions = {
        "sort": "boardTable.order([[1 + i % 4, 'asc']]).draw()",
        "search": "boardTable.search(['99', '00', '9', 'model-007', ''][i % 5]).draw()",
    }
    for what, act in actions.items():
        times, counts = [], set()
        for number in range(15):
            before = computed()
            counts.add(page.evaluate(f"(i) => {{ {act}; {drawn} }}", number))
            times.append((computed() - before) * 1000)
        quiet = quantiles(times, n=4)[0]  # of the tries that other programs disturbed least
        print(f"{what}: {quiet:.0f} ms")
        assert quiet < AT_ONCE, (what, times)
        assert len(counts) == {"sort": 1, "search": 4}[what], counts  # it did what it was asked
