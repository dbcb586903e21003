"""Figures, reports and explanations of what lm-eval has measured."""

from __future__ import annotations

import numpy as np
import pytest
from datasets import load_dataset

from harness_ext.results.load import load_results
from harness_ext.show.figures import figures_of
from harness_ext.show.views import view_of as view_of_items

from .scripted_output import PAIRS, TASKS, entry_of


@pytest.mark.parametrize("task", TASKS)
def test_figures_show_each_score_of_every_model(measured, task):
    (figure,) = figures_of(load_results(measured[0], [task]).entries)
    values = figure.chart.to_dict()["datasets"].popitem()[1] if "datasets" in figure.chart.to_dict() else None
    values = values or figure.chart.to_dict()["data"]["values"]
    for model in ("knows", "guesses"):
        entry = entry_of(measured[0], task, f"scripted/{model}")
        shown = {row["score"]: row for row in values if row["model"] == model}
        assert shown[entry.measure.main]["value"] == pytest.approx(entry.main_score, rel=1e-3)
        interval = shown[entry.measure.main]["low"], shown[entry.measure.main]["high"]
        if entry.interval() is None:  # with so few nouns, a resample may have none of a group
            assert (task, interval) == ("modifier_entailment", (None, None))
        else:
            assert interval == pytest.approx(entry.interval(), rel=1e-3)


def view_of(folder, task, model="scripted/knows"):
    entry = entry_of(folder, task, model)
    return entry, view_of_items(entry.measure, entry.items())


def test_the_view_of_paraphrases(measured):
    entry, view = view_of(measured[0], PAIRS)
    idioms = view.facts["class"] == "NC"
    assert (view.figures[entry.measure.main][idioms] == 1).all()
    assert (view.wrong[idioms] == 0).all()
    assert np.isnan(view.wrong[~idioms]).all()
    rows = {row["id"]: row["compound"] for row in load_dataset("compound_mini", split="naturalistic")}
    assert [rows[row] for row in view.rows] == view.facts["compound"].tolist()


@pytest.mark.parametrize("task", ["compound_question_mini", "epsilon_surprisal_mini"])
def test_the_views_of_questions_and_surprisal(measured, task):
    entry, view = view_of(measured[0], task)
    idioms, value = view.facts["class"] == "NC", view.figures[entry.measure.main]
    expected = entry.main_score if task == "compound_question_mini" else entry.scores["rank_share_NC"]
    assert np.nanmean(value[idioms]) == pytest.approx(expected)
