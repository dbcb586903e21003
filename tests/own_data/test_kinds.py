"""What people's programs write, kind by kind: read as it is meant, or refused by its name."""

from __future__ import annotations

import decimal
import io
import unicodedata

import numpy as np
import openpyxl
import pandas
import pyarrow
import pytest
from datasets import Dataset
from openpyxl.chart import BarChart

from harness_ext import measure
from harness_ext.data.normalization import places
from harness_ext.own_data.fields import measure_named
from harness_ext.own_data.rows import rows_for_measure
from harness_ext.own_data.table import OwnDataError, table_of, table_of_files
from tests.planted import random_vector, vectors_of

NOUNS = [
    "dog",
    "cat",
    "horse",
    "bird",
    "boy",
    "girl",
    "nurse",
    "pilot",
    "baker",
    "clerk",
    "guard",
    "judge",
    "king",
]
HEADER = ("sentence", "entailed", "not_entailed")
SIMILAR = ("sentence1", "sentence2", "similarity")
ROWS = [(f"He {noun} kicked it.", f"He {noun} died.", f"He {noun} hit it.") for noun in NOUNS]


def rows_of(name, rows):
    found = rows_for_measure(measure_named(name), table_of(rows))
    assert not found.errors, found.errors[0]
    return found.rows


def pairs(**cells):
    return [
        {"first": f"Call the {noun}.", "second": f"Ring the {noun}.", **cells} for noun in NOUNS
    ]


DECIDING = {
    "same": ("Same", " SAME ", 1, True, np.int64(1), "1.0", "yes", "Paraphrase", "duplicate"),
    "another": ("Negation", 0, "no", "not_duplicate", "different", "mismatch", "non-paraphrase"),
    "neither": ("paraphrased", "the same", "is_duplicate", "sameness", "equivalence"),
}
"""What a cell is read as -> cells."""


@pytest.mark.parametrize("kind", DECIDING)
def test_a_word_for_the_same_is_taken_or_refused_and_never_an_opposite(kind):
    for name, field in (("merge_opposites", "kind"), ("pair_classes", "class")):
        for said in DECIDING[kind]:
            first_row, *_ = pairs(**{field: said})
            found = rows_for_measure(measure_named(name), table_of([first_row]))
            read = found.rows[0][field] if found.rows else None
            assert (read == "same") == (kind == "same"), (said, read)
            assert bool(found.errors) == (kind == "neither"), (said, read)


@pytest.mark.parametrize(
    ("name", "row", "field", "expected"),
    [
        (
            "role_swap",
            {**dict.fromkeys(SIMILAR, "1"), "kind": "Adversarial"},
            "kind",
            "adversarial",
        ),
        (
            "caption_swap",
            {"id": "Swap_Obj-1", "caption": "a", "paraphrase": "b", "negative": "c"},
            "id",
            None,
        ),
        (
            "epsilon",
            {"compound": "a b", "sentence": "An a b.", "words_syn": "c d; e f", "class": "nc"},
            "class",
            "NC",
        ),
        (
            "idiom_paraphrase",
            {**dict.fromkeys(HEADER, "x"), "removed_by": "no"},
            "removed_by",
            None,
        ),
        ("polarity", {"text": "a", "label": "Positive", "role": "Train"}, "role", "train"),
    ],
)
def test_so_every_field_in_which_a_value_decides(name, row, field, expected):
    found = rows_for_measure(measure_named(name), table_of([row]))
    values = [row[field] for row in found.rows]
    assert (values or [None]) == [expected]


def test_whatever_is_a_number_is_taken():
    numbers = (
        np.int64(3),
        np.float32(3),
        np.array(3),
        decimal.Decimal("3"),
        "3",
        " 3.0 ",
        True,
        np.bool_(True),
    )
    rows = []
    for n, number in enumerate(numbers):
        rows.append({"sentence1": f"a {n}", "sentence2": "b", "similarity": number})
    read = rows_of("transitive_similarity", rows)
    assert [row["similarity"] for row in read] == [3] * 6 + [1] * 2


@pytest.mark.parametrize(
    "form", [list, pandas.DataFrame, pyarrow.Table.from_pylist, Dataset.from_list]
)
def test_whatever_is_a_list_of_texts_is_taken(form):
    for synonyms in (["c d", "e f"], np.array(["c d", "e f"]), ("c d", "e f"), "c d; e f"):
        row = {
            "compound": "a b",
            "sentence": "An a b here.",
            "words_syn": synonyms,
            "class": np.nan,
        }
        found, _ = rows_of("epsilon", form([row] * 2))
        assert [probe["expression"] for probe in found["words_syn"]] == ["c d", "e f"]
        assert found["class"] is None


@pytest.mark.parametrize("printed", ["['c d', 'e f']", "array(['c d', 'e f'])"])
def test_the_print_of_a_list_is_no_text(printed):
    rows = {
        "epsilon": {"compound": "a b", "sentence": "An a b.", "words_syn": printed},
        "idiom_paraphrase": {"sentence": "x", "entailed": printed, "not_entailed": "y"},
    }
    for name, row in rows.items():
        found = rows_for_measure(measure_named(name), table_of([row]))
        (error,) = found.errors
        assert "a list that a program printed" in str(error)


def workbook(change):
    book = openpyxl.Workbook()
    for row in [(), HEADER, *ROWS]:
        book.active.append(row)
    change(book)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def notes(book):
    bold = openpyxl.styles.Font(bold=True)
    book.active.cell(30, 1).font = bold  # formatted, and empty
    sheet = book.create_sheet("Notes")
    sheet.append(["made by me"])
    sheet.append(["second draft"])


def formula(book):
    book.active.append(["=A1", "x", "y"])


def chart(book):
    book.create_chartsheet("Chart").add_chart(BarChart())


FRAME = pandas.DataFrame(ROWS, columns=HEADER)


def text(**options):
    return FRAME.to_csv(index=False, **options)


WRITTEN = {
    "notes.xlsx": workbook(notes),
    "chart.xlsx": workbook(chart),
    "pipes.csv": text(sep="|", lineterminator="\r")
    .replace("not_entailed", "Not entailed", 1)
    .encode(),
    "blank.csv": ("\r\n,,\r\n" + text() + ",,\n\n ,,\n").encode(),
    "sep.csv": ("sep=;\r\n" + text(sep=";")).encode(),
    "marks.csv": ("\ufeff\ufeff" + text()).encode(),
    "inside.tsv": text(sep="\t").replace("He cat kicked", '"He" cat kicked').encode(),
    "long.csv": text().replace("He cat kicked it", "word " * 40_000).encode(),
    # a later line shows that the marks are no quotation, so that the earlier ones join nothing
    "glue.tsv": text(sep="\t")
    .replace("He dog hit", '"He dog hit')
    .replace("hit it.\nHe boy", 'hit it."\nHe boy')
    .replace("He king kicked", '"He" king kicked')
    .encode(),
}


@pytest.mark.parametrize("name", WRITTEN)
def test_what_programs_write_is_read(name, tmp_path):
    file = tmp_path / name
    file.write_bytes(WRITTEN[name])
    found = rows_for_measure(measure_named("idiom_paraphrase"), table_of_files([file]))
    assert len(found.rows) == len(ROWS)
    assert found.errors == []
    warnings = [warning for warning in found.warnings if "sheet" in warning]
    said = f"{file}, sheet Notes: it has none of the columns, and is left out."
    assert warnings == ([said] if name == "notes.xlsx" else [])


def test_quotation_marks_that_can_be_read_in_two_ways_are_refused(tmp_path):
    file = tmp_path / "two.tsv"
    lines = ["\t".join(row) for row in [HEADER, *ROWS]]
    lines[4] = lines[4].replace("\tHe bird hit", '\t"He bird hit')
    lines[7] = f'{lines[7]}"'
    file.write_text("\n".join(lines))
    with pytest.raises(OwnDataError, match=r"two\.tsv, line 5: .*own marks doubled"):
        table_of_files([file])
    cells = [line.split("\t") for line in lines[1:]]
    table = pandas.DataFrame(cells, columns=HEADER)
    table.to_csv(file, sep="\t", index=False)  # as the message says
    assert len(table_of_files([file]).lines) == len(ROWS)


IDS_WITH_3_TWICE = [*range(12), 3]

REFUSED = {
    "empty.csv": (b"", "no row"),
    "latin.csv": (text().replace("bird died", "bird d\xefed").encode("latin-1"), "line 5: .*UTF-8"),
    "wide.csv": (text().encode("utf-16"), "UTF-8"),
    "twice.csv": (2 * text().encode(), "line 15: the header"),
    "none.csv": (
        text().replace("He bird hit it.", "None").encode(),
        "line 5, column 'not_entailed': it is empty",
    ),
    "few.csv": (
        text().replace("He bird kicked it.,", "").encode(),
        "line 5: not as many cells .*quotes",
    ),
    "column.csv": (
        text().replace("entailed", "better", 1).encode(),
        "no column 'entailed'.*--column entailed=",
    ),
    "columns.csv": (
        FRAME.assign(Sentence="x").to_csv(index=False).encode(),
        "'sentence' and 'Sentence'",
    ),
    "id.csv": (
        FRAME.assign(id=IDS_WITH_3_TWICE).to_csv(index=False).encode(),
        "line 14, column 'id'.* line 5 too",
    ),
    "text.parquet": (text().encode(), "Parquet"),
    "null.parquet": (
        FRAME.replace("He bird died.", None).to_parquet(),
        "row 4, column 'entailed': it is empty",
    ),
    "rows.txt": (text().encode(), "rename it"),
    "old.xls": (b"x", "another kind than .xlsx"),
    "sum.xlsx": (
        workbook(formula),
        "cell A16: a formula without its value",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_read_says_where_and_how_to_mend_it(name, tmp_path):
    content, said = REFUSED[name]
    (tmp_path / name).write_bytes(content)
    with pytest.raises(OwnDataError, match=rf"{name}.*{said}"):
        rows_for_measure(
            measure_named("idiom_paraphrase"), table_of_files([tmp_path / name])
        ).check()


def test_what_is_no_table_and_no_language_is_named():
    with pytest.raises(OwnDataError, match="xx: a language of three letters"):
        table = table_of([{}, {"anchor": "a"}])
        rows_for_measure(measure_named("triplets"), table, language="xx")
    with pytest.raises(TypeError, match=r"task is a DataFrame: .* measure"):
        measure(vectors_of(random_vector()), pandas.DataFrame())


@pytest.mark.parametrize(
    ("sentence", "compound", "found"),
    [
        ("句子1搜救队找到了黑匣子。", "黑匣子", "黑匣子"),
        (unicodedata.normalize("NFD", "Das schöne Gerät steht."), "schöne Gerät", "schöne Gerät"),
        ("Ein Draht\u00adesel steht.", "Drahtesel", "Drahtesel"),
        ("The (Black  box)'s lid, {x}.", "black box", "Black  box"),
        ("Un’eau-de-vie d’été.", "d'été", "d’été"),
        ("No black boxes here.", "black box", None),
        ("A काला है.", "काल", None),
        ("A black box in a black box.", "black box", None),
    ],
)
def test_a_compound_is_found_where_its_words_end(sentence, compound, found):
    row = {
        "compound": compound,
        "sentence": sentence,
        "words_syn": "dark crate",
        "head": "x",
        "modifier": "y",
        "syn": "recorder",
        "rand": "pen; door",
        "class": "NC",
    }
    read = rows_for_measure(measure_named("affinity"), table_of([row]))
    if found is None:
        (error,) = map(str, read.errors)
        assert "stands" in error and ("surface" in error or "Shorten" in error)
    else:
        assert read.rows[0]["surface"] == found
        assert "recorder" in read.rows[0]["syn"]["sentence"]


def test_a_compound_without_blanks_around_it_has_no_vector_of_its_own_in_the_sentence():
    row = dict(
        zip(
            ("compound", "words_syn", "head", "modifier", "syn", "rand"),
            ("黑匣子", "暗箱子", "子", "黑", "记录器", "笔; 门"),
            strict=True,
        )
    )
    rows = [{**row, "sentence": f"句子{n}搜救队找到了黑匣子。"} for n in range(2)]
    plan = measure_named("affinity").planned(rows_of("affinity", rows), "naturalistic")
    assert {*plan.similarities.level} == {"sentence"}
    assert places("这个black box在", "black box") == [(2, 11)]


def test_check_names_the_group_that_lacks_units():
    """39 compounds, of which 9 are literal: nothing is encoded, and the words are those of the
    file.
    """
    rows = [
        {
            "compound": f"a{n} b{n}",
            "sentence": f"They saw the a{n} b{n} again.",
            "words_syn": f"x{n} b{n}; y{n} b{n}",
            "class": "NC" if n < 30 else "C",
        }
        for n in range(39)
    ]
    with pytest.raises(
        OwnDataError, match=r"rows: 39 rows, 9 of them C \(class\); 10 are needed\."
    ):
        rows_for_measure(measure_named("epsilon"), table_of(rows)).check()
