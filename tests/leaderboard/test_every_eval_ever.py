"""Results in the schema of Every Eval Ever."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from harness_ext.catalogue.every_row import ENCODER_TASKS
from harness_ext.leaderboard.checks.records import Records
from harness_ext.leaderboard.checks.trust import trust_of
from harness_ext.leaderboard.every_eval_ever import every_eval_ever
from harness_ext.results.load import load_results
from tests.results.planted_items import planted_items, write_entry

SHARED = Path(__file__).parents[2].with_name("shared")
BOARD = {"retrieved": 1.8e9, "source": "A board", "organization": "Its makers"}


@pytest.fixture
def validator():
    """Of the schema as its makers published it, which is not ours to ship."""
    path = SHARED / "every_eval_ever" / "eval.schema.json"
    if not path.is_file():
        pytest.skip("the schema of Every Eval Ever is not here: put eval.schema.json into ../shared/every_eval_ever")
    return jsonschema.Draft7Validator(json.loads(path.read_text()))


@pytest.mark.real_data
def test_results_of_every_task_are_valid(validator, tmp_path):
    entries = [write_entry(tmp_path, name, planted_items(name, seed=1, n=12), "a/b") for name in ENCODER_TASKS]
    (record,) = every_eval_ever(entries, **BOARD)
    content = json.loads(json.dumps(record, allow_nan=False))
    assert [*validator.iter_errors(content)] == []
    assert {result["evaluation_name"] for result in content["evaluation_results"]} == ENCODER_TASKS.keys()
    ids = [result["evaluation_result_id"] for result in content["evaluation_results"]]
    assert len(ids) == len(set(ids))


@pytest.mark.real_data
def test_results_of_runs_are_valid(validator, results):
    entries = load_results(results).entries
    trust = {entry: trust_of(entry, Records())[0] for entry in entries}
    metadata = {(entry.model, entry.revision): {"open_weights": True, "n_parameters": 7} for entry in entries}
    records = list(every_eval_ever(entries, **BOARD, trust=trust, metadata=metadata))
    assert [record["model_info"]["id"] for record in records] == ["planted/one", "planted/other"]
    for record in records:
        assert [*validator.iter_errors(json.loads(json.dumps(record, allow_nan=False)))] == []
        assert record["model_info"]["additional_details"]["model_availability"] == "open_weights"
        for result in record["evaluation_results"]:
            assert result["score_details"]["details"]["trust"] == "recomputed"


def test_a_score_has_its_value_its_interval_and_its_range(results):
    entry = load_results(results).entries[0]
    (record,) = every_eval_ever([entry], **BOARD)
    by_id = {result["evaluation_result_id"]: result for result in record["evaluation_results"]}
    main = by_id["EpsilonCompositionalityMini/default/naturalistic/auc_nc_vs_c"]
    low, high = entry.interval()
    interval = main["score_details"]["uncertainty"]["confidence_interval"]
    assert (main["score_details"]["score"], interval["lower"], interval["upper"]) == (entry.main_score, low, high)
    config = main["metric_config"]
    assert (config["min_score"], config["max_score"], config["lower_is_better"]) == (0, 1, False)
    assert config["additional_details"]["is_main_score"] == "true"
    count = by_id["EpsilonCompositionalityMini/default/naturalistic/n_pairs_C"]["metric_config"]
    assert (count["min_score"], count["max_score"]) == (0, "Infinity")
    assert not [one for one in by_id if one.endswith(("_ci_low", "_ci_high"))]
