"""Comparisons name the better model, whichever direction of a score is better."""

from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from harness_ext.measures.language_models.minimal_pairs import (
    MinimalPairDocuments,
    MinimalPairItems,
)
from harness_ext.results.compare import compare
from harness_ext.results.lm_eval_output import LanguageModelEntry
from harness_ext.show.comparison_tables import matrix, pairs
from harness_ext.store.item_files import DIGEST
from harness_ext.store.signature import Signature
from harness_ext.tasks import TASKS
from tests.results.planted_items import entry_at, planted_items


def trees(times):
    """Trees whose reconstruction errors are so many times those of others."""
    items = planted_items("TreeReconstructionMini")
    other_trees = replace(items.trees, error=times * items.trees.error)
    return replace(items, trees=other_trees)


def rated_pairs(agreement):
    """Pairs that are ordinary and agree with people, and adversarial ones that agree so much."""
    items = planted_items("RoleSwapSimilarityMini")
    pairs = items.pairs
    agreeing = agreement * pairs.people
    is_adversarial = pairs.kind == "adversarial"
    similarity = np.where(is_adversarial, agreeing, pairs.people) / 100
    return replace(items, pairs=replace(pairs, similarity=similarity))


def paraphrases(slope):
    """A language model that likes the compound's synonym the more, the more compositional it is."""
    n = 30
    people = np.linspace(0, 5, n)
    number = np.full(n, 10)
    none = np.zeros(n)
    documents = MinimalPairDocuments(
        id=[f"document {row}" for row in range(n)],
        compound=[f"compound {row}" for row in range(n)],
        class_=["NC"] * n,
        comp=people,
        template=np.ones(n, dtype=int),
        order=np.zeros(n, dtype=int),
        syn=slope * people,
        syn_frame=none,
        syn_characters=number,
        words_syn=none,
        words_syn_frame=none,
        words_syn_characters=number,
        n_excluded_unscored=np.zeros(n, dtype=int),
        n_excluded_same=np.zeros(n, dtype=int),
    )
    return MinimalPairItems(documents)


class TwoModels(NamedTuple):
    """A task, and the items of a better and of a worse model."""

    task: str
    better: Any
    worse: Any


LOWER_IS_BETTER = {
    "tre_mean": TwoModels(
        "TreeReconstructionMini",
        better=trees(0.5),
        worse=trees(1),
    ),
    "spearman_difference": TwoModels(
        "RoleSwapSimilarityMini",
        better=rated_pairs(1),
        worse=rated_pairs(-1),
    ),
    "affinity_lm_spearman": TwoModels(
        "idiom_minimal_pairs_mini",
        better=paraphrases(-1),
        worse=paraphrases(1),
    ),
}
"""Of scores whose lower values are better."""


def entry_of(task, model, items):
    ours = TASKS[task]
    split = ours.splits[0]
    signature = Signature(
        task,
        "d@1",
        split,
        ours.subsets[0],
        ours.measure.definition,
        model,
        "1",
        "sentence",
    )
    planted = entry_at(task, split, (1, 2))
    own = {"model": model, "signature": signature}
    if isinstance(planted, LanguageModelEntry):
        own["samples"] = Path("samples.jsonl")
    else:
        own["digests"] = {DIGEST: items.digest()}
    entry = replace(planted, **own)
    vars(entry)["_items"] = items
    return entry


@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize("score", LOWER_IS_BETTER)
def test_the_model_with_the_lower_score_is_better_where_lower_is_better(score, order):
    task, better, worse = LOWER_IS_BETTER[score]

    def entries():
        in_order = [entry_of(task, "a/better", better), entry_of(task, "a/worse", worse)]
        return in_order[::order]

    (found,) = compare(entries(), score=score)
    is_first_lower = found.first_score < found.second_score
    assert is_first_lower == (found.first.model == "a/better")
    assert found.is_significant
    said = pairs([found]).note.splitlines()[0]
    assert said.startswith(f"a/better is better than a/worse on {score} of {task}")
    _, table = matrix(entries(), [found])
    ranks = {}
    for model, cell, *_ in table.rows:
        _, _, ranks[model] = cell.partition("#")
    assert ranks == {"a/better": "1", "a/worse": "2"}


def test_p_and_the_corrected_p_stand_in_the_columns_of_their_names():
    task = "TreeReconstructionMini"
    better = entry_of(task, "a/better", trees(0.5))
    worse = entry_of(task, "a/worse", trees(1))
    (found,) = compare([better, worse], score="tre_mean")
    table = pairs([replace(found, p_value=0.01, adjusted_p_value=0.04)])
    (row,) = table.rows
    cells = dict(zip(table.header, row, strict=True))
    assert cells["p"] == ".010"
    assert cells["p (Holm)"] == ".040"


EDGE = "Where interval and p disagree"


@pytest.mark.parametrize(
    ("low", "p", "is_said"),
    [
        (0.01, 0.04, False),
        (-0.01, 0.06, False),
        (0.01, 0.06, True),
        (-0.01, 0.04, True),
    ],
)
def test_where_interval_and_p_disagree_it_is_said_of_the_p_before_correction(low, p, is_said):
    """The interval is not corrected either."""
    task = "TreeReconstructionMini"
    better = entry_of(task, "a/better", trees(0.5))
    worse = entry_of(task, "a/worse", trees(1))
    (found,) = compare([better, worse], score="tre_mean")
    for adjusted in (p, 0.9, 1e-4):
        pair = replace(
            found,
            low=low,
            high=0.2,
            p_value=p,
            adjusted_p_value=adjusted,
        )
        assert (EDGE in pairs([pair]).note) == is_said
