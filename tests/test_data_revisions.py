"""Revisions of data: what was made of other files than the pinned ones is marked, and
nothing else.
"""

import json

import mteb
import pytest

import harness_ext
from harness_ext.data.builder import builder_class
from harness_ext.leaderboard.checks.trust import recomputed
from harness_ext.tasks import ENCODER_TASKS
from harness_ext.tasks.data import data_revision
from tests.planted import PlantedModel, entries_of, letters


@pytest.mark.slow
@pytest.mark.real_data
@pytest.mark.usefixtures("without_baselines")
def test_only_what_was_made_of_unverified_files_is_marked(unverified_mirror, tmp_path):
    """The English naturalistic files at hand are rebuilt ones; the others are the authors' own."""
    task = mteb.get_task("NounCompoundAffinity", eval_splits=["naturalistic", "neutral"])
    entries_of(PlantedModel(letters), task, tmp_path)
    (file,) = tmp_path.rglob("NounCompoundAffinity.json")
    entries = harness_ext.load_results(tmp_path).entries
    pinned = type(task).metadata.revision
    revisions = {(entry.subset, entry.split): entry.dataset_revision for entry in entries}
    rebuilt = revisions.pop(("en", "naturalistic"))
    assert rebuilt.startswith(f"{pinned}+unverified-")
    assert [*revisions.values()] == [pinned] * 5
    # mteb has one per file: of the worst
    assert json.loads(file.read_text())["dataset_revision"] == rebuilt
    marked = [entry.data for entry in entries if "+" in entry.data]
    assert marked == ["en naturalistic +unverified"]
    for entry in entries:
        refused = [finding.key for finding in recomputed(entry) if finding.refused]
        is_rebuilt = (entry.subset, entry.split) == ("en", "naturalistic")
        assert refused == (["dataset_revision"] if is_rebuilt else [])
    # a file made before says so of all its rows, in its signatures too
    file.write_text(file.read_text().replace(f"ncimp@{pinned}|", f"ncimp@{rebuilt}|"))
    assert {entry.dataset_revision for entry in harness_ext.read_result(file)} == {rebuilt}


def test_polarity_is_of_the_files_of_its_split(tmp_path, monkeypatch):
    """Of other system outputs than the published ones, references are no worse."""
    task = ENCODER_TASKS["PolaritySensitivity"]
    (source,) = (
        each
        for name, each in builder_class("polarity_pairs").SOURCES["system"].items()
        if name == "pairs.0"
    )
    (tmp_path / source.relative_path).parent.mkdir(parents=True)
    (tmp_path / source.relative_path).write_text("another\n")
    monkeypatch.setenv("HARNESS_EXT_MIRROR", str(tmp_path))
    monkeypatch.setenv("HARNESS_EXT_ALLOW_UNVERIFIED", "1")
    pinned = task.dataset["revision"]
    assert data_revision(task).startswith(f"{pinned}+unverified-")
    assert (
        data_revision(task, "reference", "default")
        == data_revision(task, "reference_trained_on_dev")
        == pinned
    )
    assert data_revision(task, "system_trained_on_dev", "default") == data_revision(task)


def test_other_files_of_one_split_leave_the_revision_of_another(tmp_path, monkeypatch):
    builder = builder_class("ncimp")
    neutral = builder.sources("en", "neutral").values()
    naturalistic = builder.sources("en", "naturalistic").values()
    source = next(each for each in naturalistic if each not in neutral)
    file = tmp_path / source.relative_path
    file.parent.mkdir(parents=True)
    file.write_text("another\n")
    monkeypatch.setenv("HARNESS_EXT_MIRROR", str(tmp_path))
    monkeypatch.setenv("HARNESS_EXT_ALLOW_UNVERIFIED", "1")
    task = ENCODER_TASKS["NounCompoundAffinity"]
    pinned = task.dataset["revision"]
    assert data_revision(task, "naturalistic", "en").startswith(f"{pinned}+unverified-")
    assert data_revision(task, "neutral", "en") == pinned
