"""Damaged, huge, linked and foreign files of a submission are refused, and none is executed."""

from __future__ import annotations

import os
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow
import pyarrow.parquet
import pytest

from harness_ext.leaderboard.verdict_tables import findings_table
from tests.leaderboard.conftest import SAMPLES, only


def with_words(submission, words, **options):
    """Other words in as many of the items."""
    path = submission.items(SAMPLES)
    sound = pyarrow.parquet.read_table(path)
    rows = sound.take(np.zeros(len(words), dtype=int))
    place = rows.schema.get_field_index("word")
    pyarrow.parquet.write_table(rows.set_column(place, "word", words), path, compression="zstd", **options)
    return path


@pytest.mark.parametrize(("rows", "letters"), [(2_100_000, 1), (1, 3 * 2**20)])
def test_parquet_bombs_are_told_by_their_footers(submission, monkeypatch, rows, letters):
    """A few kilobytes that unpack to more than is read, which is less here: of equal rows, and of one long text."""
    path = with_words(submission, pyarrow.repeat("a" * letters, rows), use_dictionary=rows > 1)
    assert path.stat().st_size < 2**20
    monkeypatch.setattr("harness_ext.leaderboard.checks.submitted_files.MAX_UNPACKED_BYTES", 2**21)
    plainly = pyarrow.parquet.ParquetFile.read

    def read(self, *args, **kwargs):
        assert self.metadata.num_rows != rows, "the pages of a bomb were read"
        return plainly(self, *args, **kwargs)

    monkeypatch.setattr(pyarrow.parquet.ParquetFile, "read", read)
    only(submission.refused(), "", "too large")


def test_a_long_text_that_would_be_repeated_in_memory(submission):
    """NumPy gives every row the room of the longest text: 4 bytes a letter and row."""
    with_words(submission, pyarrow.array(["a" * 100_000, *["b"] * 2159]).dictionary_encode())
    only(submission.refused(), "", "too long")


@pytest.mark.parametrize("column", [pyarrow.array([["a"]]), pyarrow.array([b"\x80\x04."])])
def test_columns_of_other_kinds_are_not_read(submission, column):
    """Lists, bytes that could be a pickle: items have none."""
    with_words(submission, column)
    only(submission.refused(), "", "columns are wrong")


@pytest.mark.parametrize("size", [2**21 + 1, 3 * 2**30])
def test_a_huge_json_is_not_opened(submission, size):
    with submission.file.open("wb") as file:
        file.truncate(size)
    findings = only(submission.refused(), "", "too large")
    assert str(size) in findings[0].found


@pytest.mark.parametrize("what", ["folder", "results", "pipe"])
def test_links_and_pipes_are_not_followed(submission, tmp_path, what):
    if what == "folder":
        (submission.of_model.parent / "2").symlink_to(submission.of_model)
    elif what == "results":
        (submission.folder / "results").rename(tmp_path / "elsewhere")
        (submission.folder / "results").symlink_to(tmp_path / "elsewhere")
    else:
        os.mkfifo(submission.of_model / "TreeReconstruction.json")
    only(submission.refused(), "", "Only plain files")


def test_a_name_that_is_no_text_can_be_printed_and_reasons_stand_before_notes(submission):
    Path(os.fsdecode(os.fsencode(submission.of_model) + b"/\xff\x1b[2J.json")).touch()
    findings = only(submission.refused(), "", "only results of this")
    for quoted in (False, True):
        table = findings_table([replace(findings[0], refused=False), *findings], submission.folder, quoted=quoted)
        assert table.markdown().encode()
        assert "\x1b" not in table.markdown()
        assert [row[0] for row in table.rows] == ["refused", "note"]


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
