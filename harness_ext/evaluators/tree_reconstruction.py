"""Tree reconstruction error: is a sentence vector a composition of word vectors along the parse?

The PSS paper, §4, after Andreas 2019, *Measuring Compositionality in Representation Learning*. One vector per word is
fitted so that composing them bottom-up over the parse gives the encoder's sentence vectors; TRE is the cosine distance
that remains. It is then correlated with how much a sentence's sentiment resists composition (its trees are drawn and
computed by hand in docs/trees.md):

    TI  = |label of the root - mean label of all nodes|
    WNS = Σ h(v) · |label(v) - mean label of v's children| / Σ h(v)      over the internal nodes v

with h the height, 1 for a leaf. The paper does not fix the normalisation of WNS; here the weights h(v) / h(root) are
scaled to sum to the number of internal nodes, which makes it the weighted mean above.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse
import torch
from scipy import stats

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

COMPOSITIONS = ("sum", "mean", "linear")

LEARNING_RATE = 0.02
N_HALVINGS = 6
WINDOW = 20
"""Steps between two looks at the loss."""
TOLERANCE = 1e-4
"""A window in which the loss falls by less halves the learning rate; after the last halving the fit has converged."""
MAX_STEPS = 1000

_N_RESAMPLES = 2000
_SEED = 42
_BLOCK = 2**20


@dataclass(frozen=True)
class Forest:
    """Binary trees, all their nodes in one list, children before their parents, trees one after the other.

    Attributes:
        tree: The number of the node's tree, ascending from 0, shape (k,).
        word: The number of a leaf's word; -1 for other nodes, shape (k,).
        children: The numbers of the node's two children; -1 for leaves, shape (k, 2).
        label: Sentiment, 0 to 4, shape (k,).
    """

    tree: NDArray[np.intp]
    word: NDArray[np.intp]
    children: NDArray[np.intp]
    label: NDArray[np.intp]

    def __getitem__(self, keep: NDArray[np.bool_]) -> Forest:
        """The forest of the kept trees, which are renumbered; `keep` has shape (number of trees,)."""
        nodes = keep[self.tree]
        new = np.cumsum(nodes) - 1
        children = self.children[nodes]
        return Forest(
            (np.cumsum(keep) - 1)[self.tree[nodes]],
            self.word[nodes],
            np.where(children >= 0, new[children], -1),
            self.label[nodes],
        )

    @property
    def is_leaf(self) -> NDArray[np.bool_]:
        """Whether a node is a leaf, shape (k,)."""
        return self.word >= 0

    @property
    def roots(self) -> NDArray[np.intp]:
        """The last node of each tree, shape (number of trees,)."""
        return np.flatnonzero(np.diff(self.tree, append=self.tree[-1] + 1))

    def heights(self) -> NDArray[np.intp]:
        """1 for a leaf, one more than the higher child for other nodes, shape (k,)."""
        heights = self.is_leaf.astype(np.intp)
        open_nodes = np.flatnonzero(~self.is_leaf)
        while len(open_nodes):
            below = heights[self.children[open_nodes]]
            ready = below.all(axis=1)
            heights[open_nodes[ready]] = below[ready].max(axis=1) + 1
            open_nodes = open_nodes[~ready]
        return heights

    def depths(self) -> NDArray[np.intp]:
        """0 for a root, one more than the parent for other nodes, shape (k,)."""
        depths = np.zeros(len(self.tree), dtype=np.intp)
        level = self.roots
        while len(level := level[~self.is_leaf[level]]):
            depths[self.children[level]] = depths[level, None] + 1
            level = self.children[level].ravel()
        return depths


def tree_impurity(forest: Forest) -> NDArray[np.float64]:
    """TI of each tree, in [0, 4], shape (number of trees,)."""
    sums = np.bincount(forest.tree, weights=forest.label)
    impurity: NDArray[np.float64] = np.abs(forest.label[forest.roots] - sums / np.bincount(forest.tree))
    return impurity


def weighted_node_switching(forest: Forest) -> NDArray[np.float64]:
    """WNS of each tree, in [0, 4], NaN for a single word, shape (number of trees,)."""
    inner = ~forest.is_leaf
    switch = np.abs(forest.label[inner] - forest.label[forest.children[inner]].mean(axis=1))
    heights = forest.heights()[inner]
    n_trees = len(forest.roots)
    weights = np.bincount(forest.tree[inner], weights=heights, minlength=n_trees)
    sums = np.bincount(forest.tree[inner], weights=heights * switch, minlength=n_trees)
    switching: NDArray[np.float64] = np.divide(sums, weights, out=np.full(n_trees, np.nan), where=weights > 0)
    return switching


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


def correlation(error: NDArray[np.float64], other: NDArray[np.float64], key: str) -> dict[str, float]:
    """Spearman's ρ with its percentile-bootstrap 95 % interval, trees resampled; nothing if one of them is constant."""
    if len(error) < 3 or np.ptp(error) == 0 or np.ptp(other) == 0:
        return {}
    rng = np.random.default_rng(_SEED)
    values: list[NDArray[np.float64]] = []
    block = max(1, _BLOCK // len(error))
    for start in range(0, _N_RESAMPLES, block):
        drawn = rng.integers(len(error), size=(min(block, _N_RESAMPLES - start), len(error)))
        values.append(_spearman(error[drawn], other[drawn]))
    low, high = np.nanpercentile(np.concatenate(values), [2.5, 97.5])
    rho = float(_spearman(error[None], other[None])[0])
    return {key: rho, f"{key}_ci_low": float(low), f"{key}_ci_high": float(high)}


def _spearman(x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
    one, other = (stats.rankdata(values, axis=1) - (values.shape[1] + 1) / 2 for values in (x, y))
    with np.errstate(invalid="ignore"):  # a resample in which all values are equal has no ρ
        rho: NDArray[np.float64] = (one * other).sum(axis=1) / np.sqrt((one**2).sum(axis=1) * (other**2).sum(axis=1))
    return rho


def tree_reconstruction_scores(
    error: NDArray[np.float64], wns: NDArray[np.float64], impurity: NDArray[np.float64]
) -> dict[str, float]:
    """The keys of the task that come from TRE, WNS and TI of each tree, shape (n,) each; ρ in [-1, 1]."""
    scores = correlation(error, wns, "spearman_tre_wns")
    if scores:
        scores["compositionality"] = -scores["spearman_tre_wns"]
        scores["compositionality_ci_low"] = -scores["spearman_tre_wns_ci_high"]
        scores["compositionality_ci_high"] = -scores["spearman_tre_wns_ci_low"]
    scores |= correlation(error, impurity, "spearman_tre_ti")
    if len(error):
        scores["tre_mean"] = float(error.mean())
    if len(error) > 1:
        scores["tre_std"] = float(error.std(ddof=1))
    return scores
