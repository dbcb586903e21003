"""The Italian config of ncimp: the join over sheets in another order."""

from __future__ import annotations

import csv

from harness_ext.datasets_scripts.ncimp.italian import italian_rows
from tests.data.workbooks import workbook

FRAMES = ("qui {} oggi .", "ecco {}!", "e poi {}", "Questo è {}.")
COLUMNS = ("sentence_nat_1", "sentence_nat_2", "sentence_nat_3", "sentence_neut")
COMPOUNDS = ("angolo cieco", "gas nobile")


def probes(name, expression, suffix, compounds=COMPOUNDS):
    lines = [("NC", name, *(f"{column}_{suffix}" for column in COLUMNS))]
    return [
        *lines,
        *((one, expression, *(frame.format(expression) for frame in FRAMES)) for one in compounds),
    ]


def test_rows(tmp_path):
    with (tmp_path / "NC_original.csv").open("w", encoding="utf-8", newline="") as file:
        lines = csv.writer(file)
        lines.writerow(["NC", "wordsyn", *COLUMNS, *(f"tag_{column}" for column in COLUMNS)])
        for compound in COMPOUNDS:
            texts = [frame.format(compound) for frame in FRAMES]
            marks = [
                [word.strip("!.") in compound.split() for word in text.split()] for text in texts
            ]
            lines.writerow([compound, "lato nero", *texts, *marks])
    scores = [
        ("compound", "ClassToken", "CompositionalityToken"),
        (COMPOUNDS[0], "I", 1),
        (COMPOUNDS[1], "C", 4.5),
    ]
    sheets = {
        f"prand_{number}": probes("PRand", f"cosa {number}", "PRand") for number in range(1, 5)
    }
    sheets["prand_5"] = probes("PRand", "cosa 5", "PRand", COMPOUNDS[::-1])
    files = {
        "sentences": tmp_path / "NC_original.csv",
        "scores": workbook(tmp_path / "scores.xlsx", *scores),
        "syn": workbook(tmp_path / "syn.xlsx", *probes("gold_syn", "punto", "PSyn")),
        "rand": workbook(tmp_path / "rand.xlsx", **sheets),
    }
    rows = list(italian_rows(files, "it", "naturalistic"))
    assert [row["id"] for row in rows[::2]] == [
        f"it-naturalistic-{number}-angolo_cieco" for number in (1, 2, 3)
    ]
    row = rows[2]
    assert (row["class"], row["type_score"], row["expert_class"], row["comp"]) == (
        "NC",
        1.0,
        None,
        None,
    )
    assert (row["surface"], row["sentence"], row["span"]) == (
        "angolo cieco",
        "ecco angolo cieco!",
        [1, 3],
    )
    assert row["head"] == {"expression": "angolo", "sentence": "ecco angolo!", "span": [1, 2]}
    assert row["modifier"]["sentence"] == "ecco cieco!"
    assert row["words_syn"] == [
        {"expression": "lato nero", "sentence": "ecco lato nero!", "span": [1, 3]}
    ]
    assert row["syn"] == {"expression": "punto", "sentence": "ecco punto!", "span": [1, 2]}
    assert [probe["expression"] for probe in row["rand"]] == [
        f"cosa {number}" for number in range(1, 6)
    ]
    assert next(italian_rows(files, "it", "neutral"))["sentence"] == "Questo è angolo cieco."
