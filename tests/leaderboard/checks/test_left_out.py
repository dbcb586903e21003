"""What items leave out counts as the least favorable value: leaving out any unit raises no main
score.
"""

import numpy as np
import pytest

from harness_ext.leaderboard.checks.left_out import counted
from harness_ext.leaderboard.checks.outlines import Outline
from tests.leaderboard.conftest import changed
from tests.leaderboard.small_board import made_up
from tests.results.planted_items import write_entry

TABLES = {
    "CaptionSwap": "triplets",
    "EpsilonCompositionality": "samples",
    "IdiomRetrieval": "queries",
    "MontagueConsistency": "singles",
    "NounCompoundAffinity": "similarities",
    "NounCompoundScaledSimilarity": "similarities",
    "RoleSwapSimilarity": "pairs",
    "TransitiveSimilarity": "pairs",
    "TreeReconstruction": "trees",
}


@pytest.mark.parametrize("task", TABLES)
def test_no_unit_that_is_left_out_raises_the_score(task, tmp_path):
    items, scores = made_up(task, 0)
    entry, outline = write_entry(tmp_path, task, items), Outline.of(items)
    main, table = scores[entry.measure.main], items.tables()[TABLES[task]]
    values = table.values()
    units = values.get(entry.measure.unit, np.arange(len(table)))
    for unit in np.unique(units)[:8]:
        columns = {
            name: np.where(units == unit, np.nan, values[name])
            for name in table.measured()
            if values[name].dtype.kind == "f"
        }
        if task == "TreeReconstruction":
            columns["excluded"] = np.where(units == unit, "zero_vector", table.excluded)
        vars(entry)["_items"] = changed(items, TABLES[task], **columns)
        made = counted(entry, outline)
        assert made.main_score <= main + 1e-9
        assert made.main_score == made.scores[entry.measure.main]
        assert not np.isnan(made.items().tables()[TABLES[task]].values()[next(iter(columns))]).all()
