"""Sentiment trees: how much a sentence's sentiment resists composition.

Bhathena, Willis, Dass 2020: *Evaluating Compositionality of Sentence Representation Models*,
RepL4NLP, pp. 185-193, §4. Two trees are drawn and computed by hand in docs/trees.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from harness_ext.common.arrays import Flags, Floats, Indices

COMPOSITIONS = ("sum", "mean", "linear")
"""What makes a node's vector of its children's."""


@dataclass(frozen=True)
class Forest:
    """Binary trees, all their nodes in one list.

    Children stand before their parents, and trees one after the other.

    Attributes:
        tree: The number of the node's tree, ascending from 0, shape (k,).
        word: The number of a leaf's word; -1 for other nodes, shape (k,).
        children: The numbers of the node's two children; -1 for leaves, shape (k, 2).
        label: Sentiment, 0 to 4, shape (k,).
    """

    tree: Indices
    word: Indices
    children: Indices
    label: Indices

    @classmethod
    def of(cls, rows: Sequence[Mapping[str, Any]]) -> Forest:
        """The trees of `TreeRow`s; words are distinguished by their spelling."""
        vocabulary: dict[str, int] = {}
        tree: list[int] = []
        word: list[int] = []
        children: list[tuple[int, int]] = []
        for number, row in enumerate(rows):
            offset = len(tree)
            words = iter(row["words"])
            for left, right in zip(row["left"], row["right"], strict=True):
                tree.append(number)
                if left < 0:  # a leaf
                    word.append(vocabulary.setdefault(next(words), len(vocabulary)))
                    children.append((-1, -1))
                else:
                    word.append(-1)
                    children.append((offset + left, offset + right))
        labels = [label for row in rows for label in row["node_labels"]]
        return cls(np.array(tree), np.array(word), np.array(children), np.array(labels))

    def __getitem__(self, keep: Flags) -> Forest:
        """The forest of the kept trees, which are renumbered; `keep` has shape (trees,)."""
        is_kept = keep[self.tree]
        new_tree = np.cumsum(keep) - 1
        new_node = np.cumsum(is_kept) - 1
        children = self.children[is_kept]
        return Forest(
            tree=new_tree[self.tree[is_kept]],
            word=self.word[is_kept],
            children=np.where(children >= 0, new_node[children], -1),
            label=self.label[is_kept],
        )

    @property
    def is_leaf(self) -> Flags:
        """Whether a node is a leaf, shape (k,)."""
        return self.word >= 0

    @property
    def roots(self) -> Indices:
        """The last node of each tree, shape (number of trees,)."""
        return np.flatnonzero(np.diff(self.tree, append=self.tree[-1] + 1))

    def heights(self) -> Indices:
        """1 for a leaf, one more than the higher child for other nodes, shape (k,)."""
        heights: list[int] = []
        for left, right in self.children.tolist():
            heights.append(1 if left < 0 else 1 + max(heights[left], heights[right]))
        return np.array(heights)

    def depths(self) -> Indices:
        """0 for a root, one more than the parent for other nodes, shape (k,)."""
        depths = np.zeros(len(self.tree), dtype=np.intp)
        is_inner = ~self.is_leaf
        level = self.roots
        while len(level := level[is_inner[level]]):
            depths[self.children[level]] = depths[level, None] + 1
            level = self.children[level].ravel()
        return depths


def tree_impurity(forest: Forest) -> Floats:
    """TI = |label of the root - mean label of all nodes| of each tree, PSS paper §4.

    Returns:
        Values in [0, 4], shape (number of trees,).
    """
    sums = np.bincount(forest.tree, weights=forest.label)
    means = sums / np.bincount(forest.tree)
    return np.abs(forest.label[forest.roots] - means)


def weighted_node_switching(forest: Forest) -> Floats:
    """WNS of each tree, PSS paper §4, with h the height, 1 for a leaf.

        WNS = Σ h(v) · |label(v) - mean label of v's children| / Σ h(v)   over the internal nodes v

    The paper does not fix the normalization; here the weights h(v) / h(root) are scaled to sum to
    the number of internal nodes, which makes it this weighted mean.

    Returns:
        Values in [0, 4], NaN for a single word, shape (number of trees,).
    """
    is_inner = ~forest.is_leaf
    means_of_children = forest.label[forest.children[is_inner]].mean(axis=1)
    switches = np.abs(forest.label[is_inner] - means_of_children)
    heights = forest.heights()[is_inner]
    tree = forest.tree[is_inner]
    n_trees = len(forest.roots)
    sums = np.bincount(tree, weights=heights * switches, minlength=n_trees)
    weights = np.bincount(tree, weights=heights, minlength=n_trees)
    return np.divide(sums, weights, out=np.full(n_trees, np.nan), where=weights > 0)
