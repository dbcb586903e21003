"""Damaged files of a user's own rows: right, or an error that names file, line and column, before a model is loaded."""

from __future__ import annotations

import gzip
import io
import json
import os

import pandas
import pytest

from harness_ext.own_data import own_table
from harness_ext.own_data.own_task import OwnPlace
from tests.hostile.judge import assert_right_or_clear, harness_ext

pytestmark = pytest.mark.hostile

COLUMNS = ("id", "sentence", "entailed", "not_entailed")
ROWS = [
    dict(
        zip(
            COLUMNS,
            (f"row {n}", f"Clause {n}: the tenant, “A”, pays.", f"Duty {n} of A", f"Right {n} of A"),
            strict=True,
        )
    )
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


def jsonl(rows):
    return "\n".join(map(json.dumps, rows)).encode()


def without(column):
    return [{name: cell for name, cell in row.items() if name != column} for row in ROWS]


def renamed(**columns):
    return [{columns.get(name, name): cell for name, cell in row.items()} for row in ROWS]


RIGHT = {
    "sound": written(),
    "a byte order mark": b"\xef\xbb\xbf" + written(),
    "line ends of Windows": written(lineterminator="\r\n"),
    "semicolons": written(sep=";"),
    "tabs, though named csv": written(sep="\t"),
    "line ends of old Macs": written(lineterminator="\r"),
    "quotes everywhere": written(quoting=1),
    "a blank line at the end": written() + b"\n\n",
    "column names of another case": written(
        renamed(sentence="Sentence", entailed="ENTAILED", not_entailed="Not entailed")
    ),
    "blanks around cells": written([{name: f" {cell} " for name, cell in row.items()} for row in ROWS]),
    "pipes": written(sep="|"),
    "a column without a name": written([{**row, "": "x"} for row in ROWS]),
    "a column more": written([{**row, "note": "?"} for row in ROWS]),
    "no ids": written(without("id")),
    "columns in another order": written([dict(reversed(row.items())) for row in ROWS]),
    "cells of two lines": written(ROWS).replace(b'pays."', b'pays.\n"'),
    "a table.tsv": written(sep="\t"),
    "a table.jsonl": jsonl(ROWS),
    "a table.json": json.dumps(ROWS).encode(),
    "a table.parquet": parquet(ROWS),
}
CLEAR = {
    "empty": (b"", "no row"),
    "a header alone": (written()[:35].split(b"\n")[0], "no row"),
    "Latin-1": (in_line(7, lambda line: line.replace(b"Duty", b"D\xfcty")), "line 7", "UTF-8"),
    "UTF-16": (written().decode().encode("utf-16"), "UTF-8"),
    "Windows-1252": (in_line(3, lambda line: line.replace(b"Duty", b"D\x84ty\x93")), "line 3", "UTF-8"),
    "UTF-16 without its mark": (written().decode().encode("utf-16-le"), "UTF-8"),
    "UTF-32": (written().decode().encode("utf-32"), "UTF-8"),
    "cut in a letter": (written()[:-1] + b"\xc3", "UTF-8"),
    "the header again": (written() + written(), "line 14", "header"),
    "no header": (b"".join(written().splitlines(keepends=True)[1:]), "no column 'sentence'"),
    "colons for commas": (written(sep=":"), "line 2", "cells"),
    "None for a text": (changed(not_entailed="None"), "line 7, column 'not_entailed'", "empty"),
    "a formula's error": (changed(sentence="#N/A"), "line 7, column 'sentence'", "empty"),
    "zero bytes": (in_line(7, lambda line: b"\0\0" + line), "UTF-8"),
    "compressed": (gzip.compress(written()), "UTF-8"),
    "an open quote": (in_line(7, lambda line: b'"' + line), "quotes"),
    "a cell too many": (in_line(7, lambda line: b"x," + line), "line 7", "cells"),
    "a cell too few": (in_line(7, lambda line: b"x\n"), "line 7", "cells"),
    "an error page": (b"<!DOCTYPE html>\n<html><body>404</body></html>\n", "no column", "entailed"),
    "no column": (written(without("entailed")), "no column 'entailed'", "--column entailed="),
    "the same column twice": (written().replace(b"not_entailed", b"entailed", 1), "twice"),
    "two columns of one field": (written([{**row, "Sentence": "x"} for row in ROWS]), "'sentence' and 'Sentence'"),
    "an empty text": (changed(entailed=""), "line 7, column 'entailed'", "empty"),
    "blanks for a text": (changed(entailed="  "), "line 7, column 'entailed'", "empty"),
    "NaN for a text": (changed(entailed="NaN"), "line 7, column 'entailed'", "empty"),
    "an id twice": (changed(id="row 4"), "line 7, column 'id'", "line 6"),
    "one row": (written(ROWS[:1]), "1 units", "at least 10"),
    "nine rows": (written(ROWS[:9]), "9 units", "at least 10"),
    "cut.parquet": (parquet(ROWS)[:-40], "Parquet"),
    "text.parquet": (written(), "Parquet"),
    "nothing.parquet": (parquet(ROWS[:0]), "no row"),
    "null.parquet": (parquet([*ROWS[:11], {**ROWS[11], "sentence": None}]), "row 12, column 'sentence'", "empty"),
    "list.jsonl": (jsonl([*ROWS[:11], {**ROWS[11], "sentence": ["a"]}]), "line 12", "'sentence'", "text expected"),
    "NaN.jsonl": (jsonl([*ROWS[:11], {**ROWS[11], "sentence": float("nan")}]), "line 12", "'sentence'", "empty"),
    "cut.jsonl": (jsonl(ROWS)[:-5], "line 12", "JSON"),
    "numbers.json": (b"[1, 2]", "an object expected"),
    "workbook.xlsx": (written(), "Excel"),
    "rows.txt": (written(), "rename it"),
}


def rows_of(file):
    found = OwnPlace("idiom_paraphrase", (str(file),), {}).rows()
    found.check()
    return [{name: " ".join(row[name].split()) for name in COLUMNS[1:]} for row in found.rows]


@pytest.mark.parametrize("name", [*RIGHT, *CLEAR])
def test_a_file(name, tmp_path):
    content, *said = CLEAR.get(name) or (RIGHT[name],)
    file = tmp_path / name.rpartition(" ")[2] if "." in name else tmp_path / "rows.csv"
    file.write_bytes(content)
    expected = [{name: row[name] for name in COLUMNS[1:]} for row in ROWS]
    right = None if said else lambda rows: rows == expected
    assert_right_or_clear(lambda: rows_of(file), right, *((file.name, *said) if said else ("never",)))


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
    assert_right_or_clear(lambda: rows_of(file), None, "rows.csv")


@pytest.mark.slow
def test_many_rows(tmp_path):
    file = tmp_path / "rows.csv"
    file.write_bytes(written([{**ROWS[0], "id": f"row {n}", "entailed": f"Duty {n}"} for n in range(20_000)]))
    assert_right_or_clear(lambda: len(rows_of(file)), lambda n: n == 20_000)


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
    assert_right_or_clear(lambda: harness_ext(*run), None, said)
