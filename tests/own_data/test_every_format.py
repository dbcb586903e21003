"""Generated tables through every format and back: as many rows as records, the same texts, and no traceback."""

from __future__ import annotations

import csv
import io
import json
import os
import tempfile
import unicodedata
from pathlib import Path

import openpyxl
import pandas
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harness_ext.own_data.fields import own_measure
from harness_ext.own_data.own_rows import own_rows
from harness_ext.own_data.own_table import OwnDataError, read_own_table, table_of

MEASURE = own_measure("triplets")
FIELDS = ("anchor", "right", "wrong")
TEXTS = st.one_of(
    st.text(st.sampled_from("ab \"',;|\t.[]é\u0308\u00ad黑=#"), min_size=1, max_size=12),
    st.text(st.characters(exclude_categories=["Cs", "Cc", "Cn"]), min_size=1, max_size=12),
)
LINES = st.text(st.sampled_from('ab "\n\r,;'), min_size=1, max_size=12)
TABLES = st.lists(st.tuples(TEXTS, st.one_of(TEXTS, LINES), TEXTS), min_size=1, max_size=6)


def delimited(**options):
    def write(rows):
        text = io.StringIO()
        csv.writer(text, **options).writerows([FIELDS, *rows])
        return text.getvalue().encode()

    return write


def plain(rows):
    """A TSV as GLUE has them: nothing is quoted, so that no cell has a TAB or a line end."""
    return "\n".join("\t".join(" ".join(cell.split()) or "." for cell in row) for row in [FIELDS, *rows]).encode()


def workbook(rows):
    book, file = openpyxl.Workbook(), io.BytesIO()
    for number, row in enumerate([FIELDS, *rows], start=1):
        for column, cell in enumerate(row, start=1):
            book.active.cell(number, column, cell).data_type = "s"  # also where it begins with =
    book.save(file)
    return file.getvalue()


def records(rows):
    return [dict(zip(FIELDS, row, strict=True)) for row in rows]


def frame(rows):
    return pandas.DataFrame(rows, columns=FIELDS)


FILES = {
    "commas.csv": delimited(),
    "semicolons.csv": delimited(delimiter=";"),
    "quoted.tsv": delimited(delimiter="\t"),
    "plain.tsv": plain,
    "book.xlsx": workbook,
    "list.json": lambda rows: json.dumps(records(rows)).encode(),
    "lines.jsonl": lambda rows: "\n".join(map(json.dumps, records(rows))).encode(),
    "table.parquet": lambda rows: frame(rows).to_parquet(),
}
IN_PYTHON = {"DataFrame": frame, "list": records}


def as_read(text):
    text = unicodedata.normalize("NFC", text.replace("\u00ad", "").replace("\ufeff", ""))
    return " ".join(text.split())


def check(form, rows):
    """Every row comes back as it went in, or is refused by its place; the table may be refused as a whole."""
    if form == "plain.tsv":
        rows = [tuple(" ".join(cell.split()) or "." for cell in row) for row in rows]
    try:
        if form in IN_PYTHON:
            table = table_of(IN_PYTHON[form](rows))
        else:
            with tempfile.TemporaryDirectory() as folder:
                file = Path(folder) / form
                file.write_bytes(FILES[form](rows))
                table = read_own_table([file])
    except OwnDataError as error:
        assert "Say which is meant" in str(error) or not any(cell.strip() for row in rows for cell in row), error
        return
    found = own_rows(MEASURE, table)
    blank = sum(not any(map(str.strip, row)) for row in rows)
    assert len(found.rows) + len(found.errors) == len(rows) - blank
    given = [[tuple(map(as_read, row))] for row in rows]
    if form == "plain.tsv":  # a whole cell in quotation marks is without them, as RFC 4180 has it
        for row, either in zip(rows, given, strict=True):
            either += [tuple(map(as_read, cells)) for cells in csv.reader(["\t".join(row)], delimiter="\t")]
    back = [tuple(as_read(row[name]) for name in FIELDS) for row in found.rows]
    places = iter(given)
    assert all(any(row in either for either in places) for row in back), (given, back)  # in their order


@pytest.mark.parametrize("form", [*FILES, *IN_PYTHON])
@settings(
    max_examples=int(os.environ.get("TABLES", "150")) // 10,
    derandomize="TABLES" not in os.environ,  # the suite tries the same tables each time
    suppress_health_check=[HealthCheck.differing_executors],
)
@given(rows=TABLES)
def test_as_many_rows_as_records(form, rows):
    check(form, rows)
