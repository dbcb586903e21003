"""What lm-eval writes is read beside what mteb writes: its scores as they are, its samples as
items; and shown.
"""

import json
import shutil

import lm_eval
import numpy as np
import pytest
from datasets import load_dataset
from lm_eval.loggers import EvaluationTracker

from harness_ext.results.compare import ComparisonError, compare
from harness_ext.results.load import load_results
from harness_ext.results.unit_views import view_of
from harness_ext.show.comparison_tables import pairs
from harness_ext.show.figures import figures_of
from harness_ext.store.item_files import ItemsError

from ..tasks.lm_eval.conftest import ScriptedLM, our_tasks
from . import scripted_output as scripted
from .scripted_output import (
    N_PAIRS,
    PAIRS,
    TASKS,
    edited,
    entry_of,
    result_file,
    samples_file,
)

OF_BOTH = (PAIRS, "compound_question_mini")
"""The tasks of the model that guesses."""


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    """What lm-eval has written of two scripted language models, one on all tasks, and what it
    returned of that one.
    """
    folder = tmp_path_factory.mktemp("output")
    returned = scripted.save(folder, "scripted/knows", scripted.knows_idioms())
    scripted.save(folder, "scripted/guesses", scripted.guesses_otherwise, OF_BOTH)
    return folder, returned


@pytest.fixture
def output(measured, tmp_path):
    """A copy that a test may damage."""
    return shutil.copytree(measured[0], tmp_path / "output")


def test_scores_are_what_lm_eval_returned_and_follow_from_the_samples(measured):
    folder, returned = measured
    results = load_results(folder)
    assert results.problems == ()
    tasks = [entry.task for entry in results.entries if entry.model == "scripted/knows"]
    assert tasks == list(TASKS)
    for task in TASKS:
        entry = entry_of(folder, task)
        measure = entry.measure
        scores = returned["results"][task]
        assert entry.main_score == scores["main_score,none"]
        assert entry.main_score == scores[f"{measure.main},none"]
        for key in measure.declarations:
            expected = scores.get(f"{key},none", np.nan)
            if np.isnan(expected):  # as ρ with answers that are all right
                assert key not in entry.scores
            else:
                assert entry.scores[key] == expected
        from_samples = measure.flat_scores(entry.items())
        assert from_samples == pytest.approx(dict(entry.scores), abs=1e-12)


def test_what_an_entry_says_of_itself(measured):
    folder, _ = measured
    entry = entry_of(folder)
    assert entry.revision == "no_revision_available"
    assert entry.subset == "default"
    assert entry.split == "test"
    documents = entry.items().documents
    is_idiom = documents.class_ == "NC"
    n = len(set(documents.compound[is_idiom]))
    z2 = 3.841459  # Wilson's interval of n of n, with the correction for continuity
    root = np.sqrt(z2 * (z2 + 2 - 1 / n))
    expected = 1 - (z2 + 1 + root) / (2 * (n + z2))
    low, high = entry.interval()
    assert low == pytest.approx(expected, abs=1e-5)
    assert high == 1
    assert entry.signature.dataset == "compound_mini/default"
    assert entry.signature.measure == "minimal_pairs-3"
    assert entry.signature.task == f"{PAIRS}-3"


def test_a_model_that_knows_idioms_is_better_than_one_that_guesses(measured):
    folder, _ = measured
    (found,) = compare(load_results(folder, [PAIRS]).entries)
    assert found.first_score == pytest.approx(found.first.main_score)
    assert found.second_score == 1
    assert found.is_significant
    assert "scripted/knows is better than scripted/guesses" in pairs([found]).note


def test_without_samples_there_are_scores_but_no_items(output):
    for file in output.rglob("samples_*"):
        file.unlink()
    entry = entry_of(output)
    assert entry.main_score == 1
    with pytest.raises(ItemsError) as error:
        compare(load_results(output, [PAIRS]).entries)
    assert "made without --log_samples" in str(error.value)
    assert f"run lm-eval on {PAIRS} with the same settings and --log_samples" in str(error.value)


def test_the_last_run_counts_and_one_on_other_data_is_another_result(output):
    file = result_file(output)
    content = json.loads(file.read_text())
    scores = content["results"][PAIRS]
    scores |= {"main_score,none": 0.25, "accuracy_NC,none": 0.25}
    content["results"] = {PAIRS: scores}
    content["configs"] = {PAIRS: content["configs"][PAIRS]}

    def write_run(time):
        name = f"results_{time}.json"
        file.with_name(name).write_text(json.dumps(content))

    write_run("2000-01-01T00-00-00")
    assert entry_of(output).main_score == 1
    write_run("2999-01-01T00-00-00.5")
    assert entry_of(output).main_score == 0.25
    content["n-samples"][PAIRS]["effective"] = 48
    write_run("2999-01-01T00-00-00.6")
    found = load_results(output, [PAIRS], ["scripted/knows"]).entries
    assert [entry.split for entry in found] == ["test", "test[:48]"]


@pytest.mark.parametrize(
    "arguments",
    [
        {"pretrained": "scripted/knows", "dtype": "bfloat16", "revision": "abc"},
        # as an earlier lm-eval writes them
        "pretrained=scripted/knows,dtype=bfloat16,revision=abc",
    ],
)
def test_what_was_set_otherwise_is_part_of_the_name(output, arguments):
    def few_shots(content):
        content["n-shot"][PAIRS] = 4
        content["chat_template"] = "{{ messages }}"
        content["config"]["model_args"] = arguments
        content["config"]["model_sha"] = "abc123"

    edited(result_file(output), few_shots)
    name = "scripted/knows [dtype=bfloat16, num_fewshot=4, chat template]"
    assert entry_of(output, model=name).revision == "abc123"


def test_other_documents_cannot_be_compared(output):
    file = samples_file(output)
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    lines[0]["main_score"][0] += "-another"
    file.write_text("\n".join(map(json.dumps, lines)))
    with pytest.raises(ComparisonError, match=rf"not of the same documents of {PAIRS}"):
        compare(load_results(output, [PAIRS]).entries)


def test_results_of_other_tasks_are_none_of_our_business(output):
    def other(content):
        for part in ("results", "configs", "n-samples"):
            content[part] = {"hellaswag": content[part][PAIRS]}
        config = content["configs"]["hellaswag"]
        config["metric_list"] = [{"metric": "acc", "aggregation": "mean"}]

    edited(result_file(output), other)
    results = load_results(output)
    assert results.problems == ()
    assert {entry.model for entry in results.entries} == {"scripted/guesses"}


def test_a_run_without_scores_is_named(tmp_path):
    """As `--predict_only` of lm-eval makes them, by its own code."""
    result = lm_eval.simple_evaluate(
        ScriptedLM(),
        tasks=[PAIRS],
        task_manager=our_tasks(),
        limit=5,
        bootstrap_iters=0,
        predict_only=True,
    )
    tracker = EvaluationTracker(output_path=str(tmp_path))
    tracker.general_config_tracker.log_experiment_args(
        "hf", {"pretrained": "one"}, None, None, False
    )
    tracker.save_results_aggregated(result, result.pop("samples"))
    (problem,) = load_results(tmp_path).problems
    assert problem.endswith(
        f"{PAIRS} has no scores: it was run with --predict_only. Run it without."
    )


def test_there_is_nothing_of_a_task(tmp_path):
    with pytest.raises(
        FileNotFoundError, match=f"lm-eval run --tasks {PAIRS} --model hf .* --log_samples"
    ):
        load_results(tmp_path, [PAIRS])


@pytest.mark.parametrize("task", OF_BOTH)
def test_figures_show_each_score_of_every_model(measured, task):
    folder, _ = measured
    (figure,) = figures_of(load_results(folder, [task]).entries)
    (values,) = figure.chart.to_dict()["datasets"].values()
    for model in ("knows", "guesses"):
        entry = entry_of(folder, task, f"scripted/{model}")
        rows = {row["score"]: row for row in values if row["model"] == model}
        shown = rows[entry.measure.main]
        assert shown["value"] == pytest.approx(entry.main_score, rel=1e-3)
        interval = (shown["low"], shown["high"])
        assert interval == pytest.approx(entry.interval(), rel=1e-3)


@pytest.mark.parametrize("task", [PAIRS, "compound_question_mini", "epsilon_surprisal_mini"])
def test_the_views_of_idioms_have_the_scores(measured, task):
    folder, _ = measured
    entry = entry_of(folder, task)
    view = view_of(entry.measure, entry.items())
    is_idiom = view.facts["class"] == "NC"
    values = view.figures[f"value in {entry.measure.main}"]
    expected = entry.main_score
    if task == "epsilon_surprisal_mini":
        expected = entry.scores["rank_share_NC"]
    assert np.nanmean(values[is_idiom]) == pytest.approx(expected)
    if task == PAIRS:
        assert (view.wrong[is_idiom] == 0).all()
        assert np.isnan(view.wrong[~is_idiom]).all()
        rows = load_dataset("compound_mini", split="naturalistic")
        compounds = {row["id"]: row["compound"] for row in rows}
        assert view.facts["compound"].tolist() == [compounds[row] for row in view.rows]


def test_the_path_of_a_file_is_a_path_that_lm_eval_was_given(measured, tmp_path):
    """It adds the time to its name: `--output_path out.json` writes `out_<time>.json`."""
    file = result_file(measured[0])
    for each in file.parent.iterdir():
        shutil.copy(each, tmp_path / each.name.replace("results_", "out_"))
    entries = load_results(tmp_path / "out.json").entries
    assert {entry.task for entry in entries} == {*TASKS}
    assert all(entry.samples for entry in entries)


def in_result(**changes):
    """Damage to the scores of a task."""

    def change(content):
        for key, value in changes.items():
            content["results"][PAIRS][f"{key},none"] = value

    return change


def without_a_number_of_documents(content):
    del content["n-samples"][PAIRS]


def without_a_name_of_the_model(content):
    del content["model_name"]


def with_configs_in_a_list(content):
    content["configs"] = []


DAMAGES = {
    "a main score that is null": (PAIRS, in_result(main_score=None)),
    "a main score that is not the score it is": (PAIRS, in_result(main_score=0.5)),
    "a main score that is not defined": (PAIRS, in_result(main_score=float("nan"))),
    "no number of documents": (PAIRS, without_a_number_of_documents),
    "no name of the model": ("", without_a_name_of_the_model),
    "configs that are a list": ("", with_configs_in_a_list),
    "half a file": ("", None),
}
"""How a result can be wrong -> the task that it spoils, or all (empty), and what is done to the
JSON.
"""


@pytest.mark.parametrize("damage", DAMAGES)
def test_what_is_damaged_is_named_and_the_rest_is_read(output, damage):
    file = result_file(output)
    task, change = DAMAGES[damage]
    if change:
        edited(file, change)
    else:
        file.write_bytes(file.read_bytes()[:999])
    results = load_results(output)
    assert len(results.problems) == 1
    assert str(file) in results.problems[0]
    assert "\n" not in results.problems[0]
    tasks = {"scripted/guesses": set(), "scripted/knows": set()}
    for entry in results.entries:
        tasks[entry.model].add(entry.task)
    assert tasks["scripted/guesses"] == {*OF_BOTH}
    spoilt = {task} if task else {*TASKS}
    assert tasks["scripted/knows"] == {*TASKS} - spoilt


def in_first_sample(place, value):
    """Damage to the row of the first sample."""

    def change(lines):
        sample = json.loads(lines[0])
        sample["main_score"][place] = value
        return [json.dumps(sample), *lines[1:]]

    return change


def cut_the_second(lines):
    first, second, *others = lines
    return [first, second[:40], *others]


def leave_out_the_last(lines):
    return lines[:-1]


SAMPLES = {
    "a line that is cut": (cut_the_second, "line 2"),
    "a last line that is not there": (
        leave_out_the_last,
        f"has {N_PAIRS - 1} samples, {N_PAIRS} expected",
    ),
    "a text in the place of a number": (in_first_sample(6, "?"), "main_score is not in every"),
    "a name that no file can hold": (in_first_sample(0, "\ud800"), "line 1"),
}


@pytest.mark.parametrize("damage", SAMPLES)
def test_damaged_samples_are_named(output, damage):
    change, message = SAMPLES[damage]
    file = samples_file(output)
    lines = change(file.read_text().splitlines())
    file.write_text("\n".join(lines))
    entry = entry_of(output)
    assert entry.main_score == 1
    with pytest.raises(ItemsError, match="samples_") as error:
        entry.items()
    assert str(file) in str(error.value)
    assert message in str(error.value)


def test_samples_of_another_run_are_not_taken_for_those_of_the_scores(output):
    shutil.copy(samples_file(output, model="guesses"), samples_file(output))
    with pytest.raises(
        ItemsError, match=r"samples_.* gives accuracy_NC 0\.\d+, results_.*\.json has 1: one of"
    ):
        entry_of(output).items()
