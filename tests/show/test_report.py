"""A report is a folder of pages: what stands on them, that nothing escapes from them, and what bad
files do to them.
"""

import html
import json
import re
import shutil

import numpy as np
import pytest

from harness_ext import plot
from harness_ext.measures.core.measure import Measure
from harness_ext.results.load import load_results
from harness_ext.results.unit_views import view_of
from harness_ext.show.report import write_report
from harness_ext.show.report.pages import most_wrong_and_right
from harness_ext.show.static_site import plain
from harness_ext.tasks import ENCODER_TASKS
from tests.results.measured import QUICK, rename, result_files
from tests.results.planted_items import planted_items, write_entry

MODELS = ("planted/one", "planted/other")


@pytest.fixture(scope="module")
def report(measured_folder, tmp_path_factory):
    """The report on both models."""
    folder = tmp_path_factory.mktemp("report")
    assert write_report(load_results(measured_folder), folder) == []
    return folder


@pytest.fixture
def write(report, tmp_path):
    """Write a report; the scripts, which take seconds to make, are there already. Returns problems
    and pages.
    """

    def write(folder, tasks=QUICK[:1], **options):
        output = tmp_path / "report"
        shutil.copytree(report / "assets", output / "assets", dirs_exist_ok=True)
        problems = write_report(load_results(folder, tasks), output, **options)
        return problems, {
            str(page.relative_to(output)): page.read_text() for page in output.rglob("*.html")
        }

    return write


def text_of(page):
    """What a person reads on a page."""
    page = re.sub(r"<script.*?</script>", "", page, flags=re.DOTALL)
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", page)).split())


def test_the_first_page_has_each_main_score(measured_folder, report):
    page = text_of((report / "index.html").read_text())
    for entry in load_results(measured_folder).entries:
        score, low, high = (
            f"{end:.3f}".lstrip("0").replace("-0.", "-.")
            for end in (entry.main_score, *entry.interval())
        )
        assert f"{score} [{low}, {high}]" in page
    assert "Of an idiomatic and a literal compound, the idiomatic one" in page


def test_a_report_of_one_model_speaks_of_it(measured_folder, tmp_path, report):
    shutil.copytree(report / "assets", tmp_path / "assets")
    write_report(load_results(measured_folder, models=["planted/one"]), tmp_path)
    page = text_of((tmp_path / "index.html").read_text())
    assert "How compositional is one?" in page
    assert not (tmp_path / "compare.html").exists()


def test_a_model_and_one_that_knows_nothing_are_named_beside_their_scores(measured_copy, write):
    rename(measured_copy, "planted/other", "compositionality/letters")
    _, pages = write(measured_copy)
    labels = re.findall(r'<tr><th scope="row">(.*?)</th>', pages["index.html"])
    assert labels[:2] == ["one", "letters"]


def test_all_links_lead_somewhere_in_the_folder_and_no_page_asks_for_anything_elsewhere(report):
    pages = list(report.rglob("*.html"))
    # first page, comparison, a page per task, and of the units of each model
    assert len(pages) == 11
    for page in pages:
        text = page.read_text()
        for target in re.findall(r'(?:href|src)="([^"]*)"', text):
            if not target.startswith(("data:", "#")):
                file = (page.parent / target.partition("#")[0]).resolve()
                assert file.is_file(), f"{page}: {target}"
                assert file.is_relative_to(report.resolve())
        text = re.sub(r'<script type="application/json".*?</script>', "", text, flags=re.DOTALL)
        assert not re.search(r"(?:href|src|url)\s*[=(]\s*[\"']?(?:https?:)?//", text)
        assert "Content-Security-Policy" in text


def test_sentences_of_another_revision_are_not_shown(measured_copy, write):
    for model in MODELS:
        for file in result_files(measured_copy, model):
            file.write_text(
                file.read_text().replace('"dataset_revision": "3"', '"dataset_revision": "0"')
            )
    problems, pages = write(measured_copy)
    assert problems == []
    page = text_of(pages["units/EpsilonCompositionalityMini-naturalistic-one.html"])
    assert (
        "No sentences here. The results are on revision 0 of compound_mini, but the available one "
        "is 3." in page
    )


def test_a_model_of_any_name_is_text(measured_copy, write, tmp_path):
    names = "<script>alert(1)</script>", '../../a" onmouseover="alert(1) {{ 7 * 7 }}'
    for model, name in zip(MODELS, names, strict=True):
        rename(measured_copy, model, name)
    before = {*tmp_path.rglob("*")}
    problems, pages = write(measured_copy)
    assert problems == []
    for page in pages.values():
        assert "<script>alert" not in page
        assert ' onmouseover="alert' not in page
    for name in names:
        assert name.rpartition("../")[2] in text_of(pages["index.html"])
    assert all(file.is_relative_to(tmp_path / "report") for file in {*tmp_path.rglob("*")} - before)


def test_results_without_items_have_scores_but_no_examples(measured_copy, write):
    (file, *_) = result_files(measured_copy, "planted/one")
    content = json.loads(file.read_text())
    for entries in content["scores"].values():
        for entry in entries:
            del entry["items"], entry["signature"]
    file.write_text(json.dumps(content))
    problems, pages = write(measured_copy, sentences=False)
    assert not any("ocean floor" in page for page in pages.values())
    assert len(problems) == 1
    assert f"{file} has no items" in problems[0]
    assert "mteb run" in problems[0]
    for page in ("problems.html", f"{file.stem}.html"):
        assert problems[0] in text_of(pages[page])
    (entry,) = content["scores"]["naturalistic"]
    assert f"{entry['main_score']:.3f}".lstrip("0") in text_of(pages[f"{file.stem}.html"])
    assert f"units/{file.stem}-naturalistic-other.html" in pages
    assert f"units/{file.stem}-naturalistic-one.html" not in pages
    assert "1 thing could not be read" in text_of(pages["index.html"])


def test_without_the_extra_pages_and_pictures_say_how_to_get_it(
    measured_folder, tmp_path, monkeypatch
):
    monkeypatch.setattr(
        "harness_ext.show.extra.find_spec", lambda name: name != "vl_convert" or None
    )
    results = load_results(measured_folder)
    for needs_it in (lambda: write_report(results, tmp_path), lambda: plot(results.entries)):
        with pytest.raises(ModuleNotFoundError, match=r'vl_convert.*pip install .*"\.\[report\]"'):
            needs_it()


@pytest.mark.parametrize("task", ["CaptionSwap", "EpsilonCompositionality", "PolaritySensitivity"])
def test_a_contributed_measure_has_a_view(task):
    """Means and an AUC, from their declarations alone."""
    known = type(ENCODER_TASKS[task].measure)

    class Contributed(known):
        name = "contributed"
        question = "Is it so?"
        view = Measure.view

    measure = Contributed()
    items = planted_items(task)
    view = view_of(measure, items)
    units, value = view.facts[measure.unit], view.figures[f"value in {measure.main}"]
    assert set(units[~np.isnan(value)].tolist()) == set(
        measure.statistic(items, measure.main).units.tolist()
    )
    if task != "EpsilonCompositionality":
        assert np.nanmean(value) == pytest.approx(measure.score(items).flat()[measure.main])
        assert view.wrong == pytest.approx(1 - value, nan_ok=True)
    else:
        idioms = np.isin(units, items.compounds.compound[items.compounds.class_ == "NC"])
        order = np.argsort(value[idioms])
        assert (np.diff(view.wrong[idioms][order]) <= 0).all()  # the more idiomatic, the less wrong


@pytest.mark.parametrize("task", ["MergeOpposites", "NegationImportance"])
def test_of_pairs_that_should_be_near_the_farthest_is_most_wrong_and_of_others_the_nearest(task):
    items = planted_items(task)
    view, pairs = view_of(ENCODER_TASKS[task].measure, items), items.compared
    for should_be_near, most_wrong in ((True, np.argmin), (False, np.argmax)):
        these = pairs.is_same == should_be_near
        assert np.argmax(view.wrong[these]) == most_wrong(pairs.similarity[these])
        kinds = {*view.facts["kind"][these].tolist()}
        assert kinds == {"near" if should_be_near else "far"} or ("same" in kinds) == should_be_near


def test_ends_are_the_most_wrong_and_the_most_right():
    wrong, right = most_wrong_and_right(np.array([0.5, np.nan, 0.9, 0.1, 0.3]), 10)
    assert wrong.tolist() == [2, 0]
    assert right.tolist() == [3, 4]


def test_json_has_neither_long_texts_nor_nan():
    assert plain({"a": [float("nan"), 1.5, "x" * 5000]})["a"][:2] == [None, 1.5]
    assert len(plain("x" * 5000)) < 2100


@pytest.mark.slow
def test_every_measure_has_pages(tmp_path, report):
    """Of two models each, with all tables that an encoder's results can have."""
    tasks = {about.measure.name: task for task, about in ENCODER_TASKS.items() if not about.quick}
    for number, task in enumerate(tasks.values()):
        place = ENCODER_TASKS[task].splits[0], ENCODER_TASKS[task].subsets[0]
        for model in MODELS:
            write_entry(tmp_path, task, planted_items(task, number), model, place)
    shutil.copytree(report / "assets", tmp_path / "report" / "assets")
    assert write_report(load_results(tmp_path), tmp_path / "report") == []
    assert (tmp_path / "report" / "index.html").read_text().count('<p class="answer">') >= len(
        tasks
    )
    for number, task in enumerate(tasks.values()):
        page, _ = (tmp_path / "report" / "units").glob(f"{task}-*.html")
        text, about = text_of(page.read_text()), ENCODER_TASKS[task]
        wrong = view_of(about.measure, planted_items(task, number)).wrong
        assert ("Most wrong" in text) == bool(np.isfinite(wrong).any())
        assert about.wordings.get(about.splits[0], about.measure.wording()).right in text
