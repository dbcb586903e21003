"""Overall places: the lists, the scale by hand, and what does not change them."""

from __future__ import annotations

from dataclasses import replace

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
ONE, OTHER = Row("a/one", "1", ""), Row("a/other", "1", "")


def noisy(score, seed, spread=0.01):
    """A score above chance whose resamples spread around it."""
    return Estimate(
        score,
        None,
        np.random.default_rng(seed).normal(score, spread, N_RESAMPLES).astype(np.float32),
        200,
    )


def values(listed, **scores):
    """Column -> model -> its value, of a number per listed column."""
    rows = {"one": ONE, "other": OTHER}
    return {
        columns_of(column)[0]: {rows[name]: noisy(of[place], place) for name, of in scores.items()}
        for place, column in enumerate(listed)
    }


def default_columns():
    """Task, subset and split of full tasks of a category, without `MergeOpposites` -> languages."""
    return {
        (task.name, subset, split): {
            language.partition("-")[0] for language in task.languages[subset]
        }
        for task in ENCODER_TASKS.values()
        if task.category and not task.quick and task.name != "MergeOpposites"
        for subset in task.subsets
        for split in task.splits
    }


@pytest.mark.parametrize("name", LISTS)
def test_a_list_has_every_default_column_and_today_s_measures(name):
    """Polarity alone is not as by default: it is without the training sentences, which few will
    encode.
    """
    listed = LISTS[name]
    expected = {
        place
        for place, languages in default_columns().items()
        if name == "all" or "eng" in languages
    }
    trained_on_dev = ("PolaritySensitivity", "default", "reference_trained_on_dev")
    expected = {
        trained_on_dev if place[0] == "PolaritySensitivity" else place for place in expected
    }
    assert {(one.task, one.subset, one.splits[0]) for one in listed} == expected
    assert len(listed) == len(expected) == {"english": 17, "all": 30}[name]
    for one in listed:
        measure = ENCODER_TASKS[one.task].measure
        score = measure.main_declaration
        assert one.measure == measure.definition
        assert not measure.exploratory
        assert score.chance is not None and np.isfinite(score.range).all()


def test_english_is_a_part_of_all():
    assert {*LISTS["english"]} < {*LISTS["all"]}


def test_the_scale_by_hand():
    """People reach .875 on role swaps, so .35 is .4; a caption's chance is a third, so .2 above it
    is .3 of ⅔.

    The mean of both tasks of roles is (.4 + .2) / 2 = .3; that over categories, with .1 / .5 = .2
    of ε, (.3 + .2) / 2.
    """
    roles = tuple(ROLES.values())
    assert category_means(roles, values(roles, one=(0.35, 0.2)))["roles of words"][
        ONE
    ].score == pytest.approx(0.3)
    (mean,) = category_means([CAPTIONS], values([CAPTIONS], one=(0.2,)))["roles of words"].values()
    assert mean.score == pytest.approx(0.3)
    listed = (*roles, EPSILON)
    (place,) = overall_places(listed, values(listed, one=(0.35, 0.2, 0.1))).values()
    assert place.mean.score == pytest.approx((0.3 + 0.2) / 2)
    low, high = place.mean.interval
    errors = 0.01 / 0.875 / 4, 0.01 / 4, 0.01 / 0.5 / 2  # of independent columns
    assert low < place.mean.score < high
    assert high - low == pytest.approx(2 * 1.96 * np.linalg.norm(errors), rel=0.1)


def test_a_model_without_a_column_has_no_place_and_is_told_which():
    roles = tuple(ROLES.values())
    measured = values(roles, one=(0.35, 0.2), other=(0.3, 0.1))
    assert overall_places(roles, measured).keys() == {ONE, OTHER}
    del measured[columns_of(ROLES["gs2011"])[0]][OTHER]
    assert overall_places(roles, measured).keys() == {ONE}
    assert lacking(roles, measured, OTHER) == ["TransitiveSimilarity (gs2011 test)"]
    assert lacking(roles, measured, ONE) == []


def test_rebuilt_sentences_count_where_a_model_lacks_the_authors():
    authors, rebuilt = columns_of(EPSILON)
    assert (authors.split, rebuilt.split) == ("naturalistic", "naturalistic_rebuilt")
    both = {authors: {ONE: noisy(0.1, 1)}, rebuilt: {ONE: noisy(0.2, 2), OTHER: noisy(0.3, 3)}}
    places = overall_places([EPSILON], both)
    assert {row: place.mean.score for row, place in places.items()} == {OTHER: 0.6, ONE: 0.2}
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
    assert overall_places([EPSILON], {other: {ONE: noisy(0.1, 1)}}) == {}


MODELS = st.lists(
    st.tuples(
        st.lists(st.floats(-0.5, 0.5), min_size=17, max_size=17),
        st.sets(st.integers(0, 16), max_size=2),
    ),
    min_size=1,
    max_size=5,
)
"""For each model a value in each column of the list `english`, and the columns that it lacks."""


@given(MODELS, st.data())
def test_removing_or_copying_a_model_changes_no_other_s_score(models, data):
    def of(numbers):
        measured: dict[Column, dict[Row, Estimate]] = {}
        for name, number in numbers.items():
            scores, lacks = models[number]
            for place, listed in enumerate(LISTS["english"]):
                if place not in lacks:
                    value = Estimate(scores[place], (scores[place] - 0.1, scores[place] + 0.1))
                    measured.setdefault(columns_of(listed)[-1], {})[Row(name, "1", "")] = value
        categories = category_means(LISTS["english"], measured)
        means = {
            name: {row.model: mean.score for row, mean in of_all.items()}
            for name, of_all in categories.items()
        }
        places = overall_places(LISTS["english"], measured)
        overall = {
            row.model: (place.mean.score, place.mean.interval) for row, place in places.items()
        }
        return overall, means

    everybody = {f"m/{number}": number for number in range(len(models))}
    overall, means = of(everybody)
    assert overall.keys() == {
        f"m/{number}" for number, (_, lacks) in enumerate(models) if not lacks
    }
    one = data.draw(st.sampled_from([*everybody]))
    copies = {f"copy/{number}": everybody[one] for number in range(data.draw(st.integers(1, 12)))}
    without = {name: number for name, number in everybody.items() if name != one}
    for others in (without, everybody | copies):
        now, of_categories = of(others)
        common = everybody.keys() & others.keys()
        assert {name: now[name] for name in common & now.keys()} == {
            name: overall[name] for name in common & overall.keys()
        }
        for category, of_all in of_categories.items():
            expected = {name: mean for name, mean in means[category].items() if name in common}
            assert {name: mean for name, mean in of_all.items() if name in common} == expected


def test_values_are_scores_above_chance_or_what_another_key_has(tmp_path, monkeypatch):
    """As what lies over noise: here the gain, which is on the same scale."""
    task = "EpsilonCompositionalityMini"
    entries_of(PlantedModel(bag_of_words(1), "a/one"), task, tmp_path)
    (entry,) = load_results(tmp_path).entries
    monkeypatch.setitem(
        LISTS,
        "english",
        (ListedColumn(task, "default", entry.measure.definition, ("naturalistic",)),),
    )
    control = replace(entry, model="compositionality/length")
    main = entry.measure.main
    for key, key_of in ((main, str), (gain_key(main), gain_key)):
        found = values_of([entry, control], key_of)
        ((row, place),) = overall_places(LISTS["english"], found).items()
        assert row.model == "a/one"
        chance = 0.5 if key == main else 0
        assert place.mean.score == pytest.approx((entry.scores[key] - chance) / 0.5, abs=1e-6)
