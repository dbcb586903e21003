"""Rows are compared with shipped outlines: with and without the data, an entry has the same
mark.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from harness_ext.common.arrays import Floats, Names, Texts
from harness_ext.data.sources import SourceError
from harness_ext.leaderboard.build import build
from harness_ext.leaderboard.checks import outlines, pinned_rows, work
from harness_ext.leaderboard.checks.outlines import FILE, Outline, Planned, shipped_outline
from harness_ext.leaderboard.checks.trust import Trust
from harness_ext.leaderboard.checks.verify import verify
from harness_ext.measures.core.baseline_keys import ADDITIVE
from harness_ext.measures.core.items import (
    Items,
    Table,
    column,
    greatest_distance,
    least_distance,
    text,
)
from harness_ext.results.load import read_result
from harness_ext.tasks import ENCODER_TASKS
from harness_ext.tasks.data import load_rows
from tests.command_line import harness_ext
from tests.items_check import write_items
from tests.leaderboard.conftest import Submission, changed, only
from tests.planted import PlantedModel, bag_of_words, entries_of

SHIPPED = [Planned(*name.split("/")) for name in np.load(FILE) if name.count("/") == 4]


def plan_of(planned):
    task = ENCODER_TASKS[planned.task]
    plan = task.measure.planned(
        load_rows(task, planned.split, planned.subset).to_list(), planned.split
    )
    return {"spans": lambda: plan, "texts": plan.without_spans, "baselines": plan.of_baselines}[
        planned.of
    ]()


def same(one, other):
    np.testing.assert_equal(vars(one), vars(other))


@pytest.mark.parametrize(
    "planned", [one for one in SHIPPED if one.task.endswith("Mini")], ids=" ".join
)
def test_shipped_outlines_are_those_of_the_rows_of_today(planned):
    assert planned.revision == ENCODER_TASKS[planned.task].dataset["revision"]
    same(Outline.of(plan_of(planned)), shipped_outline(planned))


@pytest.mark.slow
@pytest.mark.real_data
@pytest.mark.parametrize(
    "planned", [one for one in SHIPPED if not one.task.endswith("Mini")], ids=" ".join
)
def test_so_are_those_of_the_papers_data(planned, mirror):
    assert planned.revision == ENCODER_TASKS[planned.task].dataset["revision"]
    same(Outline.of(plan_of(planned)), shipped_outline(planned))


@dataclass(frozen=True)
class Swaps(Table):
    """Three texts, each of which is compared with another."""

    first: Texts = text("A text.")
    second: Texts = text("Another text.")
    third: Texts = text("A third text.")
    row: Names = column("The row.")
    least: Floats = least_distance("Of two pairs.", ("first", "second"), ("first", "third"))
    greatest: Floats = greatest_distance("Of two pairs.", ("first", "second"), ("first", "third"))


@dataclass(frozen=True)
class SwapItems(Items):
    """One table."""

    swaps: Swaps


def test_of_several_pairs_one_of_the_same_words_makes_the_least_distance_0_and_all_the_greatest():
    texts = [
        ("a dog", "dog a", "a cat"),
        ("a dog", "dog a", "a dog"),
        ("a dog", "a cat", "a cow"),
        ("", "", ""),
    ]
    plan = SwapItems(
        Swaps(
            ["1", "2", "3", "4"],
            **dict(zip(("first", "second", "third"), zip(*texts, strict=True), strict=True)),
        )
    )
    same_words = Outline.of(plan).same_words
    assert same_words["swaps.least"].tolist() == [True, True, False, False]
    assert same_words["swaps.greatest"].tolist() == [False, True, False, False]


@pytest.fixture
def without_data(monkeypatch):
    """As on a machine without the data and without a network."""

    def fail(*_):
        raise SourceError("the data are not here")

    monkeypatch.setattr(pinned_rows, "load_rows", fail)
    pinned_rows._plan.cache_clear()
    yield
    pinned_rows._plan.cache_clear()


@pytest.mark.usefixtures("without_data")
def test_without_the_data_rows_are_compared_all_the_same(submission):
    (cell,) = verify(submission.folder).cells
    assert (cell.trust, cell.mark) == (Trust.RECOMPUTED, "recomputed, baselines as submitted")
    submission.forge(lambda items: items.restrict("compound", items.compounds.compound[1:]))
    only(submission.refused(), "items", "missing, doubled or changed")


@pytest.mark.slow
@pytest.mark.usefixtures("without_data")
def test_with_neither_data_nor_outline_the_scores_follow_from_items_alone(
    submission, monkeypatch, tmp_path
):
    monkeypatch.setattr(outlines, "_shipped", dict)
    (cell,) = verify(submission.folder).cells
    assert cell.mark == "scores follow from items"
    for command in (
        ("verify", submission.folder),
        ("leaderboard", "build", submission.folder, "-o", tmp_path / "site"),
    ):
        done = harness_ext(*command, *(["--strict"] if "build" in command else []))
        assert done.exit_code == 1
        assert str(submission.file) in done.output
        assert "could not be compared with the pinned ones" in done.output
    assert build([submission.folder], tmp_path / "site") == []


@pytest.mark.usefixtures("without_data")
def test_many_results_that_nothing_can_compare_are_not_all_computed(submission, monkeypatch):
    """Anybody may name splits of other limits; each has its intervals computed."""
    monkeypatch.setattr(outlines, "_shipped", dict)
    monkeypatch.setattr(work, "FIRST_ROWS", work.ROWS_OF_ENTRY)
    monkeypatch.setattr(work, "ROWS_A_BYTE", 0)
    only(submission.refused(), "items", "take too long to compute")


@pytest.mark.slow
def test_an_additive_baseline_in_which_the_order_of_words_counts(tmp_path):
    """Its items are those of another encoder, which takes some swapped roles for near, and no
    number is invented.
    """
    entries_of(PlantedModel(bag_of_words(1), "planted/one"), "RoleSwapSimilarityMini", tmp_path)
    submission = Submission(tmp_path, "RoleSwapSimilarityMini")
    assert not submission.refused()
    (entry,) = read_result(submission.file)
    items = entry.baseline_items(ADDITIVE)
    similarity = items.pairs.similarity - 0.1 * (np.arange(len(items.pairs)) % 3)
    forged = changed(items, "pairs", similarity=similarity)
    entry._of_baselines[ADDITIVE] = forged
    submission.edit_entry(
        **entry.against_baselines(), **{ADDITIVE.items: write_items(submission.file, forged)}
    )
    only(
        submission.refused(),
        "pairs.similarity",
        "have the same words, but another additive baseline",
    )


def test_the_rows_of_a_baseline_are_checked(submission):
    """The items of another baseline, of fewer samples."""
    (entry,) = read_result(submission.file)
    items = entry.baseline_items(ADDITIVE).restrict(
        "compound", entry.items().compounds.compound[3:]
    )
    entry._of_baselines[ADDITIVE] = items
    submission.edit_entry(
        **entry.against_baselines(), **{ADDITIVE.items: write_items(submission.file, items)}
    )
    only(submission.refused(), "items", "missing, doubled or changed")
