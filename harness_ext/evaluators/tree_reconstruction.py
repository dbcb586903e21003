"""Tree reconstruction error: is a sentence vector a composition of word vectors along the parse?

Bhathena, Willis, Dass 2020: *Evaluating Compositionality of Sentence Representation Models*, RepL4NLP, pp. 185-193, §4,
after Andreas 2019, *Measuring Compositionality in Representation Learning*. One vector per word is fitted so that
composing them bottom-up over the parse gives the encoder's sentence vectors; TRE is the cosine distance that remains.
It is then correlated with how much the sentence's sentiment resists composition, see forest.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse
import torch

from harness_ext.evaluators.correlation import spearman, spearman_interval

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from harness_ext.evaluators.forest import Forest

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
        error: Cosine distance of each composed vector from its target, in [0, 2], shape (n,).
        n_steps: RMSProp steps done.
        converged: Whether the loss had stopped falling, else `MAX_STEPS` were done.
    """

    error: NDArray[np.float64]
    n_steps: int
    converged: bool


def reconstruct(
    targets: NDArray[np.floating[Any]],
    forest: Forest,
    composition: str = "sum",
    max_steps: int = MAX_STEPS,
    on_step: Callable[[float], None] = lambda loss: None,
) -> Fit:
    """Fit one vector per word (and, for `linear`, one matrix per side) with RMSProp, all trees at once.

    A word starts as the mean of the targets of its sentences; the loss is the mean cosine distance. The learning rate
    starts at `LEARNING_RATE` for coordinates of about 1, see `TOLERANCE` for when it ends.

    Args:
        targets: One sentence vector per tree, none of them zero, shape (n, d).
        forest: The trees.
        composition: `sum` or `mean` of the two children, or `linear`: A · left + B · right with learned A and B.
        max_steps: No more steps than these.
        on_step: Called with the loss after each step.
    """
    goal = torch.nn.functional.normalize(torch.as_tensor(np.array(targets, dtype=np.float32)), dim=1)
    counts = _composition_matrix(forest, "sum")
    frequency = np.asarray(counts.sum(axis=0)).ravel()
    words = _sparse(scipy.sparse.diags(1 / np.maximum(frequency, 1)) @ counts.T) @ goal
    words = words * np.sqrt(goal.shape[1])
    parameters = [words.requires_grad_()]
    if composition == "linear":
        sides = torch.eye(goal.shape[1]).repeat(2, 1, 1).requires_grad_()
        parameters.append(sides)
        compose = _Levels(forest)

        def composed() -> torch.Tensor:
            return compose(words, sides)
    else:
        matrix = _sparse(_composition_matrix(forest, composition))

        def composed() -> torch.Tensor:
            product: torch.Tensor = torch.sparse.mm(matrix, words)
            return product

    optimizer = torch.optim.RMSprop(parameters, lr=LEARNING_RATE)
    smallest = LEARNING_RATE / 2**N_HALVINGS
    best, converged, steps = np.inf, False, 0
    while steps < max_steps and not converged:
        loss = (1 - torch.nn.functional.cosine_similarity(composed(), goal)).mean()
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        steps += 1
        on_step(value := float(loss.detach()))
        if steps % WINDOW == 0:
            group = optimizer.param_groups[0]
            if value > best - TOLERANCE:
                converged = group["lr"] <= smallest
                group["lr"] /= 2
            best = min(best, value)
    with torch.no_grad():
        unit = torch.nn.functional.normalize(composed().double(), dim=1)
        wide = torch.nn.functional.normalize(torch.as_tensor(np.array(targets, dtype=np.float64)), dim=1)
        error = 0.5 * (unit - wide).square().sum(dim=1)
    return Fit(error.numpy(), steps, converged)


def _composition_matrix(forest: Forest, composition: str) -> Any:
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


class _Levels:
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
        nodes = words[self._words]
        for left, right in self._levels:
            nodes = torch.cat([nodes, nodes[left] @ sides[0].T + nodes[right] @ sides[1].T])
        return nodes[self._roots]


def tree_reconstruction_scores(
    error: NDArray[np.float64], wns: NDArray[np.float64], impurity: NDArray[np.float64]
) -> dict[str, float]:
    """The keys of the task that come from TRE, WNS and TI of each tree, shape (n,) each.

    Returns:
        ρ in [-1, 1] with its bootstrap interval, trees resampled; NaN for what is not defined.
    """
    wns_rho, (wns_low, wns_high) = spearman(error, wns)[0], spearman_interval(error, wns)
    ti_low, ti_high = spearman_interval(error, impurity)
    return {
        "compositionality": -wns_rho,
        "compositionality_ci_low": -wns_high,
        "compositionality_ci_high": -wns_low,
        "spearman_tre_wns": wns_rho,
        "spearman_tre_wns_ci_low": wns_low,
        "spearman_tre_wns_ci_high": wns_high,
        "spearman_tre_ti": spearman(error, impurity)[0],
        "spearman_tre_ti_ci_low": ti_low,
        "spearman_tre_ti_ci_high": ti_high,
        "tre_mean": float(error.mean()) if len(error) else np.nan,
        "tre_std": float(error.std(ddof=1)) if len(error) > 1 else np.nan,
    }
