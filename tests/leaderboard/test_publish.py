"""What is written for the Hub: a card that the Hub's own classes read, and records that their schemas accept."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest
from huggingface_hub import ModelCard

from harness_ext.catalogue.every_row import ENCODER_TASKS
from harness_ext.leaderboard.publish import write_card, write_records
from harness_ext.results.load import load_results
from tests.results.planted_items import planted_items, write_entry

from .conftest import MODEL

SCHEMAS = Path(__file__).parents[2].with_name("shared") / "every_eval_ever"


def publish(*arguments):
    command = [str(Path(sys.executable).with_name("harness-ext")), "publish", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def records(folder: Path) -> tuple[dict, list[dict]]:
    """The record of all scores, and those of the units."""
    (samples,) = folder.glob("data/*/*/*/*_samples.jsonl")
    (record,) = samples.parent.glob("*.json")
    return json.loads(record.read_text()), [json.loads(line) for line in samples.read_text().splitlines()]


@pytest.fixture(scope="module")
def published(results, tmp_path_factory):
    folder = tmp_path_factory.mktemp("published")
    found = publish(results, "-m", MODEL, "--to", folder)
    assert found.returncode == 0, found.stderr
    return folder


def test_the_card_has_the_main_scores_and_gains_of_the_results(results, published):
    card = ModelCard.load(published / "README.md")
    assert card.data.model_name == MODEL
    found = {(one.task_name, one.metric_type): one.metric_value for one in card.data.eval_results}
    for entry in load_results(results, models=MODEL).entries:
        assert found[entry.task, entry.measure.main] == pytest.approx(entry.main_score)
        gain = f"gain_{entry.measure.main}"
        assert found.get((entry.task, gain)) == entry.scores.get(gain)


def test_a_card_that_is_there_keeps_its_text_and_the_results_of_others(results, published, tmp_path):
    there = (published / "README.md").read_text().replace(f"# {MODEL}", "# My model\n\nIts text.")
    (tmp_path / "README.md").write_text(there.replace("EpsilonCompositionalityMini", "AnotherTask"))
    assert publish(results, "-m", MODEL, "--to", tmp_path).returncode == 0
    once = ModelCard.load(tmp_path / "README.md")
    assert "Its text." in once.text
    tasks = {one.task_name for one in once.data.eval_results}
    assert {"AnotherTask", "EpsilonCompositionalityMini"} <= tasks
    n = len(once.data.eval_results)
    assert publish(results, "-m", MODEL, "--to", tmp_path).returncode == 0
    assert len(ModelCard.load(tmp_path / "README.md").data.eval_results) == n


def test_records_of_units_belong_to_a_score_of_the_model(published):
    record, samples = records(published)
    details = record["detailed_evaluation_results"]
    text = (published / details["file_path"]).read_bytes()
    assert details["checksum"] == hashlib.sha256(text).hexdigest()
    assert details["total_rows"] == len(samples) > 0
    ids = {result["evaluation_result_id"] for result in record["evaluation_results"]}
    assert {sample["evaluation_result_id"] for sample in samples} <= ids
    assert {sample["evaluation_id"] for sample in samples} == {record["evaluation_id"]}
    rights = {sample["evaluation"]["is_correct"] for sample in samples}
    assert rights == {True, False}


@pytest.mark.real_data
def test_records_are_valid_by_the_schemas_of_their_makers(published, tmp_path):
    """The schemas are not ours to ship."""
    if not (SCHEMAS / "instance_level_eval.schema.json").is_file():
        pytest.skip("the schemas of Every Eval Ever are not here: put them into ../shared/every_eval_ever")
    of_record, of_sample = (
        jsonschema.Draft7Validator(json.loads((SCHEMAS / name).read_text()))
        for name in ("eval.schema.json", "instance_level_eval.schema.json")
    )
    entries = [write_entry(tmp_path, name, planted_items(name, seed=1, n=12), "a/b") for name in ENCODER_TASKS]
    write_card(tmp_path / "README.md", "a/b", entries)
    write_records(tmp_path, entries)
    for folder in (published, tmp_path):
        record, samples = records(folder)
        assert [*of_record.iter_errors(record)] == []
        assert [error for sample in samples for error in of_sample.iter_errors(sample)] == []
        assert len({(one["evaluation_result_id"], one["sample_id"]) for one in samples}) == len(samples)


def test_a_model_without_results_is_named(results, tmp_path):
    found = publish(results, "-m", "no/such", "--to", tmp_path)
    assert found.returncode == 1
    assert "no/such" in found.stderr
    assert "Traceback" not in found.stderr
