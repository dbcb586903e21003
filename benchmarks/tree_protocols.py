"""Which protocol of TreeReconstruction to trust: the table of docs/tasks.md.

    python benchmarks/tree_protocols.py --split dev

A model, beside sums of random word vectors, and beside vectors that know nothing at all. The treebank must be at hand
(see HARNESS_EXT_MIRROR in docs/tasks.md).
"""

from __future__ import annotations

import time
from typing import Annotated

import mteb
import numpy as np
import typer

from harness_ext.cli.demo import MODEL
from harness_ext.fitted.tree_fit import composition_matrix, tree_items
from harness_ext.fitted.tree_reconstruction_error import TREE_RECONSTRUCTION
from harness_ext.statistics.confidence_interval import confidence_interval
from harness_ext.statistics.correlation import rho
from harness_ext.statistics.statistic import of_units


def main(
    split: Annotated[str, typer.Option(help="An eval split of TreeReconstruction.")] = "dev_words_from_train",
    model: Annotated[str, typer.Option(help="A sentence-transformers model.")] = MODEL,
) -> None:
    """TreeReconstruction of a model, of a bag of words and of random vectors, and how long it takes after encoding."""
    (task,) = mteb.get_tasks(tasks=["TreeReconstruction"], eval_splits=[split])
    task.load_data()
    rows = task.dataset[split].to_list()
    plan = TREE_RECONSTRUCTION.planned(rows, split)
    comparisons = plan.comparisons
    rng = np.random.default_rng(0)
    word_vectors = rng.normal(size=(comparisons.forest.word.max() + 1, 384))
    targets = {
        model: mteb.get_model(model).model.encode([row["sentence"] for row in rows]),
        "bag of words": composition_matrix(comparisons.forest, "sum") @ word_vectors,
        "random": rng.normal(size=(len(rows), 384)),
    }
    print(f"{split}: {comparisons.measured.sum()} trees, words of {comparisons.fitted.sum()}")
    print(f"{'':40} {'tre_mean':>9} {'median':>9} {'rho':>6} {'95 % interval':>16} {'steps':>5} {'seconds':>7}")
    for name, vectors in targets.items():
        start = time.perf_counter()
        items = tree_items(vectors, plan)
        scores = TREE_RECONSTRUCTION.flat_scores(items)
        seconds = time.perf_counter() - start
        used = items.used()  # with the correlation also where it means nothing, which is what this is to show
        switching = of_units(rho, used.row, used.error, used.wns)
        value, (low, high) = switching.value(), confidence_interval(switching)
        print(
            f"{name:40} {scores['tre_mean']:9.2g} {items.median_error():9.2g} {value:6.3f} {low:7.3f} to {high:5.3f} "
            f"{scores['n_steps']:5} {seconds:7.1f}  of {scores['n_trees']} trees"
        )


if __name__ == "__main__":
    typer.run(main)
