"""Damaged files of a user's own rows: right, or an error that names file, line and column, before a model is loaded."""

from __future__ import annotations

import io
import os

import pandas
import pytest

from harness_ext.own_data import own_table
from harness_ext.own_data.own_table import OwnDataError
from harness_ext.own_data.own_task import OwnPlace
from tests.command_line import harness_ext

COLUMNS = ("id", "sentence", "entailed", "not_entailed")
ROWS = [
    {
        "id": f"row {n}",
        "sentence": f"Clause {n}: the tenant, “A”, pays.",
        "entailed": f"Duty {n} of A",
        "not_entailed": f"Right {n} of A",
    }
    for n in range(12)
]


def written(rows=ROWS, **options):
    return pandas.DataFrame(rows).to_csv(index=False, **options).encode()


def changed(**cells):
    """The sixth row, line 7 of the file, with other cells."""
    return written([*ROWS[:5], {**ROWS[5], **cells}, *ROWS[6:]])


def in_line(number, change):
    lines = written().splitlines(keepends=True)
    lines[number - 1] = change(lines[number - 1])
    return b"".join(lines)


def parquet(rows):
    file = io.BytesIO()
    pandas.DataFrame(rows).to_parquet(file)
    return file.getvalue()


def without(column):
    return [{name: cell for name, cell in row.items() if name != column} for row in ROWS]


def renamed(**columns):
    return [{columns.get(name, name): cell for name, cell in row.items()} for row in ROWS]


RIGHT = {
    "line ends of old Macs": written(lineterminator="\r"),
    "column names of another case": written(
        renamed(sentence="Sentence", entailed="ENTAILED", not_entailed="Not entailed")
    ),
    "blanks around cells": written([{name: f" {cell} " for name, cell in row.items()} for row in ROWS]),
    "pipes": written(sep="|"),
    "no ids": written(without("id")),
}
CLEAR = {
    "empty": (b"", "no row"),
    "Latin-1": (in_line(7, lambda line: line.replace(b"Duty", b"D\xfcty")), "line 7", "UTF-8"),
    "UTF-16": (written().decode().encode("utf-16"), "UTF-8"),
    "the header again": (written() + written(), "line 14", "header"),
    "colons for commas": (written(sep=":"), "line 2", "cells"),
    "None for a text": (changed(not_entailed="None"), "line 7, column 'not_entailed'", "empty"),
    "an open quote": (in_line(7, lambda line: b'"' + line), "quotes"),
    "a cell too few": (in_line(7, lambda line: b"x\n"), "line 7", "cells"),
    "no column": (written(without("entailed")), "no column 'entailed'", "--column entailed="),
    "the same column twice": (written().replace(b"not_entailed", b"entailed", 1), "twice"),
    "two columns of one field": (written([{**row, "Sentence": "x"} for row in ROWS]), "'sentence' and 'Sentence'"),
    "an empty text": (changed(entailed=""), "line 7, column 'entailed'", "empty"),
    "an id twice": (changed(id="row 4"), "line 7, column 'id'", "line 6"),
    "nine rows": (written(ROWS[:9]), "9 units", "at least 10"),
    "text.parquet": (written(), "Parquet"),
    "null.parquet": (parquet([*ROWS[:11], {**ROWS[11], "sentence": None}]), "row 12, column 'sentence'", "empty"),
    "numbers.json": (b"[1, 2]", "an object expected"),
    "workbook.xlsx": (written(), "Excel"),
    "rows.txt": (written(), "rename it"),
}


def rows_of(file):
    found = OwnPlace("idiom_paraphrase", (str(file),), {}).rows()
    found.check()
    return [{name: " ".join(row[name].split()) for name in COLUMNS[1:]} for row in found.rows]


@pytest.mark.parametrize("name", RIGHT)
def test_a_file_that_is_read(name, tmp_path):
    assert rows_of(placed(tmp_path, name, RIGHT[name])) == [{name: row[name] for name in COLUMNS[1:]} for row in ROWS]


@pytest.mark.parametrize("name", CLEAR)
def test_a_file_that_is_refused(name, tmp_path):
    content, *said = CLEAR[name]
    file = placed(tmp_path, name, content)
    with pytest.raises(OwnDataError) as error:
        rows_of(file)
    assert all(part in str(error.value) for part in (file.name, *said))


def placed(folder, name, content):
    file = folder / name.rpartition(" ")[2] if "." in name else folder / "rows.csv"
    file.write_bytes(content)
    return file


def growing(file):
    """A file to which something is written while it is read."""
    with file.open("ab") as lines:
        lines.write(b"more\n")


@pytest.mark.parametrize("name", ["a folder", "a FIFO", "missing.csv", "a file that grows"])
def test_no_file(name, tmp_path, monkeypatch):
    file = tmp_path / "rows.csv"
    if name == "a folder":
        file.mkdir()
    elif name == "a FIFO":
        os.mkfifo(file)
    elif name == "a file that grows":
        file.write_bytes(written())
        read = own_table.Path.read_bytes
        monkeypatch.setattr(own_table.Path, "read_bytes", lambda path: (read(path), growing(path))[0])
    with pytest.raises(OwnDataError, match=r"rows\.csv"):
        rows_of(file)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--column", "entailed"), "--column entailed"),
        (("--column", "better=x"), "better"),
        (("--column", "entailed=x"), "'x'"),
        (("--name", "a/b"), "'a/b'"),
    ],
)
def test_an_option_of_measure(options, said, tmp_path):
    (tmp_path / "rows.csv").write_bytes(written())
    run = ("measure", "idiom_paraphrase", tmp_path / "rows.csv", "-m", "nobody/nothing", *options)
    done = harness_ext(*run)
    assert (done.exit_code, type(done.exception), said in done.output) == (2, SystemExit, True)


def test_a_revision_is_of_the_rows_that_the_measure_reads(tmp_path):
    file, other = tmp_path / "pairs.csv", tmp_path / "same.tsv"
    rows = pandas.DataFrame({"sentence1": list("abc"), "sentence2": list("def"), "ana": [1, 2, 3], "ben": [3, 2, 1]})
    rows.to_csv(file, index=False)
    rows.rename(columns={"ana": "similarity"}).to_csv(other, sep="\t", index=False)
    read = ("transitive_similarity", (str(file),), {"similarity": "ana"})
    revision = OwnPlace(*read).rows().revision
    assert OwnPlace(read[0], (str(other),), {}).rows().revision == revision
    for place in (
        OwnPlace(*read[:2], {"similarity": "ben"}),
        OwnPlace("role_swap", *read[1:]),
        OwnPlace(*read, language="deu-Latn"),
    ):
        assert place.rows().revision != revision
