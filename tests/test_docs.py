"""The documentation says what is so."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import mteb
import pytest

from harness_ext.documentation.tables import write_tables

ROOT = Path(__file__).parents[1]


def test_the_tables_in_the_readme_are_made_from_the_code():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert write_tables(readme) == readme, "run `make tables`"


def test_a_readme_without_a_place_for_a_table_is_an_error():
    with pytest.raises(ValueError, match="no place for the table of tasks"):
        write_tables("# nothing here\n")


def test_every_task_and_benchmark_named_in_the_readme_exists():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for name in re.findall(r"mteb run .* -t (\w+)", readme):
        assert mteb.get_task(name)
    for name in re.findall(r"mteb run .* -b (\w+)", readme):
        assert mteb.get_benchmark(name)


@pytest.mark.parametrize(
    ("task", "card", "paper"),
    [
        ("PolaritySensitivity", "polarity_pairs", "2020.repl4nlp-1.22"),
        ("TreeReconstruction", "sentiment_trees", "2020.repl4nlp-1.22"),
        ("MontagueConsistency", "modifier_phrases", "2025.coling-main.370"),
        ("NounCompoundAffinity", "ncimp", "10.1162/coli_a_00546"),
    ],
)
def test_task_and_card_cite_the_paper_of_the_measure(task, card, paper):
    about = mteb.get_task(task).metadata
    assert about.reference.endswith(paper)
    assert paper in about.bibtex_citation
    assert paper in (ROOT / "datasets_scripts" / card / "README.md").read_text(encoding="utf-8")


def test_the_example_in_contributing_works_as_it_stands(tmp_path):
    """Every file of the example is written where it says, the task is added to TASKS, and its test is run."""
    for folder in ("harness_ext", "tasks", "datasets_scripts"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    files = dict(re.findall(r"`([\w/]+\.py)`\n\n```python\n(.*?)```", text, flags=re.DOTALL))
    assert len(files) == 3
    for path, code in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(code, encoding="utf-8")
    tasks = tmp_path / "tasks" / "__init__.py"
    added = "from harness_ext.tasks.head_preference import HeadPreferenceMini\n\nTASKS = (HeadPreferenceMini, "
    tasks.write_text(tasks.read_text(encoding="utf-8").replace("TASKS = (", added), encoding="utf-8")

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
