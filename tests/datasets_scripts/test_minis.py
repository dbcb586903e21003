"""The datasets written for this project, and readers of small files written here in the layout of others' files."""

from __future__ import annotations

from collections import Counter

import datasets
import pytest

from harness_ext.data.builder import builder_class
from harness_ext.datasets_scripts.negation_minimal_pairs.negation_minimal_pairs import written
from harness_ext.tasks import ENCODER_TASKS


def mini(name, split="test"):
    return datasets.load_dataset(name, "mini", split=split).to_list()


def words(text, but=()):
    return Counter(word for word in text.lower().strip(".").replace("'s", "").split() if word not in but)


def test_idioms():
    idioms, antonyms = mini("impli", "idioms"), mini("impli", "antonyms")
    assert [row["sentence"] for row in idioms] == [row["sentence"] for row in antonyms]
    assert {(row["removed_by"], row["n_changed"]) for row in idioms + antonyms} == {(None, 0)}
    texts = [row["not_entailed"] for row in idioms + antonyms]
    texts += [row[name] for row in idioms for name in ("sentence", "entailed")]
    assert len(set(texts)) == len(texts) == 240


def test_opposites():
    rows = mini("merge_opposites")
    kinds = Counter(row["kind"] for row in rows)
    assert kinds.pop("same") == 156
    assert [*kinds.values()] == [15] * 8 + [12] * 3
    assert len({row["source"] for row in rows}) == 156
    assert len({row[text] for row in rows for text in ("first", "second")}) == 3 * 156
    for row in rows:
        if row["kind"] in {"roles", "attributes", "direction"}:  # what is exchanged are words of the sentence
            grammar = {"a", "an", "the", "his", "her"}
            assert set(words(row["first"], grammar)) == set(words(row["second"], grammar)), row


def test_captions():
    for row in mini("sugarcrepe_pp", "swap_obj") + mini("sugarcrepe_pp", "swap_att"):
        of = {name: set(words(row[name], {"a", "an", "the"})) for name in ("caption", "paraphrase", "negative")}
        assert of["caption"] == of["negative"] != of["paraphrase"], row
        assert len(set(row.values())) == 4


def test_each_verb_is_near_in_one_sentence_and_far_in_another():
    replacements = {0.0: set(), 1.0: set()}
    for row in mini("transitive_sentences"):
        first, second = row["sentence1"].split(), row["sentence2"].split()
        assert [one == other for one, other in zip(first, second, strict=True)].index(False) == 2
        replacements[row["similarity"]].add((first[2], second[2]))
    assert replacements[0.0] == replacements[1.0]


def test_role_swaps():
    rows = mini("sts3k")
    assert Counter((row["kind"], row["similarity"]) for row in rows) == {
        ("adversarial", 1): 24, ("adversarial", 0.5): 24, ("ordinary", 1): 24, ("ordinary", 0): 24,
    }  # fmt: skip
    swapped = [row for row in rows if row["similarity"] == 0.5]
    assert all(words(row["sentence1"]) == words(row["sentence2"]) for row in swapped)
    assert len({row["group"] for row in swapped}) == 24


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
