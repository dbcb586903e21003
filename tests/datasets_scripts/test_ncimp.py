"""NCIMP: the readers on files written here in the authors' layout, and on the authors' own files."""

from __future__ import annotations

import csv

import datasets
import pytest

from harness_ext.data.compounds import NOT_SCORED
from harness_ext.data.human_scores import HumanScores
from harness_ext.data.sources import SourceError
from harness_ext.datasets_scripts.ncimp.rebuilt import read_rebuilt
from harness_ext.datasets_scripts.ncimp.tagged import NEUTRAL, read_scores, read_tagged, tagged_rows
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
    for column, expression in {"original sentence": compound, **PROBES}.items():
        parts = before.split(), expression.split(), after.split()
        cells[column] = " ".join(word for part in parts for word in part)
        cells[f"{column}_tag"] = str([part is parts[1] for part in parts for _ in part])
    return cells


def write(path, *rows):
    """Write cells in the authors' layout."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def read(path):
    return list(read_tagged(path, "naturalistic"))


def test_reads_every_probe(tmp_path):
    ((compound, target, probes),) = read(write(tmp_path / "a.csv", columns()))
    assert compound == "black box"
    assert target == {"expression": "black box", "sentence": "the crew , lost the black box at sea .", "span": [5, 7]}
    assert probes["syn"]["expression"] == "flight recorder"
    assert probes["head"] == {"expression": "box", "sentence": "the crew , lost the box at sea .", "span": [5, 6]}
    assert [probe["expression"] for probe in probes["words_syn"]] == [
        "dark crate",
        *(f"inky carton{number}" for number in range(1, 5)),
    ]
    assert [probe["expression"] for probe in probes["rand"]] == [f"late train{number}" for number in range(1, 6)]


def test_rows_join_the_scores_and_the_experts_labels(tmp_path):
    cells = {column.replace("original sentence", "neutral sentence"): cell for column, cell in columns().items()}
    cells["original sentence_tag"] = cells.pop("neutral sentence_tag")
    files = {
        NEUTRAL[0]: write(tmp_path / "neutral.csv", cells, {**cells, "compound": "unscored box"}),
        "scores": workbook(tmp_path / "s.xlsx", HEADER, ("en", "a/neutral.csv", "black box", "NC", 1.29, 2.83)),
        "people": tmp_path / "people.tsv",
    }
    files["people"].write_text("compound\tCompScale\tCompType\tMeanS1\tMeanS2\tMeanS3\nBlack box\tPC\t1\t1\t2\t2.5\n")
    row, unscored = tagged_rows(files, "en", "neutral")
    assert (row["id"], row["context"], row["surface"]) == ("en-neutral-1-black_box", 1, "black box")
    assert (row["class"], row["type_score"], row["token_score"]) == ("NC", 1.29, 2.83)
    assert (row["expert_class"], row["comp"]) == ("PC", 1.833333333)
    assert {key: unscored[key] for key in NOT_SCORED} == NOT_SCORED


def test_comp_needs_all_three_sentences():
    assert HumanScores("NC", 1.0, (1.0, None, 2.0)).comp is None
    # the sums of these differ in binary; as means of people's scores they do not
    assert HumanScores("C", 1.0, (0.1, 0.2, 0.3)).comp == HumanScores("C", 1.0, (0.3, 0.2, 0.1)).comp == 0.2


def test_later_names_of_the_alternatives_are_read_and_an_empty_one_is_left_out(tmp_path):
    cells = {column.replace("alt4", "alt4_2"): cell for column, cell in columns().items()}
    ((_, _, probes),) = read(
        write(tmp_path / "a.csv", {**cells, "both synonym alt2": " ", "both synonym alt2_tag": ""})
    )
    assert [probe["expression"] for probe in probes["words_syn"]][2:] == ["inky carton3", "inky carton4"]


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ({"synonym both_tag": "[True]"}, "column 'synonym both': the tag has 1 marks for the 10"),
        ({"synonym for compound": "", "synonym for compound_tag": "[]"}, "column 'synonym for compound'"),
    ],
)
def test_a_probe_that_does_not_fit_is_named_with_file_line_and_column(tmp_path, cells, message):
    with pytest.raises(ValueError, match=rf"file\.csv, line 3, {message}"):
        read(write(tmp_path / "file.csv", columns(), {**columns(), **cells}))


TABLE_HEADER = "language,canonical_form,source_file,original_sentence,span,p_syn,p_comp,p_words_syn,p_rand\n"


def table(path, **changed):
    """A table of others with a line of each language and file; a cell is changed in the last."""
    cells = {
        "language": "EN", "canonical_form": "black box", "source_file": "a.csv",
        "original_sentence": "an  old black box sank .", "span": "[2, 4]", "p_syn": "flight recorder",
        "p_comp": "box || black", "p_words_syn": "dark crate || inky carton", "p_rand": "late train",
    }  # fmt: skip
    lines = [cells | {"language": "PT"}, cells | {"source_file": "b.csv"}, cells | changed]
    path.write_text(TABLE_HEADER + "".join(",".join(f'"{cell}"' for cell in line.values()) + "\n" for line in lines))
    return path


def test_rebuilt_sentences_have_the_replacements_as_they_are(tmp_path):
    ((compound, target, probes),) = read_rebuilt(table(tmp_path / "table.csv"), "a.csv")
    assert compound == "black box"
    assert target == {"expression": "black box", "sentence": "an old black box sank .", "span": [2, 4]}
    assert probes["syn"] == {
        "expression": "flight recorder",
        "sentence": "an old flight recorder sank .",
        "span": [2, 4],
    }
    assert probes["head"] == {"expression": "box", "sentence": "an old box sank .", "span": [2, 3]}
    assert probes["modifier"]["sentence"] == "an old black sank ."
    assert [probe["expression"] for probe in probes["words_syn"]] == ["dark crate", "inky carton"]
    assert [probe["sentence"] for probe in probes["rand"]] == ["an old late train sank ."]


@pytest.mark.parametrize(
    ("column", "cell"), [("span", "[2]"), ("span", "[5, 9]"), ("span", "two"), ("p_comp", "box"), ("p_rand", "a || ")]
)
def test_a_cell_of_the_table_that_does_not_fit_is_named(tmp_path, column, cell):
    with pytest.raises(ValueError, match=rf"table\.csv, line 4, column '{column}'"):
        list(read_rebuilt(table(tmp_path / "table.csv", **{column: cell}), "a.csv"))


HEADER = ("language", "file", "compound", "ClassType", "CompositionalityType", "CompositionalityToken")


def test_reads_the_scores_of_both_languages(tmp_path):
    english = ("en", "some/folder/neutral.csv", "black box ", "NC", 1.29, 2)
    portuguese = ("pt", "some/folder/neutral.csv", "caixa preta", "PC", 2.5, 2.5)
    assert read_scores(workbook(tmp_path / "scores.xlsx", HEADER, english, portuguese)) == {
        ("en", "neutral.csv", "black box"): {**NOT_SCORED, "class": "NC", "type_score": 1.29, "token_score": 2.0},
        ("pt", "neutral.csv", "caixa preta"): {**NOT_SCORED, "class": "PC", "type_score": 2.5, "token_score": 2.5},
    }


@pytest.mark.slow
@pytest.mark.real_data
def test_a_split_needs_no_other_files_than_its_own(mirror, tmp_path, monkeypatch):
    """Nothing unverified is allowed here, and the English naturalistic files at hand are rebuilt ones."""
    assert len(datasets.load_dataset("ncimp", "en", split="neutral")) == 281
    for split in ("naturalistic", None, "neutral+naturalistic[:3]"):
        with pytest.raises(
            SourceError, match=r"naturalistics_examplesent1\.csv[^$]*--eval-splits naturalistic_rebuilt"
        ):
            datasets.load_dataset("ncimp", "en", split=split)
    # once they are there, what was left out is made
    partial = datasets.load_dataset_builder("ncimp", "en")
    partial.download_and_prepare()
    monkeypatch.setenv("HARNESS_EXT_ALLOW_UNVERIFIED", "1")
    complete = partial.as_dataset("naturalistic").to_list()
    rebuilt = datasets.load_dataset("ncimp", "en", split="naturalistic_rebuilt").to_list()
    assert len(complete) == 843
    assert [{**row, "id": row["id"].replace("_rebuilt", "", 1)} for row in rebuilt] == complete
