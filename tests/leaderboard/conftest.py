"""A sound submission, and ways to damage it; results of synthetic models for a board."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import replace

import pytest

from harness_ext.leaderboard.checks.verify import verify
from harness_ext.leaderboard.submission import submit
from harness_ext.results.load import read_result
from harness_ext.store.item_files import DIGEST, items_file
from tests.items_check import write_items
from tests.leaderboard.small_board import TASKS, change, write_models
from tests.results.measured import QUICK

MODEL = "planted/one"
SAMPLES = "samples"
"""The table of items that tests change."""


@pytest.fixture(scope="session")
def sound(measured_folder, tmp_path_factory):
    """A submission of one of the two models."""
    folder = tmp_path_factory.mktemp("sound") / "submission"
    submit(measured_folder, MODEL, folder)
    return folder


class Submission:
    """A submission that a test may damage: the result of one task, or of the first of several."""

    def __init__(self, folder, task=QUICK[0]):
        self.folder = folder
        (self.of_model,) = folder.glob("results/*/*")
        self.file = self.of_model / f"{task}.json"
        self.items = items_file(self.file)
        self.meta = self.of_model / "model_meta.json"

    def entry(self):
        return next(iter(json.loads(self.file.read_text())["scores"].values()))[0]

    def edit_entry(self, **changes):
        change(self.folder, self.file, **changes)

    def forge(self, change_items):
        """Change the items, and compute all scores and the digest anew: a forger who knows how this
        works.
        """
        (entry,) = read_result(self.file)
        items = change_items(entry.items())
        vars(entry)["_items"] = items
        scores = entry.recomputed()
        self.edit_entry(
            **scores,
            main_score=scores[entry.measure.main],
            **{DIGEST: write_items(self.file, items)},
        )

    def refused(self, **kwargs):
        return [finding for finding in verify(self.folder, **kwargs).findings if finding.refused]


@pytest.fixture
def submission(sound, tmp_path):
    """A copy of the sound one, with one of its three tasks."""
    return Submission(
        shutil.copytree(sound, tmp_path / "submission", ignore=shutil.ignore_patterns("Noun*"))
    )


@pytest.fixture(scope="session")
def four_models(tmp_path_factory):
    """Results of four synthetic models."""
    folder = tmp_path_factory.mktemp("made")
    write_models(folder, range(4), TASKS)
    return folder


@pytest.fixture
def made_up(four_models, tmp_path):
    return shutil.copytree(four_models, tmp_path / "board")


def only(findings, key="", message=""):
    """The findings, one of which is about this key."""
    assert findings, "nothing was refused"
    assert any(
        key in finding.key and re.search(message, finding.message) for finding in findings
    ), findings
    return findings


def changed(items, table, **columns):
    """The items with other columns in one table."""
    of_table = items.tables()[table]
    return replace(items, **{table: type(of_table).of({**of_table.values(), **columns})})
