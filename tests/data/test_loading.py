"""The three ways to load a dataset give the same rows."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import datasets
import mteb
import pytest
from huggingface_hub import DatasetCard

from harness_ext.common.folders import DATASETS
from harness_ext.data.export import export_datasets
from tests.command_line import harness_ext

ROOT = Path(__file__).parents[2]


def test_every_folder_with_a_card_is_a_dataset():
    assert {path.parent.name for path in (ROOT / "datasets_scripts").glob("*/README.md")} == set(
        DATASETS
    )


def test_a_folder_of_that_name_with_own_data_comes_first_and_is_said_to(
    tmp_path, monkeypatch, caplog
):
    (tmp_path / "train.csv").write_text("not,ours\n1,2\n")
    # neither has data in a folder of that name
    for folder in (tmp_path, ROOT / "datasets_scripts"):
        monkeypatch.chdir(folder)
        assert len(datasets.load_dataset("compound_mini", split="naturalistic")) == 360
    (tmp_path / "compound_mini").mkdir()
    (tmp_path / "train.csv").rename(tmp_path / "compound_mini" / "train.csv")
    monkeypatch.chdir(tmp_path)
    assert datasets.load_dataset("compound_mini", split="train").to_list() == [
        {"not": 1, "ours": 2}
    ]
    (said,) = [
        record.getMessage() for record in caplog.records if record.name.startswith("harness_ext")
    ]
    assert f"'compound_mini' is your own folder {tmp_path / 'compound_mini'}" in said
    assert (
        len(datasets.load_dataset("compound_mini", split="naturalistic", revision="pinned")) == 360
    )
    (tmp_path / "compound_mini" / "train.csv").rename(
        tmp_path / "compound_mini" / "naturalistic.csv"
    )
    task = mteb.get_task("EpsilonCompositionalityMini")  # is never measured on that folder
    task.load_data()
    assert len(task.dataset["naturalistic"]) == 360


@pytest.mark.skipif(
    int(datasets.__version__.partition(".")[0]) < 4, reason="this datasets runs scripts"
)
@pytest.mark.parametrize(
    "path", ["datasets_scripts/compound_mini", "datasets_scripts/compound_mini/compound_mini.py"]
)
def test_the_folder_of_a_script_names_what_works(path, monkeypatch):
    monkeypatch.chdir(ROOT)
    with pytest.raises(
        RuntimeError, match=r"Its name alone will do: load_dataset\('compound_mini'\)"
    ):
        datasets.load_dataset(path)


@pytest.mark.slow
def test_an_installation_on_the_path_is_known_after_an_import(tmp_path):
    """Python reads no .pth file there; the page says what to do."""
    site = [path for path in sys.path if path.endswith("site-packages")]
    for code, returned in (("import mteb", 1), ("import harness_ext, mteb", 0)):
        line = [sys.executable, "-S", "-c", f"{code}; mteb.get_task('MergeOppositesMini')"]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([*site, str(ROOT)])}
        done = subprocess.run(line, cwd=tmp_path, env=environment, capture_output=True, text=True)
        assert done.returncode == returned, done.stderr


def test_export_gives_the_same_rows_from_a_repository_with_a_card(tmp_path):
    files = list(export_datasets(tmp_path, ["compound_mini"]))
    # where its folder is there already
    assert files == list(export_datasets(tmp_path, ["compound_mini"]))
    assert [str(path.relative_to(tmp_path)) for path in files] == [
        "compound_mini/default/naturalistic-00000-of-00001.parquet",
        "compound_mini/README.md",
    ]
    exported = datasets.load_dataset(str(tmp_path / "compound_mini"), split="naturalistic")
    named = datasets.load_dataset("compound_mini", split="naturalistic")
    assert exported.features == named.features
    assert exported.to_list() == named.to_list()
    card = DatasetCard.load(tmp_path / "compound_mini" / "README.md")
    assert card.data.license == "cc0-1.0"
    assert card.data.to_dict()["dataset_info"]["splits"][0]["num_examples"] == 360


@pytest.mark.usefixtures("own_rows")
def test_export_goes_on_after_a_dataset_that_cannot_be_had_and_says_so_at_the_end(
    tmp_path, monkeypatch
):
    monkeypatch.setenv("HARNESS_EXT_CACHE", str(tmp_path / "empty"))
    done = harness_ext(
        "datasets", "export", tmp_path, "--dataset", "nctti", "--dataset", "compound_mini"
    )
    assert (done.exit_code, type(done.exception)) == (2, SystemExit)
    assert "compound_mini/README.md" in done.stdout
    assert "Error: not written: nctti (en), nctti (pt)." in done.stderr
    assert not (tmp_path / "nctti" / "README.md").exists()


@pytest.mark.slow
def test_the_script_by_its_path_under_datasets_3(tmp_path):
    """In an environment with datasets 3.6, which still runs scripts, and nothing of torch
    or mteb.
    """
    environment = ROOT / ".cache" / "tests" / "datasets-3.6"
    python = environment / "bin" / "python"
    ready = environment / "ready"
    if not ready.exists():
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True)
        packages = ["datasets==3.6.0", "openpyxl", "requests", "tenacity", "tqdm", "pyyaml"]
        pip = [
            sys.executable,
            "-m",
            "pip",
            "--python",
            python,
            "install",
            "--quiet",
            "--no-compile",
        ]
        subprocess.run([*pip, *packages], check=True)
        ready.touch()
    program = textwrap.dedent(
        f"""
        import datasets, json, sys
        assert datasets.__version__.startswith("3.6"), datasets.__version__
        script = {str(ROOT / "datasets_scripts" / "compound_mini")!r}
        rows = datasets.load_dataset(script, split="naturalistic", trust_remote_code=True)
        assert "torch" not in sys.modules and "mteb" not in sys.modules
        json.dump(list(rows), open({str(tmp_path / "rows.json")!r}, "w"))
        assert list(datasets.load_dataset("compound_mini", split="naturalistic")) == list(rows)
        """
    )
    variables = {**os.environ, "PYTHONPATH": str(ROOT), "HF_HOME": str(tmp_path / "huggingface")}
    done = subprocess.run([python, "-c", program], env=variables, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    rows = datasets.load_dataset("compound_mini", split="naturalistic")
    assert json.loads((tmp_path / "rows.json").read_text()) == rows.to_list()
