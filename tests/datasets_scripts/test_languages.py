"""The datasets of other languages: the files as published, and what their readers do with them."""

from __future__ import annotations

from collections import Counter

import datasets
import pytest

from harness_ext.data.builder import builder_class
from harness_ext.datasets_scripts.negation_minimal_pairs.negation_minimal_pairs import written


@pytest.mark.parametrize(
    ("text", "joined"),
    [("我 根本 没 想 过 ， 但是", "我根本没想过，但是"), ("在 New York  2 年", "在New York 2年"), ("a b", "a b")],
)
def test_chinese_is_written_without_blanks_and_other_languages_as_in_the_file(text, joined):
    assert written(text, "zh") == joined
    assert written(text, "de") == text


def rows_of(builder, config, tmp_path, *lines):
    (tmp_path / "pairs.tsv").write_text("".join("\t".join(map(str, line)) + "\n" for line in lines), encoding="utf-8")
    made = builder_class(builder)(config_name=config, cache_dir=str(tmp_path))
    return [*made.rows({"pairs": tmp_path / "pairs.tsv"}, "test")]


def test_negations_stand_beside_their_original(tmp_path):
    """The sentence that lost its negation, how many words it lost, and whether the label is another then."""
    first, second, third = rows_of(
        "negation_minimal_pairs", "de", tmp_path,
        ("pairID", "version", "sentence1", "sentence2", "gold_label"),
        ("7_o", "Orig", "Er ist nicht da .", "Er geht nie weg .", "neutral"),
        ("7_m", "Mod", "Er ist da .", "Er geht nie weg .", "entailment"),
        ("7_n", "Mod", "Er ist nicht da .", "Er geht weg .", "neutral"),
        ("7_p", "Mod", "Er ist da .", "Er geht weg .", "neutral"),
    )  # fmt: skip
    assert first == {
        "id": "de-7_m", "pair": "7", "before": "Er ist nicht da .", "after": "Er ist da .", "important": True,
        "n_removed": 1, "removed_by": None,
    }  # fmt: skip
    assert (second["before"], second["important"], second["n_removed"]) == ("Er geht nie weg .", False, 1)
    assert third["removed_by"] == "both_changed"


def test_stressed_sentences_have_both_ratings(tmp_path):
    rating = "relatedness_score_Ja"
    header = ("pair_ID", "case_particles", "rephrase_type", "sentence_A_Ja_origin", "sentence_A_Ja", "sentence_B_Ja")
    header += (f"{rating}_origin", rating, *(f"{rating}{n}" for n in (1, 2, 3)))
    (row,) = rows_of("jsick_stress", "ja", tmp_path, header, ("9_ga_c", "ga", "c", "甲", "乙", "丙", 4, 2, 1, 2, 3))
    assert row == {
        "id": "9_ga_c", "pair": "9", "particle": "ga", "kind": "swap", "original": "甲", "changed": "乙", "other": "丙",
        "original_rating": 4, "changed_rating": 2, "ratings": [1, 2, 3],
    }  # fmt: skip


@pytest.mark.slow
@pytest.mark.real_data
@pytest.mark.parametrize(
    ("name", "config", "split", "rows", "removed"),
    [
        ("negation_minimal_pairs", "en", "test", 1052, {}),
        ("negation_minimal_pairs", "de", "test", 1334, {}),
        ("negation_minimal_pairs", "fr", "test", 843, {}),
        ("negation_minimal_pairs", "bg", "test", 882, {}),
        ("negation_minimal_pairs", "zh", "test", 1155, {"both_changed": 158}),
        ("idiolink", "idiolink", "test", 9000, {}),
        ("semeval_2022_idioms", "en", "train", 4725, {}),
        ("semeval_2022_idioms", "pt", "train", 1847, {}),
        ("rated_compounds", "zh", "test", 501, {}),
        ("rated_compounds", "et_157", "test", 157, {}),
        ("rated_compounds", "et_211", "test", 211, {}),
        ("rated_compounds", "en_science", "test", 200, {}),
        ("rated_compounds", "et_uses", "test", 1481, {}),
        ("jsick_stress", "ja", "test", 900, {}),
        ("idiom_uses", "de", "test", 9901, {"unclear": 43}),
        ("idiom_uses", "it", "test", 7533, {"disliked": 1893}),
        ("idiom_uses", "tr", "test", 6861, {"disliked": 265}),
    ],
)
def test_published_files(mirror, name, config, split, rows, removed):
    found = datasets.load_dataset(name, config, split=split).to_list()
    assert len(found) == len({row["id"] for row in found}) == rows
    assert Counter(row["removed_by"] for row in found if row.get("removed_by")) == removed


@pytest.mark.slow
@pytest.mark.real_data
def test_labels_units_and_ratings_are_those_of_the_cards(mirror):
    def rows(name, config, split="test"):
        return datasets.load_dataset(name, config, split=split).to_list()

    negations = [row for row in rows("negation_minimal_pairs", "zh") if not row["removed_by"]]
    assert Counter(row["important"] for row in negations) == {True: 558, False: 439}
    assert not any(
        " " in row["before"] for row in negations if row["before"].isascii() is False and row["id"] == "zh-4_Mod"
    )
    idiolink = rows("idiolink", "idiolink")
    assert Counter(row["usage"] for row in idiolink if not row["is_query"]) == {
        "literal": 3000, "idiomatic": 1500, "simplification": 1500, "sense": 1500,
    }  # fmt: skip
    for language, triplets, expressions in (("en", 2029, 139), ("pt", 900, 80)):
        both = [row for row in rows("semeval_2022_idioms", language, "train") if row["not_entailed"]]
        assert (len(both), len({row["expression"] for row in both})) == (triplets, expressions)
    assert sum(row["similarity"] > 0.5 for row in rows("rated_compounds", "et_uses")) == 385
    change = {kind: [] for kind in ("swap", "scrambling", "deletion")}
    for row in rows("jsick_stress", "ja"):
        change[row["kind"]].append(row["changed_rating"] - row["original_rating"])
    means = {kind: round(sum(values) / 300, 2) for kind, values in change.items()}
    assert means == {"swap": -0.57, "scrambling": 0.06, "deletion": -0.09}
    assert not any("<b>" in row["sentence"] for row in rows("idiom_uses", "de"))


@pytest.mark.real_data
def test_misspelt_verbs_are_those_of_the_other_file(mirror):
    all_verbs, rated = (
        {row["expression"]: row["rating"] for row in datasets.load_dataset("rated_compounds", f"et_{n}", split="test")}
        for n in (211, 157)
    )
    assert rated.items() < all_verbs.items()
    assert "ette heitma" in all_verbs
