"""The datasets written for this project, and readers of small files written here in the layout of
others' files.
"""

from __future__ import annotations

import datasets

from harness_ext.data.builder import builder_class
from harness_ext.datasets_scripts.negation_minimal_pairs.negation_minimal_pairs import written
from harness_ext.tasks import ENCODER_TASKS


def mini(name, split="test"):
    return datasets.load_dataset(name, "mini", split=split).to_list()


def words(text):
    return {*text.lower().strip(".").replace("'s", "").split()} - {"a", "an", "the", "his", "her"}


def test_no_text_is_there_twice():
    idioms, antonyms = (
        [row["sentence"] for row in mini("impli", split)] for split in ("idioms", "antonyms")
    )
    assert idioms == antonyms == [*dict.fromkeys(idioms)]
    rows = mini("merge_opposites")
    assert len({row[text] for row in rows for text in ("first", "second")}) == 3 * len(
        {row["source"] for row in rows}
    )


def test_who_did_what_to_whom_is_another_in_the_same_words():
    pairs = [
        (row["sentence1"], row["sentence2"]) for row in mini("sts3k") if row["similarity"] == 0.5
    ]
    exchanged = {"roles", "attributes", "direction"}
    pairs += [
        (row["first"], row["second"]) for row in mini("merge_opposites") if row["kind"] in exchanged
    ]
    captions = mini("sugarcrepe_pp", "swap_obj") + mini("sugarcrepe_pp", "swap_att")
    pairs += [(row["caption"], row["negative"]) for row in captions]
    for one, other in pairs:
        assert words(one) == words(other), one
    assert all(words(row["paraphrase"]) != words(row["caption"]) for row in captions)


def test_each_verb_is_near_in_one_sentence_and_far_in_another():
    replacements = {0.0: set(), 1.0: set()}
    for row in mini("transitive_sentences"):
        first, second = row["sentence1"].split(), row["sentence2"].split()
        assert [one == other for one, other in zip(first, second, strict=True)].index(False) == 2
        replacements[row["similarity"]].add((first[2], second[2]))
    assert replacements[0.0] == replacements[1.0]


def test_chinese_is_written_without_blanks_and_other_languages_as_in_the_file():
    text = "我 根本 没 想 过 ， 但是 在 New York  2 年"
    assert (written(text, "zh"), written(text, "de")) == ("我根本没想过，但是在New York 2年", text)


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
    columns = [
        values
        for table in tables
        for name, values in table.values().items()
        if name not in table.measured()
    ]
    return {text for values in columns if values.dtype.kind == "U" for text in values.tolist()}


def test_results_have_ids_where_the_data_has_no_licence(tmp_path):
    rows = rows_of(
        "idiom_uses",
        "de",
        tmp_path,
        train=[("T1", "ins Wasser fallen", "figuratively", "Das Fest <b>fiel ins Wasser</b> .")],
        dev=[
            ("T2", "auf der Straße stehen", "literally", "Der Wagen <b>steht auf der Straße</b> .")
        ],
        test=[("T3", "ins Wasser fallen", "both", "Der Ball <b>fiel ins Wasser</b> .")],
    )
    assert stored(ENCODER_TASKS["TokenIdiomaticity"], rows) == {
        "de-expression-0",
        "de-expression-1",
        "de-T3",
        "unclear",
    }
    licensed = [{**row, "name": row["expression"]} for row in rows]
    assert "ins Wasser fallen" in stored(ENCODER_TASKS["TokenIdiomaticity"], licensed)


def test_negations_stand_beside_their_original(tmp_path):
    first, second, third = rows_of(
        "negation_minimal_pairs",
        "de",
        tmp_path,
        pairs=[
            ("pairID", "version", "sentence1", "sentence2", "gold_label"),
            ("7_o", "Orig", "Er ist nicht da .", "Er geht nie weg .", "neutral"),
            ("7_m", "Mod", "Er ist da .", "Er geht nie weg .", "entailment"),
            ("7_n", "Mod", "Er ist nicht da .", "Er geht weg .", "neutral"),
            ("7_p", "Mod", "Er ist da .", "Er geht weg .", "neutral"),
        ],
    )
    assert [*first.values()] == [
        "de-7_m",
        "7",
        "Er ist nicht da .",
        "Er ist da .",
        True,
        1,
        None,
        "nicht",
    ]
    assert second["cue"] == "nie"
    assert (second["before"], second["important"], second["n_removed"]) == (
        "Er geht nie weg .",
        False,
        1,
    )
    assert third["removed_by"] == "both_changed"
