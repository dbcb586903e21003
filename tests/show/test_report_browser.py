"""The pages in a real browser: nothing fails, nothing is asked for elsewhere, and everybody can use
them.
"""

import shutil

import pytest

from harness_ext.results.load import load_results
from harness_ext.show.report import write_report
from tests.results.measured import QUICK, rename, write_results

pytestmark = pytest.mark.slow

PAGES = [
    ("light", 1200, "index"),
    ("light", 1200, "MontagueConsistencyFast"),
    ("light", 1200, "units/EpsilonCompositionalityMini-naturalistic-one"),
    ("dark", 360, "problems"),
    ("dark", 360, "PolaritySensitivityMini"),
    ("dark", 360, "compare"),
]
"""Colors and width, and a page of each kind looked at so; both schemes are of every page's one
style sheet.
"""


@pytest.fixture(scope="module")
def report(tmp_path_factory, measured_folder):
    """A report on four models, one of which has a name that would run as a script, and one of which
    has no items.
    """
    results = tmp_path_factory.mktemp("results")
    shutil.copytree(measured_folder, results, dirs_exist_ok=True)
    write_results(
        results, {"planted/one": 1}, ("MontagueConsistencyFast", "PolaritySensitivityMini")
    )
    write_results(results, {"planted/script": 3, "planted/no-items": 4}, QUICK[:1])
    rename(results, "planted/script", "<script>alert(1)</script>")
    for file in results.glob("results/planted__no-items/*/*.parquet"):
        file.unlink()
    folder = tmp_path_factory.mktemp("report")
    assert len(write_report(load_results(results), folder)) == 1
    return folder


@pytest.fixture
def visit(open_page, report):
    """Open a page of the report when its charts and tables are there."""
    ready = (
        "[...document.querySelectorAll('.chart')].every(chart => chart.querySelector('svg.marks')) "
        "&& [...document.querySelectorAll('table.sortable')].every(table => "
        "table.classList.contains('dataTable'))"
    )

    def visit(name, width=1200, scheme="light"):
        return open_page(report.as_uri(), name, ready, width, scheme)

    return visit


@pytest.mark.parametrize(("scheme", "width", "name"), PAGES)
def test_pages_are_accessible_and_fit_a_telephone(visit, accessible, scheme, width, name):
    page = visit(f"{name}.html", width, scheme)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    accessible(page)


def cells(page, column):
    return page.locator(f"table.sortable tbody tr td:nth-child({column})").all_inner_texts()


def test_tables_search_and_sort(visit):
    page = visit("units/EpsilonCompositionalityMini-naturalistic-one.html")
    assert len(cells(page, 1)) == 25
    page.get_by_label("Search:").fill("black box")
    assert cells(page, 1) == ["black box"]
    page.get_by_label("Search:").fill("ocean floor")
    assert cells(page, 1) == ["black box"]  # it is a word of its sentence
    page.get_by_label("Search:").fill("")
    header = page.locator("table.sortable thead th", has_text="rank share").first
    found = {}
    for direction in ("descending", "ascending"):
        header.click()
        page.wait_for_selector(f"th[aria-sort='{direction}']")
        found[direction] = list(map(float, cells(page, 3)))
        assert found[direction] == sorted(found[direction], reverse=direction == "descending")
    assert found["ascending"][0] < found["descending"][0]


def test_a_chart_shows_figures_under_the_mouse_and_follows_the_scheme(visit):
    page = visit("PolaritySensitivityMini.html")
    page.locator(".chart svg.marks .mark-symbol path").first.hover(force=True)
    tooltip = page.locator("#vg-tooltip-element.visible")
    tooltip.wait_for()
    assert any(character.isdigit() for character in tooltip.inner_text())
    light = page.locator(".chart svg.marks").first.inner_html()
    page.emulate_media(color_scheme="dark")
    page.wait_for_function("() => document.documentElement.classList.contains('dark')")
    page.wait_for_function(
        "before => document.querySelector('.chart svg.marks')?.innerHTML !== before", arg=light
    )
