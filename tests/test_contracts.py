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
    assert {measure.main, *filter(None, [measure.adjusted])} <= declarations.keys()
    for key, (score, place) in declarations.items():
        assert all((score.title, score.formula, score.source)), key
        assert score.range[0] < score.range[1], key
        assert score.chance is None or score.range[0] <= score.chance <= score.range[1], key
        assert place.keys() <= {axis.name for axis in score.axes}, key
    keys = [key for score in measure.declared_scores for key in score.by_axes()]
    assert len(keys) == len({*keys}) == len(measure.by_key)
    assert not {end for key in keys for end in interval_keys(key)} & {*keys}
    for score in measure.declared_scores:
        assert len(score.by_axes()) == math.prod(len(axis.values) for axis in score.axes), score.key
        says = (score.chance is not None or score.better != "neither") and score.range != COUNT
        assert score.resampled or not says, f"{score.key} has no units that could be too few"
    main, _ = measure.by_key[measure.main]
    assert (main.interval, main.better != "neither", measure.fewest_units) == (True, True, 10)
    assert measure.wording().score.count("{value}") == 1
    assert measure.question


@pytest.mark.parametrize("measure", MEASURES.values(), ids=MEASURES)
def test_every_measure_describes_its_items(measure):
    tables = measure.items.table_types()
    assert any(measure.unit in table.columns() for table in tables.values())
    for table in tables.values():
        for column, (_, dtype, description) in table.columns().items():
            assert dtype in {str, float, int, bool}
            assert description.endswith("."), (table, column)
            assert column not in {"split", "subset", "sentence"}, (
                "files have the first two, and may not have the third"
            )


def shuffled(name):
    """The task with the rows of its data in another order."""
    task = mteb.get_task(name)
    task.load_data()
    subsets = task.dataset.values() if task.metadata.is_multilingual else [task.dataset]
    for splits in subsets:
        splits.update({split: rows.shuffle(seed=1) for split, rows in splits.items()})
    return task


def assert_resampled(measure, items, entry):
    """The units of the main score give it without the others; every resampled score lies among its
    resamples.
    """
    some = items.restrict(measure.unit, measure.statistic(items, measure.main).units)
    assert measure.statistic(some, measure.main).value() == pytest.approx(
        entry["main_score"], abs=1e-12
    )
    for key, (score, _) in measure.by_key.items():
        if score.resampled and key in entry:
            drawn = measure.statistic(items, key).resamples()
            assert np.nanmin(drawn) - NEAR <= entry[key] <= np.nanmax(drawn) + NEAR, key


SLOW = {
    "MergeOppositesMini",
    "MontagueConsistencyFast",
    "PolaritySensitivityMini",
    "TreeReconstructionMini",
}
"""Tasks with a threshold in every resample, tens of thousands of pairs, or a fit."""


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] if name in SLOW else []) for name in QUICK]
)
def test_every_task(name, tmp_path, monkeypatch):
    declared = QUICK[name]
    model = PlantedModel(BENT)
    entries = entries_of(model, name, tmp_path)
    (file,) = tmp_path.glob(f"results/planted__model/*/{name}.json")
    # every score follows from the items, is declared, and lies in its range
    items = assert_rescored(file)
    for texts in model.calls:
        assert len(texts) == len({*texts})  # each distinct text is encoded once
    task = mteb.get_task(name)
    task.load_data()
    about = task._calculate_descriptive_statistics_from_split(
        task.eval_splits[0], hf_subset=task.hf_subsets[0]
    )
    shipped = task.metadata.descriptive_stats[task.eval_splits[0]]
    assert shipped.get("hf_subset_descriptive_stats", {}).get(task.hf_subsets[0], shipped) == about
    assert about["num_samples"] == len(task.rows(task.eval_splits[0], task.hf_subsets[0]))
    assert about["text_statistics"]["unique_texts"] == len(model.calls[0])

    monkeypatch.setenv("HARNESS_EXT_ADDITIVE", "0")  # what follows asks nothing of baselines
    (split, subset), entry = next(iter(entries.items()))
    # the same bytes, from no harness
    found = measure(vectors_of(BENT), name, split=split, subset=subset)
    assert found.items.digest() == items[split, subset].digest()
    assert found.scores.flat() == {key: entry[key] for key in found.scores.flat()}
    assert found.interval == (entry[f"{declared.main}_ci_low"], entry[f"{declared.main}_ci_high"])

    other = measure(vectors_of(random_vector(2)), name, split=split, subset=subset)
    # all that the data determines
    assert other.items.digest(measured=False) == found.items.digest(measured=False)

    for place, of_place in items.items():
        assert_resampled(declared, of_place, entries[place])

    if declared.name not in FITTED:
        task = name if declared.name in OF_AN_ORDER else shuffled(name)
        for place, other in entries_of(
            PlantedModel(BENT, make=lambda vectors: 4 * vectors @ ROTATION), task
        ).items():
            same = {
                key: other[key]
                for key in declared.by_key
                if key in other and "standardised" not in key
            }
            assert {key: entries[place][key] for key in same} == pytest.approx(same, abs=1e-9)
