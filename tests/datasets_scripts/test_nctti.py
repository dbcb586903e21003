from __future__ import annotations

import csv
from operator import itemgetter
from pathlib import Path

import datasets
import pytest
from pytest import approx

from harness_ext.datasets_scripts.human_scores import HumanScores, read_human_scores
from harness_ext.datasets_scripts.nctti.nctti import Nctti
from harness_ext.statistics.correlation import spearman
from tests.datasets_scripts.test_ncimp import columns, write

HEADER = "compound\tCompScale\tCompType\tMeanS1\tMeanS2\tMeanS3\n"


def test_human_scores(tmp_path: Path) -> None:
    header = HEADER.replace("\n", "\tSynonyms\tSynonymsS1\tSynonymsS2\tSynonymsS3\n")
    line = '"Cash cow"\t"NC"\t"1.5"\t"2"\t\t0.5\tgold mine;moneymaker; moneymaker;\tincome\t\ta;b\n'
    file = tmp_path / "data.tsv"
    file.write_text(header + line)
    expected = HumanScores(
        "NC",
        1.5,
        (2.0, None, 0.5),
        ("gold mine", "moneymaker", "moneymaker"),
        (("income",), (), ("a", "b")),
    )
    assert read_human_scores(file) == {"cash cow": expected}


def test_join_keeps_both_sides(tmp_path: Path) -> None:
    """By compound whatever its case, and by sentence: one may have lost letters, or only its place
    is published.
    """
    files = {
        "compounds": tmp_path / "data_en.tsv",
        "sentences": tmp_path / "sentids_en.csv",
    }
    files["compounds"].write_text(
        HEADER.replace("\n", "\tSynonyms\tSynonymsS2\tSynonymsS3\n")
        + "dutch courage\tNC\t1\t1.1\t1.2\t1.3\tdrink\tale\tgin;rum\nonly scored\tC\t5\t5\t5\t5\t\t\t\n"
    )
    files["sentences"].write_text(
        "compound,sentence1,sentence2,sentence3\n"
        "Dutch courage,they drank d??tch courage,something wholly different,\"sent3: ('x', 1)\"\n"
    )
    scored = columns("Dutch courage", "they drank", "")
    unscored = columns("only here", "this is", "")
    for context in (1, 2, 3):
        name = f"naturalistics_examplesent{context}.csv"
        files[name] = write(tmp_path / name, scored, unscored)
    builder = Nctti(config_name="en", cache_dir=str(tmp_path / "cache"))
    rows = list(builder.rows(files, "naturalistic"))
    first, second, third = (row for row in rows if row["compound"] == "Dutch courage")
    assert first["token_score"] == 1.1
    assert first["expert_class"] == "NC"
    assert first["comp"] == 1.2
    assert first["span"] == [2, 4]
    assert first["paraphrases"] == ["drink"]
    assert first["token_paraphrases"] == []
    assert second["token_score"] is None
    assert second["expert_class"] is None
    assert second["comp"] is None
    assert second["paraphrases"] == []
    assert second["token_paraphrases"] == []
    assert third["token_score"] == 1.3
    assert third["paraphrases"] == ["drink"]
    assert third["token_paraphrases"] == ["gin", "rum"]
    of_unscored = {row["token_score"] for row in rows if row["compound"] == "only here"}
    assert of_unscored == {None}
    facts_of = itemgetter("compound", "context", "token_score")
    without_sentence = [row for row in rows if row["sentence"] is None]
    assert [facts_of(row) for row in without_sentence] == [
        ("dutch courage", 2, 1.2),
        ("only scored", 1, 5.0),
        ("only scored", 2, 5.0),
        ("only scored", 3, 5.0),
    ]
    assert len({row["id"] for row in rows}) == len(rows) == 10


@pytest.mark.slow
@pytest.mark.real_data
def test_the_published_statistics_of_whole_compounds_come_out(unverified_mirror: str) -> None:
    """NCTTI Tables 2 and 3, whose last digit differs here and there by one, and the example of
    Table 4.
    """
    found: dict[tuple[str, str, str], float] = {}
    for subset in ("en", "pt"):
        rows = datasets.load_dataset("nctti", subset, split="naturalistic").to_pandas()
        compounds = rows.drop_duplicates("compound")
        scored = compounds.dropna(subset=["comp", "type_score"])
        for class_, of_class in [("all", scored), *scored.groupby("expert_class")]:
            token_mean = of_class["comp"].to_numpy()
            rho, _ = spearman(token_mean, of_class["type_score"].to_numpy())
            found[subset, class_, "spearman_token_mean_vs_type"] = rho
        for class_, of_class in compounds.groupby("expert_class"):
            found[subset, class_, "mean"] = of_class["comp"].mean()
            found[subset, class_, "std"] = of_class["comp"].std()
        for row in rows[rows["compound"] == "disc jockey"].itertuples():
            found[subset, "", f"mean_sentence{row.context}"] = row.token_score
            found[subset, "", "type_mean"] = row.type_score
    place_of = itemgetter("subset", "class", "statistic")
    printed = {}
    with Path(__file__).with_name("nctti_statistics.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if row["target"] in {"NC", "disc jockey"}:
                printed[place_of(row)] = float(row["value"])
    assert len(found) == 8 + 12 + 4
    expected = {place: printed[place] for place in found}
    assert found == approx(expected, abs=0.0115)
