"""Damaged, huge, linked and foreign files of a submission are refused, and none is executed."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import numpy as np
import pyarrow
import pyarrow.parquet
import pytest

from harness_ext.leaderboard.checks.finding import Finding
from harness_ext.leaderboard.verdict_tables import findings_table
from tests.leaderboard.conftest import SAMPLES, only


@pytest.mark.slow
def test_parquet_bombs_are_told_by_their_footers(submission, monkeypatch):
    """Kilobytes that unpack to a gigabyte: of equal rows, and of one long text."""
    path = submission.items(SAMPLES)
    sound = pyarrow.parquet.read_table(path)
    plainly = pyarrow.parquet.ParquetFile.read

    def read(self, *args, **kwargs):
        assert self.metadata.num_rows < 2_000_000, "the pages of a bomb were read"
        assert self.metadata.row_group(0).total_byte_size < 2**29, "the pages of a bomb were read"
        return plainly(self, *args, **kwargs)

    monkeypatch.setattr(pyarrow.parquet.ParquetFile, "read", read)
    long = pyarrow.array(["a" * (600 * 2**20)])
    place = sound.schema.get_field_index("word")
    for bomb, is_dictionary in (
        (sound.take(np.zeros(2_100_000, dtype=int)), True),
        (sound.slice(0, 1).set_column(place, "word", long), False),
    ):
        pyarrow.parquet.write_table(bomb, path, compression="zstd", use_dictionary=is_dictionary)
        assert path.stat().st_size < 2**20
        only(submission.refused(), "", "too large")


def test_a_long_text_that_would_be_repeated_in_memory(submission):
    """NumPy gives every row the room of the longest text: 4 bytes a letter and row."""
    path = submission.items(SAMPLES)
    sound = pyarrow.parquet.read_table(path)
    words = pyarrow.array(["a" * 100_000, *sound["word"].to_pylist()[1:]]).dictionary_encode()
    place = sound.schema.get_field_index("word")
    pyarrow.parquet.write_table(sound.set_column(place, "word", words), path)
    only(submission.refused(), "", "too long")


@pytest.mark.parametrize("column", [pyarrow.array([[1]]), pyarrow.array([{"a": 1}]), pyarrow.array([b"\x80\x04."])])
def test_columns_of_other_kinds_are_not_read(submission, column):
    """Lists, structures, bytes that could be a pickle: items have none."""
    path = submission.items(SAMPLES)
    sound = pyarrow.parquet.read_table(path).slice(0, 1)
    place = sound.schema.get_field_index("word")
    pyarrow.parquet.write_table(sound.set_column(place, "word", column), path)
    only(submission.refused(), "", "columns are wrong")


def test_a_huge_json_is_not_opened(submission, monkeypatch):
    with submission.file.open("wb") as file:
        file.truncate(3 * 2**30)
    findings = only(submission.refused(), "", "too large")
    assert str(3 * 2**30) in findings[0].found


@pytest.mark.parametrize("what", ["file", "folder", "results", "pipe"])
def test_links_and_pipes_are_not_followed(submission, tmp_path, what):
    secret = tmp_path / "secret.json"
    secret.write_text("{")
    if what == "file":
        submission.file.unlink()
        submission.file.symlink_to(secret)
    elif what == "folder":
        (submission.of_model.parent / "2").symlink_to(submission.of_model)
    elif what == "results":
        (submission.folder / "results").rename(tmp_path / "elsewhere")
        (submission.folder / "results").symlink_to(tmp_path / "elsewhere")
    else:
        os.mkfifo(submission.of_model / "TreeReconstruction.json")
    only(submission.refused(), "", "Only plain files")


def test_a_name_that_is_no_text_can_be_printed(submission):
    Path(os.fsdecode(os.fsencode(submission.of_model) + b"/\xff\x1b[2J.json")).touch()
    findings = only(submission.refused(), "", "only results of this")
    for quoted in (False, True):
        text = findings_table(findings, submission.folder, quoted=quoted).markdown()
        assert text.encode()
        assert "\x1b" not in text


def test_reasons_to_refuse_are_listed_before_notes(tmp_path):
    note, reason = (Finding(tmp_path / "a.json", "", "", "", "", refused) for refused in (False, True))
    assert [row[0] for row in findings_table([note, reason], tmp_path).rows] == ["refused", "note"]


def test_only_results_can_be_submitted_to_a_board(submission, tmp_path):
    board = tmp_path / "board"
    (board / "reruns").mkdir(parents=True)
    (board / "README.md").write_text("The board.")
    shutil.copytree(board, submission.folder, dirs_exist_ok=True)
    assert not submission.refused(against=board)
    (submission.folder / "README.md").write_text("My board.")
    (submission.folder / "reruns" / "mine.json").write_text("{}")
    (submission.folder / ".github" / "workflows").mkdir(parents=True)
    (submission.folder / ".github" / "workflows" / "evil.yml").write_text("run: curl")
    findings = submission.refused(against=board)
    assert {finding.file.name for finding in findings} == {"README.md", "mine.json", "evil.yml"}
    (submission.folder / "README.md").unlink()
    assert "README.md" in {finding.file.name for finding in only(submission.refused(against=board), "", "removes")}
