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
from functools import partial
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
N_TABLES = int(os.environ.get("TABLES", "240"))
FIELDS = ("anchor", "right", "wrong")
short_text = partial(st.text, min_size=1, max_size=12)
ANY_LETTERS = st.characters(exclude_categories=["Cs", "Cc", "Cn"])
TEXTS = st.one_of(
    short_text(st.sampled_from("ab \"',;|\t.[]é\u0308\u00ad黑=#")),
    short_text(ANY_LETTERS),
)
ERRORS = st.sampled_from(["#REF!", "#N/A", "#DIV/0!", "#¡VALOR!", "Err:502"])
MARKS = ("; ", "\n", "\r\n", ", ", " / ", " or ", "、")
VALUE = st.text(st.sampled_from("xy"), min_size=1, max_size=4)
VALUES = st.lists(VALUE, min_size=1, max_size=3)
LISTS = st.tuples(st.sampled_from(MARKS), VALUES)
LINES = short_text(st.sampled_from('ab "\n\r,;'))


def in_a_cell(values):
    mark, words = values
    return mark.join(words)


CELLS = st.one_of(TEXTS, LINES, LISTS.map(in_a_cell), ERRORS)
ROWS = st.tuples(st.one_of(TEXTS, ERRORS), CELLS, TEXTS)
TABLES = st.lists(ROWS, min_size=1, max_size=6)


def delimited(**options):
    def write(rows):
        text = io.StringIO()
        csv.writer(text, **options).writerows([FIELDS, *rows])
        return text.getvalue().encode()

    return write


def plain(rows):
    """A TSV as GLUE has them: nothing is quoted, so that no cell has a TAB or a line end."""
    lines = ["\t".join(FIELDS)]
    for row in rows:
        lines.append("\t".join(map(in_a_line, row)))
    return "\n".join(lines).encode()


def in_a_line(cell):
    """A cell of such a TSV."""
    return " ".join(cell.split()) or "."


def workbook(rows, sheets=1):
    """A workbook whose rows stand in one sheet, or in several; one has none of the columns."""
    book = openpyxl.Workbook()
    book.active.append(["mine", "only a note"])
    for number in range(sheets):
        start = len(rows) * number // sheets
        end = len(rows) * (number + 1) // sheets
        write_sheet(book.create_sheet(f"Rows {number}"), rows[start:end])
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def write_sheet(sheet, rows):
    for number, row in enumerate([FIELDS, *rows], start=1):
        for column, cell in enumerate(row, start=1):
            typed = "e" if cell in ERROR_CODES else "s"  # also where it begins with =
            sheet.cell(number, column, cell).data_type = typed


def workbook_of_two_sheets(rows):
    return workbook(rows, sheets=2)


def json_list(rows):
    return json.dumps(records(rows)).encode()


def json_lines(rows):
    return "\n".join(map(json.dumps, records(rows))).encode()


def parquet(rows):
    return frame(rows).to_parquet()


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
    "sheets.xlsx": workbook_of_two_sheets,
    "list.json": json_list,
    "lines.jsonl": json_lines,
    "table.parquet": parquet,
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
        rows = [tuple(map(in_a_line, row)) for row in rows]
    try:
        if form in IN_PYTHON:
            table = table_of(IN_PYTHON[form](rows))
        else:
            with tempfile.TemporaryDirectory() as folder:
                file = Path(folder) / form
                file.write_bytes(FILES[form](rows))
                table = table_of_files([file])
    except OwnDataError as error:
        assert "joins it with the lines" in str(error) or all(map(is_blank, rows)), error
        return
    found = rows_for_measure(MEASURE, table)
    n_blank = sum(map(is_blank, rows))
    assert len(found.rows) + len(found.errors) == len(rows) - n_blank
    given = [[row_as_read(row)] for row in rows]
    if form == "plain.tsv":  # a whole cell in quotation marks is without them, as RFC 4180 has it
        for row, either in zip(rows, given, strict=True):
            unquoted = csv.reader(["\t".join(row)], delimiter="\t")
            either += map(row_as_read, unquoted)
    places = iter(given)
    for row in found.rows:  # in their order
        back = row_as_read([row[name] for name in FIELDS])
        assert any(back in either for either in places), (given, found.rows)


def is_blank(row):
    return not any(map(str.strip, row))


def row_as_read(row):
    return tuple(map(as_read, row))


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
    rows = []
    for n, values in enumerate(lists):
        sentence = f"An a b, {n}."
        rows.append({"compound": "a b", "sentence": sentence, "words_syn": in_a_cell(values)})
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "lists.csv")
        pandas.DataFrame(rows).to_csv(file, index=False)
        found = rows_for_measure(measure_named("epsilon"), table_of_files([file]))
    assert len(found.rows) + len(found.errors) == len(rows)
    back = {}
    for row in found.rows:
        back[row["sentence"]] = [synonym["expression"] for synonym in row["words_syn"]]
    for n, (mark, values) in enumerate(lists):
        is_refused = len(values) > 1 and mark not in MARKS[:3]
        assert back.get(f"An a b, {n}.") == (None if is_refused else values)
