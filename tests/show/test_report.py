"""A report is a folder of pages: what stands on them, that nothing escapes from them, and what bad
files do to them.
"""

import html
import json
import re
import shutil

import numpy as np
import pytest
from pytest import approx

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
        files = output.rglob("*.html")
        pages = {str(file.relative_to(output)): file.read_text() for file in files}
        return problems, pages

    return write


def text_of(page):
    """What a person reads on a page."""
    without_scripts = re.sub(r"(?s)<script.*?</script>", "", page)
    without_tags = re.sub(r"<[^>]*>", " ", without_scripts)
    return " ".join(html.unescape(without_tags).split())


def three_digits(number):
    """A number between −1 and 1 as pages have it, without its zero."""
    return f"{number:.3f}".replace("0.", ".", 1)


def test_the_first_page_has_each_main_score(measured_folder, report):
    page = text_of((report / "index.html").read_text())
    for entry in load_results(measured_folder).entries:
        low, high = map(three_digits, entry.interval())
        assert f"{three_digits(entry.main_score)} [{low}, {high}]" in page
    assert "Of an idiomatic and a literal compound, the idiomatic one" in page


def test_the_best_model_stands_first_on_a_card(measured_folder, report):
    page = (report / "index.html").read_text()
    first, second, *_ = re.findall(r'<tr><th scope="row">(.*?)</th>', page)
    entries = load_results(measured_folder).entries
    of_first_card = [entry for entry in entries if entry.task == entries[0].task]
    scores = {entry.model.removeprefix("planted/"): entry.main_score for entry in of_first_card}
    assert scores[first] > scores[second]


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
    # first page, comparison, glossary, a page per task, and of the units of each model
    assert len(pages) == 12
    for page in pages:
        text = page.read_text()
        for target in re.findall(r'(?:href|src)="([^"]*)"', text):
            if not target.startswith(("data:", "#")):
                path, _, _ = target.partition("#")
                file = (page.parent / path).resolve()
                assert file.is_file(), f"{page}: {target}"
                assert file.is_relative_to(report.resolve())
        text = re.sub(r'<script type="application/json".*?</script>', "", text, flags=re.DOTALL)
        assert not re.search(r"(?:href|src|url)\s*[=(]\s*[\"']?(?:https?:)?//", text)
        assert "Content-Security-Policy" in text


def test_sentences_of_another_revision_are_not_shown(measured_copy, write):
    for model in MODELS:
        for file in result_files(measured_copy, model):
            text = file.read_text()
            file.write_text(text.replace('"dataset_revision": "3"', '"dataset_revision": "0"'))
    problems, pages = write(measured_copy)
    assert problems == []
    page = text_of(pages["units/EpsilonCompositionalityMini-naturalistic-one.html"])
    assert (
        "No sentences here. The results are on revision 0 of compound_mini, but the available one "
        "is 3." in page
    )


def test_a_model_of_any_name_is_text(measured_copy, write, tmp_path):
    names = ("<script>alert(1)</script>", '../../a" onmouseover="alert(1) {{ 7 * 7 }}')
    for model, name in zip(MODELS, names, strict=True):
        rename(measured_copy, model, name)
    before = {*tmp_path.rglob("*")}
    problems, pages = write(measured_copy)
    assert problems == []
    for page in pages.values():
        assert "<script>alert" not in page
        assert ' onmouseover="alert' not in page
    first_page = text_of(pages["index.html"])
    for name in names:
        _, _, without_folders = name.rpartition("../")
        assert without_folders in first_page
    for file in {*tmp_path.rglob("*")} - before:
        assert file.is_relative_to(tmp_path / "report")


def test_results_without_items_have_scores_but_no_examples(measured_copy, write):
    (file, *_) = result_files(measured_copy, "planted/one")
    content = json.loads(file.read_text())
    for entries in content["scores"].values():
        for entry in entries:
            del entry["items"], entry["signature"]
    file.write_text(json.dumps(content))
    problems, pages = write(measured_copy, sentences=False)
    for page in pages.values():
        assert "ocean floor" not in page
    (problem,) = problems
    assert f"{file} has no items" in problem
    assert "mteb run" in problem
    for page in ("problems.html", f"{file.stem}.html"):
        assert problem in text_of(pages[page])
    (entry,) = content["scores"]["naturalistic"]
    page_of_task = text_of(pages[f"{file.stem}.html"])
    assert three_digits(entry["main_score"]) in page_of_task
    assert f"units/{file.stem}-naturalistic-other.html" in pages
    assert f"units/{file.stem}-naturalistic-one.html" not in pages
    assert "1 thing could not be read" in text_of(pages["index.html"])


def test_without_the_extra_pages_and_pictures_say_how_to_get_it(
    measured_folder, tmp_path, monkeypatch
):
    def find_spec(name):
        return None if name == "vl_convert" else object()

    monkeypatch.setattr("harness_ext.show.extra.find_spec", find_spec)
    results = load_results(measured_folder)
    said = r'vl_convert.*pip install .*"\.\[report\]"'
    with pytest.raises(ModuleNotFoundError, match=said):
        write_report(results, tmp_path)
    with pytest.raises(ModuleNotFoundError, match=said):
        plot(results.entries)


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
    units = view.facts[measure.unit]
    values = view.figures[f"value in {measure.main}"]
    units_with_values = units[~np.isnan(values)]
    units_of_score = measure.statistic(items, measure.main).units
    assert set(units_with_values) == set(units_of_score)
    if task != "EpsilonCompositionality":
        main_score = measure.score(items).flat()[measure.main]
        assert np.nanmean(values) == approx(main_score)
        assert view.wrong == approx(1 - values, nan_ok=True)
    else:
        compounds = items.compounds
        idioms = compounds.compound[compounds.class_ == "NC"]
        is_idiom = np.isin(units, idioms)
        order = np.argsort(values[is_idiom])
        wrong = view.wrong[is_idiom]
        steps = np.diff(wrong[order])
        assert (steps <= 0).all()  # the more idiomatic, the less wrong


@pytest.mark.parametrize("task", ["MergeOpposites", "NegationImportance"])
def test_of_pairs_that_should_be_near_the_farthest_is_most_wrong_and_of_others_the_nearest(task):
    items = planted_items(task)
    view = view_of(ENCODER_TASKS[task].measure, items)
    similarity = items.compared.similarity
    near = items.compared.is_same
    far = ~near
    assert np.argmax(view.wrong[near]) == np.argmin(similarity[near])
    assert np.argmax(view.wrong[far]) == np.argmax(similarity[far])
    kinds = view.facts["kind"]
    kinds_of_near = set(kinds[near])
    kinds_of_far = set(kinds[far])
    assert kinds_of_near == {"near"} or "same" in kinds_of_near
    assert kinds_of_far == {"far"} or "same" not in kinds_of_far


def test_ends_are_the_most_wrong_and_the_most_right():
    values = np.array([0.5, np.nan, 0.9, 0.1, 0.3])
    wrong, right = most_wrong_and_right(values, 10)
    assert wrong.tolist() == [2, 0]
    assert right.tolist() == [3, 4]


def test_json_has_neither_long_texts_nor_nan():
    long = "x" * 5000
    plain_values = plain({"a": [float("nan"), 1.5, long]})["a"]
    assert plain_values[:2] == [None, 1.5]
    assert len(plain(long)) < 2100


@pytest.mark.slow
def test_every_measure_has_pages(tmp_path, report):
    """Of two models each, with all tables that an encoder's results can have."""
    task_of_measure = {}
    for task in ENCODER_TASKS.values():
        if not task.quick:
            task_of_measure[task.measure.name] = task
    tasks = list(task_of_measure.values())
    for number, task in enumerate(tasks):
        place = (task.splits[0], task.subsets[0])
        items = planted_items(task.name, number)
        for model in MODELS:
            write_entry(tmp_path, task.name, items, model, place)
    output = tmp_path / "report"
    shutil.copytree(report / "assets", output / "assets")
    assert write_report(load_results(tmp_path), output) == []
    first_page = (output / "index.html").read_text()
    assert first_page.count('<p class="answer">') >= len(tasks)
    for number, task in enumerate(tasks):
        page, _ = (output / "units").glob(f"{task.name}-*.html")
        text = text_of(page.read_text())
        view = view_of(task.measure, planted_items(task.name, number))
        has_wrong = np.isfinite(view.wrong).any()
        assert ("Most wrong" in text) == has_wrong
        wording = task.wordings.get(task.splits[0], task.measure.wording())
        assert wording.right in text
