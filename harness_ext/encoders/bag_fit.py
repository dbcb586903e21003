"""Fits the weights of words and the constant of a weighted bag to the vectors of texts.

For fixed scales of the texts the objective (`harness_ext.encoders.own_words`) is one of linear least squares. To
alternate between scales and weights never increases it, but may take hundreds of rounds. This solver eliminates the
scales: variable projection (Golub and Pereyra 1973, SIAM Journal on Numerical Analysis 10(2), 413-432) with
Gauss-Newton steps. Its damping goes from those steps (0) to those of alternation (1), which cannot fail.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import scipy
from tqdm.auto import tqdm

from harness_ext.arrays import Flags, Floats, Places, Vectors
from harness_ext.encoders.bag_equations import BLOCK, Constant, Problem, State

MAX_ROUNDS = 50
"""A fit that takes more rounds has not settled."""

_ROUNDING = 1e-14
"""Bags that miss less to a mean cosine of 1 are exact."""

_GROWTH = 0.05
"""A round that adds less than this share of what the mean cosine misses to 1 is the last."""

_CLEARLY = 0.1
"""Words hold the constant if bags without it in them miss less than this share of what bags with it miss."""


class UndeterminedError(ValueError):
    """There are more weights than the vectors of the texts determine."""


@dataclass(frozen=True)
class Fit:
    """The result of `fit`; scores of it do not depend on the common scale of weights and constant.

    Attributes:
        weights: One per word, mean 1 if no weight was given, shape (m,).
        constant: The constant of all bags.
        directions: Those of the bags, of length 1 or 0, shape (n, d).
        lengths: Of the bags, shape (n,).
        cosine: The mean cosine of the vectors of texts and their bags, over texts with a vector other than 0.
        rounds: How many rounds the fit took.
        settled: Whether it ended before `MAX_ROUNDS`.
    """

    weights: Floats
    constant: Constant
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
    constant: Constant | None = None,
) -> Fit:
    """Fit a weight per word and the constant.

    Args:
        counts: How often each word is in each text, without duplicate entries, shape (n, m); the rows as in `order`.
        words: The vectors of the words, shape (m, d).
        texts: The vectors of the texts, shape (n, d). A zero vector has no direction, and no say.
        order: The place in `texts` of the text of each row of `counts`, shape (n,); by default the same.
        weights: Weights that are given, NaN for those to fit, shape (m,); by default all are fitted.
        constant: By default it is fitted.

    Raises:
        UndeterminedError: Texts of two words or more are too few, or their vectors have too few dimensions.
    """
    n_words, n_dimensions = words.shape
    order = np.arange(len(texts)) if order is None else order
    given = np.full(n_words, np.nan) if weights is None else weights
    is_free: Flags = np.isnan(given)
    first = np.where(is_free, 1.0 if is_free.all() else given[~is_free].mean(), given)
    moves: Flags = np.concatenate([is_free, np.full(n_dimensions, constant is None)])
    problem = Problem(counts, words, texts, order, moves)
    once = constant or Constant(np.zeros(n_dimensions), is_in_words=False)
    state = problem.state(first, once)
    if constant is None and state.misfit > _ROUNDING:
        _refuse_undetermined(problem)
    best = _rounds(problem, state)
    if constant is None and best.state.misfit > _ROUNDING:
        in_words = _rounds(problem, problem.state(first, once._replace(is_in_words=True)))
        if in_words.state.misfit < _CLEARLY * best.state.misfit:
            best = in_words
        else:
            problem.state(best.state.weights, best.state.constant)  # for the directions
    return _result(problem, best)


class _Rounds(NamedTuple):
    """The last state of a fit, after how many rounds, and whether more would not have changed it."""

    state: State
    n_rounds: int
    settled: bool


def _refuse_undetermined(problem: Problem) -> None:
    unknowns, n_dimensions = int(problem.moves.sum()), problem.words.shape[1]
    n_equations = int((np.diff(problem.counts.indptr) > 1).sum()) * (n_dimensions - 1)
    if n_equations < unknowns:
        raise UndeterminedError(
            f"{unknowns} weights and dimensions of the constant are not determined by {n_equations} equations: "
            f"texts of two words or more, times the dimensions of a direction ({n_dimensions - 1})."
        )


def _rounds(problem: Problem, state: State) -> _Rounds:
    """Go on from `state` until a round adds little."""
    damping, ridge, n_rounds = 1.0, np.inf, 0
    settled = state.misfit <= _ROUNDING or not problem.moves.any()
    with tqdm(total=MAX_ROUNDS, desc="Own words: fitting", unit="round", delay=3, leave=False) as bar:
        while not settled and n_rounds < MAX_ROUNDS:
            ridge = min(ridge, problem.ridge(state))
            better, damping = problem.step(state, damping, ridge)
            n_rounds += 1
            bar.update()
            bar.set_postfix_str(f"fit {better.cosine:.5f}", refresh=False)
            settled = better.misfit <= _ROUNDING or better.cosine - state.cosine < _GROWTH * state.misfit
            state = better
    return _Rounds(state, n_rounds, settled)


def _result(problem: Problem, found: _Rounds) -> Fit:
    """The fit, with weights of mean 1 where all were fitted."""
    state, mean = found.state, found.state.weights.mean()
    scale = mean if problem.moves.all() and mean > 0 else 1.0
    place = np.argsort(problem.order)
    step = max(1, BLOCK // len(place))
    for start in range(0, problem.directions.shape[1], step):  # a few dimensions at a time, for memory
        part = slice(start, start + step)
        problem.directions[:, part] = problem.directions[place, part]
    lengths = np.zeros(len(place))
    lengths[problem.order] = state.lengths / scale
    constant = state.constant._replace(vector=state.constant.vector / scale)
    return Fit(
        state.weights / scale, constant, problem.directions, lengths, state.cosine, found.n_rounds, found.settled
    )
