"""Overall places: the lists, the scale by hand, and what does not change them."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
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

ROLE_SWAPS = ListedColumn("RoleSwapSimilarity", "default", "role_swap-4", ("test",))
GS2011 = ListedColumn("TransitiveSimilarity", "gs2011", "transitive_similarity-4", ("test",))
ROLES = (ROLE_SWAPS, GS2011)
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
        of_models = values_of_columns[column] = {}
        for name, scores_of_model in scores.items():
            score = scores_of_model[place]
            of_models[rows[name]] = noisy(score, place)
    return values_of_columns


def default_columns():
    """Task, subset and split of full tasks of a category, without `MergeOpposites` -> languages."""
    columns = {}
    for task in ENCODER_TASKS.values():
        if not task.category or task.quick or task.name == "MergeOpposites":
            continue
        for subset, split in product(task.subsets, task.splits):
            languages = task.languages[subset]
            codes = {language.partition("-")[0] for language in languages}
            columns[task.name, subset, split] = codes
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

    def mean_of_roles(listed, scores):
        means = category_means(listed, values(listed, one=scores))
        return means["roles of words"][ONE].score

    assert mean_of_roles(ROLES, (0.35, 0.2)) == pytest.approx(0.3)
    assert mean_of_roles([CAPTIONS], (0.2,)) == pytest.approx(0.3)
    listed = (*ROLES, EPSILON)
    measured = values(listed, one=(0.35, 0.2, 0.1))
    (place,) = overall_places(listed, measured).values()
    assert place.mean.score == pytest.approx((0.3 + 0.2) / 2)
    low, high = place.mean.interval
    errors_of_columns = (  # which are independent
        0.01 / 0.875 / 4,
        0.01 / 4,
        0.01 / 0.5 / 2,
    )
    assert low < place.mean.score < high
    width = 2 * 1.96 * np.linalg.norm(errors_of_columns)
    assert high - low == pytest.approx(width, rel=0.1)


def test_a_model_without_a_column_has_no_place_and_is_told_which():
    measured = values(ROLES, one=(0.35, 0.2), other=(0.3, 0.1))
    assert overall_places(ROLES, measured).keys() == {ONE, OTHER}
    column, *_ = columns_of(GS2011)
    del measured[column][OTHER]
    assert overall_places(ROLES, measured).keys() == {ONE}
    assert lacking(ROLES, measured, OTHER) == ["TransitiveSimilarity (gs2011 test)"]
    assert lacking(ROLES, measured, ONE) == []


def test_rebuilt_sentences_count_where_a_model_lacks_the_authors():
    authors, rebuilt = columns_of(EPSILON)
    assert authors.split == "naturalistic"
    assert rebuilt.split == "naturalistic_rebuilt"
    both = {
        authors: {ONE: noisy(0.1, 1)},
        rebuilt: {ONE: noisy(0.2, 2), OTHER: noisy(0.3, 3)},
    }
    places = overall_places([EPSILON], both)
    assert places.keys() == {OTHER, ONE}
    assert places[OTHER].mean.score == 0.6
    assert str(places[OTHER].ranks) == "1"
    assert places[ONE].mean.score == 0.2
    assert str(places[ONE].ranks) == "2"


@pytest.mark.parametrize(
    "changed",
    [
        {"dataset": "ncimp@1"},
        {"measure": "epsilon-5"},
        {"split": "neutral"},
        {"subset": "pt"},
    ],
)
def test_other_data_and_other_definitions_do_not_count(changed):
    column, _ = columns_of(EPSILON)
    assert lists_of(column) == ["english", "all"]
    other = column._replace(**changed)
    assert lists_of(other) == []
    values_of_other = {ONE: noisy(0.1, 1)}
    assert overall_places([EPSILON], {other: values_of_other}) == {}


ENGLISH = LISTS["english"]


class PlantedScores(NamedTuple):
    """The scores of a model in each column of the list `english`, and the columns that it lacks."""

    scores: list[float]
    lacks: set[int]


MODELS = st.builds(
    PlantedScores,
    st.lists(st.floats(-0.5, 0.5), min_size=17, max_size=17),
    st.sets(st.integers(0, 16), max_size=2),
)


def planted_values(models: dict[str, PlantedScores]) -> dict[Column, dict[Row, Estimate]]:
    """Column of the list `english` -> model -> its value, with an interval."""
    measured: dict[Column, dict[Row, Estimate]] = {}
    for place, listed in enumerate(ENGLISH):
        *_, column = columns_of(listed)
        measured[column] = {}
        for name, model in models.items():
            if place not in model.lacks:
                score = model.scores[place]
                interval = (score - 0.1, score + 0.1)
                measured[column][Row(name, "1", "")] = Estimate(score, interval)
    return measured


def overall_scores(measured):
    """Model -> its overall score and interval."""
    found = {}
    for row, place in overall_places(ENGLISH, measured).items():
        found[row.model] = (place.mean.score, place.mean.interval)
    return found


def scores_of_categories(measured):
    """(category, model) -> its mean."""
    found = {}
    for category, estimates in category_means(ENGLISH, measured).items():
        for row, mean in estimates.items():
            found[category, row.model] = mean.score
    return found


@pytest.mark.slow
@settings(max_examples=10)  # each has as many models as it draws, and copies of one
@given(st.lists(MODELS, min_size=1, max_size=5), st.data())
def test_removing_or_copying_a_model_changes_no_other_s_score(models, data):
    everybody = {f"m/{number}": model for number, model in enumerate(models)}
    before = planted_values(everybody)
    overall = overall_scores(before)
    complete = {name for name, model in everybody.items() if not model.lacks}
    assert overall.keys() == complete
    means = scores_of_categories(before)
    name = data.draw(st.sampled_from([*everybody]))
    n_copies = data.draw(st.integers(1, 12))
    copies = {f"copy/{number}": everybody[name] for number in range(n_copies)}
    without = dict(everybody)
    del without[name]
    for others in (without, everybody | copies):
        common = everybody.keys() & others.keys()
        now = planted_values(others)
        overall_now = overall_scores(now)
        assert common & overall_now.keys() == common & complete
        for model in common & complete:
            assert overall_now[model] == overall[model]
        means_now = scores_of_categories(now)
        for (category, model), mean in means.items():
            if model in common:
                assert means_now.pop((category, model)) == mean
        assert not {model for _, model in means_now} & common


def test_values_are_scores_above_chance_or_what_another_key_has(measured_folder, monkeypatch):
    """As what lies over noise: here the gain, which is on the same scale."""
    task = "EpsilonCompositionalityMini"
    (entry,) = load_results(measured_folder, [task], ["planted/one"]).entries
    definition = entry.measure.definition
    listed = (ListedColumn(task, "default", definition, ("naturalistic",)),)
    monkeypatch.setitem(LISTS, "english", listed)
    control = replace(entry, model="compositionality/length")
    main = entry.measure.main

    def score_of_place(key_of):
        found = values_of([entry, control], key_of)
        places = overall_places(listed, found)
        ((row, place),) = places.items()
        assert row.model == "planted/one"
        return place.mean.score

    above_chance = entry.scores[main] - 0.5
    assert score_of_place(str) == pytest.approx(above_chance / 0.5, abs=1e-6)
    gain = entry.scores[gain_key(main)]
    assert score_of_place(gain_key) == pytest.approx(gain / 0.5, abs=1e-6)
