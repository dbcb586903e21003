"""The three ways to load a dataset give the same rows."""

from __future__ import annotations

import hashlib
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

from harness_ext.data.export import export_datasets
from harness_ext.names import DATASETS

ROOT = Path(__file__).parents[2]


def rows_hash(rows):
    return hashlib.sha256("\n".join(json.dumps(row, sort_keys=True) for row in rows).encode()).hexdigest()


def test_every_folder_with_a_card_is_a_dataset():
    assert {path.parent.name for path in (ROOT / "datasets_scripts").glob("*/README.md")} == set(DATASETS)


def test_loading_by_name_does_not_look_at_the_working_folder(tmp_path, monkeypatch):
    (tmp_path / "train.csv").write_text("not,ours\n1,2\n")
    for folder in (tmp_path, ROOT / "datasets_scripts"):
        monkeypatch.chdir(folder)
        assert len(datasets.load_dataset("compound_mini", split="naturalistic")) == 180


def test_a_folder_of_that_name_with_own_data_comes_first_and_is_said_to(tmp_path, monkeypatch, caplog):
    (tmp_path / "compound_mini").mkdir()
    (tmp_path / "compound_mini" / "train.csv").write_text("not,ours\n1,2\n")
    monkeypatch.chdir(tmp_path)
    assert datasets.load_dataset("compound_mini", split="train").to_list() == [{"not": 1, "ours": 2}]
    (said,) = [record.getMessage() for record in caplog.records if record.name.startswith("harness_ext")]
    assert f"'compound_mini' is your own folder {tmp_path / 'compound_mini'}" in said
    assert len(datasets.load_dataset("compound_mini", split="naturalistic", revision="pinned")) == 180
    (tmp_path / "compound_mini" / "train.csv").rename(tmp_path / "compound_mini" / "naturalistic.csv")
    task = mteb.get_task("EpsilonCompositionalityMini")  # is never measured on that folder
    task.load_data()
    assert len(task.dataset["naturalistic"]) == 180


def test_export_gives_the_same_rows_from_a_repository_with_a_card(tmp_path):
    files = list(export_datasets(tmp_path, ["compound_mini"]))
    assert [str(path.relative_to(tmp_path)) for path in files] == [
        "compound_mini/default/naturalistic-00000-of-00001.parquet",
        "compound_mini/README.md",
    ]
    exported = datasets.load_dataset(str(tmp_path / "compound_mini"), split="naturalistic")
    named = datasets.load_dataset("compound_mini", split="naturalistic")
    assert exported.features == named.features
    assert rows_hash(exported) == rows_hash(named)
    card = DatasetCard.load(tmp_path / "compound_mini" / "README.md")
    assert card.data.license == "cc0-1.0"
    assert card.data.to_dict()["dataset_info"]["splits"][0]["num_examples"] == 180


@pytest.mark.slow
def test_export_goes_on_after_a_dataset_that_cannot_be_had_and_says_so_at_the_end(run, tmp_path):
    command = ("harness-ext", "datasets", "export", "out", "--dataset", "nctti", "--dataset", "compound_mini")
    done = run(*command, check=False, HARNESS_EXT_CACHE=str(tmp_path / "empty"))
    assert done.returncode == 2
    assert (tmp_path / "out" / "compound_mini" / "README.md").is_file()
    assert not (tmp_path / "out" / "nctti" / "README.md").exists()
    assert "Error: not written: nctti (en), nctti (pt)." in done.stderr
    assert "Traceback" not in done.stderr
    again = run(*command[:4], "--dataset", "compound_mini")  # where the folder of the export is there already
    assert "out/compound_mini/README.md" in again.stdout


@pytest.fixture(scope="session")
def datasets_3():
    """The Python of an environment with datasets 3.6, which still runs scripts, and nothing of torch or mteb."""
    environment = ROOT / ".cache" / "tests" / "datasets-3.6"
    python = environment / "bin" / "python"
    ready = environment / "ready"
    if not ready.exists():
        subprocess.run([sys.executable, "-m", "venv", environment], check=True)
        packages = ["datasets==3.6.0", "openpyxl", "requests", "tenacity", "tqdm", "pyyaml"]
        subprocess.run([python, "-m", "pip", "install", "--quiet", *packages], check=True)
        ready.touch()
    return python


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "config", "split"),
    [
        ("compound_mini", "default", "naturalistic"),
        pytest.param("ncimp", "pt", "neutral", marks=pytest.mark.real_data),
    ],
)
def test_the_script_by_its_path_under_datasets_3(datasets_3, tmp_path, request, name, config, split):
    if name == "ncimp":
        request.getfixturevalue("unverified_mirror")
    program = textwrap.dedent(
        f"""
        import datasets, json, sys
        assert datasets.__version__.startswith("3.6"), datasets.__version__
        rows = datasets.load_dataset(
            {str(ROOT / "datasets_scripts" / name)!r}, {config!r}, split={split!r}, trust_remote_code=True
        )
        assert "torch" not in sys.modules and "mteb" not in sys.modules
        json.dump(list(rows), open({str(tmp_path / "rows.json")!r}, "w"))
        named = datasets.load_dataset({name!r}, {config!r}, split={split!r})
        assert list(named) == list(rows)
        """
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "HF_HOME": str(tmp_path / "huggingface")}
    done = subprocess.run([datasets_3, "-c", program], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    scripted = json.loads((tmp_path / "rows.json").read_text())
    assert rows_hash(scripted) == rows_hash(datasets.load_dataset(name, config, split=split))
