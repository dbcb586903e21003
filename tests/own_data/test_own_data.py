"""A user's own data: the same rows in a file of any form give the same scores, and reach every
reader of results.
"""

from __future__ import annotations

import csv
import json
import re
import shlex
import shutil
from pathlib import Path

import datasets
import mteb
import pandas
import pytest
from datasets import DatasetDict, load_dataset

from harness_ext import CompositionalityEvaluator, load_results, measure
from harness_ext.data.normalization import with_normal_texts
from harness_ext.measures.core.baseline_keys import ADDITIVE
from harness_ext.own_data.fields import MEASURES, columns_of
from harness_ext.own_data.fitting_measure import examples, flattened
from harness_ext.own_data.rows import rows_for_measure
from harness_ext.own_data.table import OwnDataError, table_of_files
from harness_ext.show.needs import write_rows
from harness_ext.sweep.job import MEASURED, Job
from harness_ext.tasks import ENCODER_TASKS
from harness_ext.tasks.data import load_rows
from tests.command_line import harness_ext, save_tiny
from tests.planted import PlantedModel, entries_of, letters, random_vector, vectors_of

DOCS = Path(__file__).parents[2] / "docs"
encode = vectors_of(letters)
MINIS = {
    task.measure.name: task
    for task in ENCODER_TASKS.values()
    if task.quick and task.measure.name in MEASURES and task.measure.name != "montague"
}


def table(name, folder, rows=None):
    """Rows of a small task, or all of them, as a person would write them, in a CSV file."""
    task, file = MINIS[name], folder / f"{name}.csv"
    rows = rows or load_rows(task, task.splits[0], task.subsets[0])
    pandas.DataFrame([flattened(columns_of(task.measure), row) for row in rows]).to_csv(
        file, index=False
    )
    return file


OF_TASKS = {
    task.measure.name: task for task in ENCODER_TASKS.values() if task.measure.name != "montague"
} | MINIS
"""Measure -> a task, a small one where there is one. Of phrases the vocabulary is tested."""


@pytest.mark.parametrize(
    "name",
    [
        name
        if name in MINIS
        else pytest.param(name, marks=[pytest.mark.slow, pytest.mark.real_data])
        for name in MEASURES
        if name in OF_TASKS
    ],
)
def test_the_rows_of_a_dataset_in_a_file_are_its_rows(name, tmp_path, request):
    """As `datasets export` writes them, and as people write a table."""
    if name not in MINIS:
        request.getfixturevalue("unverified_mirror")
    task = OF_TASKS[name]
    rows = load_rows(task, task.splits[0], task.subsets[0])
    rows = rows.select(range(0, len(rows), 1 + len(rows) // 40))
    rows.to_parquet(tmp_path / "rows.parquet")
    for file in (
        tmp_path / "rows.parquet",
        *([table(name, tmp_path, rows)] if name in MINIS else []),
    ):
        found = rows_for_measure(MEASURES[name], table_of_files([file]))
        assert not found.errors
        for own, row in zip(found.rows, rows, strict=True):
            assert [*map(str, own.values())] == [
                *map(str, with_normal_texts({name: row[name] for name in own}).values())
            ]


def test_a_table_as_people_write_it_gives_the_scores_of_the_dataset(tmp_path):
    name = "idiom_paraphrase"
    found, expected = (
        measure(encode, table(name, tmp_path), name),
        measure(encode, MINIS[name].name),
    )
    assert found.scores.flat() == pytest.approx(expected.scores.flat(), abs=1e-9)
    assert found.gain == pytest.approx(expected.gain, abs=1e-9)


def test_an_encoder_that_counts_letters_tells_own_classes_apart(without_baselines):
    classes = {x: ((2 * x, "same"), (f"{x} a", "negation")) for x in "bcdfghjklmnp"}
    rows = [
        {"first": x, "second": y, "class": kind, "group": x}
        for x, pairs in classes.items()
        for y, kind in pairs
    ]
    found = measure(encode, rows, "pair_classes")
    assert found.scores.flat()[found.main] == pytest.approx(1)


def test_a_vocabulary_gives_all_its_phrases(tmp_path):
    file = tmp_path / "words.csv"
    file.write_text("Type,word,synonym\nS-I,Red ,very  red\nNS-Pr,fake,false\nN,gun,weapon\n")
    rows = rows_for_measure(MEASURES["montague"], table_of_files([file])).rows
    assert [row["phrase"] for row in rows] == [
        "red gun",
        "fake gun",
        "red fake gun",
        "fake red gun",
    ]
    assert (rows[3]["types"], rows[3]["synonyms"]) == (
        ["NS-Pr", "S-I", "N"],
        ["false", "very red", "weapon"],
    )
    file.write_text("type,word,synonym\nS-I,red,crimson\n")
    with pytest.raises(OwnDataError, match=r"words\.csv: at least one adjective and one noun"):
        rows_for_measure(MEASURES["montague"], table_of_files([file]))


def test_a_saved_result_is_read_as_any_other_but_by_no_board(tmp_path, monkeypatch):
    rows, results = table("idiom_paraphrase", tmp_path), tmp_path / "results"
    found = measure(encode, rows, "idiom_paraphrase", name="idioms")
    file = found.save(results, model="me/mine")
    monkeypatch.setenv("HARNESS_EXT_ADDITIVE", "0")
    measure(vectors_of(random_vector()), rows, "idiom_paraphrase", name="idioms").save(
        results, model="me/other"
    )
    entry, _ = load_results(results, "own/idioms").entries
    assert (entry.task, entry.model, entry.file) == ("own/idioms", "me/mine", file)
    assert entry.items().digest() == found.items.digest()
    assert entry.baseline_items(ADDITIVE).digest() == found.baseline_items[ADDITIVE].digest()
    assert "own/idioms" in harness_ext("compare", results).output
    for line in (
        ("leaderboard", "build", results, "-o", tmp_path / "site", "--strict"),
        ("submit", results, "-m", "me/mine", "-o", tmp_path / "submission"),
        ("verify", results),
    ):
        done = harness_ext(*line)
        assert (done.exit_code, "which a board does not have" in done.output) == (1, True), (
            done.output
        )


@pytest.mark.slow
def test_measured_by_the_command_and_shown_with_its_sentences(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(mteb, "get_model", lambda name: PlantedModel(letters, name))
    file, given = (
        table("idiom_paraphrase", tmp_path),
        pandas.read_csv(tmp_path / "idiom_paraphrase.csv"),
    )
    given.rename(columns={"entailed": "Better", "sentence": "SENTENCE"}).to_csv(
        file, sep=";", index=False
    )
    arguments = (
        "idiom_paraphrase",
        file,
        "--name",
        "idioms",
        "--column",
        "entailed=Better",
        "--language",
        "eng-Latn",
    )
    done = harness_ext("measure", *arguments, "-m", "planted/letters")
    assert done.exit_code == 0, done.output
    assert "own/idioms" in done.stdout
    assert "broke the ice" not in "".join(
        path.read_text() for path in (tmp_path / "results").rglob("*.json*")
    )
    (entry,) = load_results("results").entries
    expected = measure(encode, "IdiomParaphraseMini").scores.share_entailed
    assert entry.main_score == pytest.approx(expected, abs=1e-9)
    # as a sweep finds it
    (task,) = Job("planted/letters", ("own/idioms",), (), tmp_path / "results").tasks()
    during = CompositionalityEvaluator([task])(PlantedModel(letters))
    assert during["own/idioms_share_entailed"] == pytest.approx(expected, abs=1e-9)
    assert harness_ext("report", "results").exit_code == 0
    (page,) = (tmp_path / "report" / "units").glob("own-idioms-own*.html")
    assert "broke the ice" in page.read_text()
    file.write_text(file.read_text().replace("broke the ice", "told a joke"))
    done = harness_ext("measure", *arguments, "-m", "planted/letters")
    assert done.exit_code == 0, done.output
    (changed,) = load_results("results").entries
    assert changed.dataset_revision != entry.dataset_revision


@pytest.mark.slow
def test_layers_and_sweep_take_own_data(run, tmp_path, without_baselines):
    save_tiny(tmp_path)
    file = table("idiom_paraphrase", tmp_path)
    run(
        "harness-ext",
        "measure",
        "idiom_paraphrase",
        str(file),
        "--name",
        "idioms",
        "-m",
        "compositionality/letters",
    )
    run("harness-ext", "layers", "-m", "./tiny", "-t", "own/idioms")
    measured = Job("compositionality/trigrams", ("own/idioms",), (), tmp_path / "results").measure()
    assert measured == {"own/idioms": MEASURED}
    results = load_results(tmp_path / "results", "own/idioms")
    assert {entry.model for entry in results.entries} == {
        *(
            "local/tiny (layer=0)",
            "local/tiny (layer=1)",
            "compositionality/letters",
            "compositionality/trigrams",
        ),
    }


@pytest.mark.slow
def test_a_subclass_with_other_rows_says_so(tmp_path):
    class Own(type(mteb.get_task("IdiomParaphraseMini"))):
        def load_data(self, *args, **kwargs):
            super().load_data(*args, **kwargs)
            self.dataset = DatasetDict(
                {name: rows.map(lambda _: change) for name, rows in self.dataset.items()}
            )

    for change, revision in (({}, "1"), ({"sentence": "Something else."}, "1+own-")):
        entries_of(PlantedModel(letters), Own(), tmp_path)
        entries = load_results(tmp_path).entries
        for entry in entries:
            assert entry.dataset_revision.startswith(revision)
            assert entry.signature.dataset.startswith(f"impli@{revision}")
            assert (entry.dataset_revision == "1") is (not change)


def test_needs_writes_a_file_that_fits(tmp_path):
    for name, of in MEASURES.items():
        file = tmp_path / f"{name}.csv"
        write_rows(examples(of, 2), file)
        assert len([*csv.reader(file.open())]) == 3
        found = rows_for_measure(of, table_of_files([file]))
        assert found.rows
        assert not found.errors
    again = ("needs", "montague", "--template", tmp_path / "new.csv")
    assert [harness_ext(*again).exit_code for _ in range(2)] == [0, 2]
    listed = harness_ext("needs").output
    assert all(name in listed for name in MEASURES)
    assert "entailed" in harness_ext("needs", "idiom_paraphrase").output


def test_check_names_every_row_that_does_not_fit(tmp_path):
    rows = examples(MEASURES["epsilon"], 8)
    rows[1] |= {"sentence": "There is none."}
    rows[2] |= {"sentence": ""}
    rows[4] |= {"id": rows[3]["id"]}
    rows[5] |= {"class": "X"}
    file = tmp_path / "my.csv"
    pandas.DataFrame(rows).to_csv(file, index=False)
    done = harness_ext("check", file, "epsilon")
    assert done.exit_code == 1
    for line, column in ((3, "sentence"), (4, "sentence"), (6, "id"), (7, "class")):
        assert f"line {line}, column '{column}'" in done.output
    file.write_text("sentence,entailed,not_entailed\nA,B,b\nЖ,ж ф,ц\nФ,ж ф,ц\n", encoding="utf-8")
    done = harness_ext("check", file)
    assert "line 2: two of its texts are the same: 'b'" in done.output
    assert "3 rows; 10 are needed" in done.output


def test_too_few_units_say_what_was_left_out_and_what_no_row_has(tmp_path):
    file = tmp_path / "my.csv"
    words = (
        "alder",
        "bench",
        "cloud",
        "dune",
        "ember",
        "frost",
        "glade",
        "heath",
        "inlet",
        "jetty",
        "kelp",
        "lagoon",
    )
    rows = pandas.DataFrame({"sentence1": words, "sentence2": words[::-1], "similarity": range(12)})
    rows.to_csv(file, index=False)
    # role_swap has the same columns
    assert "12 rows fit transitive_similarity" in harness_ext("check", file).output
    assert (
        "12 rows, 0 of them adversarial (kind); 10 are needed."
        in harness_ext("check", file, "role_swap").output
    )
    rows.assign(kind="adversarial").to_csv(file, index=False)
    assert "12 rows fit role_swap" in harness_ext("check", file).output
    rows = [
        {"compound": f"{word} box", "sentence": f"A {word} box.", "words_syn": "dark crate"}
        for word in words
    ]
    pandas.DataFrame(rows).to_csv(file, index=False)
    done = harness_ext("check", file, "epsilon")
    assert "Left out: n_excluded_unscored = 12 (compounds without a class)." in done.output
    pandas.DataFrame(rows).assign(**{"class": ["NC", "C"] * 6}).to_csv(file, index=False)
    assert "n_excluded_no_pairs = 12" in harness_ext("check", file, "epsilon").output
    two_words = [f"{word} {noun}" for word in words for noun in ("box", "door")]
    compounds = [(two, "dark crate; dim case") for two in two_words] + [
        ("box of alder", "crate of oak")
    ]
    rows = [
        {"compound": one, "sentence": f"A {one}.", "words_syn": synonyms}
        for one, synonyms in compounds
    ]
    pandas.DataFrame(rows).assign(**{"class": ["NC", "C"] * 12 + ["C"]}).to_csv(file, index=False)
    assert (
        "Left out of some scores: n_excluded_no_pairs = 1 ("
        in harness_ext("check", file, "epsilon").output
    )


def test_faults_of_a_kind_are_one_message_that_names_five():
    rows = examples(MEASURES["epsilon"], 12)
    for number, row in enumerate(rows[:11]):
        row |= {"sentence": ""} if number < 4 else {"class": f"class {number}"}
    with pytest.raises(OwnDataError) as refused:
        measure(encode, rows, "epsilon")
    empty, other = str(refused.value).splitlines()
    assert (
        empty
        == "row 1, row 2, row 3, row 4, column 'sentence': it is empty. Fill it in, or remove the row."
    )
    assert other.startswith(
        "row 5, row 6, row 7, row 8, row 9 and 2 more, column 'class': NC or PC or C expected, "
        "found 'class 4', 'class 5', 'class 6', 'class 7', 'class 8' and 2 more. Say what it means"
    )
    assert "--value 'class 4'=NC" in other


def test_polarity_says_which_labels_it_lacks(tmp_path):
    file = tmp_path / "reviews.csv"
    pairs = pandas.DataFrame(
        {"text": [f"Good {n}." for n in range(12)], "rewrite": "Bad.", "label": 1}
    )
    few = pandas.DataFrame(
        {"text": ["Fine.", "Awful."], "rewrite": "", "label": [1, 0], "role": "train"}
    )
    for rows, said in (
        (pairs.drop(columns="label"), "no column 'label'"),
        (pairs, "no sentence with the role train has the label 0 or 1"),
        (pandas.concat([pairs, few[:1]]), "has the label 0"),
    ):
        rows.to_csv(file, index=False)
        done = harness_ext("check", file, "polarity")
        status = 2 if "column" in said else 1  # no such rows at all, or rows that do not do
        assert (done.exit_code, said in done.output, "for merge_opposites" in done.output) == (
            status,
            True,
            True,
        )
    pairs.to_csv(file, index=False)
    # the name of a file says what its sentences are for
    for name in ("my_train.csv", "others.csv"):
        few[["text", "label"]].to_csv(tmp_path / name, index=False)
    files = [file, tmp_path / "my_train.csv", tmp_path / "others.csv"]
    roles = [
        row["role"] for row in rows_for_measure(MEASURES["polarity"], table_of_files(files)).rows
    ]
    assert roles == ["pair"] * 12 + ["train"] * 2 + ["held_out"] * 2
    assert 0 <= measure(encode, files, "polarity").scores.flat()["fb_linear_pss"] <= 1


def test_a_dataset_of_the_hub_is_read_from_the_cache(tmp_path, monkeypatch):
    """As `datasets` keeps one that it downloaded earlier."""
    pandas.DataFrame({"first": ["a"], "second": ["b"], "kind": ["same"]}).to_csv(
        tmp_path / "few.csv", index=False
    )
    load_dataset("csv", data_files=str(tmp_path / "few.csv"), cache_dir=str(tmp_path))
    (kept,) = (info.parent for info in tmp_path.glob("csv/*/*/*/dataset_info.json"))
    place = tmp_path / "me___pairs" / "default" / "0.0.0" / "1"
    shutil.copytree(kept, place)
    (place / "csv-train.arrow").rename(place / "pairs-train.arrow")
    about = json.loads((place / "dataset_info.json").read_text())
    (place / "dataset_info.json").write_text(json.dumps({**about, "dataset_name": "pairs"}))
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path)
    table = table_of_files(["me/pairs"])
    assert [line.cells for line in table.lines] == [{"first": "a", "second": "b", "kind": "same"}]
    with pytest.raises(
        OwnDataError, match="nobody/pairs: no such file, and no dataset of that name"
    ):
        table_of_files(["nobody/pairs"])


@pytest.mark.slow
def test_the_examples_of_the_page_run_as_they_stand(minilm, tmp_path, monkeypatch):
    page = (DOCS / "own_data.md").read_text(encoding="utf-8")
    for file in (DOCS / "own_data").glob("*.csv"):
        shutil.copy(file, tmp_path)
    monkeypatch.chdir(tmp_path)
    for line in "".join(re.findall(r"```sh\n(.*?)```", page, flags=re.DOTALL)).splitlines():
        done = harness_ext(*shlex.split(line)[1:])
        assert done.exit_code == 0, (line, done.output, done.exception)
    for code in re.findall(r"```python\n(.*?)```", page, flags=re.DOTALL):
        exec(code, {})
    entries = load_results("results").entries
    assert {entry.task for entry in entries} == {
        *(
            "own/faq_pairs",
            "own/legal_triplets",
            "own/german_compounds",
            "own/german_compounds_60",
            "own/faq",
        )
    }
    for entry in entries:
        if entry.model == minilm:
            assert f"{entry.main_score:.3f}".removeprefix("0") in page, (
                entry.task,
                entry.main_score,
            )
