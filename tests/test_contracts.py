"""What holds of every declared score and of every task for encoders, on planted encoders."""

import math

import mteb
import numpy as np
import pytest
from scipy.stats import ortho_group

from harness_ext import measure
from harness_ext.measures.core.scores import COUNT, interval_keys
from harness_ext.tasks import ENCODER_TASKS, TASKS
from tests.items_check import assert_rescored
from tests.planted import PlantedModel, bent, entries_of, random_vector, vectors_of

MEASURES = {task.measure.name: task.measure for task in TASKS.values()}
QUICK = {name: task.measure for name, task in ENCODER_TASKS.items() if task.quick}
FITTED = {"polarity", "tree_reconstruction"}
"""Measures whose numbers come from a fit, which may end elsewhere when axes or the order of rows
change.
"""

OF_AN_ORDER = {"montague"}
"""Measures whose nouns are compared in the order of the data. The draws of an interval follow that
order in others.
"""

NEAR = 0.1
"""Resamples of a correlation of few rows may all lie beyond it."""

BENT = bent()
ROTATION = ortho_group.rvs(len(BENT("a")), random_state=1)


@pytest.mark.parametrize("measure", MEASURES.values(), ids=MEASURES)
def test_every_declared_score_says_what_it_is(measure):
    declarations = measure.declarations
    assert measure.main in declarations
    assert not measure.adjusted or measure.adjusted in declarations
    for key, (score, place) in declarations.items():
        assert score.title, key
        assert score.formula, key
        assert score.source, key
        lowest, highest = score.range
        assert lowest < highest, key
        if score.chance is not None:
            assert lowest <= score.chance <= highest, key
        axes = {axis.name for axis in score.axes}
        assert place.keys() <= axes, key
    main, _ = measure.by_key[measure.main]
    assert main.interval is True
    assert main.better != "neither"
    assert measure.fewest_units == 10
    assert measure.wording().score.count("{value}") == 1
    assert measure.question
    assert_keys_are_of_one_score(measure)
    assert_judged_scores_have_units(measure)


def assert_keys_are_of_one_score(measure):
    """And none is the end of an interval of another."""
    keys = []
    ends = set()
    for score in measure.declared_scores:
        keys_of_score = [*score.by_axes()]
        n_cells = math.prod(len(axis.values) for axis in score.axes)
        assert len(keys_of_score) == n_cells, score.key
        keys += keys_of_score
    for key in keys:
        ends |= {*interval_keys(key)}
    distinct_keys = {*keys}
    assert len(keys) == len(distinct_keys)
    assert len(keys) == len(measure.by_key)
    assert not ends & distinct_keys


def assert_judged_scores_have_units(measure):
    """A score that says better or worse may have too few of them."""
    for score in measure.declared_scores:
        is_judged = score.chance is not None or score.better != "neither"
        if is_judged and score.range != COUNT:
            assert score.resampled, f"{score.key} has no units that could be too few"


@pytest.mark.parametrize("measure", MEASURES.values(), ids=MEASURES)
def test_every_measure_describes_its_items(measure):
    tables = measure.items.table_types().values()
    assert any(measure.unit in table.columns() for table in tables)
    for table in tables:
        columns = table.columns()
        for column, (_, dtype, description) in columns.items():
            assert dtype in {str, float, int, bool}
            assert description.endswith("."), (table, column)
            assert column not in {"split", "subset", "sentence"}, (
                "files have the first two, and may not have the third"
            )


def shuffled(name):
    """The task with the rows of its data in another order."""
    task = mteb.get_task(name)
    task.load_data()
    subsets = [task.dataset]
    if task.metadata.is_multilingual:
        subsets = task.dataset.values()
    for splits in subsets:
        for split, rows in splits.items():
            splits[split] = rows.shuffle(seed=1)
    return task


def assert_resampled(measure, items, entry):
    """The units of the main score give it without the others; every resampled score lies among its
    resamples.
    """
    units = measure.statistic(items, measure.main).units
    items_of_units = items.restrict(measure.unit, units)
    main_score = measure.statistic(items_of_units, measure.main).value()
    assert main_score == pytest.approx(entry["main_score"], abs=1e-12)
    for key, (score, _) in measure.by_key.items():
        if score.resampled and key in entry:
            drawn = measure.statistic(items, key).resamples()
            lowest = np.nanmin(drawn) - NEAR
            highest = np.nanmax(drawn) + NEAR
            assert lowest <= entry[key] <= highest, key


SLOW = {
    "EpsilonCompositionalityMini",
    "IdiomParaphraseMini",
    "MergeOppositesMini",
    "MontagueConsistencyFast",
    "NounCompoundAffinityMini",
    "NounCompoundScaledSimilarityMini",
    "PolaritySensitivityMini",
    "TreeReconstructionMini",
}
"""Tasks with a threshold in every resample, tens of thousands of pairs, many scores, or a fit."""


def quick_tasks():
    """The names of the quick tasks, marked as slow where they are."""
    names = []
    for name in QUICK:
        marks = [pytest.mark.slow] if name in SLOW else []
        names.append(pytest.param(name, marks=marks))
    return names


@pytest.mark.parametrize("name", quick_tasks())
def test_every_task(name, tmp_path, monkeypatch):
    """One run of mteb, and all that must hold of it."""
    declared = QUICK[name]
    model = PlantedModel(BENT)
    entries = entries_of(model, name, tmp_path)
    (file,) = tmp_path.glob(f"results/planted__model/*/{name}.json")
    # every score follows from the items, is declared, and lies in its range
    items = assert_rescored(file)
    for texts in model.calls:
        assert len(texts) == len({*texts})  # each distinct text is encoded once
    assert_described(name, n_texts=len(model.calls[0]))
    for place, items_of_place in items.items():
        assert_resampled(declared, items_of_place, entries[place])

    monkeypatch.setenv("HARNESS_EXT_ADDITIVE", "0")  # what follows asks nothing of baselines
    place, *_ = entries
    assert_measured_alike(name, place, items[place], entries[place])
    if declared.name not in FITTED:
        assert_unchanged_by_axes_and_order(name, entries)


def assert_described(name, n_texts):
    """The statistics that are shipped are those of the data."""
    task = mteb.get_task(name)
    task.load_data()
    split = task.eval_splits[0]
    subset = task.hf_subsets[0]
    computed = task._calculate_descriptive_statistics_from_split(split, hf_subset=subset)
    of_split = task.metadata.descriptive_stats[split]
    by_subset = of_split.get("hf_subset_descriptive_stats", {})
    assert by_subset.get(subset, of_split) == computed
    assert computed["num_samples"] == len(task.rows(split, subset))
    assert computed["text_statistics"]["unique_texts"] == n_texts


def assert_measured_alike(name, place, items, entry):
    """`measure` gives the bytes of mteb's run; of another encoder, all that the data determines."""
    split, subset = place
    measured = measure(vectors_of(BENT), name, split=split, subset=subset)
    assert measured.items.digest() == items.digest()
    scores = measured.scores.flat()
    assert scores == {key: entry[key] for key in scores}
    main = measured.main
    low, high = measured.interval
    assert low == entry[f"{main}_ci_low"]
    assert high == entry[f"{main}_ci_high"]

    another_encoder = vectors_of(random_vector(2))
    other = measure(another_encoder, name, split=split, subset=subset)
    of_the_data = measured.items.digest(measured=False)
    assert other.items.digest(measured=False) == of_the_data


def turned(vectors):
    """Vectors with other axes and lengths, whose angles are the same."""
    return 4 * vectors @ ROTATION


def assert_unchanged_by_axes_and_order(name, entries):
    """Scores are the same for turned vectors and for rows in another order."""
    declared = QUICK[name]
    task = name if declared.name in OF_AN_ORDER else shuffled(name)
    turned_entries = entries_of(PlantedModel(BENT, make=turned), task)
    keys = {key for key in declared.by_key if "standardised" not in key}
    for place, turned_entry in turned_entries.items():
        entry = entries[place]
        for key in keys & turned_entry.keys():
            assert entry[key] == pytest.approx(turned_entry[key], abs=1e-9), key
