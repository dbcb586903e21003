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
    """Without articles and what stands for them."""
    bare = text.lower().strip(".").replace("'s", "")
    return set(bare.split()) - {"a", "an", "the", "his", "her"}


def test_no_text_is_there_twice():
    idioms = [row["sentence"] for row in mini("impli", "idioms")]
    antonyms = [row["sentence"] for row in mini("impli", "antonyms")]
    assert antonyms == idioms
    assert len(set(idioms)) == len(idioms)
    rows = mini("merge_opposites")
    first_texts = {row["first"] for row in rows}
    second_texts = {row["second"] for row in rows}
    sources = {row["source"] for row in rows}
    assert len(first_texts | second_texts) == 3 * len(sources)


def test_who_did_what_to_whom_is_another_in_the_same_words():
    rows = [row for row in mini("sts3k") if row["similarity"] == 0.5]
    pairs = [(row["sentence1"], row["sentence2"]) for row in rows]
    exchanged = {"roles", "attributes", "direction"}
    rows = [row for row in mini("merge_opposites") if row["kind"] in exchanged]
    pairs += [(row["first"], row["second"]) for row in rows]
    captions = mini("sugarcrepe_pp", "swap_obj") + mini("sugarcrepe_pp", "swap_att")
    pairs += [(row["caption"], row["negative"]) for row in captions]
    for one, other in pairs:
        assert words(one) == words(other), one
    for row in captions:
        assert words(row["paraphrase"]) != words(row["caption"])


def test_each_verb_is_near_in_one_sentence_and_far_in_another():
    replacements = {0.0: set(), 1.0: set()}
    for row in mini("transitive_sentences"):
        *subject, verb = row["sentence1"].split()[:3]
        *other_subject, other_verb = row["sentence2"].split()[:3]
        assert len(row["sentence1"].split()) == len(row["sentence2"].split())
        assert subject == other_subject
        assert verb != other_verb
        replacements[row["similarity"]].add((verb, other_verb))
    assert replacements[0.0] == replacements[1.0]


def test_chinese_is_written_without_blanks_and_other_languages_as_in_the_file():
    text = "我 根本 没 想 过 ， 但是 在 New York  2 年"
    assert written(text, "zh") == "我根本没想过，但是在New York 2年"
    assert written(text, "de") == text


def rows_of(builder, config, tmp_path, **files):
    """The rows that a builder makes of lines of cells."""
    paths = {}
    for name, lines in files.items():
        paths[name] = tmp_path / f"{name}.tsv"
        with paths[name].open("w", encoding="utf-8") as file:
            for cells in lines:
                print(*cells, sep="\t", file=file)
    make = builder_class(builder)
    made = make(config_name=config, cache_dir=str(tmp_path))
    return list(made.rows(paths, "test"))


def stored(task, rows):
    """All values of text that items of these rows hold before an encoder has seen them."""
    texts = set()
    plan = task.measure.plan(rows, "test")
    for table in plan.tables().values():
        for name, values in table.values().items():
            if name not in table.measured() and values.dtype.kind == "U":
                texts |= {*values.tolist()}
    return texts


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
    assert first == {
        "id": "de-7_m",
        "pair": "7",
        "before": "Er ist nicht da .",
        "after": "Er ist da .",
        "important": True,
        "n_removed": 1,
        "removed_by": None,
        "cue": "nicht",
    }
    assert second["before"] == "Er geht nie weg ."
    assert second["important"] is False
    assert second["n_removed"] == 1
    assert second["cue"] == "nie"
    assert third["removed_by"] == "both_changed"
