"""Files that say more, or something else, than the result that they belong to: refused by name."""

from __future__ import annotations

import json
import os
import random
import shutil
import struct
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow
import pyarrow.compute
import pyarrow.parquet
import pytest

from harness_ext.leaderboard.checks import work
from harness_ext.leaderboard.checks.rivals import by_submission
from harness_ext.leaderboard.checks.verify import verify
from harness_ext.leaderboard.checks.work import Work
from harness_ext.leaderboard.submission import submit
from harness_ext.results.load import read_result
from harness_ext.store.item_files import DIGEST, schema
from tests.leaderboard.conftest import SAMPLES, changed, only
from tests.leaderboard.small_board import board_of, edit
from tests.results.measured import QUICK


def write_texts_as_they_are(submission, items):
    """Write items whose texts have any letters in the place of the encoder's; returns their digest.

    NumPy's texts lose some letters.
    """
    columns = schema(type(items))
    values = {DIGEST: [items.digest()]}
    for column in columns:
        if column.name != DIGEST:
            table, _, name = column.name.partition(".")
            values[column.name] = [items.tables()[table].values()[name].tolist()]
    table = pyarrow.parquet.read_table(submission.items)
    is_other = pyarrow.compute.not_equal(table[DIGEST], submission.entry()[DIGEST])
    written = pyarrow.table(values, schema=columns).cast(table.schema)
    table = pyarrow.concat_tables([table.filter(is_other), written])
    pyarrow.parquet.write_table(table, submission.items, compression="zstd")
    return items.digest()


def joined_to_the_row_before(table, rows):
    """A table without some rows, the texts of which stand behind those of the row before."""
    values = {}
    for name, column in table.values().items():
        kept = []
        for row, value in enumerate(column.tolist()):
            if row not in rows:
                kept.append(value)
            elif isinstance(value, str):
                kept[-1] = f"{kept[-1]}\0{value}"
        values[name] = np.array(kept)
    return type(table).of(values)


def test_rows_that_are_joined_to_others_have_the_digest_of_the_data_and_are_refused(submission):
    """Texts were joined by this letter where rows are compared: every second row would be
    hidden.
    """
    (entry,) = read_result(submission.file)
    items = entry.items()
    rows = {*range(1, len(items.samples), 2)}
    forged = replace(items, samples=joined_to_the_row_before(items.samples, rows))
    assert len(forged.samples) == len(items.samples) - len(rows)
    assert forged.digest(measured=False) == items.digest(measured=False)
    submission.edit_entry(**{DIGEST: write_texts_as_they_are(submission, forged)})
    (finding, *_) = only(submission.refused(), "items", "the letter that separates texts")
    assert finding.found.startswith("samples.row, row 0: ")


@pytest.mark.parametrize("date", [10**400, -(10**400), float("nan")], ids=["late", "early", "none"])
def test_a_date_that_no_clock_has_is_unknown(submission, date):
    edit(submission.file, lambda content: content.update(date=date))
    (entry,) = read_result(submission.file)
    assert by_submission(None)(entry) == (float("inf"), float("inf"), str(submission.file))
    board, problems = board_of(submission.folder)
    assert board.columns
    assert not problems


def footer_of(content):
    """The footer of a file of Parquet with its length and the last letters."""
    (length,) = struct.unpack("<I", content[-8:-4])
    return content[-8 - length :]


def with_bytes_before_the_footer(path):
    content = path.read_bytes()
    footer = footer_of(content)
    path.write_bytes(content.removesuffix(footer) + random.randbytes(10**6) + footer)


def with_a_hole_before_the_footer(path):
    """A file that takes few blocks of the disk."""
    content = path.read_bytes()
    footer = footer_of(content)
    with path.open("r+b") as file:
        file.truncate(len(content) + 10**7)
        file.seek(0, os.SEEK_END)
        file.write(footer)


def with_a_text_in_the_footer(path):
    table = pyarrow.parquet.read_table(path)
    text = random.randbytes(200_000).hex()
    pyarrow.parquet.write_table(
        table.replace_schema_metadata({"text": text}), path, compression="zstd"
    )


def as_another_kind_of_file(path):
    path.write_bytes(b"MZ\x90\x00" + path.read_bytes()[4:])


@pytest.mark.parametrize(
    ("hide", "message"),
    [
        (with_bytes_before_the_footer, "more bytes than its items take"),
        (with_a_hole_before_the_footer, "more bytes than its items take"),
        (with_a_text_in_the_footer, "more bytes than its items take"),
        (as_another_kind_of_file, "begins otherwise"),
    ],
)
def test_bytes_of_a_file_of_items_that_are_no_items(submission, hide, message):
    """Readers of Parquet pass over them, and they would stand in the board's repository."""
    hide(submission.items)
    assert pyarrow.parquet.read_table(submission.items).num_rows
    (finding,) = only(submission.refused(), "", message)
    assert finding.file == submission.items


def with_unnamed_items(path, digests):
    """Add the first items of a file under other digests."""
    table = pyarrow.parquet.read_table(path)
    rows = [table]
    for digest in digests:
        rows.append(table.slice(0, 1).set_column(0, DIGEST, [[digest]]).cast(table.schema))
    pyarrow.parquet.write_table(pyarrow.concat_tables(rows), path, compression="zstd")


def test_items_that_the_result_does_not_name_are_a_note(submission):
    submission.edit_entry(noise_items=None)
    n_rows = len(pyarrow.parquet.read_table(submission.items))
    (note,) = [one for one in verify(submission.folder).findings if one.file == submission.items]
    assert not note.refused
    assert note.found.startswith(f"1 of {n_rows} rows, ")


def test_more_items_than_a_result_can_name_are_refused(submission):
    """A result of one split names three: those of the encoder, of its baseline and of noise. Three
    more may be of the result before.
    """
    with_unnamed_items(submission.items, [letters * 32 for letters in ("ab", "bc", "cd", "de")])
    (finding,) = only(submission.refused(), DIGEST, "does not name them")
    n_rows = len(pyarrow.parquet.read_table(submission.items))
    assert finding.found == f"4 of {n_rows} rows, the first of them '{'ab' * 32}'"


def test_items_that_are_there_twice(submission):
    """Readers take the first, and others may take the last."""
    table = pyarrow.parquet.read_table(submission.items)
    pyarrow.parquet.write_table(
        pyarrow.concat_tables([table, table.slice(0, 1)]), submission.items, compression="zstd"
    )
    (finding,) = only(submission.refused(), "items", "same items twice")
    assert finding.found == f"{len(table) + 1} rows with {len(table)} digests"


def test_a_submission_is_written_without_items_that_its_result_does_not_name(
    measured_folder, tmp_path
):
    """Those of a result that was set aside beside it are in the same file."""
    results = shutil.copytree(measured_folder, tmp_path / "results")
    (path,) = results.glob(f"results/planted__one/*/{QUICK[0]}.items.parquet")
    with_unnamed_items(path, ["ab" * 32])
    submit(results, "planted/one", tmp_path / "submission", tasks=[QUICK[0]])
    (written,) = tmp_path.glob("submission/results/*/*/*.items.parquet")
    assert "ab" * 32 not in pyarrow.parquet.read_table(written)["items"].to_pylist()
    assert "ab" * 32 in pyarrow.parquet.read_table(path)["items"].to_pylist()


def test_a_signature_with_a_field_twice_is_none(submission):
    """Programs would read the first or the last."""
    submission.edit_entry(signature=f"task:Other|{submission.entry()['signature']}")
    (finding,) = only(submission.refused(), "signature", "a signature of this project expected")
    assert finding.file == submission.file


@pytest.mark.parametrize("split", ["", "a" * 1_000_000])
def test_a_split_without_scores_is_refused(submission, split):
    edit(submission.file, lambda content: content["scores"].update({split: []}))
    (finding,) = only(submission.refused(), "scores", "has no scores")
    assert len(finding.found) < 300


def nested(depth):
    return "[" * depth + "]" * depth


@pytest.mark.parametrize("depth", [200, 900])
def test_metadata_that_only_some_programs_can_read(submission, depth):
    """How deep a reader can go depends on where it is called."""
    content = json.loads(submission.meta.read_text())
    text = json.dumps(content | {"training_datasets": "DEEP"})
    submission.meta.write_text(text.replace('"DEEP"', nested(depth)))
    (finding,) = only(submission.refused(), "", "in each other so often")
    assert finding.file == submission.meta


def test_a_list_beside_the_scores_that_only_some_programs_can_read(submission):
    text = submission.file.read_text()
    submission.file.write_text(f'{{"deep": {nested(900)},{text.strip()[1:]}')
    (finding,) = only(submission.refused(), "deep", "in each other so often")
    assert finding.file == submission.file


def test_an_experiment_without_settings_would_be_the_model_itself_to_mteb(submission):
    there = submission.of_model / "experiments" / "mine"
    shutil.copytree(submission.of_model, there)
    (finding,) = only(submission.refused(), "experiment_kwargs", "those of the model itself")
    assert finding.file == there / "model_meta.json"
    edit(finding.file, lambda meta: meta.update(experiment_kwargs={"mine": True}))
    assert not submission.refused()


def test_a_model_with_the_settings_of_an_experiment(submission):
    edit(submission.meta, lambda meta: meta.update(experiment_kwargs={"mine": True}))
    (finding,) = only(submission.refused(), "experiment_kwargs", "those of an experiment")
    assert finding.file == submission.meta


def test_a_folder_with_the_name_of_a_result_is_refused(submission):
    """mteb would open it."""
    (submission.of_model / "CaptionSwap.json").mkdir()
    (finding,) = only(submission.refused(), "", "Only plain files are read")
    assert finding.file == submission.of_model / "CaptionSwap.json"


def test_experiments_that_differ_in_case_are_one_folder_to_some_systems(submission):
    for name in ("mine", "Mine"):
        there = submission.of_model / "experiments" / name
        shutil.copytree(submission.of_model, there, ignore=shutil.ignore_patterns("experiments"))
        edit(there / "model_meta.json", lambda meta: meta.update(experiment_kwargs={"mine": 1}))
    (finding,) = only(submission.refused(), "", "one place")
    assert (Path(finding.found).name, Path(finding.expected).name) == ("mine", "Mine")


def test_a_model_that_differs_from_one_of_the_board_in_case(submission, tmp_path):
    board = shutil.copytree(submission.folder, tmp_path / "board")
    there = submission.of_model.parent.with_name("Planted__one") / submission.of_model.name
    shutil.copytree(submission.of_model, there)
    edit(there / "model_meta.json", lambda meta: meta.update(name="Planted/one"))
    refused = only(submission.refused(against=board), "", "one place")
    (finding,) = [finding for finding in refused if "one place" in finding.message]
    assert finding.file == there.parent
    assert finding.expected == "results/planted__one"


def test_work_by_hand(monkeypatch):
    monkeypatch.setattr(work, "FIRST_ROWS", 100)
    monkeypatch.setattr(work, "ROWS_A_BYTE", 2)
    counted = Work()
    assert counted.problem(110, 10) is None
    found, expected, _ = counted.problem(20, 10)
    assert (found, expected) == ("130 rows of all scores together", "at most 120")
    assert counted.problem(10, 10) is None
    counted.start()
    assert counted.problem(120, 10) is None


def test_values_left_out_in_many_results_are_not_all_counted(submission, monkeypatch):
    """A main score of all rows is computed for each end of a value that is left out."""

    def without_one(items):
        distance = items.samples.context_distance.copy()
        distance[0] = np.nan
        return changed(items, SAMPLES, context_distance=distance)

    submission.forge(without_one)
    assert not submission.refused()
    monkeypatch.setattr(work, "FIRST_ROWS", 0)
    monkeypatch.setattr(work, "ROWS_A_BYTE", 0)
    (finding,) = only(submission.refused(), "items", "take too long to compute")
    (entry,) = read_result(submission.file)
    assert finding.found == f"{2 * len(entry.items())} rows of all scores together"
