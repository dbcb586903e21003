"""A user's own data: the same rows in a file of any form give the same scores, and reach every
reader of results.
"""

from __future__ import annotations

import csv
import json
import re
import shlex
import shutil
from functools import partial
from pathlib import Path

import datasets
import mteb
import numpy as np
import pandas
import pytest
from datasets import DatasetDict, load_dataset

from harness_ext import CompositionalityEvaluator, load_results, measure
from harness_ext.data.normalization import with_normal_texts
from harness_ext.measures.core.baseline_keys import ADDITIVE
from harness_ext.measures.kinds.rated_pairs import OwnRatedPairs
from harness_ext.own_data.fields import MEASURES, columns_of
from harness_ext.own_data.fitting_measure import examples, flattened
from harness_ext.own_data.rows import rows_for_measure
from harness_ext.own_data.table import OwnDataError, table_of, table_of_files
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
    task = MINIS[name]
    rows = rows or load_rows(task, task.splits[0], task.subsets[0])
    columns = columns_of(task.measure)
    file = folder / f"{name}.csv"
    flat_rows = [flattened(columns, row) for row in rows]
    pandas.DataFrame(flat_rows).to_csv(file, index=False)
    return file


OF_TASKS = {
    task.measure.name: task for task in ENCODER_TASKS.values() if task.measure.name != "montague"
} | MINIS
"""Measure -> a task, a small one where there is one. Of phrases the vocabulary is tested."""


def measures_of_tasks():
    """The measures with a dataset; those of the papers' data alone are slow."""
    for name in MEASURES:
        if name in MINIS:
            yield name
        elif name in OF_TASKS:
            yield pytest.param(name, marks=[pytest.mark.slow, pytest.mark.real_data])


@pytest.mark.parametrize("name", list(measures_of_tasks()))
def test_the_rows_of_a_dataset_in_a_file_are_its_rows(name, tmp_path, request):
    """As `datasets export` writes them, and as people write a table."""
    if name not in MINIS:
        request.getfixturevalue("unverified_mirror")
    task = OF_TASKS[name]
    rows = load_rows(task, task.splits[0], task.subsets[0])
    step = 1 + len(rows) // 40
    rows = rows.select(range(0, len(rows), step))
    files = [tmp_path / "rows.parquet"]
    rows.to_parquet(files[0])
    if name in MINIS:
        files.append(table(name, tmp_path, rows))
    for file in files:
        found = rows_for_measure(MEASURES[name], table_of_files([file]))
        assert not found.errors
        for own_row, row in zip(found.rows, rows, strict=True):
            expected = with_normal_texts({field: row[field] for field in own_row})
            assert list(map(str, own_row.values())) == list(map(str, expected.values()))


@pytest.mark.slow
def test_a_table_as_people_write_it_gives_the_scores_of_the_dataset(tmp_path):
    name = "idiom_paraphrase"
    found = measure(encode, table(name, tmp_path), name)
    expected = measure(encode, MINIS[name].name)
    scores = expected.scores.flat()
    assert found.scores.flat() == pytest.approx(scores, abs=1e-9)
    assert found.gain == pytest.approx(expected.gain, abs=1e-9)


def test_an_encoder_that_counts_letters_tells_own_classes_apart(without_baselines):
    rows = []
    for letter in "bcdfghjklmnp":
        first = {"first": letter, "group": letter}
        rows.append(first | {"second": 2 * letter, "class": "same"})
        rows.append(first | {"second": f"{letter} a", "class": "negation"})
    found = measure(encode, rows, "pair_classes")
    scores = found.scores.flat()
    assert scores[found.main] == pytest.approx(1)


def test_own_rows_are_planned_once_and_other_rows_anew(without_baselines, monkeypatch):
    rows = []
    for number, letter in enumerate("bcdfghjklmnp"):
        second = letter + " a" * number
        rows.append({"sentence1": letter, "sentence2": second, "score": number})
    plan = OwnRatedPairs.plan
    n_planned = []

    def counted(self, rows, split):
        n_planned.append(len(rows))
        return plan(self, rows, split)

    monkeypatch.setattr(OwnRatedPairs, "plan", counted)
    found = measure(encode, rows, "rated_pairs")
    assert n_planned == [12]

    # the plan of the check is not that of the next run
    found.items.pairs.people[:] = 0
    again = measure(encode, found.task)
    assert n_planned == [12, 12]
    assert again.scores[again.main] == found.scores[found.main]

    own = rows_for_measure(MEASURES["rated_pairs"], table_of(rows))
    own.check()
    changed = [{**own.rows[0], "sentence2": "z"}, *own.rows[1:]]
    assert own.planned(changed, "own").pairs.second[0] == "z"


def test_a_field_that_the_first_row_lacks_is_measured_as_it_is_checked(without_baselines):
    rows = []
    for number, letter in enumerate("bcdfghjklmnp"):
        second = letter + " a" * number
        row = {"sentence1": letter, "sentence2": second, "score": number}
        rows.append(row | ({"kind": "odd"} if number % 2 else {}))
    found = measure(encode, rows, "rated_pairs")
    assert found.items.pairs.kind.tolist() == ["", "odd"] * 6
    own = rows_for_measure(MEASURES["rated_pairs"], table_of(rows))
    own.check()
    assert own.planned(own.complete, "own").pairs.kind.tolist() == ["", "odd"] * 6


def test_the_split_of_own_rows_is_the_protocol_that_is_asked(without_baselines):
    rows = load_rows(MINIS["affinity"], "naturalistic", "default").to_list()
    for split, has_lengths in (("naturalistic", True), ("neutral", False)):
        found = measure(encode, rows, "affinity", split=split)
        lengths = found.items.sentences.length
        assert (~np.isnan(lengths)).any() == has_lengths


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


@pytest.mark.slow
def test_a_saved_result_is_read_as_any_other_but_by_no_board(tmp_path, monkeypatch):
    rows = table("idiom_paraphrase", tmp_path)
    results = tmp_path / "results"
    found = measure(encode, rows, "idiom_paraphrase", name="idioms")
    file = found.save(results, model="me/mine")
    monkeypatch.setenv("HARNESS_EXT_ADDITIVE", "0")
    other = measure(vectors_of(random_vector()), rows, "idiom_paraphrase", name="idioms")
    other.save(results, model="me/other")
    entry, _ = load_results(results, "own/idioms").entries
    assert entry.task == "own/idioms"
    assert entry.model == "me/mine"
    assert entry.file == file
    assert entry.items().digest() == found.items.digest()
    baseline_items = found.baseline_items[ADDITIVE]
    assert entry.baseline_items(ADDITIVE).digest() == baseline_items.digest()
    assert "own/idioms" in harness_ext("compare", results).output
    for line in (
        ("leaderboard", "build", results, "-o", tmp_path / "site", "--strict"),
        ("submit", results, "-m", "me/mine", "-o", tmp_path / "submission"),
        ("verify", results),
    ):
        done = harness_ext(*line)
        assert done.exit_code == 1, done.output
        assert "which a board does not have" in done.output


@pytest.mark.slow
def test_measured_by_the_command_and_shown_with_its_sentences(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(mteb, "get_model", partial(PlantedModel, letters))
    file = table("idiom_paraphrase", tmp_path)
    names = {"entailed": "Better", "sentence": "SENTENCE"}
    renamed = pandas.read_csv(file).rename(columns=names)
    renamed.to_csv(file, sep=";", index=False)
    options = "--name idioms --column entailed=Better --language eng-Latn"
    arguments = ("idiom_paraphrase", file, *options.split())
    done = harness_ext("measure", *arguments, "-m", "planted/letters")
    assert done.exit_code == 0, done.output
    assert "own/idioms" in done.stdout
    for path in (tmp_path / "results").rglob("*.json*"):
        assert "broke the ice" not in path.read_text()
    (entry,) = load_results("results").entries
    expected = measure(encode, "IdiomParaphraseMini").scores.share_entailed
    assert entry.main_score == pytest.approx(expected, abs=1e-9)
    # as a sweep finds it
    job = Job("planted/letters", ("own/idioms",), (), tmp_path / "results")
    (task,) = job.tasks()
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
                {name: rows.map(changed) for name, rows in self.dataset.items()}
            )

    def changed(_):
        return change

    for change, revision in (({}, "1"), ({"sentence": "Something else."}, "1+own-")):
        entries_of(PlantedModel(letters), Own(), tmp_path)
        entries = load_results(tmp_path).entries
        for entry in entries:
            assert entry.dataset_revision.startswith(revision)
            assert entry.signature.dataset.startswith(f"impli@{revision}")
            assert (entry.dataset_revision == "1") is (not change)


@pytest.mark.slow
def test_needs_writes_a_file_that_fits(tmp_path):
    for name, declared in MEASURES.items():
        file = tmp_path / f"{name}.csv"
        write_rows(examples(declared, 2), file)
        assert len([*csv.reader(file.open())]) == 3
        found = rows_for_measure(declared, table_of_files([file]))
        assert found.rows
        assert not found.errors
    command = ("needs", "montague", "--template", tmp_path / "new.csv")
    assert harness_ext(*command).exit_code == 0
    assert harness_ext(*command).exit_code == 2
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
    columns_of_lines = {3: "sentence", 4: "sentence", 6: "id", 7: "class"}
    for line, column in columns_of_lines.items():
        assert f"line {line}, column '{column}'" in done.output
    file.write_text("sentence,entailed,not_entailed\nA,B,b\nЖ,ж ф,ц\nФ,ж ф,ц\n", encoding="utf-8")
    done = harness_ext("check", file)
    assert "line 2: two of its texts are the same: 'b'" in done.output
    assert "3 rows; 10 are needed" in done.output


def test_too_few_units_say_what_was_left_out_and_what_no_row_has(tmp_path):
    file = tmp_path / "my.csv"
    twelve = "alder bench cloud dune ember frost glade heath inlet jetty kelp lagoon"
    words = twelve.split()
    columns = {"sentence1": words, "sentence2": words[::-1], "similarity": range(12)}
    rows = pandas.DataFrame(columns)
    rows.to_csv(file, index=False)
    # role_swap has the same columns
    assert "12 rows fit transitive_similarity" in harness_ext("check", file).output
    said = "12 rows, 0 of them adversarial (kind); 10 are needed."
    assert said in harness_ext("check", file, "role_swap").output
    rows.assign(kind="adversarial").to_csv(file, index=False)
    assert "12 rows fit role_swap" in harness_ext("check", file).output

    def row_of(compound, synonyms):
        return {"compound": compound, "sentence": f"A {compound}.", "words_syn": synonyms}

    boxes = pandas.DataFrame([row_of(f"{word} box", "dark crate") for word in words])
    boxes.to_csv(file, index=False)
    done = harness_ext("check", file, "epsilon")
    assert "Left out: n_excluded_unscored = 12 (compounds without a class)." in done.output
    boxes["class"] = ["NC", "C"] * 6
    boxes.to_csv(file, index=False)
    assert "n_excluded_no_pairs = 12" in harness_ext("check", file, "epsilon").output
    rows = []
    for word in words:
        rows.append(row_of(f"{word} box", "dark crate; dim case") | {"class": "NC"})
        rows.append(row_of(f"{word} door", "dark crate; dim case") | {"class": "C"})
    rows.append(row_of("box of alder", "crate of oak") | {"class": "C"})
    pandas.DataFrame(rows).to_csv(file, index=False)
    said = "Left out of some scores: n_excluded_no_pairs = 1 ("
    assert said in harness_ext("check", file, "epsilon").output


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
        assert done.exit_code == status
        assert said in done.output
        assert "for merge_opposites" in done.output
    pairs.to_csv(file, index=False)
    # the name of a file says what its sentences are for
    for name in ("my_train.csv", "others.csv"):
        few[["text", "label"]].to_csv(tmp_path / name, index=False)
    files = [file, tmp_path / "my_train.csv", tmp_path / "others.csv"]
    found = rows_for_measure(MEASURES["polarity"], table_of_files(files))
    roles = [row["role"] for row in found.rows]
    assert roles == ["pair"] * 12 + ["train"] * 2 + ["held_out"] * 2
    scores = measure(encode, files, "polarity").scores
    assert 0 <= scores.flat()["fb_linear_pss"] <= 1


def test_a_dataset_of_the_hub_is_read_from_the_cache(tmp_path, monkeypatch):
    """As `datasets` keeps one that it downloaded earlier."""
    few = tmp_path / "few.csv"
    few.write_text("first,second,kind\na,b,same\n")
    load_dataset("csv", data_files=str(few), cache_dir=str(tmp_path))
    (info,) = tmp_path.glob("csv/*/*/*/dataset_info.json")
    place = tmp_path / "me___pairs" / "default" / "0.0.0" / "1"
    shutil.copytree(info.parent, place)
    (place / "csv-train.arrow").rename(place / "pairs-train.arrow")
    about = json.loads((place / "dataset_info.json").read_text())
    (place / "dataset_info.json").write_text(json.dumps({**about, "dataset_name": "pairs"}))
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path)
    table = table_of_files(["me/pairs"])
    (line,) = table.lines
    assert line.cells == {"first": "a", "second": "b", "kind": "same"}
    said = "nobody/pairs: no such file, and no dataset of that name"
    with pytest.raises(OwnDataError, match=said):
        table_of_files(["nobody/pairs"])


@pytest.mark.slow
def test_the_examples_of_the_page_run_as_they_stand(minilm, tmp_path, monkeypatch):
    page = (DOCS / "own_data.md").read_text(encoding="utf-8")
    for file in (DOCS / "own_data").glob("*.csv"):
        shutil.copy(file, tmp_path)
    monkeypatch.chdir(tmp_path)
    commands = "".join(re.findall(r"(?s)```sh\n(.*?)```", page))
    for line in commands.splitlines():
        done = harness_ext(*shlex.split(line)[1:])
        assert done.exit_code == 0, (line, done.output, done.exception)
    for code in re.findall(r"```python\n(.*?)```", page, flags=re.DOTALL):
        exec(code, {})
    entries = load_results("results").entries
    assert {entry.task for entry in entries} == {
        "own/faq_pairs",
        "own/legal_triplets",
        "own/german_compounds",
        "own/german_compounds_60",
        "own/faq",
    }
    for entry in entries:
        if entry.model == minilm:
            printed = f"{entry.main_score:.3f}".removeprefix("0")
            assert printed in page, (entry.task, printed)
