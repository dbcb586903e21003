"""Fits the weights of words and the constant of a weighted bag to the vectors of texts.

For fixed scales of the texts the objective (`harness_ext.encoders.own_words`) is one of linear least squares. To
alternate between scales and weights never increases it, but may take hundreds of rounds. This solver eliminates the
scales: variable projection (Golub and Pereyra 1973, SIAM Journal on Numerical Analysis 10(2), 413-432) with
Gauss-Newton steps. Its damping goes from those steps (0) to those of alternation (1), which cannot fail.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy
from tqdm.auto import tqdm

from harness_ext.arrays import Floats, Places, Vectors
from harness_ext.encoders.bag_equations import BLOCK, Problem, State, nearness

MAX_ROUNDS = 50
"""A fit that takes more rounds has not settled."""

_ROUNDING = 1e-14
"""Bags that leave less unexplained are exact."""

_GROWTH = 1e-5
"""A round that adds less to the mean cosine is the last."""


class UndeterminedError(ValueError):
    """There are more weights than the vectors of the texts determine."""


@dataclass(frozen=True)
class Fit:
    """The result of `fit`; scores of it do not depend on the common scale of weights and constant.

    Attributes:
        weights: One per word, mean 1 if no weight was given, shape (m,).
        constants: Vectors added once to each bag, and once for each of its words, shape (2, d).
        directions: Those of the bags, of length 1 or 0, shape (n, d).
        lengths: Of the bags, shape (n,).
        cosine: The mean cosine of the vectors of texts and their bags, over texts with a vector other than 0.
        rounds: How many rounds the fit took.
        settled: Whether it ended before `MAX_ROUNDS`.
    """

    weights: Floats
    constants: Floats
    directions: Vectors
    lengths: Floats
    cosine: float
    rounds: int
    settled: bool


def fit(
    counts: scipy.sparse.csr_array,
    words: Vectors,
    texts: Vectors,
    *,
    order: Places | None = None,
    weights: Floats | None = None,
    constants: Floats | None = None,
) -> Fit:
    """Fit a weight per word and the constants.

    Args:
        counts: How often each word is in each text, without duplicate entries, shape (n, m); the rows as in `order`.
        words: The vectors of the words, shape (m, d).
        texts: The vectors of the texts, shape (n, d). A zero vector has no direction, and no say.
        order: The place in `texts` of the text of each row of `counts`, shape (n,); by default the same.
        weights: Weights that are given, NaN for those to fit, shape (m,); by default all are fitted.
        constants: Shape (2, d); by default they are fitted.

    Raises:
        UndeterminedError: Texts of two words or more are too few, or their vectors have too few dimensions.
    """
    order = np.arange(len(texts)) if order is None else order
    problem = Problem(counts, words, texts, order, weights, constants)
    state = problem.state(problem.first_weights, problem.first_constants)
    unknowns = int(problem.moves.sum())
    n_equations = int((np.diff(counts.indptr) > 1).sum()) * (words.shape[1] - 1)
    if constants is None and state.misfit > _ROUNDING and n_equations < unknowns:
        raise UndeterminedError(
            f"{unknowns} weights and dimensions of constants are not determined by {n_equations} equations: "
            f"texts of two words or more, times the dimensions of a direction ({words.shape[1] - 1})."
        )
    damping, ridge, rounds = 1.0, np.inf, 0
    settled = state.misfit <= _ROUNDING or not unknowns
    with tqdm(total=MAX_ROUNDS, desc="Own words: fitting", unit="round", delay=3, leave=False) as bar:
        while not settled and rounds < MAX_ROUNDS:
            ridge = min(ridge, problem.ridge(state))
            better, damping = problem.step(state, damping, ridge)
            rounds += 1
            bar.update()
            bar.set_postfix_str(f"fit {better.cosine:.5f}", refresh=False)
            settled = better.misfit <= _ROUNDING or better.cosine - state.cosine < _GROWTH * nearness(state)
            state = better
    return _result(problem, state, rounds, settled)


def _result(problem: Problem, state: State, rounds: int, settled: bool) -> Fit:
    """The fit, with weights of mean 1 where all were fitted."""
    first, second = state.constants
    mean = state.weights.mean()
    scale = mean if problem.moves.all() and mean > 0 else 1.0
    weights, constants = state.weights / scale, np.stack([first - second, second / problem.mean_length]) / scale
    place = np.argsort(problem.order)
    step = max(1, BLOCK // len(place))
    for start in range(0, problem.directions.shape[1], step):  # a few dimensions at a time, for memory
        part = slice(start, start + step)
        problem.directions[:, part] = problem.directions[place, part]
    lengths = np.zeros(len(place))
    lengths[problem.order] = state.lengths / scale
    return Fit(weights, constants, problem.directions, lengths, state.cosine, rounds, settled)
