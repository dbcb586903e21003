"""Files of the Hub's leaderboards, read by the classes of mteb and huggingface_hub that define
them.
"""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest
import yaml
from mteb._hf_integration.eval_model import HFEvalMeta
from mteb.results import TaskResult

from harness_ext import measure
from harness_ext.common.folders import DATASETS
from harness_ext.data.card import dataset_facts
from harness_ext.leaderboard.hub import eval_config
from harness_ext.results.load import load_results
from harness_ext.store.signature import Signature
from harness_ext.tasks import ENCODER_TASKS
from tests.command_line import harness_ext
from tests.leaderboard.conftest import MODEL
from tests.leaderboard.small_board import edit
from tests.planted import PlantedModel, bag_of_words, entries_of, vectors_of

try:
    from huggingface_hub import parse_eval_result_entries
except ImportError:
    parse_eval_result_entries = None

ROOT = Path(__file__).parents[2]

needs_newer_hub = pytest.mark.skipif(
    parse_eval_result_entries is None,
    reason="the form of scores on the Hub is defined by huggingface_hub 1.4",
)


def publish(results, model, to, *more):
    return harness_ext("publish", results, "-m", model, "--org", "acme", "--to", to, *more)


def written(folder):
    """Task id -> what the Hub reads."""
    files = sorted((folder / ".eval_results").glob("*"))
    assert all(path.suffix == ".yaml" for path in files)
    return {
        entry.task_id: entry
        for path in files
        for entry in parse_eval_result_entries(yaml.safe_load(path.read_text()))
    }


@pytest.mark.parametrize("name", DATASETS)
def test_every_dataset_is_a_leaderboard_of_all_its_tasks(name):
    meta = HFEvalMeta.model_validate(yaml.safe_load(eval_config(name).to_yaml()))
    assert meta.name == name
    tasks = [task for task in ENCODER_TASKS.values() if task.dataset["path"] == name]
    ids = {task.name for task in tasks}
    ids |= {
        f"{task.name}_{subset}_{split}"
        for task in tasks
        for subset in task.subsets
        for split in task.splits
    }
    assert {each.id for each in meta.tasks} == ids
    configs = dataset_facts(name)["configs"]
    splits = {one["config_name"]: {file["split"] for file in one["data_files"]} for one in configs}
    for each in meta.tasks:
        assert each.config is None or each.config in splits
        assert each.split is None or each.config is None or each.split in splits[each.config]
    assert any(each.config for each in meta.tasks) or name == "polarity_pairs"


def test_an_export_for_an_organisation_is_a_repository_with_its_leaderboard(tmp_path):
    harness_ext("datasets", "export", tmp_path, "--org", "acme", "--dataset", "compound_mini")
    meta = HFEvalMeta.model_validate(
        yaml.safe_load((tmp_path / "acme" / "compound_mini" / "eval.yaml").read_text())
    )
    assert meta == eval_config("compound_mini")
    (task,) = [
        task for task in meta.tasks if task.id == "EpsilonCompositionalityMini_default_naturalistic"
    ]
    assert (task.config, task.split) == ("default", "naturalistic")


@needs_newer_hub
def test_a_result_has_score_date_and_signature_under_a_name_of_the_leaderboard(
    measured_folder, tmp_path
):
    done = publish(measured_folder, MODEL, tmp_path)
    assert done.exit_code == 0, done.output
    found, names = written(tmp_path), {each.id for each in eval_config("compound_mini").tasks}
    assert found.keys() == names  # the three tasks, each as a whole and by split
    for entry in load_results(measured_folder, models=MODEL).entries:
        measured = json.loads(entry.file.read_text())["date"]
        for name in (entry.task, f"{entry.task}_{entry.subset}_{entry.split}"):
            assert found[name].dataset_id == "acme/compound_mini"
            assert found[name].value == pytest.approx(100 * entry.main_score, abs=1e-5)
            assert Signature.parse(found[name].notes) == entry.signature
            assert found[name].date == f"{datetime.fromtimestamp(measured, UTC):%Y-%m-%d}"
            assert found[name].source_url == "https://huggingface.co/datasets/acme/compound_mini"
            assert found[name].dataset_revision is None


@needs_newer_hub
def test_a_result_links_to_its_items_where_they_are_published(measured_folder, tmp_path):
    board = "https://github.com/acme/board/tree/main/results"
    done = publish(measured_folder, MODEL, tmp_path, "--items", f"{board}/")
    assert done.exit_code == 0, done.output
    (folder,) = {one.file.parent for one in load_results(measured_folder, models=MODEL).entries}
    assert {*folder.glob("*.parquet")} | {*folder.glob("*/*.parquet")}  # the items
    linked = {one.source_url for one in written(tmp_path).values()}
    assert linked == {f"{board}/{folder.parent.name}/{folder.name}"}


@pytest.mark.slow
@needs_newer_hub
def test_a_task_as_a_whole_has_the_mean_of_all_its_data_or_nothing(tmp_path):
    entries_of(PlantedModel(bag_of_words(1), "planted/one"), "IdiomParaphraseMini", tmp_path)
    (file,) = tmp_path.glob("results/*/*/IdiomParaphraseMini.json")

    def published():
        assert publish(tmp_path, "planted/one", tmp_path).exit_code == 0
        found = written(tmp_path)
        by_mteb = TaskResult.from_disk(file)._to_hf_benchmark_result().root
        assert {one.dataset.task_id: one.value for one in by_mteb} == {
            name: one.value for name, one in found.items()
        }
        return found

    found = published()
    whole = found.pop("IdiomParaphraseMini")
    assert found.keys() == {
        f"IdiomParaphraseMini_default_{split}" for split in ("idioms", "antonyms")
    }
    assert whole.value == pytest.approx(sum(one.value for one in found.values()) / 2, abs=1e-4)
    assert whole.notes.startswith("mean of IdiomParaphraseMini_default_")
    edit(file, lambda content: content["scores"].pop("antonyms"))
    assert published().keys() == {"IdiomParaphraseMini_default_idioms"}


OTHERS = {
    "other rows": (
        r'(compound_mini@|"dataset_revision": ")3',
        r"\g<1>3+unverified-1",
        "is not of compound_mini@3",
    ),
    "earlier measure": (
        r"measure:epsilon-\d+",
        "measure:epsilon-1",
        "was not measured by epsilon-",
    ),
    "protocol": (
        "naturalistic",
        "naturalistic_rebuilt",
        "not one of those that mteb runs by default",
    ),
}


@needs_newer_hub
@pytest.mark.parametrize(("old", "new", "said"), OTHERS.values(), ids=OTHERS)
def test_what_no_leaderboard_can_have_is_named_and_left_out(
    old, new, said, measured_copy, tmp_path
):
    (file,) = measured_copy.glob("results/planted__one/*/EpsilonCompositionalityMini.json")
    file.write_text(re.sub(old, new, file.read_text()))
    done = publish(measured_copy, MODEL, tmp_path)
    assert done.exit_code == 2
    assert f"{file}, naturalistic" in done.stderr
    assert said in done.stderr
    assert written(tmp_path).keys().isdisjoint({"EpsilonCompositionalityMini"}) and written(
        tmp_path
    )


@needs_newer_hub
def test_own_data_is_on_no_leaderboard(tmp_path):
    pairs = ROOT / "docs" / "own_data" / "faq_pairs.csv"
    result = measure(vectors_of(bag_of_words()), pairs, "merge_opposites", name="faq")
    result.save(tmp_path, model="planted/one")
    done = publish(tmp_path, "planted/one", tmp_path / "card")
    assert "faq.json, own: It is of own data. It is left out." in done.stderr
    assert not (tmp_path / "card").exists()


@pytest.mark.skipif(
    parse_eval_result_entries is not None, reason="this huggingface_hub is new enough"
)
def test_an_older_library_of_the_hub_is_named(measured_folder, tmp_path):
    done = publish(measured_folder, MODEL, tmp_path)
    assert (done.exit_code, done.stderr) == (
        2,
        "Error: Scores for the Hub need huggingface_hub 1.4 or newer, which defines their form.\n",
    )


@pytest.mark.slow
def test_mteb_makes_a_table_of_our_benchmark(tmp_path, monkeypatch):
    (tmp_path / "results").symlink_to(ROOT / "docs" / "example_results")
    monkeypatch.chdir(tmp_path)
    page = (ROOT / "docs" / "submitting.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```python\n(.*?)```", page, flags=re.DOTALL)
    exec(block, here := {})
    models = here["results"].get_benchmark_result()["Model"]
    assert any("all-MiniLM-L6-v2" in model for model in models)
