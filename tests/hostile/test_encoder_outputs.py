"""What encoders may return, through every task: right is the score of plain float64 arrays of the same numbers."""

import functools

import pytest

from tests.encoders.test_vectors import REFUSED, TAKEN
from tests.hostile.planted_results import MODEL, Planted, main_score

pytestmark = [pytest.mark.hostile, pytest.mark.slow]
AREA = "encoder outputs"
TASKS = (
    "EpsilonCompositionalityMini",
    "NounCompoundAffinityMini",
    "NounCompoundScaledSimilarityMini",
    "MontagueConsistencyFast",
    "PolaritySensitivityMini",
    "TreeReconstructionMini",
)
TOLERANCE = 1e-3
"""Rounding to float32 may turn a tie between two of the hundreds of comparisons, no more."""


@functools.cache
def expected(task, signs):
    return main_score(task, Planted(signs=signs))


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("kind", TAKEN)
def test_taken(kind, task, judge):
    make, _ = TAKEN[kind]
    score, model = expected(task, "float8" in kind), Planted(make, signs="float8" in kind)
    judge(lambda: main_score(task, model), lambda found: abs(found - score) < TOLERANCE, MODEL)


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("kind", REFUSED)
def test_refused(kind, task, judge):
    make, _ = REFUSED[kind]
    judge(lambda: main_score(task, Planted(make)), None, MODEL, "returned")
