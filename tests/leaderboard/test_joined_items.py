"""Stored items of an earlier version are joined to the plan of today by the ids of rows."""

import re

import numpy as np
import pytest

from harness_ext.leaderboard.joined_items import joined
from harness_ext.measures.kinds.pair_similarity import TRANSITIVE
from harness_ext.tasks import ENCODER_TASKS
from harness_ext.tasks.data import load_rows
from tests.planted import letters, vectors_of


@pytest.fixture(scope="module")
def plan():
    task = ENCODER_TASKS["TransitiveSimilarityMini"]
    return TRANSITIVE.planned(load_rows(task, "test", "default").to_list(), "test")


def test_items_without_verbs_get_them_by_their_rows(plan):
    items = TRANSITIVE.fill(plan, vectors_of(letters))
    mixed = np.random.default_rng(0).permutation(len(items.pairs))
    stored = {name: values[mixed] for name, values in items.pairs.values().items()}
    del stored["verbs"]
    stored["group"] = stored["sentence1"].astype(str)
    found = joined(plan, {"pairs": stored})
    assert found.digest() == items.digest()
    assert found.pairs.first is None


def test_items_of_other_rows_are_refused(plan):
    stored = {name: values[1:] for name, values in plan.pairs.values().items()}
    said = (
        "The table pairs has 66 rows in the data and 65 in the items; in one of them alone: mini-0"
    )
    with pytest.raises(ValueError, match=re.escape(said)):
        joined(plan, {"pairs": stored})
    with pytest.raises(ValueError, match="no column row"):
        joined(plan, {})
