"""The documentation says what is so."""

from __future__ import annotations

import os
import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from sentence_transformers import SentenceTransformer

from harness_ext.show.explain import PAPERS
from harness_ext.tasks import ENCODER_TASKS

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"


@pytest.mark.slow
def test_the_pages_made_from_the_code_are_up_to_date():
    for page, text in runpy.run_path(str(ROOT / "docs" / "pages.py"))["pages"](ROOT / "docs"):
        assert page.read_text(encoding="utf-8") == text, f"{page.name}: run `make docs`"


@pytest.mark.slow
def test_the_picture_shows_what_the_encoder_gives(minilm, tmp_path):
    drawing = runpy.run_path(str(ROOT / "docs" / "draw_epsilon.py"))
    encoder = SentenceTransformer(minilm)
    for words, (alone, in_sentence) in drawing["DISTANCES"].items():
        for texts, distance in ((words, alone), (map(drawing["SENTENCE"].format, words), in_sentence)):
            one, other = encoder.encode(list(texts), normalize_embeddings=True)
            assert 1 - one @ other == pytest.approx(distance, abs=5e-4)
    drawing["draw"](tmp_path / "epsilon.svg")
    assert (tmp_path / "epsilon.svg").read_text().count("<path") > 10
    assert (ROOT / "docs" / "epsilon.svg").is_file()


@pytest.mark.slow
@pytest.mark.usefixtures("without_own_words")
def test_the_python_of_the_readme_runs_as_it_stands(minilm, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    code, without_mteb = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), flags=re.DOTALL)
    for _ in range(2):  # the second time, mteb finds the result of the first, and measures nothing
        here = {}
        exec(code, here)
        assert f"{minilm} EpsilonCompositionalityMini naturalistic 0.7" in capsys.readouterr().out
    assert len(here["items"].tables()["samples"]) == 2160
    (entry,) = here["load_results"]("results").entries
    scores = entry.measure.flat_scores(here["items"])
    assert {key: entry.scores[key] for key in scores} == pytest.approx(scores)
    here["encode"] = here["model"].model.encode
    exec(without_mteb, here)
    assert here["measured"].scores.auc_nc_vs_c == pytest.approx(entry.main_score, abs=1e-4)


@pytest.mark.parametrize("short", PAPERS)
def test_the_papers_that_are_sources_are_known_by_their_titles(short):
    sources = [score.source for task in ENCODER_TASKS.values() for score in task.measure.scores.declarations()]
    assert any(re.search(rf"\b{short}\b", source) for source in sources)
    named = {word for source in sources for word in re.findall(r"\b[A-Z]{3,5}\b", source)}
    assert named <= PAPERS.keys()


def test_every_target_of_make_that_is_named_somewhere_exists():
    targets = set(re.findall(r"(?m)^([\w-]+):", (ROOT / "Makefile").read_text(encoding="utf-8")))
    for name in ("README.md", "CONTRIBUTING.md", "pyproject.toml", "Makefile", ".ci/run"):
        for line in (ROOT / name).read_text(encoding="utf-8").splitlines():
            for target in re.findall(r"(?:`|^    |^)make ([a-z][\w-]*)", line):
                assert target in targets, f"{name}: {line}"


def test_no_hint_installs_from_an_index_what_is_not_there():
    """Until the package is published, an extra of it is installed from a checkout, and a library by its own name."""
    for path in [*ROOT.glob("harness_ext/**/*.py"), *ROOT.glob("tasks/**/*.py"), *ROOT.glob("docs/*.md"), README]:
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"pip install[^\n]*compositionality-harness", text), path


@pytest.mark.parametrize("picture", sorted((ROOT / "docs").glob("*.svg")), ids=lambda path: path.name)
def test_a_picture_has_a_size(picture):
    """A chart whose field does not exist becomes a picture without end."""
    found = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', picture.read_text(encoding="utf-8"))
    assert found
    assert max(map(float, found.groups())) < 10_000


def test_every_link_between_pages_leads_somewhere():
    for page in [README, ROOT / "CONTRIBUTING.md", *ROOT.glob("docs/*.md")]:
        text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
        for target, anchor in re.findall(r"\]\((?!https?:)([^()#\s]*)#?([^()\s]*)\)", text):
            linked = page.parent / target if target else page
            assert linked.exists(), f"{page.name}: {target}"
            titles = re.findall(r"(?m)^#+ (.*)$", linked.read_text(encoding="utf-8")) if anchor else ()
            anchors = {re.sub(r"[^\w\s-]", "", title).lower().replace(" ", "-") for title in titles}
            assert not anchor or anchor in anchors, f"{page.name}: {target}#{anchor}"


@pytest.mark.slow
def test_the_example_in_contributing_works_as_it_stands(tmp_path):
    """Every file of the example is written where it says, and its test is run."""
    for folder in ("harness_ext", "tasks", "datasets_scripts"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    files = dict(re.findall(r"`([\w/]+\.py)`\n\n```python\n(.*?)```", text, flags=re.DOTALL))
    assert len(files) == 2
    for path, code in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(code, encoding="utf-8")
    (test,) = (path for path in files if path.startswith("tests/"))
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", test],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path), "HF_DATASETS_CACHE": str(tmp_path / "datasets")},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "2 passed" in done.stdout
    check = [Path(sys.executable).with_name("ruff"), "check", "--config", ROOT / "pyproject.toml", *files]
    assert subprocess.run(check, cwd=tmp_path, capture_output=True).returncode == 0

    run = """
import mteb
from mteb.cache import ResultCache
from tests.planted import PlantedModel, bag_of_words
model = PlantedModel(bag_of_words(weight=lambda place: 1.5**place), "planted/last-word")
mteb.evaluate(model, mteb.get_task("HeadPreferenceMini"), cache=ResultCache("results"))
"""
    paths = f"{tmp_path}{os.pathsep}{ROOT}"
    environment = {**os.environ, "PYTHONPATH": paths, "HF_DATASETS_CACHE": str(tmp_path / "datasets")}
    commands = [
        ["submit", "results", "-m", "planted/last-word", "-o", "submission"],
        ["verify", "submission"],
        ["report", "results", "-o", "report"],
        ["leaderboard", "build", "submission", "-o", "site"],
    ]
    run += f"""
from harness_ext.cli import app
print([app(command, standalone_mode=False) for command in {commands}])
"""
    done = subprocess.run([sys.executable, "-c", run], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    said = done.stdout
    assert said.endswith("[None, None, None, None]\n")
    assert "Nothing is wrong with it." in said
    assert "recomputed" in said
    assert not (tmp_path / "report" / "problems.html").exists()
    (page,) = (tmp_path / "report" / "units").glob("HeadPreferenceMini-naturalistic*.html")
    units = page.read_text(encoding="utf-8")
    assert "head_distance" in units
    assert "kitchen knife" in units
    assert "HeadPreferenceMini" in (tmp_path / "site" / "data" / "board.csv").read_text(encoding="utf-8")
