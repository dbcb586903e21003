"""What holds of every declared score and of every task for encoders, on planted encoders."""

from __future__ import annotations

import inspect

import mteb
import numpy as np
import pytest
from scipy.stats import ortho_group

import harness_ext
from harness_ext.catalogue.every_row import CATALOGUE, ENCODER_TASKS
from tests.items_check import assert_rescored
from tests.planted import PlantedModel, bag_of_words, entries_of, random_vector, vectors_of

MEASURES = {row.measure.name: row.measure for row in CATALOGUE.values()}
QUICK = {name: row for name, row in ENCODER_TASKS.items() if row.quick}
FUNCTIONS = {
    "epsilon": harness_ext.epsilon_compositionality,
    "affinity": harness_ext.affinity,
    "scaled_similarity": harness_ext.scaled_similarity,
    "montague": harness_ext.montague_consistency,
    "polarity": harness_ext.polarity_sensitivity,
    "tree_reconstruction": harness_ext.tree_reconstruction,
    "role_swap": harness_ext.role_swap_similarity,
    "transitive_similarity": harness_ext.transitive_similarity,
    "caption_swap": harness_ext.caption_swap,
    "idiom_paraphrase": harness_ext.idiom_paraphrase,
}
FITTED = {"polarity", "tree_reconstruction"}
"""Measures whose numbers come from a fit, which may end elsewhere when axes or the order of rows change."""

OF_AN_ORDER = {"montague"}
"""Measures whose nouns are compared in the order of the data. The draws of an interval follow that order in others."""

ADDED_UP = bag_of_words(1, weight=lambda place: 0.8**place)


def bent(text):
    """No sum of words, whose distances have ties that rounding breaks one way or the other."""
    return np.tanh(ADDED_UP(text))


@pytest.mark.parametrize("name", MEASURES)
def test_every_declared_score_says_what_it_is(name):
    measure = MEASURES[name]
    declarations = measure.declarations()
    assert {measure.main, *filter(None, [measure.controlled])} <= declarations.keys()
    for key, (score, place) in declarations.items():
        assert all((score.title, score.formula, score.source)), key
        assert score.range[0] < score.range[1], key
        assert score.chance is None or score.range[0] <= score.chance <= score.range[1], key
        assert place.keys() <= {axis.name for axis in score.axes}, key


def shuffled(name):
    """The task with the rows of its data in another order."""
    task = mteb.get_task(name)
    task.load_data()
    subsets = task.dataset.values() if task.metadata.is_multilingual else [task.dataset]
    for splits in subsets:
        splits.update({split: rows.shuffle(seed=1) for split, rows in splits.items()})
    return task


def rotated(vectors):
    return 4 * vectors @ ortho_group.rvs(vectors.shape[1], random_state=1)


@pytest.mark.parametrize("name", QUICK)
def test_every_task(name, tmp_path):
    measure = QUICK[name].measure
    model = PlantedModel(bent)
    entries = entries_of(model, name, tmp_path)
    (file,) = tmp_path.glob(f"results/planted__model/1/{name}.json")
    items = assert_rescored(file)  # every score follows from the items, is declared, and lies in its range
    for texts in model.calls:
        assert len(texts) == len({*texts})  # each distinct text is encoded once

    (split, subset), entry = next(iter(entries.items()))
    function = FUNCTIONS[measure.name]
    of_split = {"split": split} if "split" in inspect.signature(function).parameters else {}
    found = function(vectors_of(bent), task=name, **of_split)  # the same bytes, from no harness
    assert found.items.digest() == items[split, subset].digest()
    assert found.scores.flat() == {key: entry[key] for key in found.scores.flat()}
    assert found.interval == (entry[f"{measure.main}_ci_low"], entry[f"{measure.main}_ci_high"])

    entries_of(PlantedModel(random_vector(2), "planted/random"), name, tmp_path)
    for place, others in assert_rescored(tmp_path / f"results/planted__random/1/{name}.json").items():
        assert others.digest(measured=False) == items[place].digest(measured=False)  # all that the data determines

    if measure.name not in FITTED:
        task = name if measure.name in OF_AN_ORDER else shuffled(name)
        for place, other in entries_of(PlantedModel(bent, make=rotated), task).items():
            same = {key: other[key] for key in measure.scores.by_key() if key in other and "standardised" not in key}
            assert {key: entries[place][key] for key in same} == pytest.approx(same, abs=1e-9)
