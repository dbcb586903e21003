"""The datasets of other languages: the files as published, and what their readers do with them."""

from __future__ import annotations

from collections import Counter

import datasets
import pytest

from harness_ext.data.builder import builder_class
from harness_ext.datasets_scripts.negation_minimal_pairs.negation_minimal_pairs import written
from harness_ext.tasks import ENCODER_TASKS
from harness_ext.tasks.data import load_rows


@pytest.mark.parametrize(
    ("text", "joined"),
    [("我 根本 没 想 过 ， 但是", "我根本没想过，但是"), ("在 New York  2 年", "在New York 2年"), ("a b", "a b")],
)
def test_chinese_is_written_without_blanks_and_other_languages_as_in_the_file(text, joined):
    assert written(text, "zh") == joined
    assert written(text, "de") == text


def rows_of(builder, config, tmp_path, *lines, file="pairs", delimiter="\t"):
    lines = "".join(delimiter.join(map(str, line)) + "\n" for line in lines)
    (tmp_path / f"{file}.tsv").write_text(lines, encoding="utf-8")
    made = builder_class(builder)(config_name=config, cache_dir=str(tmp_path))
    return [*made.rows({file: tmp_path / f"{file}.tsv"}, "test")]


def stored(task, rows):
    """All values of text and of numbers that items of these rows hold before an encoder has seen them."""
    tables = task.measure.plan(rows, "test").tables().values()
    columns = [values for table in tables for name, values in table.values().items() if name not in table.measured()]
    texts = {text for values in columns if values.dtype.kind == "U" for text in values.tolist()}
    return texts, {value for values in columns if values.dtype.kind == "f" for value in values.tolist()}


def texts_in(value):
    """All texts of a row, in lists too."""
    return {value} if isinstance(value, str) else {text for part in value for text in texts_in(part)}


def test_results_have_ids_and_the_order_of_ratings_where_the_data_has_no_licence(tmp_path):
    """Particle verbs of which three judges each said how much they mean what their words mean."""
    rows = rows_of(
        "rated_compounds", "et_157", tmp_path,
        ("verb", "one", "two", "three"), ("üle hüppama", 5, 4, 5), ("alt vedama", 1, 2, 1), ("alla andma", 1, 2, 1),
        file="ratings", delimiter=";",
    )  # fmt: skip
    texts, numbers = stored(ENCODER_TASKS["TypeAdditivity"], rows)
    assert texts == {"et_157-0", "et_157-1", "et_157-2"}
    assert not numbers & {row["rating"] for row in rows}
    items = ENCODER_TASKS["TypeAdditivity"].measure.plan(rows, "test")
    assert items.compounds.rating.tolist() == [2, 1, 1]
    licensed = [{**row, "name": row["expression"]} for row in rows]
    assert "alt vedama" in stored(ENCODER_TASKS["TypeAdditivity"], licensed)[0]


@pytest.mark.slow
@pytest.mark.real_data
@pytest.mark.parametrize(
    ("name", "config"),
    [
        (task.name, config)
        for task in ENCODER_TASKS.values()
        for config in task.dataset_configs()
        if config in builder_class(task.dataset["path"]).WITHOUT_LICENCE
    ],
)
def test_results_hold_no_text_and_no_rating_of_data_without_a_licence(mirror, name, config):
    task = ENCODER_TASKS[name]
    rows = load_rows(task, "test", config if task.has_subsets else "default").to_list()
    texts, numbers = stored(task, rows)
    words = {text for row in rows for key in ("expression", "parts", "sentence", "sentence1", "sentence2")
             for text in texts_in(row.get(key, ()))}  # fmt: skip
    assert not {text for text in texts if any(word in text.split() or word == text for word in words)}
    assert len(words) > 60
    ratings = {row[key] for row in rows for key in ("rating", "similarity") if key in row}
    assert not {value for value in numbers & ratings if value % 1}, "places in an order are whole numbers too"


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
