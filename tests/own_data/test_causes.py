"""Causes of wrong results and of messages that do not help, a test each: what a cell, a file and a
column may be.
"""

from __future__ import annotations

import gzip
import io
import shlex
import zipfile

import openpyxl
import pandas
import pytest
from openpyxl.chart import BarChart

from harness_ext import measure
from harness_ext.own_data.fields import MEASURES, columns_of, measure_named
from harness_ext.own_data.fitting_measure import guessed_measure
from harness_ext.own_data.rows import rows_for_measure
from harness_ext.own_data.table import OwnDataError, table_of, table_of_files
from tests.command_line import harness_ext
from tests.planted import random_vector, vectors_of

HEADER = ("sentence", "entailed", "not_entailed")


def compounds(**cells):
    """Twelve rows for affinity; `@` in a cell is the number of the row."""
    row = {
        "compound": "a@ b@",
        "sentence": "They saw the a@ b@ again.",
        "syn": "s@",
        "words_syn": "x@ y@; z@ w@",
        "rand": "lamp wire",
        "expert_class": "NC",
    } | cells
    filled = {name: cell for name, cell in row.items() if cell is not None}

    def numbered(number):
        return {name: cell.replace("@", str(number)) for name, cell in filled.items()}

    return [numbered(number) for number in range(12)]


def sentences(**cells):
    return [
        {"sentence": f"He {n} kicked.", "entailed": f"He {n} died.", "not_entailed": f"He {n} hit."}
        | cells
        for n in range(12)
    ]


def read(rows, name, **options):
    return rows_for_measure(measure_named(name), table_of(rows), **options)


def errors(rows, name, **options):
    found = read(rows, name, **options)
    return list(map(str, found.errors))


def workbook(rows, sheet="Data"):
    book = openpyxl.Workbook()
    book.active.title = sheet
    book.active.append(list(rows[0]))
    for row in rows:
        book.active.append(list(row.values()))
    return book


@pytest.mark.parametrize(
    "value", ["#REF!", "#NAME?", "#DIV/0!", "#VALUE!", "#N/A", "#NULL!", "#¡REF!", "#WERT!", "#NV"]
)
def test_an_error_of_a_spreadsheet_is_no_text_in_any_column(value, tmp_path):
    rows = sentences()
    rows[2]["entailed"] = value
    workbook(rows).save(tmp_path / "rows.xlsx")
    pandas.DataFrame(rows).to_csv(tmp_path / "rows.csv", index=False)
    for name, place in (("rows.xlsx", "row 4"), ("rows.csv", "line 4")):
        (error,) = rows_for_measure(
            measure_named("idiom_paraphrase"), table_of_files([tmp_path / name])
        ).errors
        assert f"{name}, {place}, column 'entailed': {value!r} is an error of a spreadsheet" in str(
            error
        )
    for column in ("expert_class", "surface", "words_syn", "id"):  # also where a cell may be empty
        assert len(errors(compounds(**{column: value}), "affinity")) == 12
    assert "#REF!" in errors([{"word": "red", "type": "S-I", "synonym": "#REF!"}], "montague")[0]
    assert not errors(sentences(entailed="#WOW: a text, #REF! too"), "idiom_paraphrase")


@pytest.mark.parametrize("number", ["1_2", "١", "0x1", "1,5", "3.", ".5", "-2e1"])
def test_a_number_is_written_as_people_write_it(number):
    row = {"sentence1": "a", "sentence2": "b", "similarity": number}
    is_refused = bool(errors([row], "transitive_similarity"))
    assert is_refused == (number not in {"3.", ".5", "-2e1"})


@pytest.mark.parametrize(
    ("name", "rows", "same"),
    [
        ("affinity", compounds(syn="A@  b@"), "they saw the a0 b0 again."),
        ("affinity", compounds(rand="lamp wire; s@"), "they saw the s0 again."),
        ("epsilon", compounds(words_syn="x y; x y"), "they saw the x y again."),
        (
            "montague",
            [
                {"word": "red", "type": "S-I", "synonym": "Red"},
                {"word": "gun", "type": "N", "synonym": "g"},
            ],
            "red",
        ),
        (
            "retrieval",
            [{"text": "to die", "sense": "to die", "is_query": True, "group": "1"}] * 2,
            None,
        ),
    ],
)
def test_texts_that_are_the_same_when_they_are_compared_are_named(name, rows, same):
    said = [message for message in read(rows, name).warnings if "texts are the same" in message]
    assert bool(said) == bool(same)
    for message in said:
        assert message.startswith("row 1")
        assert repr(same) in message


@pytest.mark.slow
def test_measure_in_python_names_them_too(caplog):
    measure(vectors_of(random_vector()), compounds(syn="a@ b@"), "affinity")
    assert (
        "row 1, row 2, row 3, row 4, row 5 and 7 more: two of its texts are the same" in caplog.text
    )


@pytest.mark.parametrize("mark", [", ", "/", " | ", "、", "；", " or ", " oder ", " ou ", " o "])
def test_a_mark_between_synonyms_is_named_or_splits_them(mark):
    rows = compounds(words_syn=f"x@ y@{mark}z@ w@")
    assert f"has {mark.strip()!r} in it" in errors(rows, "affinity")[0]
    assert "--separator MARK --save NEW.csv" in errors(rows, "affinity")[0]

    def count_of_synonyms(rows, **options):
        first, *_ = read(rows, "affinity", **options).rows
        return len(first["words_syn"])

    assert count_of_synonyms(rows, separator=mark.strip()) == 2
    assert count_of_synonyms(rows, separator=";") == 1
    assert errors(compounds(syn=f"s{mark}t"), "affinity")
    assert count_of_synonyms(compounds(words_syn="x@ y@\r\nz@ w@\n")) == 2
    assert "has '1.' in it" in errors(compounds(words_syn="1. x@ y@\n2. z@"), "affinity")[0]
    assert errors([{"word": "red", "type": "S-I", "synonym": f"scarlet{mark}ruby"}], "montague")


def test_check_says_what_it_read_of_lists_and_what_comes_next(tmp_path):
    file = tmp_path / "my file.csv"
    pandas.DataFrame(compounds(words_syn="dark box@/black case@")).to_csv(file, index=False)
    saved = tmp_path / "clear.csv"
    done = harness_ext("check", file, "affinity", "--separator", "/", "--save", saved)
    assert "2 words_syn: *dark box0*, *black case0*" in done.output
    assert f"harness-ext measure affinity {saved} -m MODEL" in done.output
    assert (
        rows_for_measure(measure_named("affinity"), table_of_files([saved])).rows
        == read(compounds(words_syn="dark box@; black case@"), "affinity").rows
    )


@pytest.mark.parametrize("ending", ["csv", "xlsx"])
@pytest.mark.parametrize(
    ("name", "rows"),
    [
        ("affinity", compounds(syn="=s@", surface="A@ B@")),
        (
            "triplets",
            [{"anchor": f"- a {n}", "right": f'"b", {n}', "wrong": "+c\n"} for n in range(12)],
        ),
        (
            "montague",
            [
                {
                    "word": f"w{n}",
                    "type": ["S-I", "S-NI", "NS-Pl", "NS-Pr", "N"][n % 5],
                    "synonym": f"@{n}",
                }
                for n in range(20)
            ],
        ),
    ],
)
def test_what_is_saved_is_read_again_as_it_was_and_nothing_is_written_over(
    name, rows, ending, tmp_path
):
    file = tmp_path / "rows.json"
    saved = tmp_path / f"saved.{ending}"
    pandas.DataFrame(rows).to_json(file, orient="records")
    assert harness_ext("check", file, name, "--save", saved).exit_code == 0
    again = rows_for_measure(measure_named(name), table_of_files([saved]))
    assert without_ids(again.rows) == without_ids(read(rows, name).rows)
    done = harness_ext("check", file, name, "--save", saved)
    assert done.exit_code == 2
    assert "is there already" in done.output


def without_ids(rows):
    return [{field: value for field, value in row.items() if field != "id"} for row in rows]


PACKED = {
    "rows.csv.gz": (gzip.compress(b"a,b\n"), "is packed. Unpack it"),
    "rows.csv": (gzip.compress(b"a,b\n"), "is packed. Unpack it"),
    "rows.zip": (b"PK\3\4rows.csv", "is packed. Unpack it"),
    "packed.xlsx": (b"PK\3\4rows.csv", "is packed. Unpack it"),
    "text.xlsx": (b"a,b\n", "is no Excel workbook. Rename it by what it is, such as .csv."),
    "macros.xlsm": (b"PK\3\4xl/workbook", "is a workbook of another kind than .xlsx. Save it so"),
    "secret.xlsx": (
        b"\xd0\xcf\x11\xe0" + b"EncryptedPackage",
        "with a password, or an old one. Save it as .xlsx",
    ),
    "~$rows.xlsx": (b"me", "is a lock of the program in which a file is open"),
    "pointer.parquet": (b"version https://git-lfs.github.com/spec/v1\n", "pointer of Git LFS"),
    "page.csv": (b"<!doctype html><p>Login", "is a web page"),
    "list.json": (b'[{"a": 1},', "JSON"),
}


@pytest.mark.parametrize("name", PACKED)
def test_a_file_that_is_something_else_says_what_it_is(name, tmp_path):
    content, said = PACKED[name]
    (tmp_path / name).write_bytes(content)
    with pytest.raises(OwnDataError) as refused:
        table_of_files([tmp_path / name])
    assert said in str(refused.value)
    assert "quotes" not in str(refused.value)


def test_sheets_of_pictures_and_sizes_that_are_too_small(tmp_path):
    book = openpyxl.Workbook()
    book.create_chartsheet("Chart").add_chart(BarChart())
    del book["Sheet"]
    book.save(tmp_path / "chart.xlsx")
    with pytest.raises(OwnDataError, match="chart sheets alone"):
        table_of_files([tmp_path / "chart.xlsx"])
    whole = io.BytesIO()
    workbook(sentences()).save(whole)
    small = tmp_path / "small.xlsx"
    with zipfile.ZipFile(whole) as old, zipfile.ZipFile(small, "w") as new:
        for name in old.namelist():
            content = old.read(name).replace(b'ref="A1:C13"', b'ref="A1:C2"')
            new.writestr(name, content)
    assert len(table_of_files([small]).lines) == 12


def test_a_compound_that_is_one_word_asks_for_its_parts():
    rows = compounds(compound="Drahtesel", sentence="Sie sah den Drahtesel hier, Nummer @.")
    with pytest.raises(OwnDataError) as refused:
        measure(vectors_of(random_vector()), rows, "affinity")
    said = (
        "row 1, row 2, row 3, row 4, row 5 and 7 more: 12 × Drahtesel is one word: give its parts "
        "in columns"
    )
    assert str(refused.value) == f"{said} modifier and head."
    assert not read(
        [row | {"modifier": "Draht", "head": "Esel"} for row in rows], "affinity"
    ).errors


def test_every_column_says_what_it_means_and_has_an_example_that_fits():
    for of in MEASURES.values():
        for field in columns_of(of):
            assert field.meaning, (of.name, field.name)
            assert field.example, (of.name, field.name)
            if not (field.is_probe or field.name == "id"):
                field.read(field.example)


@pytest.mark.slow
def test_a_template_is_a_workbook_where_its_name_says_so(tmp_path):
    for name in MEASURES:
        file = tmp_path / f"{name}.xlsx"
        assert harness_ext("needs", name, "--template", file).exit_code == 0
        found = rows_for_measure(MEASURES[name], table_of_files([file]))
        assert found.rows
        assert found.errors == []
    done = harness_ext("needs", "epsilon", "--template", tmp_path / "x.txt")
    assert done.exit_code == 2
    assert ".csv or .xlsx expected" in done.output


def test_words_of_the_file_are_counted_and_may_mean_a_value(tmp_path, monkeypatch):
    file = tmp_path / "compounds.xlsx"
    saved = tmp_path / "compounds_as_read.csv"
    rows = compounds()
    for n, row in enumerate(rows):
        row["Clase"] = "idiomático" if n < 8 else "composicional"
        del row["expert_class"]
    workbook(rows).save(file)
    columns = ("--column", "class=Clase")
    done = harness_ext("check", file, "affinity", *columns)
    said = (
        "found 8 × 'idiomático', 4 × 'composicional'. Say what it means: harness-ext check FILE "
        "--value idiomático=NC"
    )
    assert done.exit_code == 1, done.output
    assert said in " ".join(done.output.split())
    values = ("--value", "idiomático=NC", "--value", "composicional=C")
    done = harness_ext("check", file, "affinity", *columns, *values)
    assert "12 rows, 8 of them NC (expert_class); 10 are needed." in done.output
    for n, row in enumerate(rows):
        row["Clase"] = "idiomático" if n < 10 else "composicional"
    rows[0]["Clase"] = "Idioma\u0301tico "
    workbook(rows).save(file)
    done = harness_ext("check", file, "affinity", *columns, *values)
    assert "of 10 units (compound)" in done.output
    lines = done.output.splitlines()
    (line,) = [line for line in lines if line.startswith("    harness-ext ")]
    monkeypatch.chdir(tmp_path)
    done = harness_ext(*shlex.split(line)[1:])
    assert f"    harness-ext measure affinity {saved.name} -m MODEL\n" in done.output
    again = rows_for_measure(measure_named("affinity"), table_of_files([saved]))
    assert again.unit_count() == 10


def test_the_class_of_the_experts_counts_where_a_table_has_that_of_the_majority_too():
    found = read(compounds(**{"expert_class": "NC", "class": "C"}), "affinity")
    assert {row["expert_class"] for row in found.rows} == {"NC"}


def test_the_measure_that_needs_most_columns_of_a_table_is_taken():
    """That of words, ε, would do with three of them."""
    assert guessed_measure(table_of(compounds()), {}).name == "affinity"


def test_copies_are_no_units():
    rows = []
    for row in compounds()[:6]:
        rows += [row | {"sentence": f"Once {n} {row['sentence']}"} for n in range(10)]
    said = r"rows: 60 rows, but 6 different compounds, 6 of them NC .*; 10 are needed"
    with pytest.raises(OwnDataError, match=said):
        read(rows, "affinity").check()


def test_true_and_false_are_counted_once():
    rows = []
    for n in range(12):
        rows.append({"before": f"a {n} not b", "after": f"a {n} b", "important": n < 4})
    with pytest.raises(OwnDataError) as refused:
        read(rows, "negation_importance").check()
    said = "12 rows, 8 of them False (important), 4 of them True (important); 10 are needed."
    assert said in str(refused.value)


def test_columns_of_several_sheets_are_not_mixed(tmp_path):
    book = workbook(sentences())
    book.create_sheet("Notes").append(["note"])
    book["Notes"].append(["mine"])
    book.save(tmp_path / "two.xlsx")
    with pytest.raises(
        OwnDataError, match=r"There are: .*not_entailed in sheet Data; note in sheet Notes\."
    ):
        rows_for_measure(measure_named("triplets"), table_of_files([tmp_path / "two.xlsx"]))


@pytest.mark.parametrize("name", ["transitive_similarity", "rated_pairs"])
def test_ratings_that_are_all_equal_are_named_before_anything_is_encoded(name):
    number = "similarity" if name == "transitive_similarity" else "score"
    rows = [{"sentence1": f"a {n}", "sentence2": f"b {n}", number: 3} for n in range(12)]
    with pytest.raises(OwnDataError, match=f"whatever the model: {number} is 3 in all rows"):
        read(rows, name).check()
