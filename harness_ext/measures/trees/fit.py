"""The fit behind tree reconstruction error: one vector per word, so that composing them gives the sentence vectors.

After Bhathena, Willis, Dass 2020, §4, and Andreas 2019, *Measuring Compositionality in Representation Learning*.
"""

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
N_HALVINGS = 6
WINDOW = 20
"""Steps between two looks at the loss."""
TOLERANCE = 1e-4
"""A window in which the loss falls by less halves the learning rate; after the last halving the fit has converged."""
MAX_STEPS = 1000


@dataclass(frozen=True)
class Fit:
    """What `reconstruct` returns.

    Attributes:
        error: Cosine distance of each composed vector from its target, in [0, 2]; NaN for a tree with a word that no
            fitted tree has. Shape (n,).
        n_steps: RMSProp steps done.
        converged: Whether the loss had stopped falling, else `MAX_STEPS` were done.
    """

    error: Floats
    n_steps: int
    converged: bool


def reconstruct(targets: Vectors, forest: Forest, fitted: Flags | None = None, composition: str = "sum") -> Fit:
    """Fit one vector per word (and, for `linear`, one matrix per side) with RMSProp, all trees at once.

    A word starts as the mean of the targets of the sentences it is fitted to; the loss is the mean cosine distance.
    The learning rate starts at `LEARNING_RATE` for coordinates of about 1, see `TOLERANCE` for when it ends.

    Args:
        targets: One sentence vector per tree, not zero where words are fitted to it, shape (n, d).
        forest: The trees.
        fitted: The trees that words are fitted to, shape (n,); all if None. The others are composed of their words.
        composition: `sum` or `mean` of the two children, or `linear`: A · left + B · right with learned A and B.
    """
    fitted = np.ones(len(targets), dtype=bool) if fitted is None else fitted
    goal = torch.nn.functional.normalize(torch.as_tensor(np.array(targets[fitted], dtype=np.float32)), dim=1)
    counts = composition_matrix(forest, "sum")
    frequency = np.asarray(counts[fitted].sum(axis=0)).ravel()
    words = _sparse(scipy.sparse.diags(1 / np.maximum(frequency, 1)) @ counts[fitted].T) @ goal
    words = (words * np.sqrt(goal.shape[1])).requires_grad_()
    sides = torch.eye(goal.shape[1] if composition == "linear" else 0).repeat(2, 1, 1).requires_grad_()

    def composing(trees: Flags) -> Callable[[], torch.Tensor]:
        if composition == "linear":
            levels = Levels(forest[trees])
            return lambda: levels(words, sides)
        weights = _sparse(composition_matrix(forest, composition)[trees])
        return lambda: torch.sparse.mm(weights, words)

    composed = composing(fitted)
    optimizer = torch.optim.RMSprop([words, sides], lr=LEARNING_RATE)
    smallest = LEARNING_RATE / 2**N_HALVINGS
    best, converged, steps = np.inf, False, 0
    for steps in (progress := trange(1, MAX_STEPS + 1, desc="tree_reconstruction: fitting", unit="step")):
        loss = (1 - torch.nn.functional.cosine_similarity(composed(), goal)).mean()
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        value = float(loss.detach())
        progress.set_postfix(distance=f"{max(value, 0.0):.4f}", refresh=False)  # rounding may go below zero
        if steps % WINDOW == 0:
            group = optimizer.param_groups[0]
            if value > best - TOLERANCE:
                converged = group["lr"] <= smallest
                group["lr"] /= 2
            if converged:
                break
            best = min(best, value)
    unseen = np.asarray(counts @ (frequency == 0)) > 0
    with torch.no_grad():
        unit = torch.nn.functional.normalize(composing(~unseen)().double(), dim=1)
        wide = torch.nn.functional.normalize(torch.as_tensor(np.array(targets[~unseen], dtype=np.float64)), dim=1)
    error = np.full(len(targets), np.nan)
    error[~unseen] = 0.5 * (unit - wide).square().sum(dim=1).numpy()
    return Fit(error, steps, converged)


def composition_matrix(forest: Forest, composition: str) -> Any:
    """How much each word weighs in each tree's root, shape (number of trees, number of words), sparse."""
    leaves = forest.is_leaf
    weights = np.ones(leaves.sum()) if composition == "sum" else 0.5 ** forest.depths()[leaves]
    shape = (len(forest.roots), forest.word.max() + 1)
    return scipy.sparse.csr_matrix((weights, (forest.tree[leaves], forest.word[leaves])), shape=shape)


def _sparse(matrix: Any) -> torch.Tensor:
    entries = scipy.sparse.coo_matrix(matrix)
    indices = torch.as_tensor(np.array([entries.row, entries.col]), dtype=torch.int64)
    values = torch.as_tensor(entries.data, dtype=torch.float32)
    return torch.sparse_coo_tensor(indices, values, entries.shape, check_invariants=True).coalesce()


class Levels:
    """Composes all trees at once, level by level from the leaves; nodes are kept in the order of their heights."""

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

    def __call__(self, words: torch.Tensor, sides: torch.Tensor) -> torch.Tensor:
        """Word vectors, shape (number of words, d), and A and B, shape (2, d, d), to vectors of roots, shape (n, d)."""
        nodes = words[self._words]
        for left, right in self._levels:
            nodes = torch.cat([nodes, nodes[left] @ sides[0].T + nodes[right] @ sides[1].T])
        return nodes[self._roots]
