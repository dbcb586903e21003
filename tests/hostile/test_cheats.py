"""Trees that a cheat leaves out, with scores and digest computed anew: `verify` refuses them and names the rows."""

from __future__ import annotations

import numpy as np

from harness_ext.leaderboard.submission import submit
from tests.leaderboard.conftest import Submission, changed, only
from tests.planted import PlantedModel, bent, entries_of

TREES = "TreeReconstructionMini"


def test_trees_left_out_for_a_reason_of_one_s_own(tmp_path):
    """Trees whose rank is off are said to have a word that no other tree has."""
    entries_of(PlantedModel(bent(3), "planted/cheat"), TREES, tmp_path)
    submit(tmp_path, "planted/cheat", tmp_path / "submission")
    trees = Submission(tmp_path / "submission", TREES)

    def change(items):
        trees = items.trees
        order = np.argsort(np.argsort(trees.error)) + np.argsort(np.argsort(trees.wns))
        drop = (trees.excluded == "") & (np.abs(order - np.median(order)) > len(order) / 4)
        return changed(items, "trees", excluded=np.where(drop, "unseen_word", trees.excluded))

    trees.forge(change)
    only(trees.refused(), "trees.excluded", "contradict the pinned dataset")
