"""The documentation says what is so."""

import os
import re
import runpy
import shutil
import sys
from functools import cache
from pathlib import Path

import pytest
from sentence_transformers import SentenceTransformer

from harness_ext.tasks import ENCODER_MEASURES
from harness_ext.tasks.papers import PAPERS
from tests.planted import letters, vectors_of
from tests.processes import ended

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"


@pytest.mark.slow
def test_the_pages_made_from_the_code_are_up_to_date():
    docs = ROOT / "docs"
    pages = runpy.run_path(str(docs / "pages.py"))["pages"]
    for page, text in pages(docs):
        assert page.read_text(encoding="utf-8") == text, f"{page.name}: run `make docs`"


@pytest.mark.slow
def test_the_picture_shows_what_the_encoder_gives(minilm, tmp_path):
    drawing = runpy.run_path(str(ROOT / "docs" / "draw_epsilon.py"))
    encoder = SentenceTransformer(minilm)

    def distance(texts):
        one, other = encoder.encode(texts, normalize_embeddings=True)
        return 1 - one @ other

    for words, (alone, in_sentence) in drawing["DISTANCES"].items():
        sentences = [drawing["SENTENCE"].format(word) for word in words]
        assert distance(list(words)) == pytest.approx(alone, abs=5e-4)
        assert distance(sentences) == pytest.approx(in_sentence, abs=5e-4)
    drawing["draw"](tmp_path / "epsilon.svg")
    assert (tmp_path / "epsilon.svg").read_text().count("<path") > 10
    assert (ROOT / "docs" / "epsilon.svg").is_file()


@pytest.mark.slow
@pytest.mark.usefixtures("without_baselines")
def test_the_python_of_the_readme_runs_as_it_stands(minilm, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    page = README.read_text(encoding="utf-8")
    without_mteb, code = re.findall(r"(?s)```python\n(.*?)```", page)
    for _ in range(2):  # the second time, mteb finds the result of the first, and measures nothing
        here = {}
        exec(code, here)
        assert f"{minilm} EpsilonCompositionalityMini naturalistic 0.7" in capsys.readouterr().out
    assert len(here["items"].tables()["samples"]) == 4320
    (entry,) = here["load_results"]("results").entries
    scores = entry.measure.flat_scores(here["items"])
    stored = {key: entry.scores[key] for key in scores}
    assert stored == pytest.approx(scores)
    here["encode"] = vectors_of(letters)
    exec(without_mteb, here)
    assert 0 < here["measured"].scores.auc_nc_vs_c < 1


def test_the_papers_that_are_sources_are_known_by_their_titles():
    sources = ""
    for measure in ENCODER_MEASURES.values():
        sources += " ".join(score.source for score in measure.declared_scores) + " "
    assert {*re.findall(r"\b[A-Z]{3,5}\b", sources)} <= PAPERS.keys()
    assert all(re.search(rf"\b{short}\b", sources) for short in PAPERS)


def test_every_target_of_make_that_is_named_somewhere_exists():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = {*re.findall(r"(?m)^([\w-]+):", makefile)}
    for name in ("README.md", "CONTRIBUTING.md", "pyproject.toml", "Makefile", ".ci/run"):
        for line in (ROOT / name).read_text(encoding="utf-8").splitlines():
            for target in re.findall(r"(?:`|^    |^)make ([a-z][\w-]*)", line):
                assert target in targets, f"{name}: {line}"


def test_no_hint_installs_from_an_index_what_is_not_there():
    """Until the package is published, an extra of it is installed from a checkout, and a library by
    its own name.
    """
    for path in [
        *ROOT.glob("harness_ext/**/*.py"),
        *ROOT.glob("tasks/**/*.py"),
        *ROOT.glob("docs/*.md"),
        README,
    ]:
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"pip install[^\n]*compositionality-harness", text), path


def test_pictures_have_a_size():
    """A chart whose field does not exist becomes a picture without end."""
    for picture in (ROOT / "docs").glob("*.svg"):
        drawn = picture.read_text(encoding="utf-8")
        found = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', drawn)
        assert found, picture
        width, height = map(float, found.groups())
        assert max(width, height) < 10_000, picture


def test_every_link_between_pages_leads_somewhere():
    for page in [README, ROOT / "CONTRIBUTING.md", *ROOT.glob("docs/*.md")]:
        text = re.sub(r"(?s)```.*?```", "", page.read_text(encoding="utf-8"))
        for target, anchor in re.findall(r"\]\((?!https?:)([^()#\s]*)#?([^()\s]*)\)", text):
            linked = page.parent / target if target else page
            assert linked.exists(), f"{page.name}: {target}"
            if anchor:
                assert anchor in anchors_of(linked), f"{page.name}: {target}#{anchor}"


@cache
def anchors_of(page):
    """What a link can name in a page: its titles, as GitHub writes them."""
    titles = re.findall(r"(?m)^#+ (.*)$", page.read_text(encoding="utf-8"))
    plain = [re.sub(r"[^\w\s-]", "", title) for title in titles]
    return {title.lower().replace(" ", "-") for title in plain}


@pytest.mark.slow
def test_the_example_in_contributing_works_as_it_stands(tmp_path):
    """Every file of the example is written where it says, and its test is run."""
    for folder in ("harness_ext", "tasks", "datasets_scripts"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    files = dict(re.findall(r"`([\w/]+\.py)`\n\n```python\n(.*?)```", text, flags=re.DOTALL))
    assert len(files) == 3
    for helper in ("tests/planted.py", "tests/measures/given.py"):
        (tmp_path / helper).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / helper, tmp_path / helper)
    for path, code in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(code, encoding="utf-8")
    (test,) = (path for path in files if path.startswith("tests/"))
    environment = {
        **os.environ,
        "PYTHONPATH": str(tmp_path),
        "HF_DATASETS_CACHE": str(tmp_path / "datasets"),
    }
    line = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", test]
    done = ended(line, tmp_path, environment)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "2 passed" in done.stdout
    ruff = Path(sys.executable).with_name("ruff")
    check = [ruff, "check", "--config", ROOT / "pyproject.toml", *files]
    assert ended(check, tmp_path).returncode == 0

    run = """
from harness_ext.cli import app
from tests.planted import PlantedModel, bag_of_words, entries_of
entries_of(PlantedModel(bag_of_words(weight=lambda place: 1.5**place)), "HeadPreferenceMini", "results")
for command in (
    ["submit", "results", "-m", "planted/model", "-o", "submission"],
    ["verify", "submission"],
    ["report", "results", "-o", "report"],
    ["leaderboard", "build", "submission", "-o", "site"],
):
    assert app(command, standalone_mode=False) is None
"""
    environment["PYTHONPATH"] = f"{tmp_path}{os.pathsep}{ROOT}"
    done = ended([sys.executable, "-c", run], tmp_path, environment)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Nothing is refused." in done.stdout
    assert "recomputed" in done.stdout
    assert not (tmp_path / "report" / "problems.html").exists()
    (page,) = (tmp_path / "report" / "units").glob("HeadPreferenceMini-naturalistic*.html")
    assert "kitchen knife" in page.read_text(encoding="utf-8")
    board = tmp_path / "site" / "data" / "board.csv"
    assert "HeadPreferenceMini" in board.read_text(encoding="utf-8")
