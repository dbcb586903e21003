"""The Italian config of ncimp: the join over sheets in another order."""

from __future__ import annotations

import csv

from harness_ext.datasets_scripts.ncimp.italian import italian_rows
from tests.data.workbooks import workbook

FRAMES = ("qui {} oggi .", "ecco {}!", "e poi {}", "Questo è {}.")
COLUMNS = ("sentence_nat_1", "sentence_nat_2", "sentence_nat_3", "sentence_neut")
COMPOUNDS = ("angolo cieco", "gas nobile")


def probes(name, expression, suffix, compounds=COMPOUNDS):
    """The lines of a sheet: for each compound, its sentences with an expression in its place."""
    columns = [f"{column}_{suffix}" for column in COLUMNS]
    sentences = [frame.format(expression) for frame in FRAMES]
    lines = [("NC", name, *columns)]
    for compound in compounds:
        lines.append((compound, expression, *sentences))
    return lines


def marks(sentence, compound):
    """Of each word, whether it is one of the compound's."""
    words_of_compound = compound.split()
    return [word.strip("!.") in words_of_compound for word in sentence.split()]


def test_rows(tmp_path):
    originals = tmp_path / "NC_original.csv"
    with originals.open("w", encoding="utf-8", newline="") as file:
        lines = csv.writer(file)
        tags = [f"tag_{column}" for column in COLUMNS]
        lines.writerow(["NC", "wordsyn", *COLUMNS, *tags])
        for compound in COMPOUNDS:
            sentences = [frame.format(compound) for frame in FRAMES]
            tags = [marks(sentence, compound) for sentence in sentences]
            lines.writerow([compound, "lato nero", *sentences, *tags])
    scores = [
        ("compound", "ClassToken", "CompositionalityToken"),
        ("angolo cieco", "I", 1),
        ("gas nobile", "C", 4.5),
    ]
    synonyms = probes("gold_syn", "punto", "PSyn")
    sheets = {}
    for number in range(1, 5):
        sheets[f"prand_{number}"] = probes("PRand", f"cosa {number}", "PRand")
    sheets["prand_5"] = probes("PRand", "cosa 5", "PRand", COMPOUNDS[::-1])
    files = {
        "sentences": originals,
        "scores": workbook(tmp_path / "scores.xlsx", *scores),
        "syn": workbook(tmp_path / "syn.xlsx", *synonyms),
        "rand": workbook(tmp_path / "rand.xlsx", **sheets),
    }
    rows = list(italian_rows(files, "it", "naturalistic"))
    assert [row["id"] for row in rows[::2]] == [
        "it-naturalistic-1-angolo_cieco",
        "it-naturalistic-2-angolo_cieco",
        "it-naturalistic-3-angolo_cieco",
    ]
    row = rows[2]
    assert row["class"] == "NC"
    assert row["type_score"] == 1.0
    assert row["expert_class"] is None
    assert row["comp"] is None
    assert row["surface"] == "angolo cieco"
    assert row["sentence"] == "ecco angolo cieco!"
    assert row["span"] == [1, 3]
    assert row["head"] == {"expression": "angolo", "sentence": "ecco angolo!", "span": [1, 2]}
    assert row["modifier"]["sentence"] == "ecco cieco!"
    assert row["words_syn"] == [
        {"expression": "lato nero", "sentence": "ecco lato nero!", "span": [1, 3]}
    ]
    assert row["syn"] == {"expression": "punto", "sentence": "ecco punto!", "span": [1, 2]}
    unrelated = [probe["expression"] for probe in row["rand"]]
    assert unrelated == ["cosa 1", "cosa 2", "cosa 3", "cosa 4", "cosa 5"]
    neutral = next(italian_rows(files, "it", "neutral"))
    assert neutral["sentence"] == "Questo è angolo cieco."
