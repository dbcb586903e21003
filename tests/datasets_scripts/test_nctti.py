from __future__ import annotations

from pathlib import Path

import pytest

from harness_ext.data.human_scores import HumanScores, read_human_scores
from harness_ext.datasets_scripts.nctti.nctti import Nctti, is_same_sentence, read_published_sentences
from tests.datasets_scripts.test_ncimp import columns
from tests.datasets_scripts.test_ncimp import write as write_ncimp

HEADER = "compound\tCompScale\tCompType\tMeanS1\tMeanS2\tMeanS3\n"


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_human_scores(tmp_path: Path) -> None:
    people = read_human_scores(write(tmp_path / "data.tsv", f'{HEADER}"Dutch courage"\t"NC"\t"1.5"\t"2"\t\t0.5\n'))
    assert people == {"dutch courage": HumanScores("NC", 1.5, (2.0, None, 0.5))}


def test_paraphrases_of_types_and_tokens(tmp_path: Path) -> None:
    header = HEADER.replace("\n", "\tSynonyms\tSynonymsS1\tSynonymsS2\tSynonymsS3\n")
    line = "cash cow\tNC\t1\t1\t1\t1\tgold mine;moneymaker; moneymaker;\tincome\t\ta;b\n"
    scores = read_human_scores(write(tmp_path / "data.tsv", header + line))["cash cow"]
    assert scores.paraphrases == ("gold mine", "moneymaker", "moneymaker")
    assert scores.token_paraphrases == (("income",), (), ("a", "b"))


def test_published_sentences(tmp_path: Path) -> None:
    line = '"A b","one a b .","sent2: (\'""http://a.example""\', 140)","three"\n'
    found = read_published_sentences(write(tmp_path / "ids.csv", f"compound,sentence1,sentence2,sentence3\n{line}"))
    assert found == {("a b", 1): "one a b .", ("a b", 2): None, ("a b", 3): "three"}


@pytest.mark.parametrize(
    ("published", "sentence", "same"),
    [
        (None, "whatever", True),
        ("she was on cloud nine ! ¬î said", "she was on cloud nine ! ?? said", True),
        ("a goose laid the golden egg", "the committee met in the board room", False),
    ],
)
def test_same_sentence(published: str | None, sentence: str, same: bool) -> None:
    assert is_same_sentence(published, sentence) is same


def test_join_keeps_both_sides(tmp_path: Path) -> None:
    """By compound whatever its case, and sentence by sentence; what has no partner, or another one, stays."""
    files = {
        "compounds": write(
            tmp_path / "data_en.tsv",
            HEADER.replace("\n", "\tSynonyms\tSynonymsS2\tSynonymsS3\n")
            + "dutch courage\tNC\t1\t1.1\t1.2\t1.3\tdrink\tale\tgin;rum\nonly scored\tC\t5\t5\t5\t5\t\t\t\n",
        ),
        "sentences": write(
            tmp_path / "sentids_en.csv",
            "compound,sentence1,sentence2,sentence3\n"
            "dutch courage,they drank dutch courage,something wholly different,\"sent3: ('x', 1)\"\n",
        ),
    }
    for context in (1, 2, 3):
        name = f"naturalistics_examplesent{context}.csv"
        rows = columns("Dutch courage", "they drank", ""), columns("only here", "this is", "")
        files[name] = write_ncimp(tmp_path / name, *rows)
    rows = list(Nctti(config_name="en", cache_dir=str(tmp_path / "cache")).rows(files, "naturalistic"))
    joined = {row["context"]: row for row in rows if row["compound"] == "Dutch courage"}
    assert [joined[context]["token_score"] for context in (1, 2, 3)] == [1.1, None, 1.3]
    assert (joined[1]["expert_class"], joined[1]["comp"]) == ("NC", 1.2)
    assert (joined[2]["expert_class"], joined[2]["comp"]) == (None, None)
    assert joined[1]["span"] == [2, 4]
    assert [joined[context]["paraphrases"] for context in (1, 2, 3)] == [["drink"], [], ["drink"]]
    assert [joined[context]["token_paraphrases"] for context in (1, 2, 3)] == [[], [], ["gin", "rum"]]
    assert {row["token_score"] for row in rows if row["compound"] == "only here"} == {None}
    left = [(row["compound"], row["context"], row["token_score"]) for row in rows if row["sentence"] is None]
    assert left == [("dutch courage", 2, 1.2), *(("only scored", context, 5.0) for context in (1, 2, 3))]
    assert len({row["id"] for row in rows}) == len(rows) == 10
