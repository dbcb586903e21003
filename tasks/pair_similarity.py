"""Role swaps on STS3k, transitive sentences, and both on this project's own small datasets."""

from __future__ import annotations

from typing import Any

import numpy as np

from harness_ext.arrays import Floats, Names, Places
from harness_ext.encoders.encoding import TaskEncoder
from harness_ext.encoders.texts import TextTable
from harness_ext.evaluators.pair_similarity import ROLE_SWAP, TRANSITIVE, PairSimilarityItems, pair_similarity_items
from harness_ext.tasks.abstask import AbsTaskCompositionality
from harness_ext.tasks.metadata import task_metadata


class _AbsPairSimilarity(AbsTaskCompositionality):
    text_column = "sentence1"
    label_column = "similarity"

    def compare(self, rows: list[dict[str, Any]], encode: TaskEncoder) -> PairSimilarityItems:
        """See the base class."""
        comparisons, names, people, texts = pair_comparisons(rows)
        return pair_similarity_items(encode(texts), comparisons, names, people)


def pair_comparisons(
    rows: list[dict[str, Any]],
) -> tuple[Places, Names, Floats, list[str]]:
    """The first three are as of `pair_similarity_items`, the last the distinct texts, of the pairs in `rows`."""
    table = TextTable()
    comparisons = np.array([[table.add(row["sentence1"]), table.add(row["sentence2"])] for row in rows])
    names = [
        [row["id"], row.get("kind", ""), _group(row, first)] for row, (first, _) in zip(rows, comparisons, strict=True)
    ]
    return comparisons, np.array(names), np.array([row["similarity"] for row in rows]), table.texts


def _group(row: dict[str, Any], first: int) -> str:
    """Pairs that sentences link; where the dataset says of none, pairs with the same first sentence."""
    # sentences would link all pairs of KS2013
    return f"{row['kind']} {row['group']}" if "group" in row else str(first)


class _AbsRoleSwapSimilarity(_AbsPairSimilarity):
    measure = ROLE_SWAP
    label_column = "kind"


class RoleSwapSimilarity(_AbsRoleSwapSimilarity):
    """Role swaps on STS3k."""

    metadata = task_metadata("RoleSwapSimilarity")


class RoleSwapSimilarityMini(_AbsRoleSwapSimilarity):
    """Role swaps on 96 pairs written for this project."""

    metadata = task_metadata("RoleSwapSimilarityMini")


class TransitiveSimilarity(_AbsPairSimilarity):
    """Transitive sentences of GS2011 and KS2013."""

    measure = TRANSITIVE
    metadata = task_metadata("TransitiveSimilarity")


class TransitiveSimilarityMini(_AbsPairSimilarity):
    """Transitive sentences written for this project."""

    measure = TRANSITIVE
    metadata = task_metadata("TransitiveSimilarityMini")
