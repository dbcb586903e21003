"""What items leave out counts as the least favorable value: leaving out any unit raises no main
score.
"""

import numpy as np
import pytest

from harness_ext.leaderboard.checks import left_out
from harness_ext.leaderboard.checks.left_out import _Filling, counted, left_out_findings
from harness_ext.leaderboard.checks.outlines import Outline
from harness_ext.tasks import ENCODER_TASKS
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


@pytest.mark.parametrize(
    "task",
    [
        pytest.param(task, marks=pytest.mark.slow) if task == "MontagueConsistency" else task
        for task in TABLES
    ],
)
def test_no_unit_that_is_left_out_raises_the_score(task, tmp_path):
    items, scores = made_up(task, 0)
    measure, outline = ENCODER_TASKS[task].measure, Outline.of(items)
    main, table = scores[measure.main], items.tables()[TABLES[task]]
    values = table.values()
    units = values.get(measure.unit, np.arange(len(table)))
    names, n_rows = np.unique(units, return_counts=True)
    n_units = 1 if task == "MontagueConsistency" else 2  # it has the most scores to compute
    smallest = names[np.argsort(n_rows, kind="stable")][:n_units]
    for place, unit in enumerate(smallest):
        columns = {
            name: np.where(units == unit, np.nan, values[name])
            for name in table.measured()
            if values[name].dtype.kind == "f"
        }
        if task == "TreeReconstruction":
            columns["excluded"] = np.where(units == unit, "zero_vector", table.excluded)
        entry = write_entry(tmp_path / str(place), task, changed(items, TABLES[task], **columns))
        made = counted(entry, outline)
        assert made is not entry
        assert made.main_score <= main + 1e-9
        assert made.main_score == made.scores[entry.measure.main]
        assert not np.isnan(made.items().tables()[TABLES[task]].values()[next(iter(columns))]).all()


def left_out_of(task, folder, n_units):
    """An entry that leaves out some units of a task wholly, with the outline of its plan."""
    items, _ = made_up(task, 0)
    values = items.tables()[TABLES[task]].values()
    units = values[ENCODER_TASKS[task].measure.unit]
    names, n_rows = np.unique(units, return_counts=True)
    is_left_out = np.isin(units, names[np.argsort(n_rows, kind="stable")][:n_units])
    columns = {}
    for name in items.tables()[TABLES[task]].measured():
        if values[name].dtype.kind == "f":
            columns[name] = np.where(is_left_out, np.nan, values[name])
    entry = write_entry(folder, task, changed(items, TABLES[task], **columns))
    return entry, Outline.of(items)


@pytest.mark.parametrize("task", ["EpsilonCompositionality", "NounCompoundAffinity"])
def test_each_choice_is_scored_once(task, tmp_path, monkeypatch):
    """All ends for a unit as a whole, then the other end of each row."""
    entry, outline = left_out_of(task, tmp_path, 1)
    scored = []
    main_score = _Filling.main_score

    def counting(filling, values):
        scored.append(main_score(filling, values))
        return scored[-1]

    monkeypatch.setattr(_Filling, "main_score", counting)
    made = counted(entry, outline)
    whole = made_up(task, 0)[0].tables()[TABLES[task]]
    values = entry.items().tables()[TABLES[task]].values()
    n_rows = []
    for name in whole.measured():
        if values[name].dtype.kind == "f":
            is_missing = np.isnan(values[name]) & ~np.isnan(whole.values()[name])
            n_rows.append(int(is_missing.sum()))
    assert min(n_rows) > 0
    assert len(scored) == 2 ** len(n_rows) + sum(n for n in n_rows if n > 1)
    assert made.main_score == pytest.approx(min(scored))


def test_too_many_values_to_count_are_refused(tmp_path, monkeypatch):
    entry, outline = left_out_of("NounCompoundAffinity", tmp_path, 1)
    message = "too many values are left out"
    found = list(left_out_findings(entry, entry.items(), outline))
    assert not any(message in one.message for one in found)
    monkeypatch.setattr(left_out, "MOST_LEFT_OUT", 1)
    monkeypatch.setattr(left_out, "MOST_SCORES", 3)
    (finding,) = [
        one for one in left_out_findings(entry, entry.items(), outline) if message in one.message
    ]
    assert finding.refused
    assert finding.expected == "at most 3"
