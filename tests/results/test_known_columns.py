"""What numbers of units show, by the errors of the models on the project's board."""

from __future__ import annotations

import json

import pytest

from harness_ext.results.known_columns import KnownColumn, columns_of_measure, known_columns
from harness_ext.results.load import load_results
from harness_ext.results.overall import Reliability
from harness_ext.tasks import ENCODER_TASKS
from tests.leaderboard.test_own_board import BOARD, ROOT


def test_by_hand():
    """A standard error of .05 of 100 units: 2.8 × .05 = .14 is found, .07 by four times as many, .10 by 1.96 times."""
    about = Reliability(5, 0.9, 0.9, 4, 0.14, 0.1)
    column = KnownColumn("IdiomParaphrase", "default", "idioms", "idiom_paraphrase-2", "share_entailed", 100, about)
    assert column.smallest(400) == pytest.approx(0.07)
    assert column.units_for(0.1) == 196
    assert column.units_for(column.smallest(321)) == 321
    assert column.smallest_effect == 0.1


def test_the_shipped_columns_are_those_of_the_board():
    """`make docs` writes them; of other versions of a measure or other results they would say nothing."""
    entries = [*load_results(BOARD).entries, *load_results(ROOT / "docs" / "example_results").entries]
    there = {(entry.task, entry.subset, entry.split, entry.signature.measure) for entry in entries}
    assert {column[:4] for column in known_columns()} <= there
    models = {}
    for entry in entries:
        if not entry.knows_nothing:
            models.setdefault(entry.place, set()).add(entry.model)
    assert all(column.about.models == len(models[column[:3]]) for column in known_columns())
    counted = {(*entry.place, entry.scores[f"n_{entry.measure.main}"]) for entry in entries}
    assert all((*column[:3], column.units) in counted for column in known_columns())
    for task in {entry.task for entry in load_results(BOARD).entries}:
        assert columns_of_measure(ENCODER_TASKS[task].measure), task


@pytest.mark.slow
def test_power_by_the_command(run):
    of_120 = json.loads(run("harness-ext", "power", "IdiomParaphraseMini", "-n", "120", "--format", "json").stdout)
    rows = of_120["rows"] if isinstance(of_120, dict) else of_120
    known = {(column.split, column.key): column for column in known_columns() if column.task == "IdiomParaphrase"}
    assert len(rows) == len(known) == 6
    for row in rows:
        column = known[row["data"], row["score"]]
        assert float(row["finds"]) == pytest.approx(column.about.smallest * (column.units / 120) ** 0.5, abs=6e-4)
    assert "no such task" in run("harness-ext", "power", "Nope", check=False).stderr
    refused = run("harness-ext", "power", "NegationImportance", check=False)
    assert refused.returncode == 1
    assert "harness-ext needs negation_importance" in refused.stderr
    said = run("harness-ext", "explain", "IdiomParaphrase").stdout
    assert "smallest effect of interest: .100" in said
    assert "reliability .980 (split half " in said
    assert "of the variance is the words'" in said
