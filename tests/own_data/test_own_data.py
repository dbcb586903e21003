"""A user's own data: the same rows in a file of any form give the same scores, and reach every reader of results."""

from __future__ import annotations

import contextlib
import csv
import functools
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
from typer.testing import CliRunner

from harness_ext import CompositionalityEvaluator, load_results, measure
from harness_ext.cli import app
from harness_ext.data.export import export_datasets
from harness_ext.data.sources import SourceError
from harness_ext.own_data.fields import MEASURES, columns_of
from harness_ext.own_data.fitting_measure import examples, flattened
from harness_ext.own_data.own_table import OwnDataError, read_own_table
from harness_ext.sweep.job import MEASURED, Job
from harness_ext.tasks import ENCODER_TASKS
from harness_ext.tasks.data import load_rows
from tests.every_command import save_tiny
from tests.planted import PlantedModel, entries_of, letters, random_vector, vectors_of

DOCS = Path(__file__).parents[2] / "docs"
encode = vectors_of(letters)
MINIS = {
    task.measure.name: task
    for task in ENCODER_TASKS.values()
    if task.quick and task.measure.name in MEASURES and task.measure.name != "montague"
}


def command(*arguments):
    return CliRunner().invoke(app, [*map(str, arguments)])


def table(name, folder):
    """The rows of a small task as a person would write them, in a CSV file."""
    task, file = MINIS[name], folder / f"{name}.csv"
    cells = [flattened(columns_of(task.measure), row) for row in load_rows(task, task.splits[0], task.subsets[0])]
    pandas.DataFrame(cells).to_csv(file, index=False)
    return file


def same_scores(found, expected):
    assert found.scores.flat() == pytest.approx(expected.scores.flat(), abs=1e-9, nan_ok=True)
    assert found.gain == pytest.approx(expected.gain, abs=1e-9, nan_ok=True)


QUICK = ("idiom_paraphrase", "scaled_similarity")


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in QUICK else pytest.mark.slow) for name in MINIS]
)
def test_a_table_as_people_write_it_gives_what_the_dataset_gives(name, tmp_path, monkeypatch):
    monkeypatch.setenv("HARNESS_EXT_WORDS", "1" if name == "idiom_paraphrase" else "0")
    same_scores(measure(encode, table(name, tmp_path), name), measure(encode, MINIS[name].name))


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    """Dataset -> the folder that `datasets export` writes of it; configs that are to be downloaded are left out."""

    @functools.cache
    def folder(dataset):
        written = tmp_path_factory.mktemp("exported")
        with contextlib.suppress(SourceError):
            list(export_datasets(written, [dataset]))
        return written / dataset

    return folder


def marks(name):
    if name not in MINIS:
        return pytest.mark.slow, pytest.mark.real_data
    return (pytest.mark.slow,) if name in {"polarity", "merge_opposites"} else ()


OF_TASKS = {task.measure.name for task in ENCODER_TASKS.values()} - {"montague"}
"""The four kinds are measures of own rows alone; of phrases the vocabulary is tested."""


@pytest.mark.parametrize("name", [pytest.param(name, marks=marks(name)) for name in MEASURES if name in OF_TASKS])
def test_what_datasets_export_writes_gives_the_same_scores(name, exported, monkeypatch, request):
    if name not in MINIS:
        request.getfixturevalue("unverified_mirror")
    monkeypatch.setenv("HARNESS_EXT_WORDS", "0")
    task = MINIS.get(name) or next(task for task in ENCODER_TASKS.values() if task.measure.name == name)
    config = task.dataset.get("name") or task.dataset_configs(task.splits[0], task.subsets[0])[0]
    folder = exported(task.dataset["path"]) / config
    files = sorted(folder.glob(f"{task.splits[0]}-*.parquet")) or sorted(folder.glob("*.parquet"))
    encode = vectors_of(random_vector())  # of every script
    found, expected = measure(encode, files, name), measure(encode, task.name)
    assert found.scores.flat() == pytest.approx(expected.scores.flat(), abs=1e-9, nan_ok=True)


LETTERS = "bcdfghjklmnp"
KINDS = {
    "triplets": [{"anchor": x, "right": 2 * x, "wrong": f"{x} a"} for x in LETTERS],
    "rated_pairs": [{"sentence1": x, "sentence2": n * "a" + x, "score": -n, "group": x} for n, x in enumerate(LETTERS)],
    "pair_classes": [
        {"first": x, "second": second, "class": klass, "group": x}
        for x in LETTERS
        for second, klass in ((2 * x, "same"), (f"{x} a", "negation"))
    ],
    "retrieval": [
        {"is_query": is_query, "text": n * text, "group": x, "sense": sense}
        for x in LETTERS
        for text, sense in ((x, "literal"), (f"{x}q", "idiom"))
        for is_query, n in ((True, 1), (False, 2))
    ],
}


@pytest.mark.parametrize("name", KINDS)
def test_the_four_kinds_on_own_rows(name, without_own_words):
    """Letters are counted: an encoder that is always right."""
    found = measure(encode, KINDS[name], name)
    assert found.scores.flat()[found.main] == pytest.approx(1)


@pytest.mark.slow
def test_a_vocabulary_gives_the_phrases_of_the_dataset(tmp_path):
    from harness_ext.data.card import dataset_folder

    words = dataset_folder("modifier_phrases") / "vocabulary.csv"
    few = pandas.read_csv(words)
    few = few[few.type.isin(["N"]) | (few.groupby("type").cumcount() < 4)]
    few.to_csv(tmp_path / "words.csv", index=False)
    wanted = {*few.word.str.lower()}
    phrases = load_dataset("modifier_phrases", "corrected", split="test")
    phrases = phrases.filter(lambda row: wanted.issuperset(row["words"]))
    found = measure(encode, tmp_path / "words.csv", "montague")
    same_scores(found, measure(encode, phrases, "montague"))


@pytest.mark.slow
def test_a_saved_result_is_read_as_any_other(tmp_path):
    rows = table("idiom_paraphrase", tmp_path)
    found = measure(encode, rows, "idiom_paraphrase", name="idioms")
    file = found.save(tmp_path / "results", model="me/mine")
    measure(vectors_of(lambda text: letters(text) ** 3), rows, "idiom_paraphrase", name="idioms").save(
        tmp_path / "results", model="me/other"
    )
    entry, _ = load_results(tmp_path / "results", "own/idioms").entries
    assert (entry.task, entry.model, entry.file) == ("own/idioms", "me/mine", file)
    assert entry.items().digest() == found.items.digest()
    assert entry.words_items().digest() == found.words_items.digest()
    assert "own/idioms" in command("compare", tmp_path / "results").output


@pytest.mark.slow
def test_measured_by_the_command_and_shown_with_its_sentences(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(mteb, "get_model", lambda name: PlantedModel(letters, name))
    file, given = table("idiom_paraphrase", tmp_path), pandas.read_csv(tmp_path / "idiom_paraphrase.csv")
    given.rename(columns={"entailed": "Better", "sentence": "SENTENCE"}).to_csv(file, sep=";", index=False)
    arguments = ("idiom_paraphrase", file, "--name", "idioms", "--column", "entailed=Better", "--language", "eng-Latn")
    done = command("measure", *arguments, "-m", "planted/letters")
    assert done.exit_code == 0, done.output
    assert "own/idioms" in done.stdout
    assert "broke the ice" not in "".join(path.read_text() for path in (tmp_path / "results").rglob("*.json*"))
    (entry,) = load_results("results").entries
    expected = measure(encode, "IdiomParaphraseMini").scores.share_entailed
    assert entry.main_score == pytest.approx(expected, abs=1e-9)
    (task,) = Job("planted/letters", ("own/idioms",), (), tmp_path / "results").tasks()  # as a sweep finds it
    during = CompositionalityEvaluator([task])(PlantedModel(letters))
    assert during["own/idioms_share_entailed"] == pytest.approx(expected, abs=1e-9)
    assert command("report", "results").exit_code == 0
    (page,) = (tmp_path / "report" / "units").glob("own-idioms-own*.html")
    assert "broke the ice" in page.read_text()
    file.write_text(file.read_text().replace("broke the ice", "told a joke"))
    done = command("measure", *arguments, "-m", "planted/letters")
    assert done.exit_code == 0, done.output
    (changed,) = load_results("results").entries
    assert changed.dataset_revision != entry.dataset_revision


@pytest.mark.slow
def test_layers_and_sweep_take_own_data(run, tmp_path, without_own_words):
    """Where the folder of results says where the rows are."""
    save_tiny(tmp_path)
    file = table("idiom_paraphrase", tmp_path)
    run("harness-ext", "measure", "idiom_paraphrase", str(file), "--name", "idioms", "-m", "compositionality/letters")
    run("harness-ext", "layers", "-m", "./tiny", "-t", "own/idioms")
    measured = Job("compositionality/trigrams", ("own/idioms",), (), tmp_path / "results").measure()
    assert measured == {"own/idioms": MEASURED}
    results = load_results(tmp_path / "results", "own/idioms")
    assert {entry.model for entry in results.entries} == {
        *("local/tiny (layer=0)", "local/tiny (layer=1)", "compositionality/letters", "compositionality/trigrams"),
    }


def test_no_board_takes_own_data(tmp_path):
    results, site, submission = tmp_path / "results", tmp_path / "site", tmp_path / "submission"
    measure(encode, table("idiom_paraphrase", tmp_path), "idiom_paraphrase", name="idioms").save(results, model="me/a")
    for run in (
        ("leaderboard", "build", results, "-o", site, "--strict"),
        ("submit", results, "-m", "me/a", "-o", submission),
        ("verify", results),
    ):
        done = command(*run)
        assert (done.exit_code, "which a board does not have" in done.output) == (1, True), done.output


@pytest.mark.slow
def test_a_subclass_with_other_rows_says_so(tmp_path):
    class Other(type(mteb.get_task("IdiomParaphraseMini"))):
        def load_data(self, *args, **kwargs):
            super().load_data(*args, **kwargs)
            change = {"sentence": "Something else."}
            self.dataset = DatasetDict({name: rows.map(lambda _: change) for name, rows in self.dataset.items()})

    class Same(type(mteb.get_task("IdiomParaphraseMini"))):
        pass

    for task, expected in ((Same, "1"), (Other, "1+own-"), (Same, "1")):
        entries_of(PlantedModel(letters), task(), tmp_path)
        revisions = {entry.dataset_revision for entry in load_results(tmp_path).entries}
        assert all(revision.startswith(expected) for revision in revisions), revisions
        assert ("1" in revisions) is (task is Same)
    assert {entry.signature.dataset for entry in load_results(tmp_path).entries} == {"impli@1"}


@pytest.mark.slow
def test_needs_writes_a_file_that_fits(tmp_path):
    for name in MEASURES:
        file = tmp_path / f"{name}.csv"
        assert command("needs", name, "--template", file).exit_code == 0
        assert len([*csv.reader(file.open())]) == 3
        done = command("check", file, name)
        assert "0 do not" in done.output, done.output
    assert "already" in command("needs", name, "--template", file).output
    listed = command("needs").output
    assert all(name in listed for name in MEASURES)
    assert "entailed" in command("needs", "idiom_paraphrase").output


def test_check_names_every_row_that_does_not_fit(tmp_path):
    rows = examples(MEASURES["epsilon"], 8)
    rows[1] |= {"sentence": "There is none."}
    rows[2] |= {"sentence": ""}
    rows[4] |= {"id": rows[3]["id"]}
    rows[5] |= {"class": "X"}
    file = tmp_path / "my.csv"
    pandas.DataFrame(rows).to_csv(file, index=False)
    done = command("check", file, "epsilon")
    assert done.exit_code == 1
    for line, column in ((3, "sentence"), (4, "sentence"), (6, "id"), (7, "class")):
        assert f"line {line}, column '{column}'" in done.output
    pandas.DataFrame(
        [
            {"sentence": "A", "entailed": "B", "not_entailed": "b"},
            *[{"sentence": "Ж", "entailed": "ж ф", "not_entailed": "ц"}] * 2,
        ]
    ).to_csv(file, index=False)
    done = command("check", file)
    assert "line 2: two of its texts are the same, 'b'" in done.output
    assert "line 2: its letters are Latin, those of most rows are Cyrillic" in done.output
    assert "at least 10" in done.output


def test_too_few_units_say_what_was_left_out_and_what_no_row_has(tmp_path):
    file = tmp_path / "my.csv"
    words = ("alder", "bench", "cloud", "dune", "ember", "frost", "glade", "heath", "inlet", "jetty", "kelp", "lagoon")
    rows = pandas.DataFrame({"sentence1": words, "sentence2": words[::-1], "similarity": range(12)})
    rows.to_csv(file, index=False)
    assert "12 rows fit transitive_similarity" in command("check", file).output  # role_swap has the same columns
    assert "No row has kind or group. Add rows." in command("check", file, "role_swap").output
    rows.assign(kind="adversarial").to_csv(file, index=False)
    assert "12 rows fit role_swap" in command("check", file).output
    rows = [{"compound": f"{word} box", "sentence": f"A {word} box.", "words_syn": "dark crate"} for word in words]
    pandas.DataFrame(rows).to_csv(file, index=False)
    done = command("check", file, "epsilon")
    assert "Left out: n_excluded_unscored = 12 (compounds without a class). No row has class." in done.output
    pandas.DataFrame(rows).assign(**{"class": ["NC", "C"] * 6}).to_csv(file, index=False)
    assert "n_excluded_no_pairs = 12" in command("check", file, "epsilon").output


@pytest.mark.parametrize(("wrong", "rest"), [(10, []), (11, ["1 more: `harness-ext check` names all."])])
def test_a_measure_names_ten_rows_that_do_not_fit_and_counts_the_rest(wrong, rest):
    rows = examples(MEASURES["epsilon"], 12)
    for row in rows[:wrong]:
        row["sentence"] = ""
    with pytest.raises(OwnDataError) as refused:
        measure(encode, rows, "epsilon")
    lines = str(refused.value).splitlines()
    assert (len(lines[:10]), lines[10:]) == (10, rest)


def test_polarity_says_which_labels_it_lacks(tmp_path):
    file = tmp_path / "reviews.csv"
    pairs = pandas.DataFrame({"text": [f"Good {n}." for n in range(12)], "rewrite": "Bad.", "label": 1})
    few = pandas.DataFrame({"text": ["Fine.", "Awful."], "rewrite": "", "label": [1, 0], "role": "train"})
    for rows, said in (
        (pairs.drop(columns="label"), "no column 'label'"),
        (pairs, "no sentence with the role train has the label 0 or 1"),
        (pandas.concat([pairs, few[:1]]), "has the label 0"),
    ):
        rows.to_csv(file, index=False)
        done = command("check", file, "polarity")
        status = 2 if "column" in said else 1  # no such rows at all, or rows that do not do
        assert (done.exit_code, said in done.output, "for merge_opposites" in done.output) == (status, True, True)
    found = measure(encode, pandas.concat([pairs, few, few[["text", "label"]]]), "polarity")
    assert 0 <= found.scores.flat()["fb_linear_pss"] <= 1


def test_a_dataset_of_the_hub_is_read_from_the_cache(tmp_path, monkeypatch):
    """As `datasets` keeps one that it downloaded earlier."""
    pandas.DataFrame({"first": ["a"], "second": ["b"], "kind": ["same"]}).to_csv(tmp_path / "few.csv", index=False)
    load_dataset("csv", data_files=str(tmp_path / "few.csv"), cache_dir=str(tmp_path))
    (kept,) = (info.parent for info in tmp_path.glob("csv/*/*/*/dataset_info.json"))
    kept.rename((tmp_path / "me___pairs/default/0.0.0").mkdir(parents=True) or tmp_path / "me___pairs/default/0.0.0/1")
    (place,) = tmp_path.glob("me___pairs/*/*/*")
    (place / "csv-train.arrow").rename(place / "pairs-train.arrow")
    about = json.loads((place / "dataset_info.json").read_text())
    (place / "dataset_info.json").write_text(json.dumps({**about, "dataset_name": "pairs"}))
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path)
    table = read_own_table(["me/pairs"])
    assert [line.cells for line in table.lines] == [{"first": "a", "second": "b", "kind": "same"}]
    with pytest.raises(OwnDataError, match="nobody/pairs: no such file, and no dataset of that name"):
        read_own_table(["nobody/pairs"])


@pytest.mark.slow
def test_the_examples_of_the_page_run_as_they_stand(minilm, tmp_path, monkeypatch):
    page = (DOCS / "own_data.md").read_text(encoding="utf-8")
    for file in (DOCS / "own_data").glob("*.csv"):
        shutil.copy(file, tmp_path)
    monkeypatch.chdir(tmp_path)
    for line in "".join(re.findall(r"```sh\n(.*?)```", page, flags=re.DOTALL)).splitlines():
        done = command(*shlex.split(line)[1:])
        assert done.exit_code == 0, (line, done.output, done.exception)
    for code in re.findall(r"```python\n(.*?)```", page, flags=re.DOTALL):
        exec(code, {})
    entries = load_results("results").entries
    assert {entry.task for entry in entries} == {
        *("own/faq_pairs", "own/legal_triplets", "own/german_compounds", "own/german_compounds_60", "own/faq")
    }
    for entry in entries:
        if entry.model == minilm:
            assert f"{entry.main_score:.3f}".removeprefix("0") in page, (entry.task, entry.main_score)
