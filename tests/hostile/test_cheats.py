"""Items that a cheat made up, with scores and digest computed anew: `verify` refuses each with the rows at fault.

Each of these passed once as *recomputed*, and ranked first.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import mteb
import numpy as np
import pytest
from mteb.cache import ResultCache

from harness_ext.evaluators.gain import gain_scores
from harness_ext.leaderboard.submission import submit
from harness_ext.results.load import read_result
from harness_ext.store.item_files import DIGEST, keep, write_items
from tests.results.measured import BagOfWords

EPSILON, AFFINITY, SCALED = (
    "EpsilonCompositionalityMini",
    "NounCompoundAffinityMini",
    "NounCompoundScaledSimilarityMini",
)
MONTAGUE, TREES = "MontagueConsistencyFast", "TreeReconstructionMini"
MODEL = "planted/cheat"


class NoSums(BagOfWords):
    """Sums of words would be fitted exactly."""

    def encode(self, inputs, **kwargs):
        return np.tanh(super().encode(inputs, **kwargs))


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    """A submission in which nothing is wrong."""
    folder = tmp_path_factory.mktemp("cheats")
    tasks = mteb.get_tasks(tasks=[EPSILON, AFFINITY, SCALED, MONTAGUE, TREES])
    mteb.evaluate(NoSums(MODEL, 3), tasks, cache=ResultCache(folder), show_progress_bar=False)
    submit(folder, MODEL, folder / "submission")
    return folder / "submission"


@pytest.fixture
def forged(sound, tmp_path):
    """Forge the items of a task: its new main score, and all that `harness-ext verify` says."""

    def forge(task, change):
        folder = shutil.copytree(sound, tmp_path / "submission")
        (file,) = folder.glob(f"results/*/1/{task}.json")
        for other in file.parent.glob("*"):  # the forged task alone is submitted
            if not other.name.startswith((f"{task}.", "model_meta")):
                other.unlink()
        (entry,) = read_result(file)
        items = change(entry.items())
        place = entry.split, entry.subset
        scores = entry.measure.flat_scores(items)
        if entry.words_digest:
            scores |= gain_scores(entry.measure, items, entry.words_items())
        content = json.loads(file.read_text())
        content["scores"][entry.split][0] = {
            **{key: value for key, value in content["scores"][entry.split][0].items() if key not in entry.scores},
            **scores,
            "main_score": scores[entry.measure.main],
            DIGEST: keep(items),
        }
        write_items(file, entry.measure.items, {place: items.digest()})
        file.write_text(json.dumps(content))
        command = [Path(sys.executable).with_name("harness-ext"), "verify", folder, "--format", "json"]
        done = subprocess.run(command, capture_output=True, text=True)
        return scores[entry.measure.main], done.returncode, done.stdout

    return forge


def changed(items, table, **columns):
    """The items with other columns in one table."""
    of_table = items.tables()[table]
    return replace(items, **{table: type(of_table).of({**of_table.values(), **columns})})


def assert_refused(forged, key, message, at_least=0.0):
    score, status, said = forged
    assert score >= at_least
    assert status == 1, said
    assert re.search(message, said), said
    assert key in said, said


def test_epsilon_without_the_compounds_that_it_gets_wrong(forged):
    """Each idiom of a low share and each literal compound of a high one has NaN for its own words."""

    def change(items):
        samples, compounds, share = items.samples, items.compounds, items.rank_shares
        hard = np.where(compounds.class_ == "NC", share < 0.3, share > 0.7)
        words = samples.word[np.isin(samples.compound, compounds.compound[hard])]
        mine = np.isin(samples.word, words)
        return changed(items, "samples", phrase_distance=np.where(mine, np.nan, samples.phrase_distance))

    assert_refused(forged(EPSILON, change), "samples", "left out", 0.55)  # .44 with all; a class keeps ten


def test_affinity_without_one_unrelated_probe_of_each_idiom_that_it_gets_wrong(forged):
    """One NaN leaves out the whole sentence."""

    def change(items):
        rows = items.similarities
        sim = items.sim("sentence")
        hard = items.sentences.row[sim["syn"] <= sim["words_syn"]]
        drop = np.isin(rows.row, hard) & (rows.probe == "rand")
        return changed(items, "similarities", similarity=np.where(drop, np.nan, rows.similarity))

    assert_refused(forged(AFFINITY, change), "similarities", "left out", 0.9)


def test_half_of_montague(forged):
    def change(items):
        drop = np.isin(items.singles.adjective, items.adjectives.adjective[::2])
        columns = {name: np.where(drop, np.nan, items.singles.values()[name]) for name in ("to_adjective", "to_noun")}
        return changed(items, "singles", **columns)

    assert_refused(forged(MONTAGUE, change), "singles", "no vector is zero")


@pytest.mark.parametrize("reason", ["unseen_word", "zero_vector", "single_word"])
def test_trees_left_out_for_a_reason_of_one_s_own(forged, reason):
    """Trees whose rank is off are said to have a word that no other tree has."""

    def change(items):
        trees = items.trees
        used = trees.excluded == ""
        order = np.argsort(np.argsort(trees.error)) + np.argsort(np.argsort(trees.wns))
        drop = used & (np.abs(order - np.median(order)) > len(order) / 4)
        return changed(items, "trees", excluded=np.where(drop, reason, trees.excluded))

    assert_refused(forged(TREES, change), "trees.excluded", "contradict the pinned dataset", 0.3)


def test_trees_left_out_as_zero_vectors(forged):
    """Said consistently; then it is too many."""

    def change(items):
        trees = items.trees
        drop = np.arange(len(trees)) % 4 == 0
        return changed(items, "trees", excluded=np.where(drop, "zero_vector", trees.excluded),
                       error=np.where(drop, np.nan, trees.error))  # fmt: skip

    assert_refused(forged(TREES, change), "trees", "at most 5 %|at most 5%")


def test_montague_phrases_that_close_no_triangle(forged):
    """Each phrase as near to its words as its type wants it, and the words as far from each other."""

    def change(items):
        singles = items.singles
        types = dict(zip(items.adjectives.adjective.tolist(), items.adjectives.type.tolist(), strict=True))
        kind = np.array([types[name] for name in singles.adjective.tolist()])
        near = kind == "S-I"
        return changed(items, "singles", to_adjective=np.where(near, 0.01, np.where(kind == "S-NI", 1.5, 0.1)),
                       to_noun=np.where(near, 0.01, np.where(kind == "S-NI", 0.2, 1.5)),
                       between_words=np.where(near, 1.9, 0.3))  # fmt: skip

    assert_refused(forged(MONTAGUE, change), "singles.", "one distance here|so far from each other", 0.6)


def test_a_distance_of_two_nouns_that_the_phrases_do_not_allow(forged):
    """Only the pairs of the intersective adjectives are made near; a Gram matrix of twelve phrases tells it."""

    def change(items):
        pairs = items.pairs
        near = np.isin(pairs.adjective, items.adjectives.adjective[items.adjectives.type == "S-I"])
        return changed(items, "pairs", distance=np.where(near & (np.arange(len(pairs)) % 3 > 0), 1e-6, pairs.distance))

    assert_refused(forged(MONTAGUE, change), "eigenvalue", "so far from each other")


def test_a_cosine_beyond_its_range(forged):
    def change(items):
        rows = items.similarities
        return changed(items, "similarities", similarity=np.where(np.arange(len(rows)) == 0, 1.1, rows.similarity))

    assert_refused(forged(SCALED, change), "similarities.similarity, row 0", "impossible")


def test_one_zero_vector_is_counted_and_no_fault(forged):
    """An honest encoder may have no vector for a sentence."""

    def change(items):
        rows = items.similarities
        drop = rows.row == rows.row[0]
        columns = {name: np.where(drop, np.nan, rows.values()[name]) for name in ("similarity",)}
        return changed(items, "similarities", **columns)

    _, status, said = forged(SCALED, change)
    assert status == 0, said
    assert "zero vectors in 1 of 60" in said
