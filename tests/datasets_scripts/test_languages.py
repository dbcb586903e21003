"""The datasets of other languages: the files as published, and what their readers do with them."""

from __future__ import annotations

import functools
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


def rows_of(builder, config, tmp_path, **files):
    """The rows that a builder makes of lines of cells."""
    for name, lines in files.items():
        text = "".join("\t".join(map(str, line)) + "\n" for line in lines)
        (tmp_path / f"{name}.tsv").write_text(text, encoding="utf-8")
    made = builder_class(builder)(config_name=config, cache_dir=str(tmp_path))
    return [*made.rows({name: tmp_path / f"{name}.tsv" for name in files}, "test")]


def stored(task, rows):
    """All values of text that items of these rows hold before an encoder has seen them."""
    tables = task.measure.plan(rows, "test").tables().values()
    columns = [values for table in tables for name, values in table.values().items() if name not in table.measured()]
    return {text for values in columns if values.dtype.kind == "U" for text in values.tolist()}


def test_results_have_ids_where_the_data_has_no_licence(tmp_path):
    rows = rows_of(
        "idiom_uses", "de", tmp_path,
        train=[("T1", "ins Wasser fallen", "figuratively", "Das Fest <b>fiel ins Wasser</b> .")],
        dev=[("T2", "auf der Straße stehen", "literally", "Der Wagen <b>steht auf der Straße</b> .")],
        test=[("T3", "ins Wasser fallen", "both", "Der Ball <b>fiel ins Wasser</b> .")],
    )  # fmt: skip
    assert stored(ENCODER_TASKS["TokenIdiomaticity"], rows) == {
        "de-expression-0", "de-expression-1", "de-T3", "unclear",
    }  # fmt: skip
    licensed = [{**row, "name": row["expression"]} for row in rows]
    assert "ins Wasser fallen" in stored(ENCODER_TASKS["TokenIdiomaticity"], licensed)


@pytest.mark.slow
@pytest.mark.real_data
def test_results_hold_no_text_of_data_without_a_licence(mirror):
    task = ENCODER_TASKS["TokenIdiomaticity"]
    rows = load_rows(task, "test", "de").to_list()
    words = {text for row in rows for text in (row["expression"], row["sentence"])}
    assert not {text for text in stored(task, rows) if not words.isdisjoint((text, *text.split()))}
    assert len(words) > 60


def test_negations_stand_beside_their_original(tmp_path):
    """The sentence that lost its negation, how many words it lost, and whether the label is another then."""
    first, second, third = rows_of(
        "negation_minimal_pairs", "de", tmp_path,
        pairs=[
            ("pairID", "version", "sentence1", "sentence2", "gold_label"),
            ("7_o", "Orig", "Er ist nicht da .", "Er geht nie weg .", "neutral"),
            ("7_m", "Mod", "Er ist da .", "Er geht nie weg .", "entailment"),
            ("7_n", "Mod", "Er ist nicht da .", "Er geht weg .", "neutral"),
            ("7_p", "Mod", "Er ist da .", "Er geht weg .", "neutral"),
        ],
    )  # fmt: skip
    assert first == {
        "id": "de-7_m", "pair": "7", "before": "Er ist nicht da .", "after": "Er ist da .", "important": True,
        "n_removed": 1, "removed_by": None,
    }  # fmt: skip
    assert (second["before"], second["important"], second["n_removed"]) == ("Er geht nie weg .", False, 1)
    assert third["removed_by"] == "both_changed"


@functools.cache
def published(name, config, split="test"):
    return datasets.load_dataset(name, config, split=split).to_list()


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
        ("idiom_uses", "de", "test", 9901, {"unclear": 43}),
        ("idiom_uses", "it", "test", 7533, {"disliked": 1893}),
        ("idiom_uses", "tr", "test", 6861, {"disliked": 265}),
    ],
)
def test_published_files(mirror, name, config, split, rows, removed):
    found = published(name, config, split)
    assert len(found) == len({row["id"] for row in found}) == rows
    assert Counter(row["removed_by"] for row in found if row.get("removed_by")) == removed


@pytest.mark.slow
@pytest.mark.real_data
def test_labels_units_and_ratings_are_those_of_the_cards(mirror):
    negations = [row for row in published("negation_minimal_pairs", "zh") if not row["removed_by"]]
    assert Counter(row["important"] for row in negations) == {True: 558, False: 439}
    assert not any(
        " " in row["before"] for row in negations if row["before"].isascii() is False and row["id"] == "zh-4_Mod"
    )
    idiolink = published("idiolink", "idiolink")
    assert Counter(row["usage"] for row in idiolink if not row["is_query"]) == {
        "literal": 3000, "idiomatic": 1500, "simplification": 1500, "sense": 1500,
    }  # fmt: skip
    for language, triplets, expressions in (("en", 2029, 139), ("pt", 900, 80)):
        both = [row for row in published("semeval_2022_idioms", language, "train") if row["not_entailed"]]
        assert (len(both), len({row["expression"] for row in both})) == (triplets, expressions)
    assert not any("<b>" in row["sentence"] for row in published("idiom_uses", "de"))
