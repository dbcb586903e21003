"""Results folders are read whole, and what is damaged is named and left out."""

import json
import re
import shutil

import pytest

from harness_ext.common.errors import UnknownNameError
from harness_ext.results.load import load_results, read_result
from harness_ext.store.item_files import ItemsError
from tests.results.planted_items import planted_items, write_entry

TASK = "EpsilonCompositionality"
MAIN = "auc_nc_vs_c"


def in_entry(**changes):
    """Damage to the one entry of a result."""

    def change(content):
        (entry,) = content["scores"]["naturalistic"]
        entry.update(changes)

    return change


def without_a_subset(content):
    (entry,) = content["scores"]["naturalistic"]
    del entry["hf_subset"]


def with_a_subset_twice(content):
    content["scores"]["naturalistic"] *= 2


def without_entries(content):
    content["scores"]["naturalistic"] = None


def with_scores_in_a_list(content):
    content["scores"] = []


def of_another_task(content):
    content["task_name"] = "STS12"


CONTENTS = {
    "a main score that is null": in_entry(main_score=None),
    "a main score above its range": in_entry(main_score=7.0, **{MAIN: 7.0}),
    "a main score that is not the score it is": in_entry(main_score=0.9),
    "another score that is no number": in_entry(p_value_C=float("nan")),
    "no subset": without_a_subset,
    "a signature that is none": in_entry(signature="task:T"),
    "a subset that is there twice": with_a_subset_twice,
    "a split that is null": without_entries,
    "scores that are a list": with_scores_in_a_list,
    "the name of another task": of_another_task,
}
"""How the JSON of a result can be wrong."""


def test_damaged_results_are_each_named_once_and_the_sound_ones_read(write_result, tmp_path):
    """`test_json_files.py` has damaged bytes."""
    for number, damage in enumerate(CONTENTS.values()):
        path = write_result(TASK, f"damaged/{number}", 0.7)
        content = json.loads(path.read_text())
        damage(content)
        path.write_text(json.dumps(content))
    write_result(TASK, "a/sound", 0.7)
    results = load_results(tmp_path)
    assert [entry.model for entry in results.entries] == ["a/sound"]
    assert len(results.problems) == len(CONTENTS)
    for number in range(len(CONTENTS)):
        path = str(tmp_path / "results" / f"damaged__{number}" / "abc" / f"{TASK}.json")
        (problem,) = (problem for problem in results.problems if path in problem)
        assert "\n" not in problem
        assert len(problem) < len(path) + 200


def test_a_damaged_model_meta_leaves_the_name_of_the_folder(write_result):
    path = write_result(TASK, "a/model", 0.7)
    path.with_name("model_meta.json").write_text("{")
    (entry,) = read_result(path)
    assert (entry.model, entry.revision) == ("a/model", "abc")


def test_what_stands_in_a_folder(write_result, tmp_path):
    """Revisions and experiments are results of their own; other files are none of our business."""
    path = write_result(TASK, "a/model", 0.7, revision="1111aaaa")
    write_result(TASK, "a/model", 0.6, revision="2222bbbb")
    experiment = path.parent / "experiments" / "output_dtypes_int8" / path.name
    experiment.parent.mkdir(parents=True)
    experiment.write_bytes(path.read_bytes())
    path.with_name("STS12.json").write_text("not a result of ours")
    path.with_name("run_settings.jsonl").write_text("{")
    (tmp_path / "results" / "notes.txt").write_text("mine")
    results = load_results(tmp_path)
    assert not results.problems
    found = {(entry.model, entry.revision, entry.main_score) for entry in results.entries}
    assert found == {
        ("a/model", "1111aaaa", 0.7),
        ("a/model", "2222bbbb", 0.6),
        ("a/model [output_dtypes_int8]", "1111aaaa", 0.7),
    }


def test_nothing_to_show_says_what_to_do(tmp_path):
    (tmp_path / "results").mkdir()
    with pytest.raises(
        FileNotFoundError, match=f"mteb run -m MODEL -t {TASK} --output-folder {tmp_path}"
    ):
        load_results(tmp_path, [TASK])


@pytest.mark.parametrize(
    ("model", "command"),
    [
        ("a/model", f'mteb run -m "a/model" -t {TASK}'),
        ("a/model [prompt_ask]", f"harness-ext sweep -t {TASK}"),
        ("a/model [dtype_float16]", "with the settings of dtype_float16"),
    ],
)
def test_a_result_without_items_says_how_it_is_made_anew(write_result, tmp_path, model, command):
    write_result(TASK, model, 0.6)
    (entry,) = load_results(tmp_path).entries
    with pytest.raises(ItemsError) as raised:
        entry.items()
    assert command in str(raised.value)
    assert '-m "a/model [' not in str(raised.value)


def test_errors_name_what_is_there(write_result, tmp_path):
    write_result(TASK, "a/large-model", 0.7)
    write_result(TASK, "a/small-model", 0.7)
    folder = tmp_path / "mine"
    folder.mkdir()
    results = folder / "results"
    (tmp_path / "results").rename(results)
    deeper = tmp_path / "docs" / "others"
    shutil.copytree(folder, deeper)
    message = re.escape(f"There are results in: {deeper}, {folder}.")
    with pytest.raises(FileNotFoundError, match=message):
        load_results(tmp_path)
    shutil.rmtree(deeper)
    message = re.escape(f"There are results in: {folder}.")
    folder_of_model = results / "a__small-model"
    file = folder_of_model / "abc" / f"{TASK}.json"
    for place in (folder_of_model, file, tmp_path):
        with pytest.raises(FileNotFoundError, match=message):
            load_results(place)
    (entry,) = load_results(folder, models="SMALL").entries
    assert entry.model == "a/small-model"
    for models, expected in (
        ("x/y", "There are: a/large-model, a/small-model."),
        (["small", "model"], "model may be any of: a/large-model, a/small-model."),
    ):
        with pytest.raises(UnknownNameError, match=re.escape(expected)):
            load_results(folder, models=models)


def test_results_of_the_old_interface_are_read(tmp_path):
    """`mteb.MTEB.run` writes no folder `results`."""
    entry = write_entry(tmp_path, "IdiomParaphraseMini", planted_items("IdiomParaphraseMini"))
    (tmp_path / "results").rename(tmp_path / "old")
    (again,) = load_results(tmp_path / "old").entries
    assert again.main_score == entry.main_score
