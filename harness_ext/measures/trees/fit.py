"""The fit behind tree reconstruction error: word vectors that compose to sentence vectors.

After Bhathena, Willis, Dass 2020, §4, and Andreas 2019, *Measuring Compositionality in
Representation Learning*.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy
import torch
from tqdm.auto import trange

from harness_ext.common.arrays import Flags, Floats, Vectors
from harness_ext.measures.trees.forest import Forest

LEARNING_RATE = 0.02
"""The first one, for coordinates of about 1."""

N_HALVINGS = 6
"""How often the learning rate is halved, see `TOLERANCE`."""

WINDOW = 20
"""Steps between two looks at the loss."""

TOLERANCE = 1e-4
"""A window in which the loss falls by less halves the learning rate.

After the last halving the fit has converged.
"""

MAX_STEPS = 1000
"""Steps after which a fit ends that has not converged."""


@dataclass(frozen=True)
class Fit:
    """What `reconstruct` returns.

    Attributes:
        error: Cosine distance of each composed vector from its target, in [0, 2]; NaN for a tree
            with a word that no fitted tree has. Shape (n,).
        n_steps: RMSProp steps done.
        converged: Whether the loss had stopped falling, else `MAX_STEPS` were done.
    """

    error: Floats
    n_steps: int
    converged: bool


def reconstruct(
    targets: Vectors,
    forest: Forest,
    fitted: Flags | None = None,
    composition: str = "sum",
) -> Fit:
    """Fit one vector per word (and, for `linear`, one matrix per side), all trees at once.

    A word starts as the mean of the targets of the sentences it is fitted to; the loss is the mean
    cosine distance, and RMSProp makes it smaller. See `TOLERANCE` for when it ends.

    Args:
        targets: One sentence vector per tree, not zero where words are fitted to it, shape (n, d).
        forest: The trees.
        fitted: The trees that words are fitted to, shape (n,); all if None. The others are composed
            of their words.
        composition: `sum` or `mean` of the two children, or `linear`: A · left + B · right with
            learned A and B.
    """
    if fitted is None:
        fitted = np.ones(len(targets), dtype=bool)
    goal = _directions(targets[fitted], np.float32)
    counts = composition_matrix(forest, "sum")
    frequency = np.asarray(counts[fitted].sum(axis=0)).ravel()
    means = scipy.sparse.diags(1 / np.maximum(frequency, 1)) @ counts[fitted].T
    words = (_sparse(means) @ goal * np.sqrt(goal.shape[1])).requires_grad_()
    width = goal.shape[1] if composition == "linear" else 0
    sides = torch.eye(width).repeat(2, 1, 1).requires_grad_()
    compose_fitted = _composition(forest, fitted, composition)

    def loss() -> torch.Tensor:
        composed = compose_fitted(words, sides)
        return (1 - torch.nn.functional.cosine_similarity(composed, goal)).mean()

    descent = _descend([words, sides], loss)
    has_unseen = np.asarray(counts @ (frequency == 0)) > 0
    with torch.no_grad():
        composed = _composition(forest, ~has_unseen, composition)(words, sides)
    error = np.full(len(targets), np.nan)
    error[~has_unseen] = _distances(composed, targets[~has_unseen])
    return Fit(error, descent.n_steps, descent.converged)


@dataclass(frozen=True)
class _Descent:
    """How a loss was made smaller; see `Fit`."""

    n_steps: int
    converged: bool


def _descend(parameters: list[torch.Tensor], loss_of: Callable[[], torch.Tensor]) -> _Descent:
    """Make the loss smaller by changing the parameters in place, until it stops falling."""
    optimizer = torch.optim.RMSprop(parameters, lr=LEARNING_RATE)
    group = optimizer.param_groups[0]
    smallest = LEARNING_RATE / 2**N_HALVINGS
    best = np.inf
    progress = trange(1, MAX_STEPS + 1, desc="tree_reconstruction: fitting", unit="step")
    for step in progress:
        loss = loss_of()
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        value = float(loss.detach())
        shown = max(value, 0.0)  # rounding may go below zero
        progress.set_postfix(distance=f"{shown:.4f}", refresh=False)
        if step % WINDOW:
            continue
        if value > best - TOLERANCE:
            if group["lr"] <= smallest:
                return _Descent(step, converged=True)
            group["lr"] /= 2
        best = min(best, value)
    return _Descent(MAX_STEPS, converged=False)


def _directions(vectors: Vectors, dtype: type[np.floating[Any]]) -> torch.Tensor:
    """L2-normalized vectors, in a precision."""
    return torch.nn.functional.normalize(torch.as_tensor(np.array(vectors, dtype=dtype)), dim=1)


def _distances(composed: torch.Tensor, targets: Vectors) -> Floats:
    """The cosine distance of each composed vector from its target, in [0, 2], shape (n,)."""
    directions = torch.nn.functional.normalize(composed.double(), dim=1)
    difference = directions - _directions(targets, np.float64)
    distances: Floats = 0.5 * difference.square().sum(dim=1).numpy()
    return distances


def _composition(
    forest: Forest,
    trees: Flags,
    composition: str,
) -> Levels | WeightedWords:
    """What composes some trees of the vectors of all words, see `reconstruct`."""
    if composition == "linear":
        return Levels(forest[trees])
    return WeightedWords(composition_matrix(forest, composition)[trees])


def composition_matrix(forest: Forest, composition: str) -> Any:
    """How much each word weighs in each tree's root: sparse, of shape (trees, words)."""
    is_leaf = forest.is_leaf
    weights = np.ones(is_leaf.sum())
    if composition != "sum":
        weights = 0.5 ** forest.depths()[is_leaf]
    places = (forest.tree[is_leaf], forest.word[is_leaf])
    shape = (len(forest.roots), forest.word.max() + 1)
    return scipy.sparse.csr_matrix((weights, places), shape=shape)


def _sparse(matrix: Any) -> torch.Tensor:
    entries = scipy.sparse.coo_matrix(matrix)
    indices = torch.as_tensor(np.array([entries.row, entries.col]), dtype=torch.int64)
    values = torch.as_tensor(entries.data, dtype=torch.float32)
    return torch.sparse_coo_tensor(indices, values, entries.shape, check_invariants=True).coalesce()


class WeightedWords:
    """Composes all trees at once, as weighted sums of their words."""

    def __init__(self, weights: Any) -> None:
        self._weights = _sparse(weights)

    def __call__(
        self,
        words: torch.Tensor,
        sides: torch.Tensor,
    ) -> torch.Tensor:
        """See `Levels`; the matrices of the sides play no part."""
        return torch.sparse.mm(self._weights, words)


class Levels:
    """Composes all trees at once, level by level from the leaves.

    Nodes are kept in the order of their heights.
    """

    def __init__(self, forest: Forest) -> None:
        heights = forest.heights()
        order = np.argsort(heights, kind="stable")
        place = np.argsort(order)
        self._words = torch.as_tensor(forest.word[order][heights[order] == 1])
        self._levels = [
            torch.as_tensor(place[forest.children[order[heights[order] == height]]].T.copy())
            for height in range(2, heights.max() + 1)
        ]
        self._roots = torch.as_tensor(place[forest.roots])

    def __call__(
        self,
        words: torch.Tensor,
        sides: torch.Tensor,
    ) -> torch.Tensor:
        """Compose vectors of roots, shape (n, d).

        Args:
            words: The vectors of the words, shape (number of words, d).
            sides: A and B, shape (2, d, d).
        """
        nodes = words[self._words]
        for left, right in self._levels:
            nodes = torch.cat([nodes, nodes[left] @ sides[0].T + nodes[right] @ sides[1].T])
        return nodes[self._roots]
