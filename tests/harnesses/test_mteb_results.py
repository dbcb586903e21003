"""A result on other data than there is now is never read, never mixed with one on this data, and never lost."""

from __future__ import annotations

import json
import logging

import mteb
import pytest

from harness_ext.data.builder import builder_class
from harness_ext.data.sources import Source, git_blob_hash, revision_suffix
from harness_ext.tasks import EpsilonCompositionalityMini
from tests.items_check import assert_rescored
from tests.planted import PlantedModel, bag_of_words
from tests.results.test_load import damaged

pytestmark = pytest.mark.usefixtures("without_own_words")

MINI = "EpsilonCompositionalityMini"


class Folder:
    """A folder of results, and what is measured into it."""

    def __init__(self, folder):
        self.cache = mteb.ResultCache(folder)
        self.file = folder / "results" / "planted__bag-of-words" / "1" / f"{MINI}.json"

    def measure(self, dimensions=16, **kwargs):
        """Scores and whether they were computed, for which models of several dimensions say who did."""
        model = PlantedModel(bag_of_words(dimensions=dimensions), "planted/bag-of-words")
        result = mteb.evaluate(
            model, mteb.get_task(MINI), cache=self.cache, show_progress_bar=False, **kwargs
        ).task_results[0]
        assert_rescored(self.file)
        return result, bool(model.calls)

    def splits(self, revision, aside=None):
        """The scores by split of the result on some data, in its place or set aside for the first or second time."""
        file = self.file.with_name(f"{self.file.name}.set-aside-{aside}") if aside else self.file
        content = json.loads(file.read_text())
        assert content["dataset_revision"] == revision
        return {split: entry["main_score"] for split, (entry,) in content["scores"].items()}


@pytest.fixture
def mini(tmp_path, monkeypatch):
    """The small task with a source file besides, which it does not look into, and which is not always the pinned one.

    Returns the folder of results, a function that puts the file's text there, and one that says of which revision the
    data with that text is.
    """
    pinned = tmp_path / "pinned"
    pinned.write_text("pinned")
    source = Source("https://example.org/data.txt", git_blob_hash(pinned))
    monkeypatch.setattr(builder_class("compound_mini"), "SOURCES", {"default": {"data": source}})
    monkeypatch.setenv("HARNESS_EXT_MIRROR", str(tmp_path / "mirror"))
    monkeypatch.setenv("HARNESS_EXT_ALLOW_UNVERIFIED", "1")

    def put(text):
        file = tmp_path / "mirror" / source.relative_path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def revision(text):
        put(text)
        return EpsilonCompositionalityMini.metadata.revision + revision_suffix([source])

    put("pinned")
    return Folder(tmp_path / "out"), put, revision


@pytest.mark.slow
def test_on_other_data_a_split_is_measured_anew_and_the_result_is_set_aside(mini, caplog):
    """One by each of two models of one name, so that it can be seen whose score is returned."""
    folder, put, revision = mini
    first, second = map(revision, ("pinned", "other"))
    put("pinned")
    one, _ = folder.measure()
    put("other")
    with caplog.at_level(logging.WARNING, "harness_ext"):
        other, is_new = folder.measure(dimensions=3)
    assert is_new
    assert (one.dataset_revision, other.dataset_revision) == (first, second)
    assert f"{folder.file} was computed on other data ({first}) than the current data ({second}). {MINI}" in caplog.text
    assert folder.splits(second) == {"naturalistic": other.main_score}
    assert folder.splits(first, aside=1) == {"naturalistic": one.main_score} != folder.splits(second)


@pytest.mark.slow
def test_a_damaged_result_is_not_read_but_set_aside(mini):
    folder, _, _ = mini
    one, _ = folder.measure()
    damaged(folder.file, "a main score that is not the score it is")
    content = folder.file.read_bytes()
    again, is_new = folder.measure()
    assert is_new
    assert again.main_score == one.main_score
    assert folder.file.with_name(f"{folder.file.name}.set-aside-1").read_bytes() == content


def test_only_cache_has_no_result_on_this_data_and_who_asks_for_an_error_gets_one(mini):
    folder, put, revision = mini
    verified = revision("pinned")
    one, _ = folder.measure()
    put("other")
    with pytest.raises(ValueError, match=f"no results found in cache for task {MINI}"):
        folder.measure(overwrite_strategy="only-cache")
    assert folder.splits(verified) == {"naturalistic": one.main_score}
    with pytest.raises(
        FileNotFoundError, match=r"was computed on other data \(\S+\) than the current data \(\S+unverified"
    ):
        folder.cache.load_task_result(MINI, "planted/bag-of-words", "1", raise_if_not_found=True)


def test_results_of_other_tasks_are_mtebs_business(tmp_path):
    from mteb.mocks.mock_tasks import MockSTSTask

    cache = mteb.ResultCache(tmp_path)
    task = MockSTSTask()
    mteb.evaluate(PlantedModel(bag_of_words(), "planted/bag-of-words"), task, cache=cache, show_progress_bar=False)
    (file,) = tmp_path.rglob("MockSTSTask.json")
    content = json.loads(file.read_text())
    file.write_text(json.dumps(content | {"dataset_revision": "another"}))
    assert cache.load_task_result("MockSTSTask", "planted/bag-of-words", "1").dataset_revision == "another"
