"""What encoders may return, through tasks: right is the score of plain float64 arrays of the same numbers.

`tests/encoders/test_vectors.py` has each kind at the one door to all tasks; here the first and
the last of both tables go through every task.
"""

import functools
import itertools

import pytest

from harness_ext.tasks import ENCODER_TASKS
from tests.encoders.test_vectors import REFUSED, TAKEN
from tests.hostile.planted_results import MODEL, Planted, main_score

pytestmark = [pytest.mark.hostile, pytest.mark.slow]
TASKS = [name for name, task in ENCODER_TASKS.items() if task.quick]
TOLERANCE = 1e-3
"""Rounding to float32 may turn a tie between two of the hundreds of comparisons, no more."""


def corners(kinds):
    """The first and the last kind with every task."""
    return itertools.product([next(iter(kinds)), next(reversed(kinds))], TASKS)


@functools.cache
def expected(task, signs):
    return main_score(task, Planted(signs=signs))


@pytest.mark.parametrize(("kind", "task"), corners(TAKEN))
def test_taken(kind, task, judge):
    make, _ = TAKEN[kind]
    score, model = expected(task, "float8" in kind), Planted(make, signs="float8" in kind)
    judge(lambda: main_score(task, model), lambda found: abs(found - score) < TOLERANCE, MODEL)


@pytest.mark.parametrize(("kind", "task"), corners(REFUSED))
def test_refused(kind, task, judge):
    make, _ = REFUSED[kind]
    judge(lambda: main_score(task, Planted(make)), None, MODEL, "returned")
