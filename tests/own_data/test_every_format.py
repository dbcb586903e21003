"""Generated tables through every format and back: as many rows as records, the same texts, and no
traceback.
"""

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
from openpyxl.cell.cell import ERROR_CODES

from harness_ext.own_data.fields import measure_named
from harness_ext.own_data.rows import rows_for_measure
from harness_ext.own_data.table import OwnDataError, table_of, table_of_files

MEASURE = measure_named("triplets")
N_TABLES = int(os.environ.get("TABLES", "500"))
FIELDS = ("anchor", "right", "wrong")
TEXTS = st.one_of(
    st.text(st.sampled_from("ab \"',;|\t.[]é\u0308\u00ad黑=#"), min_size=1, max_size=12),
    st.text(st.characters(exclude_categories=["Cs", "Cc", "Cn"]), min_size=1, max_size=12),
)
ERRORS = st.sampled_from(["#REF!", "#N/A", "#DIV/0!", "#¡VALOR!", "Err:502"])
MARKS = ("; ", "\n", "\r\n", ", ", " / ", " or ", "、")
VALUES = st.lists(st.text(st.sampled_from("xy"), min_size=1, max_size=4), min_size=1, max_size=3)
LISTS = st.tuples(st.sampled_from(MARKS), VALUES)
LINES = st.text(st.sampled_from('ab "\n\r,;'), min_size=1, max_size=12)
CELLS = st.one_of(TEXTS, LINES, LISTS.map(lambda of: of[0].join(of[1])), ERRORS)
TABLES = st.lists(st.tuples(st.one_of(TEXTS, ERRORS), CELLS, TEXTS), min_size=1, max_size=6)


def delimited(**options):
    def write(rows):
        text = io.StringIO()
        csv.writer(text, **options).writerows([FIELDS, *rows])
        return text.getvalue().encode()

    return write


def plain(rows):
    """A TSV as GLUE has them: nothing is quoted, so that no cell has a TAB or a line end."""
    return "\n".join(
        "\t".join(" ".join(cell.split()) or "." for cell in row) for row in [FIELDS, *rows]
    ).encode()


def workbook(rows, sheets=1):
    """A workbook whose rows stand in one sheet, or in several; one has none of the columns."""
    book, file = openpyxl.Workbook(), io.BytesIO()
    book.active.append(["mine", "only a note"])
    for n in range(sheets):
        sheet, some = (
            book.create_sheet(f"Rows {n}"),
            rows[len(rows) * n // sheets : len(rows) * (n + 1) // sheets],
        )
        for number, row in enumerate([FIELDS, *some], start=1):
            for column, cell in enumerate(row, start=1):
                typed = "e" if cell in ERROR_CODES else "s"  # also where it begins with =
                sheet.cell(number, column, cell).data_type = typed
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
    "sheets.xlsx": lambda rows: workbook(rows, sheets=2),
    "list.json": lambda rows: json.dumps(records(rows)).encode(),
    "lines.jsonl": lambda rows: "\n".join(map(json.dumps, records(rows))).encode(),
    "table.parquet": lambda rows: frame(rows).to_parquet(),
}
IN_PYTHON = {"DataFrame": frame, "list": records}


def as_read(text):
    text = unicodedata.normalize("NFC", text.replace("\u00ad", "").replace("\ufeff", ""))
    return " ".join(text.split())


def check(form, rows):
    """Every row comes back as it went in, or is refused by its place; the table may be refused as a
    whole.
    """
    if form == "plain.tsv":
        rows = [tuple(" ".join(cell.split()) or "." for cell in row) for row in rows]
    try:
        if form in IN_PYTHON:
            table = table_of(IN_PYTHON[form](rows))
        else:
            with tempfile.TemporaryDirectory() as folder:
                file = Path(folder) / form
                file.write_bytes(FILES[form](rows))
                table = table_of_files([file])
    except OwnDataError as error:
        assert "joins it with the lines" in str(error) or not any(
            cell.strip() for row in rows for cell in row
        ), error
        return
    found = rows_for_measure(MEASURE, table)
    blank = sum(not any(map(str.strip, row)) for row in rows)
    assert len(found.rows) + len(found.errors) == len(rows) - blank
    given = [[tuple(map(as_read, row))] for row in rows]
    if form == "plain.tsv":  # a whole cell in quotation marks is without them, as RFC 4180 has it
        for row, either in zip(rows, given, strict=True):
            either += [
                tuple(map(as_read, cells)) for cells in csv.reader(["\t".join(row)], delimiter="\t")
            ]
    back = [tuple(as_read(row[name]) for name in FIELDS) for row in found.rows]
    places = iter(given)
    # in their order
    assert all(any(row in either for either in places) for row in back), (given, back)


@pytest.mark.parametrize("form", [*FILES, *IN_PYTHON])
@settings(
    max_examples=N_TABLES // 12,
    derandomize="TABLES" not in os.environ,  # the suite tries the same tables each time
    suppress_health_check=[HealthCheck.differing_executors],
)
@given(rows=TABLES)
def test_as_many_rows_as_records(form, rows):
    check(form, rows)


@settings(max_examples=N_TABLES // 12, derandomize="TABLES" not in os.environ)
@given(lists=st.lists(LISTS, min_size=1, max_size=4))
def test_as_many_values_as_a_cell_has(lists):
    """Each list comes back with its values, or is refused for its mark."""
    cells = [mark.join(values) for mark, values in lists]
    rows = [
        {"compound": "a b", "sentence": f"An a b, {n}.", "words_syn": cell}
        for n, cell in enumerate(cells)
    ]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "lists.csv")
        pandas.DataFrame(rows).to_csv(file, index=False)
        found = rows_for_measure(measure_named("epsilon"), table_of_files([file]))
    assert len(found.rows) + len(found.errors) == len(rows)
    back = {row["sentence"]: [one["expression"] for one in row["words_syn"]] for row in found.rows}
    for n, (mark, values) in enumerate(lists):
        is_refused = len(values) > 1 and mark not in MARKS[:3]
        assert back.get(f"An a b, {n}.") == (None if is_refused else values)
