"""Figures, reports and explanations of what lm-eval has measured."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from datasets import load_dataset

from harness_ext.language_models.minimal_pairs import MINIMAL_PAIRS, MinimalPairDocuments, MinimalPairItems
from harness_ext.results.load import load_results
from harness_ext.show.figures import figures_of
from harness_ext.show.views import view_of as view_of_items

from .scripted_output import N_PAIRS, PAIRS, TASKS, entry_of


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
    _, view = view_of(measured[0], PAIRS)
    idioms = view.units.facts["class"] == "NC"
    assert (view.units.figures["accuracy"] == 1).all()
    assert (view.wrong[idioms] < 0).all()
    assert np.isnan(view.wrong[~idioms]).all()
    rows = {row["id"] for row in load_dataset("compound_mini", split="naturalistic")}
    assert set(view.comparisons.facts["row"]) <= rows
    assert len(view.comparisons.facts["row"]) == N_PAIRS


def test_the_views_of_questions_and_surprisal(measured):
    entry, view = view_of(measured[0], "compound_question_mini")
    idioms = view.units.facts["class"] == "NC"
    assert np.nanmean(view.units.figures["right, cloze"][idioms]) == pytest.approx(entry.main_score)
    assert np.nanmean(view.units.figures["literal, letter"][idioms]) == pytest.approx(entry.scores["letter_literal_NC"])
    entry, view = view_of(measured[0], "epsilon_surprisal_mini")
    idioms = view.units.facts["class"] == "NC"
    assert np.nanmean(view.units.figures["rank share"][idioms]) == pytest.approx(entry.scores["rank_share_NC"])


def test_a_contributed_rank_correlation_is_seen_by_rank():
    people, ones = np.arange(6.0), np.ones(6, int)
    names = np.array([f"compound {number}" for number in range(6)])
    given = {"id": names, "compound": names, "class_": np.full(6, "NC"), "comp": people, "syn": people[::-1].copy()}
    others = {field: ones for field, _, _ in MinimalPairDocuments.columns().values() if field not in given}
    measure = replace(MINIMAL_PAIRS, name="contributed", main="affinity_lm_spearman")
    view = view_of_items(measure, MinimalPairItems(MinimalPairDocuments(**given, **others)))
    by_name = dict(zip(view.units.facts["compound"].tolist(), view.wrong.tolist(), strict=True))
    assert by_name[names[0]] == by_name[names[5]] == 1
    assert by_name[names[2]] == pytest.approx(0.2)
