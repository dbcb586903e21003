"""What people and programs write into cells in the place of texts and numbers: read, refused or
looked at, in every format alike.
"""

from __future__ import annotations

import json

import pandas
import pytest

from harness_ext.own_data.fields import measure_named
from harness_ext.own_data.rows import rows_for_measure
from harness_ext.own_data.table import OwnDataError, table_of, table_of_files
from tests.command_line import harness_ext

FORMATS = (".csv", ".tsv", ".xlsx", ".json", ".jsonl", ".parquet", "frame", "dicts")


def paraphrases(**cells):
    """Twelve rows; the cells are those of the fifth."""
    rows = [
        {
            "sentence": f"She tried {number} to break the ice.",
            "entailed": f"She tried {number} to start the talk.",
            "not_entailed": f"She tried {number} to smash the ice.",
        }
        for number in range(12)
    ]
    rows[4] |= cells
    return rows


def compounds(**cells):
    rows = [
        {
            "compound": f"red{letter} box",
            "sentence": f"They saw the red{letter} box.",
            "type_score": number % 5,
            "syn": f"log {letter}",
            "words_syn": f"pink {letter}",
            "rand": f"green lamp{letter}",
        }
        for number, letter in enumerate("abcdefghijkl")
    ]
    rows[4] |= cells
    return rows


def read(rows, name, suffix=".csv", folder=None, columns=None, **options):
    """Rows as a file of a format, or as an object, read for a measure."""
    frame = pandas.DataFrame(rows)
    if suffix in {"frame", "dicts"}:
        table = table_of(frame if suffix == "frame" else rows)
    else:
        file = folder / f"rows{suffix}"
        texts = frame.astype(str)
        if suffix in {".csv", ".tsv"}:
            frame.to_csv(file, index=False, sep="\t" if suffix == ".tsv" else ",")
        elif suffix == ".xlsx":
            frame.to_excel(file, index=False)
        elif suffix == ".parquet":
            texts.to_parquet(file)
        elif suffix == ".json":
            file.write_text(json.dumps(rows))
        else:
            file.write_text("\n".join(map(json.dumps, rows)))
        table = table_of_files([file])
    return rows_for_measure(measure_named(name), table, columns, **options)


CODES = ["NA", "-", "?", "\\N", "n.a.", "(blank)", "MISSING", "[]", "{}", "-99", "–", "\u200b", " "]


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize("suffix", FORMATS)
def test_a_code_for_no_value_is_no_text(code, suffix, tmp_path):
    found = read(paraphrases(entailed=code), "idiom_paraphrase", suffix, tmp_path)
    (error,) = found.errors
    assert error.column == "entailed"
    assert "it is empty" in str(error)
    assert "Fill it in, or remove the row." in str(error)
    assert len(found.rows) == 11


@pytest.mark.parametrize("code", CODES)
def test_it_is_no_replacement_either_and_none_of_several(code):
    for column in ("syn", "words_syn", "rand"):
        rows = compounds(**{column: code})
        (error,) = read(rows, "affinity", "dicts").errors
        assert error.column == column
    if code.strip() and code != "\u200b":
        (error,) = read(compounds(rand=f"green lamp; {code}"), "affinity", "dicts").errors
        cell = f"green lamp; {code}"
        assert f"A part of {cell!r} stands for no value." in str(error)


def test_an_empty_optional_cell_may_have_a_code():
    found = read(compounds(type_score="NA"), "affinity", "dicts")
    assert not found.errors
    assert found.rows[4]["type_score"] is None


DAMAGED = {
    "She went to the cafÃ©.": "read in another encoding",
    "She didnâ€™t talk.": "read in another encoding",
    "She &amp; he talked.": "a mark of HTML",
    "She talked.<br/>Then": "a mark of HTML",
    "She talked\\nto him.": "a line end",
    "She talked\x07.": "a control letter",
    "She tal\u200bked.": "a letter that nobody sees",
}


@pytest.mark.parametrize("text", DAMAGED)
@pytest.mark.parametrize("suffix", FORMATS)
def test_damaged_letters_are_looked_at(text, suffix, tmp_path):
    if "\x07" in text and suffix == ".xlsx":
        pytest.skip("no workbook has control letters")
    found = read(paraphrases(entailed=text), "idiom_paraphrase", suffix, tmp_path)
    assert not found.errors
    (message,) = found.warnings
    assert DAMAGED[text] in message
    assert "column 'entailed'" in message
    assert repr(text) in message


@pytest.mark.parametrize("text", ["She tr\ufffdd to talk.", "She talked_x000D_ to him."])
@pytest.mark.parametrize("suffix", [".csv", ".xlsx", ".jsonl", "frame"])
def test_lost_letters_are_refused(text, suffix, tmp_path):
    if "_x000D_" in text and suffix == ".xlsx":
        pytest.skip("a reader of workbooks reads the letter")
    rows = paraphrases(entailed=text)
    (error,) = read(rows, "idiom_paraphrase", suffix, tmp_path).errors
    assert "letter that an earlier program" in str(error)


def test_texts_as_people_write_them_are_not_looked_at():
    texts = ["NÃO É.", "AT&T; R&D", "a < b and c > d", "C:\\temp", "50 €", "Don’t – “so” …", "नमस्ते"]
    for text in texts[:3] + texts[4:]:
        assert not read(paraphrases(entailed=text), "idiom_paraphrase", "dicts").warnings, text


@pytest.mark.parametrize("number", ["4,5", "45%", "3.5 ± .4", "high", "1 000"])
@pytest.mark.parametrize("suffix", [".csv", ".xlsx", ".jsonl", "dicts"])
@pytest.mark.parametrize("name", ["affinity", "type_token"])
def test_what_is_no_number_is_refused_in_an_optional_column_too(number, suffix, name, tmp_path):
    (error,) = read(compounds(type_score=number), name, suffix, tmp_path).errors
    assert error.column == "type_score"
    assert repr(number) in str(error)
    assert ("--decimal-comma" in str(error)) == (number == "4,5")


def test_decimal_commas_are_read_where_that_is_said(tmp_path):
    rows = compounds(type_score="4,5")
    found = read(rows, "affinity", "dicts", has_decimal_commas=True)
    assert not found.errors
    assert found.rows[4]["type_score"] == 4.5
    file = tmp_path / "rows.csv"
    saved = tmp_path / "read.csv"
    pandas.DataFrame(rows).to_csv(file, index=False)
    assert harness_ext("check", file, "type_token").exit_code == 1
    done = harness_ext("check", file, "type_token", "--decimal-comma", "--save", saved)
    assert done.exit_code == 0, done.output
    assert str(pandas.read_csv(saved).type_score[4]) == "4.5"


@pytest.mark.parametrize("number", [999, -99])
def test_a_rating_off_its_scale_is_looked_at(number):
    (message,) = read(compounds(type_score=number), "affinity", "dicts").warnings
    assert f"column 'type_score': {number} is outside of the scale, 0 to 5" in message


def test_a_scale_from_one_is_said_to_be_as_good():
    rows = compounds()
    for number, row in enumerate(rows):
        row["type_score"] = 1 + number % 5
    (message,) = read(rows, "type_token", "dicts").warnings
    assert "ranks do not mind" in message
    assert not read(compounds(), "type_token", "dicts").warnings


def test_a_row_that_sums_up_the_others_is_looked_at():
    rows = [*paraphrases(), {"sentence": "Mean", "entailed": "3.4", "not_entailed": "2.2"}]
    (message,) = read(rows, "idiom_paraphrase", "dicts").warnings
    assert "row 13" in message
    assert "sums up the others" in message


def test_hidden_rows_of_a_workbook_are_said(tmp_path):
    import openpyxl

    book = openpyxl.Workbook()
    rows = paraphrases()
    book.active.append(list(rows[0]))
    for row in rows:
        book.active.append(list(row.values()))
    for number in (3, 5):
        book.active.row_dimensions[number].hidden = True
    book.save(tmp_path / "rows.xlsx")
    table = table_of_files([tmp_path / "rows.xlsx"])
    found = rows_for_measure(measure_named("idiom_paraphrase"), table)
    assert len(found.rows) == 12
    assert "2 rows are hidden" in found.warnings[0]


def test_a_key_that_stands_twice_is_refused(tmp_path):
    for name, text in (("a.jsonl", '{"x": 1, "x": 2}'), ("a.json", '[{"x": 1, "x": 2}]')):
        (tmp_path / name).write_text(text)
        with pytest.raises(OwnDataError, match="the key 'x' occurs twice"):
            table_of_files([tmp_path / name])


def test_two_sentences_in_two_columns_are_two_rows(tmp_path):
    rows = compounds()
    for row in rows:
        row["Lause 1"] = row["sentence"]
        row["Lause 2"] = row.pop("sentence").replace("They", "We")
        row["id"] = row["compound"]
    rows[2]["Lause 2"] = ""
    columns = {"sentence": ["Lause 1", "Lause 2"]}
    for suffix in (".csv", ".xlsx", ".jsonl", "frame"):
        found = read(rows, "type_token", suffix, tmp_path, columns)
        assert not found.errors
        assert len(found.rows) == 23
        assert found.rows[1]["sentence"].startswith("We saw")
        assert found.unit_count() == 12
    pandas.DataFrame(rows).to_csv(tmp_path / "rows.csv", index=False)
    named = ("--column", "sentence=Lause 1", "--column", "sentence=Lause 2")
    done = harness_ext("check", tmp_path / "rows.csv", "type_token", *named)
    assert "23 rows fit type_token, 0 do not." in done.output
    columns = {"sentence": ["Lause 1", "Lause 2"], "syn": ["syn", "rand"], "id": ["a", "b", "c"]}
    with pytest.raises(OwnDataError, match="as many columns expected"):
        read(rows, "affinity", "dicts", columns=columns)


ADVICE = {
    "# exported 2024\nsentence,entailed,not_entailed\na b,a c,a d\n": "above the names",
    "notes,,\nsentence,entailed,not_entailed\na b,a c,a d\n": "Remove the lines above it",
    "sentence,entailed,entailed\na b,a c,a d\n": "occurs twice. Rename or remove one.",
    "sentence,entailed,not_entailed\na b,a c,a d\n\x1a": "the mark of the end that DOS wrote",
    "sentence,entailed,not_entailed\u200b\na b,a c,a d\n": r"not_entailed\u200b has a letter",
}


@pytest.mark.parametrize("text", ADVICE)
@pytest.mark.parametrize("suffix", [".csv", ".tsv"])
def test_each_cause_has_its_advice(text, suffix, tmp_path):
    file = tmp_path / f"rows{suffix}"
    file.write_text(text.replace(",", "\t" if suffix == ".tsv" else ","), encoding="utf-8")
    done = harness_ext("check", file, "idiom_paraphrase")
    assert done.exit_code == 2
    assert ADVICE[text] in done.output
    assert "with quotes" not in done.output


def test_a_title_above_the_names_in_a_workbook(tmp_path):
    first, *_ = paraphrases()
    rows = [["My sentences", None, None], list(first)]
    rows += [list(row.values()) for row in paraphrases()]
    file = tmp_path / "rows.xlsx"
    pandas.DataFrame(rows).to_excel(file, index=False, header=False)
    done = harness_ext("check", file, "idiom_paraphrase")
    assert done.exit_code == 2
    assert "the names of columns stand here. Remove the lines above it." in done.output


@pytest.mark.parametrize("name", ["CON", "nul", "com1", "LPT9.txt"])
def test_a_name_that_windows_keeps_is_refused(name, tmp_path):
    pandas.DataFrame(paraphrases()).to_csv(tmp_path / "rows.csv", index=False)
    options = ("-m", "nobody/nothing", "--name", name)
    done = harness_ext("measure", "idiom_paraphrase", tmp_path / "rows.csv", *options)
    assert done.exit_code == 2
    assert "no name that Windows keeps" in done.output
