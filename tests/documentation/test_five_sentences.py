"""The five sentences at the head of docs/findings.md: for each an encoder for which it is false.

Each encoder takes the place of WordLlama among the results of the board.
"""

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from benchmarks.static_verb import over_static_verb
from harness_ext.results.entry import Results
from harness_ext.results.load import load_results
from harness_ext.statistics.paired_difference import difference_of
from harness_ext.tasks import ENCODER_TASKS
from harness_ext.tasks.data import load_rows
from tests.planted import PlantedModel, entries_of
from tests.planted_vectors import knows, random_vector, vectors_of

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "docs"))  # as for `python docs/findings.py`
try:
    import findings
finally:
    sys.path.pop(0)

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("mirror")]

NAME = "WordLlama"


def rows_of(task, split, subset="default"):
    return load_rows(ENCODER_TASKS[task], split, subset).to_list()


def rated_as_by_people(rows):
    """An encoder: the cosine of two sentences is people's similarity, where both stand in no
    earlier pair.
    """
    encode = random_vector()
    vectors = {}
    for row in rows:
        first = row["sentence1"]
        second = row["sentence2"]
        if second in vectors:
            first, second = second, first
        along = vectors.setdefault(first, unit(encode(first)))
        if second not in vectors:
            across = encode(second)
            across = unit(across - (across @ along) * along)
            similarity = min(row["similarity"], 1.0)
            vectors[second] = similarity * along + np.sqrt(1 - similarity**2) * across

    def vector(text):
        return vectors[text] if text in vectors else encode(text)

    return vector


def unit(vector):
    return vector / np.linalg.norm(vector)


def rewritten(rows, before, after):
    """An encoder that gives a text and its rewrite one vector, and every other text its own."""
    return knows({row[after]: row[before] for row in rows})


@pytest.fixture
def page_with(tmp_path):
    """The page of the board, with the result of a planted encoder in place of one of its results."""
    board = load_results(ROOT / "leaderboard").entries

    def page(encode, task):
        entries_of(PlantedModel(encode, name="planted/oracle"), task, tmp_path, baselines=False)
        planted = load_results(tmp_path).entries
        replaced = findings.MODELS[NAME]
        others = [entry for entry in board if (entry.model, entry.task) != (replaced, task)]
        renamed = [replace(entry, model=replaced) for entry in planted]
        return findings.page(Results((*others, *renamed), ()))

    return page


def refused(sentence):
    return pytest.raises(findings.UnsupportedClaimError, match=sentence)


def test_roles(page_with):
    rows = rows_of("RoleSwapSimilarity", "test")
    with refused("who did what to whom"):
        page_with(rated_as_by_people(rows), "RoleSwapSimilarity")


def test_captions(page_with):
    rows = rows_of("CaptionSwap", "all")
    with refused("above chance, a third"):
        page_with(rewritten(rows, "caption", "paraphrase"), "CaptionSwap")


def test_idioms(page_with):
    rows = rows_of("IdiomParaphrase", "idioms")
    with refused("above chance, .5"):
        page_with(rewritten(rows, "sentence", "entailed"), "IdiomParaphrase")


def test_opposites(page_with):
    rows = rows_of("MergeOpposites", "test", "sugarcrepe_pp")
    same = [row for row in rows if row["kind"] == "same"]
    with refused("merges four in ten"):
        page_with(rewritten(same, "first", "second"), "MergeOpposites")


def test_verbs(page_with, monkeypatch):
    """The encoder is compared with sums of its own vectors of words."""
    encode = rated_as_by_people(rows_of("TransitiveSimilarity", "test", "gs2011"))
    difference = difference_of(over_static_verb(vectors_of(encode), 2.0))
    row = {"model": NAME, "strength": "2", "low": f"{difference.low:.3f}"}
    monkeypatch.setattr(findings, "static_verbs", lambda: [row])
    with refused("which sense of a verb"):
        findings.page(load_results(ROOT / "leaderboard"))
