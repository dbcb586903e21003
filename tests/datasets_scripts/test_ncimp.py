"""NCIMP: the readers on files written here in the authors' layout, and on the authors' own
files.
"""

from __future__ import annotations

import csv

import datasets
import pytest

from harness_ext.data.compounds import NOT_SCORED
from harness_ext.data.sources import SourceError
from harness_ext.datasets_scripts.human_scores import HumanScores
from harness_ext.datasets_scripts.ncimp.rebuilt import read_rebuilt
from harness_ext.datasets_scripts.ncimp.tagged import NEUTRAL, read_tagged, tagged_rows
from tests.data.workbooks import workbook

PROBES = {
    "synonym for compound": "flight recorder",
    "original head only": "box",
    "original modifier only": "black",
    "synonym both": "dark crate",
    **{f"both synonym alt{number}": f"inky carton{number}" for number in range(1, 5)},
    **{f"nc rand freq sentence{number}": f"late train{number}" for number in range(1, 6)},
}


def columns(compound="black box", before="the crew , lost the", after="at sea ."):
    """The cells of a compound: its sentence, and those of its probes."""
    cells = {"compound": compound, "compound noun": compound}
    n_before = len(before.split())
    n_after = len(after.split())
    for column, expression in {"original sentence": compound, **PROBES}.items():
        words = f"{before} {expression} {after}".split()
        n_inside = len(words) - n_before - n_after
        marks = [False] * n_before + [True] * n_inside + [False] * n_after
        cells[column] = " ".join(words)
        cells[f"{column}_tag"] = str(marks)
    return cells


def write(path, *rows):
    """Write cells in the authors' layout."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def test_rows_have_every_probe_and_join_the_scores_and_the_experts_labels(tmp_path):
    """Later files name alternatives otherwise; an empty one is left out."""
    cells = {column.replace("alt4", "alt4_2"): cell for column, cell in columns().items()}
    cells["both synonym alt2"] = " "
    cells["both synonym alt2_tag"] = ""
    cells["neutral sentence"] = cells.pop("original sentence")
    unscored_cells = {**cells, "compound": "unscored box"}
    scores = [
        (
            "language",
            "file",
            "compound",
            "ClassType",
            "CompositionalityType",
            "CompositionalityToken",
        ),
        ("pt", "a/neutral.csv", "black box ", "NC", 1.29, 1),
        ("en", "a/neutral.csv", "black box ", "NC", 1.29, 2.83),
    ]
    people = tmp_path / "people.tsv"
    people.write_text(
        "compound\tCompScale\tCompType\tMeanS1\tMeanS2\tMeanS3\nBlack box\tPC\t1\t1\t2\t2.5\n"
    )
    files = {
        NEUTRAL[0]: write(tmp_path / "neutral.csv", cells, unscored_cells),
        "scores": workbook(tmp_path / "s.xlsx", *scores),
        "people": people,
    }
    row, unscored = tagged_rows(files, "en", "neutral")
    assert row["id"] == "en-neutral-1-black_box"
    assert row["context"] == 1
    assert row["surface"] == "black box"
    assert row["sentence"] == "the crew , lost the black box at sea ."
    assert row["span"] == [5, 7]
    assert row["class"] == "NC"
    assert row["type_score"] == 1.29
    assert row["token_score"] == 2.83
    assert row["expert_class"] == "PC"
    assert row["comp"] == 1.833333333
    assert row["head"] == {
        "expression": "box",
        "sentence": "the crew , lost the box at sea .",
        "span": [5, 6],
    }
    assert row["syn"]["expression"] == "flight recorder"
    assert row["modifier"]["expression"] == "black"
    assert [probe["expression"] for probe in row["words_syn"]] == [
        "dark crate",
        "inky carton1",
        "inky carton3",
        "inky carton4",
    ]
    assert [probe["expression"] for probe in row["rand"]] == [
        "late train1",
        "late train2",
        "late train3",
        "late train4",
        "late train5",
    ]
    for column, nothing in NOT_SCORED.items():
        assert unscored[column] == nothing


def test_comp_needs_all_three_sentences():
    assert HumanScores("NC", 1.0, (1.0, None, 2.0)).comp is None
    # the sums of these differ in binary; as means of people's scores they do not
    for means in ((0.1, 0.2, 0.3), (0.3, 0.2, 0.1)):
        assert HumanScores("C", 1.0, means).comp == 0.2


def test_a_probe_that_does_not_fit_is_named_with_file_line_and_column(tmp_path):
    wrong = {**columns(), "synonym both_tag": "[True]"}
    file = write(tmp_path / "file.csv", columns(), wrong)
    said = r"file\.csv, line 3, column 'synonym both': the tag has 1 marks for the 10"
    with pytest.raises(ValueError, match=said):
        list(read_tagged(file, "naturalistic"))


def table(path, **changed):
    """A table of others with a line of each language and file; a cell is changed in the last."""
    cells = {
        "language": "EN",
        "canonical_form": "black box",
        "source_file": "a.csv",
        "original_sentence": "an  old black box sank .",
        "span": "[2, 4]",
        "p_syn": "flight recorder",
        "p_comp": "box || black",
        "p_words_syn": "dark crate || inky carton",
        "p_rand": "late train",
    }
    of_other_language = cells | {"language": "PT"}
    of_other_file = cells | {"source_file": "b.csv"}
    return write(path, of_other_language, of_other_file, cells | changed)


def test_rebuilt_sentences_have_the_replacements_as_they_are(tmp_path):
    ((compound, target, probes),) = read_rebuilt(table(tmp_path / "table.csv"), "a.csv")
    assert compound == "black box"
    assert target == {
        "expression": "black box",
        "sentence": "an old black box sank .",
        "span": [2, 4],
    }
    assert probes["syn"]["sentence"] == "an old flight recorder sank ."
    assert probes["head"] == {"expression": "box", "sentence": "an old box sank .", "span": [2, 3]}
    assert probes["modifier"]["sentence"] == "an old black sank ."
    alternatives = [probe["expression"] for probe in probes["words_syn"]]
    assert alternatives == ["dark crate", "inky carton"]
    (unrelated,) = probes["rand"]
    assert unrelated["sentence"] == "an old late train sank ."


@pytest.mark.parametrize(
    ("column", "cell"),
    [
        ("span", "[2]"),
        ("span", "[5, 9]"),
        ("span", "two"),
        ("p_comp", "box"),
        ("p_rand", "a || "),
    ],
)
def test_a_cell_of_the_table_that_does_not_fit_is_named(tmp_path, column, cell):
    file = table(tmp_path / "table.csv", **{column: cell})
    with pytest.raises(ValueError, match=rf"table\.csv, line 4, column '{column}'"):
        list(read_rebuilt(file, "a.csv"))


@pytest.mark.slow
@pytest.mark.real_data
@pytest.mark.usefixtures("own_rows")
def test_a_split_needs_no_other_files_than_its_own(mirror, monkeypatch):
    """Nothing unverified is allowed here, and the English naturalistic files at hand are rebuilt
    ones.
    """
    assert len(datasets.load_dataset("ncimp", "en", split="neutral")) == 281
    said = r"naturalistics_examplesent1\.csv[^$]*--eval-splits naturalistic_rebuilt"
    partial = datasets.load_dataset_builder("ncimp", "en")
    partial.download_and_prepare()
    for split in (None, "neutral+naturalistic[:3]"):
        with pytest.raises(SourceError, match=said):
            partial.as_dataset(split)
    # once they are there, what was left out is made
    monkeypatch.setenv("HARNESS_EXT_ALLOW_UNVERIFIED", "1")
    complete = partial.as_dataset("naturalistic").to_list()
    rebuilt = partial.as_dataset("naturalistic_rebuilt").to_list()
    assert len(complete) == 843
    for row in rebuilt:
        row["id"] = row["id"].replace("_rebuilt", "", 1)
    assert rebuilt == complete
