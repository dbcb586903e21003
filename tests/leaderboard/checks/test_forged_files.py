"""Files that say more, or something else, than the result that they belong to: refused by name."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow
import pyarrow.parquet
import pytest

from harness_ext.leaderboard.checks.rivals import by_submission
from harness_ext.results.load import read_result
from harness_ext.store.item_files import DIGEST, schema
from tests.leaderboard.conftest import only
from tests.leaderboard.small_board import board_of, edit


def add_texts_as_they_are(submission, items):
    """Add items whose texts have any letters; returns their digest. NumPy's texts lose some."""
    columns = schema(type(items))
    values = {DIGEST: [items.digest()]}
    for column in columns:
        if column.name != DIGEST:
            table, _, name = column.name.partition(".")
            values[column.name] = [items.tables()[table].values()[name].tolist()]
    table = pyarrow.parquet.read_table(submission.items)
    table = pyarrow.concat_tables([table, pyarrow.table(values, schema=columns).cast(table.schema)])
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
    submission.edit_entry(**{DIGEST: add_texts_as_they_are(submission, forged)})
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
