"""The Italian config of ncimp: spans by hand, the join over sheets in another order, and the authors' own files."""

from __future__ import annotations

from collections import Counter

import datasets
import openpyxl
import pytest

from harness_ext.datasets_scripts.ncimp.italian import located, read_italian, tagged_target

FRAMES = ("qui {} oggi .", "ecco {}!", "e poi {}", "Questo è {}.")
COLUMNS = ("sentence_nat_1", "sentence_nat_2", "sentence_nat_3", "sentence_neut")
COMPOUNDS = ("angolo cieco", "gas nobile")


def workbook(path, sheets):
    book = openpyxl.Workbook()
    book.remove(book.active)
    for title, lines in sheets.items():
        sheet = book.create_sheet(title)
        for line in lines:
            sheet.append(line)
    book.save(path)
    return path


def probes(name, expression, suffix, compounds):
    lines = [("NC", name, *(f"{column}_{suffix}" for column in COLUMNS))]
    return [*lines, *((one, expression, *(frame.format(expression) for frame in FRAMES)) for one in compounds)]


@pytest.fixture
def files(tmp_path):
    header = ["NC", "wordsyn", *(f"{tag}{column}" for column in COLUMNS for tag in ("", "tag_"))]
    lines = [header]
    for compound in COMPOUNDS:
        cells = [compound, "lato nero"]
        for frame in FRAMES:
            words = frame.format(compound).split()
            marks = [word.strip("!.") in compound.split() for word in words]
            cells += [" ".join(words), f'"{marks}"']
        lines.append(cells)
    sentences = tmp_path / "NC_original.csv"
    sentences.write_text("\n".join(",".join(line) for line in lines) + "\n", encoding="utf-8")
    scores = [("language", "compound", "ClassToken", "CompositionalityToken")]
    scores += [("it", compound, klass, score) for compound, klass, score in
               zip(COMPOUNDS, ("I", "C"), (1, 4.5), strict=True) for _ in range(3)]  # fmt: skip
    sheets = {f"prand_{number}": probes("PRand", f"cosa {number}", "PRand", COMPOUNDS) for number in range(1, 5)}
    sheets["prand_5"] = probes("PRand", "cosa 5", "PRand", COMPOUNDS[::-1])
    return {
        "sentences": sentences,
        "scores": workbook(tmp_path / "scores.xlsx", {"Sheet1": scores}),
        "syn": workbook(tmp_path / "syn.xlsx", {"Sheet1": probes("gold_syn", "punto", "PSyn", COMPOUNDS)}),
        "rand": workbook(tmp_path / "rand.xlsx", sheets),
    }


def test_rows(files):
    found = {}
    rows = list(read_italian(files, "naturalistic", found))
    assert found == {"sentences": 2, "scores": 6, "syn": 2, "rand": 10}
    assert [row["id"] for row in rows[::2]] == [f"it-naturalistic-{number}-angolo_cieco" for number in (1, 2, 3)]
    row = rows[2]
    assert (row["class"], row["type_score"], row["expert_class"], row["comp"]) == ("NC", 1.0, None, None)
    assert (row["surface"], row["sentence"], row["span"]) == ("angolo cieco", "ecco angolo cieco!", [1, 3])
    assert row["head"] == {"expression": "angolo", "sentence": "ecco angolo!", "span": [1, 2]}
    assert row["modifier"]["sentence"] == "ecco cieco!"
    assert row["words_syn"] == [{"expression": "lato nero", "sentence": "ecco lato nero!", "span": [1, 3]}]
    assert row["syn"] == {"expression": "punto", "sentence": "ecco punto!", "span": [1, 2]}
    assert [probe["expression"] for probe in row["rand"]] == [f"cosa {number}" for number in range(1, 6)]
    assert next(read_italian(files, "neutral"))["sentence"] == "Questo è angolo cieco."


def test_a_compound_that_a_sheet_lacks_is_an_error(files, tmp_path):
    files["syn"] = workbook(tmp_path / "syn.xlsx", {"Sheet1": probes("gold_syn", "punto", "PSyn", COMPOUNDS[:1])})
    with pytest.raises(ValueError, match=r"NC_original.csv, line 3, column 'NC': 'gas nobile' is not in .*syn.xlsx"):
        list(read_italian(files, "neutral"))


def test_a_score_that_varies_is_an_error(files, tmp_path):
    lines = [("compound", "ClassToken", "CompositionalityToken"), ("gas nobile", "C", 4), ("gas nobile", "C", 5)]
    files["scores"] = workbook(tmp_path / "scores.xlsx", {"Sheet1": lines})
    with pytest.raises(ValueError, match=r"scores.xlsx, row 3: 'gas nobile' has another class or score than before"):
        list(read_italian(files, "neutral"))


def test_an_empty_cell_is_named(files, tmp_path):
    lines = [("compound", "ClassToken", "CompositionalityToken"), ("gas nobile", None, 4)]
    files["scores"] = workbook(tmp_path / "scores.xlsx", {"Sheet1": lines})
    with pytest.raises(ValueError, match=r"scores.xlsx, row 2, column 'ClassToken': empty"):
        list(read_italian(files, "neutral"))


@pytest.mark.parametrize(
    ("sentence", "marks", "compound", "surface", "span"),
    [
        ("i tassi di mortalità, oggi", "01010", "tasso di mortalità", "tassi di mortalità", [1, 4]),
        ("le scuole dell'obbligo e", "0100", "scuola dell'obbligo", "scuole dell'obbligo", [1, 3]),
        ("sogni d ' oro .", "10010", "sogni d'oro", "sogni d ' oro", [0, 4]),
    ],
)
def test_tags_with_gaps(sentence, marks, compound, surface, span):
    target = tagged_target(sentence, str([mark == "1" for mark in marks]), compound)
    assert (target["expression"], target["span"]) == (surface, span)


@pytest.mark.parametrize("tag", ["[True]", "[False, False]", "x"])
def test_a_tag_that_does_not_fit(tag):
    with pytest.raises(ValueError, match=r"is not a list of True and False for the 2 words"):
        tagged_target("a b", tag, "a")


def test_an_expression_is_found_nearest_to_its_place():
    assert located("gas", "gas e Gas, poi", 2)["span"] == [2, 3]
    with pytest.raises(ValueError, match=r"'gas' is not in 'niente'"):
        located("gas", "niente", 0)


@pytest.mark.real_data
def test_the_authors_own_files(mirror):
    splits = datasets.load_dataset("ncimp", "it")
    assert {name: len(split) for name, split in splits.items()} == {"naturalistic": 711, "neutral": 237}
    assert Counter(splits["neutral"]["class"]) == {"NC": 88, "PC": 75, "C": 74}
    for row in (row for split in splits.values() for row in split):
        for probe in (row["syn"], row["head"], row["modifier"], *row["words_syn"], *row["rand"]):
            inside = " ".join(probe["sentence"].split()[slice(*probe["span"])])
            assert probe["expression"].casefold() in inside.casefold(), (row["id"], probe)
        assert len(row["rand"]) == 5
