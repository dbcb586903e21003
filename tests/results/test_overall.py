"""Overall places: the lists, the scale by hand, and what does not change them."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness_ext.measures.core.baseline_keys import gain_key
from harness_ext.results.load import load_results
from harness_ext.results.overall import (
    category_means,
    columns_of,
    lacking,
    lists_of,
    overall_places,
    values_of,
)
from harness_ext.results.ranking_columns import Column, Row
from harness_ext.results.ranks import Estimate
from harness_ext.statistics.bootstrap import N_RESAMPLES
from harness_ext.tasks import ENCODER_TASKS
from harness_ext.tasks.overall import LISTS, ListedColumn
from tests.planted import PlantedModel, bag_of_words, entries_of

ROLES = {
    "role_swap": ListedColumn("RoleSwapSimilarity", "default", "role_swap-4", ("test",)),
    "gs2011": ListedColumn("TransitiveSimilarity", "gs2011", "transitive_similarity-4", ("test",)),
}
CAPTIONS = ListedColumn("CaptionSwap", "default", "caption_swap-5", ("all",))
EPSILON = LISTS["english"][0]
ONE = Row("a/one", "1", "")
OTHER = Row("a/other", "1", "")


def noisy(score, seed, spread=0.01):
    """A score above chance whose resamples spread around it."""
    rng = np.random.default_rng(seed)
    drawn = rng.normal(score, spread, N_RESAMPLES)
    return Estimate(score, None, drawn.astype(np.float32), 200)


def values(listed, **scores):
    """Column -> model -> its value, of a number per listed column."""
    rows = {"one": ONE, "other": OTHER}
    values_of_columns = {}
    for place, listed_column in enumerate(listed):
        column, *_ = columns_of(listed_column)
        values_of_columns[column] = {}
        for name, scores_of_model in scores.items():
            values_of_columns[column][rows[name]] = noisy(scores_of_model[place], place)
    return values_of_columns


def default_columns():
    """Task, subset and split of full tasks of a category, without `MergeOpposites` -> languages."""
    columns = {}
    for task in ENCODER_TASKS.values():
        if not task.category or task.quick or task.name == "MergeOpposites":
            continue
        for subset, split in product(task.subsets, task.splits):
            codes = [language.partition("-")[0] for language in task.languages[subset]]
            columns[task.name, subset, split] = {*codes}
    return columns


@pytest.mark.parametrize("name", LISTS)
def test_a_list_has_every_default_column_and_today_s_measures(name):
    """Polarity alone is not as by default: it is without the training sentences, which few will
    encode.
    """
    listed = LISTS[name]
    expected = set()
    for place, languages in default_columns().items():
        if place[0] == "PolaritySensitivity":
            place = ("PolaritySensitivity", "default", "reference_trained_on_dev")
        if name == "all" or "eng" in languages:
            expected.add(place)
    places = {(column.task, column.subset, column.splits[0]) for column in listed}
    assert places == expected
    n_columns = {"english": 17, "all": 30}
    assert len(listed) == len(expected) == n_columns[name]
    for column in listed:
        measure = ENCODER_TASKS[column.task].measure
        score = measure.main_declaration
        assert column.measure == measure.definition
        assert not measure.exploratory
        assert score.chance is not None
        assert np.isfinite(score.range).all()


def test_english_is_a_part_of_all():
    assert {*LISTS["english"]} < {*LISTS["all"]}


def test_the_scale_by_hand():
    """People reach .875 on role swaps, so .35 is .4; a caption's chance is a third, so .2 above it
    is .3 of ⅔.

    The mean of both tasks of roles is (.4 + .2) / 2 = .3; that over categories, with .1 / .5 = .2
    of ε, (.3 + .2) / 2.
    """
    roles = tuple(ROLES.values())

    def mean_of_roles(listed, scores):
        means = category_means(listed, values(listed, one=scores))
        return means["roles of words"][ONE].score

    assert mean_of_roles(roles, (0.35, 0.2)) == pytest.approx(0.3)
    assert mean_of_roles([CAPTIONS], (0.2,)) == pytest.approx(0.3)
    listed = (*roles, EPSILON)
    measured = values(listed, one=(0.35, 0.2, 0.1))
    (place,) = overall_places(listed, measured).values()
    assert place.mean.score == pytest.approx((0.3 + 0.2) / 2)
    low, high = place.mean.interval
    errors = (0.01 / 0.875 / 4, 0.01 / 4, 0.01 / 0.5 / 2)  # of independent columns
    assert low < place.mean.score < high
    width = 2 * 1.96 * np.linalg.norm(errors)
    assert high - low == pytest.approx(width, rel=0.1)


def test_a_model_without_a_column_has_no_place_and_is_told_which():
    roles = tuple(ROLES.values())
    measured = values(roles, one=(0.35, 0.2), other=(0.3, 0.1))
    assert overall_places(roles, measured).keys() == {ONE, OTHER}
    column, *_ = columns_of(ROLES["gs2011"])
    del measured[column][OTHER]
    assert overall_places(roles, measured).keys() == {ONE}
    assert lacking(roles, measured, OTHER) == ["TransitiveSimilarity (gs2011 test)"]
    assert lacking(roles, measured, ONE) == []


def test_rebuilt_sentences_count_where_a_model_lacks_the_authors():
    authors, rebuilt = columns_of(EPSILON)
    assert authors.split == "naturalistic"
    assert rebuilt.split == "naturalistic_rebuilt"
    both = {
        authors: {ONE: noisy(0.1, 1)},
        rebuilt: {ONE: noisy(0.2, 2), OTHER: noisy(0.3, 3)},
    }
    places = overall_places([EPSILON], both)
    scores = {row: place.mean.score for row, place in places.items()}
    assert scores == {OTHER: 0.6, ONE: 0.2}
    assert [str(place.ranks) for place in places.values()] == ["1", "2"]


@pytest.mark.parametrize(
    "changed",
    [{"dataset": "ncimp@1"}, {"measure": "epsilon-5"}, {"split": "neutral"}, {"subset": "pt"}],
)
def test_other_data_and_other_definitions_do_not_count(changed):
    column, _ = columns_of(EPSILON)
    assert lists_of(column) == ["english", "all"]
    other = column._replace(**changed)
    assert lists_of(other) == []
    measured = {other: {ONE: noisy(0.1, 1)}}
    assert overall_places([EPSILON], measured) == {}


SCORES = st.lists(st.floats(-0.5, 0.5), min_size=17, max_size=17)
LACKING = st.sets(st.integers(0, 16), max_size=2)
MODELS = st.lists(st.tuples(SCORES, LACKING), min_size=1, max_size=5)
"""Scores of each model in the columns of the list, and the columns that it lacks."""
"""For each model a value in each column of the list `english`, and the columns that it lacks."""


@given(MODELS, st.data())
def test_removing_or_copying_a_model_changes_no_other_s_score(models, data):
    def of(numbers):
        measured: dict[Column, dict[Row, Estimate]] = {}
        for name, number in numbers.items():
            scores, lacks = models[number]
            for place, listed in enumerate(LISTS["english"]):
                if place not in lacks:
                    score = scores[place]
                    *_, column = columns_of(listed)
                    of_column = measured.setdefault(column, {})
                    of_column[Row(name, "1", "")] = Estimate(score, (score - 0.1, score + 0.1))
        means = {}
        for category, estimates in category_means(LISTS["english"], measured).items():
            means[category] = {row.model: mean.score for row, mean in estimates.items()}
        overall = {}
        for row, place in overall_places(LISTS["english"], measured).items():
            overall[row.model] = (place.mean.score, place.mean.interval)
        return overall, means

    everybody = {f"m/{number}": number for number in range(len(models))}
    overall, means = of(everybody)
    complete = {f"m/{number}" for number, (_, lacks) in enumerate(models) if not lacks}
    assert overall.keys() == complete
    name = data.draw(st.sampled_from([*everybody]))
    n_copies = data.draw(st.integers(1, 12))
    copies = {f"copy/{number}": everybody[name] for number in range(n_copies)}
    without = dict(everybody)
    del without[name]
    for others in (without, everybody | copies):
        common = everybody.keys() & others.keys()

        def of_common(numbers, common=common):
            return {model: value for model, value in numbers.items() if model in common}

        overall_now, means_now = of(others)
        assert of_common(overall_now) == of_common(overall)
        for category, of_category in means_now.items():
            assert of_common(of_category) == of_common(means[category])


def test_values_are_scores_above_chance_or_what_another_key_has(tmp_path, monkeypatch):
    """As what lies over noise: here the gain, which is on the same scale."""
    task = "EpsilonCompositionalityMini"
    entries_of(PlantedModel(bag_of_words(1), "a/one"), task, tmp_path)
    (entry,) = load_results(tmp_path).entries
    column = ListedColumn(task, "default", entry.measure.definition, ("naturalistic",))
    monkeypatch.setitem(LISTS, "english", (column,))
    control = replace(entry, model="compositionality/length")
    main = entry.measure.main

    def score_of_place(key_of):
        found = values_of([entry, control], key_of)
        ((row, place),) = overall_places(LISTS["english"], found).items()
        assert row.model == "a/one"
        return place.mean.score

    above_chance = entry.scores[main] - 0.5
    assert score_of_place(str) == pytest.approx(above_chance / 0.5, abs=1e-6)
    gain = entry.scores[gain_key(main)]
    assert score_of_place(gain_key) == pytest.approx(gain / 0.5, abs=1e-6)
