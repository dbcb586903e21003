"""The reader of tables: what each format gives, and that an error names file, place, column and
value.
"""

from __future__ import annotations

import json
import re
import zipfile
from functools import partial

import pytest

from harness_ext.data.sources import Source, SourceError, git_blob_hash
from harness_ext.data.tables import read_table, read_text
from tests.data.workbooks import workbook


def write(path, content):
    if isinstance(content, str | bytes):
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path
    return workbook(path, *content)


ENTRIES = [{"a": "x", "b": 1}, {"a": " y", "b": None}]


@pytest.mark.parametrize(
    ("name", "content", "options", "expected"),
    [
        ("t.csv", '\ufeff a ,b\r\n"x, y",1\r\n\r\nz, \r\n', {}, [("x, y", "1"), ("z", None)]),
        ("t.tsv", 'a\tb\n"x"\t1\n', {}, [("x", "1")]),
        ("t.csv", "a;b\nx;1\n", {"delimiter": ";"}, [("x", "1")]),
        (
            "t.txt",
            'say "x" ; 1;more\ny;;\n',
            {"delimiter": ";", "header": False},
            [('say "x"', "1"), ("y", None)],
        ),
        (
            "t.xlsx",
            [("a", "b", None), ("x", 1.5, 2), (None, 2, "")],
            {},
            [("x", "1.5"), (None, "2")],
        ),
        ("t.json", json.dumps(ENTRIES), {}, [("x", "1"), (" y", None)]),
        ("t.jsonl", "\n".join(map(json.dumps, ENTRIES)), {}, [("x", "1"), (" y", None)]),
    ],
)
def test_each_format_gives_the_texts_of_its_cells(tmp_path, name, content, options, expected):
    lines = read_table(write(tmp_path / name, content), ("a", "b"), **options)
    assert [(line.get("a"), line.get("b")) for line in lines] == expected


def test_a_line_without_cells_is_a_text(tmp_path):
    lines = read_table(write(tmp_path / "t", "one;two\n\n three \r\n"), ["text"], header=False)
    assert [line.get("text") for line in lines] == ["one;two", None, "three"]


def test_the_sheets_of_a_workbook_are_told_apart(tmp_path):
    lines = read_table(
        workbook(tmp_path / "t.xlsx", Sheet=[("a",), ("x",)], Sheet1=[("a",), ("x",)]), unique=["a"]
    )
    assert [line["a"] for line in lines] == ["x", "x"]
    assert len({line.sheet for line in lines}) == 2
    assert re.search(r"t\.xlsx, sheet Sheet1, row 2$", lines[1].place)


@pytest.mark.parametrize(
    ("name", "content", "options", "message"),
    [
        ("t.csv", "a\nx\n", {}, r"t\.csv: no column 'b'$"),
        ("t.csv", "a,b,b\nx,1,1\n", {}, r"t\.csv: column 'b' occurs twice"),
        (
            "t.csv",
            "a,b\nx,1\nx\n",
            {},
            r"t\.csv, line 3: not as many cells as the 2 columns of the header",
        ),
        ("t.csv", 'a,b\n"x,1\n', {}, r"t\.csv, line 2: unexpected end of data"),
        ("t.csv", b"caf\xe9,b\n", {}, r"t\.csv is not a UTF-8 CSV file"),
        (
            "t.csv",
            "a,b\nx,1\n\nX,1\n",
            {"unique": ["a"]},
            r"line 4, column 'a': another value than in .*line 2 .*'X'",
        ),
        (
            "t.txt",
            "x;1\ny;1;2\n",
            {"delimiter": ";", "header": False},
            r"line 2: a ; b expected, found 'y;1;2'$",
        ),
        (
            "t.txt",
            "x\t1\ny\n",
            {"delimiter": "\t", "header": False},
            r"line 2: a TAB b expected, found 'y'$",
        ),
        (
            "t.txt",
            b"\xff\xfe",
            {"delimiter": ";", "header": False},
            r"t\.txt is not a UTF-8 text file",
        ),
        ("t.xlsx", [("a",), ("x",)], {}, r"t\.xlsx: no column 'b'"),
        ("t.xlsx", b"PK\x03\x04 cut off", {}, r"t\.xlsx is not an Excel workbook"),
        ("t.json", "[", {}, r"t\.json is not a UTF-8 JSON file"),
        ("t.json", '["x"]', {}, r"t\.json, entry 0 \(from 0\): an object expected, found 'x'"),
        (
            "t.jsonl",
            '{"a": 1, "b": 2}\n\n{"a": 1',
            {},
            r"t\.jsonl, line 3 is not a UTF-8 JSON file",
        ),
        (
            "t.jsonl",
            '{"a": 1, "b": 2}\n[1]',
            {},
            r"t\.jsonl, line 2: an object expected, found \[1\]",
        ),
    ],
)
def test_a_table_that_is_none_is_named(tmp_path, name, content, options, message):
    with pytest.raises(ValueError, match=message):
        read_table(write(tmp_path / name, content), ("a", "b"), **options)


@pytest.mark.parametrize("cell", ["", "nan", "1e999", "5.01", "-1", "five"])
def test_a_cell_that_is_not_as_expected_is_quoted(tmp_path, cell):
    (line,) = read_table(write(tmp_path / "t.csv", f"a,b\n{cell},1\n"))
    with pytest.raises(
        ValueError, match=r"t\.csv, line 2, column 'a': a number from 0 to 5 expected, found"
    ):
        line.number("a", 0, 5)
    with pytest.raises(
        ValueError, match=rf"line 2, column 'a': one of NC, PC expected, found '{cell}'$"
    ):
        line.choice("a", ("NC", "PC"))
    with pytest.raises(ValueError, match=r"line 2, column 'c': a text expected, found None$"):
        line["c"]
    assert line.number("b", 0, 5) == 1
    assert line.choice("b", ("1", "2")) == "1"


def test_a_table_in_an_archive(tmp_path, monkeypatch):
    path = tmp_path / "example.org" / "all.zip"
    path.parent.mkdir()
    with zipfile.ZipFile(path, "w") as opened:
        opened.writestr("in/t.csv", "a,b\nx,1\n")
    monkeypatch.setenv("HARNESS_EXT_MIRROR", str(tmp_path))
    pinned = partial(Source, "https://example.org/all.zip", git_blob_hash(path))
    (line,) = read_table(pinned(1, "in/t.csv"))
    assert (line["a"], line.place) == ("x", f"{path}, in/t.csv, line 2")
    with pytest.raises(
        SourceError,
        match=r"all\.zip, in/t\.csv has 1 rows; the published file has 2\. It was cut off",
    ):
        read_table(pinned(2, "in/t.csv"))
    with pytest.raises(ValueError, match=r"all\.zip, in/u\.csv: no such file in the archive"):
        read_text(pinned(1, "in/u.csv"))
    monkeypatch.setenv("HARNESS_EXT_ALLOW_UNVERIFIED", "1")
    path.write_bytes(b"PK\x03\x04 cut off")
    with pytest.raises(ValueError, match=r"all\.zip, in/t\.csv: File is not a zip file"):
        read_text(pinned(1, "in/t.csv"))
