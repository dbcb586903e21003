"""Results in the schema of Every Eval Ever: valid against a pinned copy of it, and true to the
results.
"""

import hashlib
import json
import shutil
from pathlib import Path
from statistics import mean

import jsonschema
import pytest

from harness_ext.leaderboard.every_eval_ever import publish
from harness_ext.results.load import load_results
from tests.command_line import KNOWN, RESULTS, harness_ext
from tests.leaderboard.small_board import edit

ROOT = Path(__file__).parents[2]
SCHEMAS = Path(__file__).with_name("every_eval_ever")
TASK = "NounCompoundScaledSimilarityMini"


def validator(name):
    """The validator of one of the pinned schemas."""
    schema = json.loads((SCHEMAS / f"{name}.schema.json").read_text("utf-8"))
    jsonschema.Draft7Validator.check_schema(schema)
    return jsonschema.Draft7Validator(schema)


def logs_of(folder):
    """Each log below a folder, with its samples; all valid."""
    for file in sorted(folder.rglob("*.json")):
        log = json.loads(file.read_text("utf-8"))
        validator("eval").validate(log)
        named = log["detailed_evaluation_results"]
        content = (folder / named["file_path"]).read_bytes()
        assert named["checksum"] == hashlib.sha256(content).hexdigest()
        samples = [json.loads(line) for line in content.decode().splitlines()]
        assert named["total_rows"] == len(samples)
        check = validator("instance_level_eval")
        for sample in samples:
            check.validate(sample)
        yield log, samples


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    """The example results, by the literal command."""
    folder = tmp_path_factory.mktemp("exported")
    done = harness_ext("publish", RESULTS, "--format", "every-eval-ever", "--to", folder)
    assert done.exit_code == 0, done.output
    assert len(done.stdout.splitlines()) == len([*folder.rglob("*.json*")]) == 20
    return folder


@pytest.fixture(scope="module")
def logs(exported):
    """Each of their logs, with its samples, all valid: to be read, not to be changed."""
    return list(logs_of(exported))


@pytest.mark.slow
def test_every_result_and_sample_is_valid(logs):
    entries = load_results(RESULTS).entries
    found = {(log["model_info"]["id"], log["evaluation_id"].partition("/")[0]) for log, _ in logs}
    assert found == {(entry.model, entry.task) for entry in entries}
    assert len({log["evaluation_id"] for log, _ in logs}) == len(logs) == len(entries)


def test_scores_have_their_interval_with_level_and_method(logs):
    entries = {(entry.model, entry.task): entry for entry in load_results(RESULTS).entries}
    for log, samples in logs:
        entry = entries[log["model_info"]["id"], log["evaluation_id"].partition("/")[0]]
        main, *others = log["evaluation_results"]
        assert main["metric_config"]["metric_kind"] == entry.measure.main
        assert main["score_details"]["score"] == entry.main_score
        assert main["score_details"]["details"]["signature"] == str(entry.signature)
        for result in (main, *others):
            interval = result["score_details"]["uncertainty"]["confidence_interval"]
            low, high = entry.interval(result["metric_config"]["metric_kind"])
            assert (interval["lower"], interval["upper"]) == (low, high)
            assert interval["confidence_level"] == 0.95
            assert "bootstrap" in interval["method"]
        ids = {result["evaluation_result_id"] for result in log["evaluation_results"]}
        assert len(ids) == len(log["evaluation_results"])
        assert {sample["evaluation_result_id"] for sample in samples} == {
            main["evaluation_result_id"]
        }
        assert {sample["evaluation_id"] for sample in samples} == {log["evaluation_id"]}
        assert {sample["model_id"] for sample in samples} == {entry.model}


def test_samples_are_the_units_whose_mean_is_the_score(logs):
    (found,) = (
        (log, samples)
        for log, samples in logs
        if log["evaluation_id"].startswith(f"{TASK}/{KNOWN}/")
    )
    log, samples = found
    score = log["evaluation_results"][0]["score_details"]["score"]
    assert mean(sample["evaluation"]["score"] for sample in samples) == pytest.approx(score)
    assert len({sample["sample_id"] for sample in samples}) == len(samples) == 120
    assert json.loads(samples[0]["input"]["raw"]).keys() == {"compound", "class"}


def test_the_pinned_schema_refuses_what_it_should(exported):
    log, samples = next(logs_of(exported))
    interval = log["evaluation_results"][0]["score_details"]["uncertainty"]["confidence_interval"]
    del interval["lower"]
    with pytest.raises(jsonschema.ValidationError, match="'lower' is a required property"):
        validator("eval").validate(log)
    with pytest.raises(jsonschema.ValidationError, match="'output' is a required property"):
        validator("instance_level_eval").validate(
            {key: part for key, part in samples[0].items() if key != "output"}
        )


@pytest.mark.slow
def test_a_model_of_the_board_is_valid(tmp_path):
    """With subsets, ranges without an end, and names that no folder can have."""
    files, problems = publish(ROOT / "leaderboard", tmp_path, model="gemma-3-270m")
    assert not problems
    logs = [*logs_of(tmp_path)]
    assert len(files) == 2 * len(logs) > 20
    assert {file.parent.name for file in files} == {"gemma-3-270m-lm_states-mean"}


def test_the_same_result_has_the_same_files(tmp_path):
    folders = [tmp_path / "one", tmp_path / "other"]
    texts = []
    for folder in folders:
        files, _ = publish(RESULTS, folder, model=KNOWN, tasks=[TASK], now=0)
        texts.append({file.relative_to(folder): file.read_text("utf-8") for file in files})
    assert texts[0] == texts[1]


def test_a_date_that_has_no_seconds_is_left_out(tmp_path):
    results = shutil.copytree(RESULTS, tmp_path / "results")
    for file in results.rglob(f"{TASK}.json"):
        edit(file, lambda content: content.update(date="0001-01-01T00:00:00"))
    publish(results, tmp_path / "published", model=KNOWN, tasks=[TASK], now=0)
    logs = [json.loads(file.read_text("utf-8")) for file in tmp_path.glob("published/**/*.json")]
    assert logs
    assert not any("evaluation_timestamp" in log for log in logs)


def test_the_hub_needs_a_model_and_an_organization():
    for arguments, missing in ((["--org", "acme"], "--model"), (["-m", KNOWN], "--org")):
        failed = harness_ext("publish", RESULTS, *arguments)
        assert failed.exit_code == 2
        assert missing in failed.stderr
