"""What is written for the Hub: a card that the Hub's own classes read."""

from __future__ import annotations

import pytest
from huggingface_hub import ModelCard

from harness_ext.results.load import load_results
from tests.command_line import harness_ext

from .conftest import MODEL


def publish(*arguments):
    return harness_ext("publish", *arguments)


@pytest.fixture(scope="module")
def published(measured_folder, tmp_path_factory):
    folder = tmp_path_factory.mktemp("published")
    found = publish(measured_folder, "-m", MODEL, "--to", folder)
    assert found.exit_code == 0, found.stderr
    return folder


@pytest.mark.slow
def test_the_card_has_the_main_scores_and_gains_of_the_results(measured_folder, published):
    card = ModelCard.load(published / "README.md")
    assert card.data.model_name == MODEL
    found = {(one.task_name, one.metric_type): one.metric_value for one in card.data.eval_results}
    for entry in load_results(measured_folder, models=MODEL).entries:
        assert found[entry.task, entry.measure.main] == pytest.approx(entry.main_score)
        gain = f"gain_{entry.measure.main}"
        assert found.get((entry.task, gain)) == entry.scores.get(gain)


def test_a_card_that_is_there_keeps_its_text_and_the_results_of_others(measured_folder, published, tmp_path):
    there = (published / "README.md").read_text().replace(f"# {MODEL}", "# My model\n\nIts text.")
    (tmp_path / "README.md").write_text(there.replace("EpsilonCompositionalityMini", "AnotherTask"))
    assert publish(measured_folder, "-m", MODEL, "--to", tmp_path).exit_code == 0
    once = ModelCard.load(tmp_path / "README.md")
    assert "Its text." in once.text
    tasks = {one.task_name for one in once.data.eval_results}
    assert {"AnotherTask", "EpsilonCompositionalityMini"} <= tasks
    n = len(once.data.eval_results)
    assert publish(measured_folder, "-m", MODEL, "--to", tmp_path).exit_code == 0
    assert len(ModelCard.load(tmp_path / "README.md").data.eval_results) == n


def test_a_model_without_results_is_named(measured_folder, tmp_path):
    found = publish(measured_folder, "-m", "no/such", "--to", tmp_path)
    assert found.exit_code == 2
    assert "no/such" in found.stderr
    assert "Traceback" not in found.stderr
