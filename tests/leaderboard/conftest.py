"""A sound submission, and ways to damage it; results of synthetic models for a board."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from harness_ext.framework.gain import gain_scores
from harness_ext.leaderboard.checks.verify import verify
from harness_ext.leaderboard.submission import submit
from harness_ext.results.load import read_result, task_of_result
from harness_ext.store.item_files import DIGEST, item_files, write_items
from tests.leaderboard.small_board import TASKS
from tests.leaderboard.synthetic import write_models
from tests.planted import entries_of
from tests.results.measured import QUICK
from tests.results.test_compare import TASK, planted

MODEL = "planted/one"
SAMPLES = "samples"
"""The table of items that tests change."""


@pytest.fixture(scope="session")
def sound(measured_folder, tmp_path_factory):
    """A submission of one of them."""
    folder = tmp_path_factory.mktemp("sound") / "submission"
    submit(measured_folder, MODEL, folder)
    return folder


@pytest.fixture(scope="session")
def measured(tmp_path_factory):
    """Two good models, a bad one and one that knows nothing, with their own words."""
    folder = tmp_path_factory.mktemp("measured")
    names = "planted/0", "planted/1", "planted/2", "compositionality/letters"
    for seed, (name, common) in enumerate(zip(names, (2.0, 2.0, 0.2, 0.2), strict=True)):
        entries_of(planted(name, common, seed), TASK, folder)
    return folder


class Submission:
    """A submission that a test may damage."""

    def __init__(self, folder: Path, task: str = QUICK[0]) -> None:
        self.folder = folder
        (self.of_model,) = folder.glob("results/*/1")
        self.file = self.of_model / f"{task}.json"

    def items(self, table: str) -> Path:
        """The file of a table of the first entry."""
        return item_files(self.file, task_of_result(self.file).measure.items, self.entry()[DIGEST])[table]

    def edit(self, change, file: Path | None = None) -> None:
        """Change the content of a JSON file."""
        file = file or self.file
        content = json.loads(file.read_text())
        change(content)
        file.write_text(json.dumps(content))

    def edit_entry(self, **changes) -> None:
        """Change the first entry of the result."""

        def change(content):
            next(iter(content["scores"].values()))[0].update(changes)

        self.edit(change)

    def entry(self) -> dict:
        """The first entry of the result."""
        return next(iter(json.loads(self.file.read_text())["scores"].values()))[0]

    def forge(self, change) -> None:
        """Change the items, and compute all scores and the digest anew: a forger who knows how this works."""
        (entry,) = read_result(self.file)
        items = change(entry.items())
        scores = entry.measure.flat_scores(items)
        if entry.words_digest:
            scores |= gain_scores(entry.measure, items, entry.words_items())
        self.edit_entry(**scores, main_score=scores[entry.measure.main], **{DIGEST: write_items(self.file, items)})

    def refused(self, **kwargs) -> list:
        """What it is refused for."""
        return [finding for finding in verify(self.folder, **kwargs).findings if finding.refused]


@pytest.fixture
def submission(sound, tmp_path):
    """A copy of the sound one."""
    return Submission(shutil.copytree(sound, tmp_path / "submission"))


@pytest.fixture(scope="session")
def four_models(tmp_path_factory):
    """Results of four synthetic models."""
    folder = tmp_path_factory.mktemp("made")
    write_models(folder, range(4), TASKS)
    return folder


@pytest.fixture
def made_up(four_models, tmp_path):
    """A copy that a test may spoil."""
    return shutil.copytree(four_models, tmp_path / "board")


def only(findings, key="", message=""):
    """The findings, one of which is about this key."""
    assert findings, "nothing was refused"
    assert any(key in finding.key and re.search(message, finding.message) for finding in findings), findings
    return findings


def changed(items, table, **columns):
    """The items with other columns in one table."""
    of_table = items.tables()[table]
    return replace(items, **{table: type(of_table).of({**of_table.values(), **columns})})
