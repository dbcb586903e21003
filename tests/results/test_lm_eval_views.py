"""Figures, reports and explanations of what lm-eval has measured."""

from __future__ import annotations

import hashlib
from dataclasses import replace

import numpy as np
import pytest
from datasets import load_dataset

from harness_ext.language_models.answer_distribution import OPTIONS, AnswerDocuments, AnswerItems
from harness_ext.language_models.figurative import FIGURATIVE, FigurativeDocuments, FigurativeItems
from harness_ext.language_models.rating import RATING, RatingDocuments, RatingItems
from harness_ext.results.load import load_results
from harness_ext.show.figures import figures_of
from harness_ext.show.views import language_model_views as views
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


def test_the_view_of_ratings():
    names = np.array([hashlib.md5(bytes([number])).hexdigest() for number in range(6)])
    people, zeros = np.arange(6.0), np.zeros(6, int)
    upside_down = RatingDocuments(names, names, np.full(6, "NC"), people[::-1].copy(), people, zeros, people, zeros)
    view = views.rating(RatingItems(upside_down))
    by_name = dict(zip(view.units.facts["compound"].tolist(), view.wrong.tolist(), strict=True))
    assert by_name[names[0]] == by_name[names[5]] == 1
    assert by_name[names[2]] == pytest.approx(0.2)
    declared = view_of_items(replace(RATING, name="contributed"), RatingItems(upside_down))
    assert dict(zip(declared.units.facts["compound"].tolist(), declared.wrong.tolist(), strict=True)) == by_name
    same = RatingDocuments(names, names, np.full(6, "NC"), people, people, zeros, people, zeros)
    assert (views.rating(RatingItems(same)).wrong == 0).all()


def columns_of(table, **given):
    """A table with these columns, and the same neutral value in every row of the others."""
    neutral = {str: "", float: 0.0, int: 1}
    n = len(next(iter(given.values())))
    others = {field: [neutral[dtype]] * n for field, dtype, _ in table.columns().values()}
    return table(**{**others, **given})


def test_the_view_of_figurative_entailment():
    """Leans by hand: 2 and −1 of the first sentence, 0 and 3 of the second."""
    documents = columns_of(
        FigurativeDocuments,
        triple=["one", "one", "two", "two"],
        set=["idioms"] * 4,
        side=["entailed", "not_entailed"] * 2,
        yes=[-1.0, -4.0, -2.0, -1.0],
        no=[-3.0, -3.0, -2.0, -4.0],
    )
    items = FigurativeItems(documents)
    view = views.figurative_entailment(items)
    assert view.units.facts["triple"].tolist() == ["one", "two"]
    assert view.units.facts["set"].tolist() == ["idioms", "idioms"]
    assert view.units.figures["margin"].tolist() == [3, -3]
    assert view.wrong.tolist() == [-3, 3]
    assert np.mean(view.wrong < 0) == replace(FIGURATIVE, fewest_units=1).flat_scores(items)["preference_idioms"]


def test_the_view_of_distributions_over_answers():
    """People are surer of each phrase than of the last; the model is the other way round."""
    numbers = np.arange(5)
    certain = {f"people_{option}": (numbers == place).astype(int) for place, option in enumerate(OPTIONS)}
    likely = {option: np.where(numbers[::-1] == place, 50.0, 0.0) for place, option in enumerate(OPTIONS)}
    documents = columns_of(AnswerDocuments, adjective=["fake"] * 5, noun=list("abcde"), **certain, **likely)
    view = views.answer_distribution(AnswerItems(documents))
    assert view.units.facts["phrase"].tolist() == [f"fake {letter}" for letter in "abcde"]
    assert view.units.facts["people's mean rating"].tolist() == [1, 2, 3, 4, 5]
    assert view.units.figures["mean rating"] == pytest.approx([5, 4, 3, 2, 1])
    assert view.wrong.tolist() == [1, 0.5, 0, 0.5, 1]
