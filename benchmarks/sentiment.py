"""What the sentiment tasks cost beyond encoding.

    python benchmarks/sentiment.py pss     # the whole task against a plain encode of its texts: ≤ 1.10 × + 20 s
    python benchmarks/sentiment.py tre     # everything after encoding: ≤ 60 s each

The papers' data must be at hand (see HARNESS_EXT_MIRROR in the README); `pss` trains on the Yelp dev sentences. `tre`
gives the README's table: a model, beside sums of random word vectors, and beside vectors that know nothing at all.
"""

from __future__ import annotations

import statistics
import time
from typing import Annotated

import mteb
import numpy as np
import typer

from harness_ext.cli.demo import MODEL
from harness_ext.evaluators.bootstrap import percentile_interval
from harness_ext.evaluators.correlation import spearman, spearman_resamples
from harness_ext.evaluators.tree_fit import composition_matrix, tree_items
from harness_ext.evaluators.tree_reconstruction import TREE_RECONSTRUCTION
from harness_ext.tasks.tree_reconstruction import tree_comparisons

app = typer.Typer(no_args_is_help=True)


@app.command()
def pss(
    split: Annotated[str, typer.Option(help="An eval split of PolaritySensitivity.")] = "reference_trained_on_dev",
    model: Annotated[str, typer.Option(help="A sentence-transformers model.")] = MODEL,
    repeats: Annotated[int, typer.Option(help="Timed runs of each.", min=1)] = 3,
) -> None:
    """PolaritySensitivity on frozen vectors against a plain encode; medians of runs in turn."""
    encoder = mteb.get_model(model)
    (task,) = mteb.get_tasks(tasks=["PolaritySensitivity"], eval_splits=[split])
    task.load_data()
    rows = task.dataset[split]
    kept = [row for row in rows if row["removed_by"] is None]
    texts = list(dict.fromkeys(text for row in kept for text in (row["text"], row["rewrite"]) if text))
    encoder.model.encode(texts[:200], show_progress_bar=False)  # warm-up

    plain, whole, rest = [], [], []
    for _ in range(repeats):
        start = time.perf_counter()
        encoder.model.encode(texts, batch_size=32, show_progress_bar=False)
        plain.append(time.perf_counter() - start)
        start = time.perf_counter()
        result = mteb.evaluate(encoder, task, cache=None, show_progress_bar=False).task_results[0]
        whole.append(time.perf_counter() - start)
        spent = {phase["name"]: phase["end"] - phase["start"] for phase in result.evaluation_phases}
        rest.append(spent["Measuring"] - spent["Encoding"])
    allowed = 1.10 * statistics.median(plain) + 20
    print(f"{len(texts)} distinct texts, {split}")
    print(f"plain encode  {statistics.median(plain):8.1f} s")
    print(f"whole task    {statistics.median(whole):8.1f} s   (allowed: {allowed:.1f} s)")
    print(f"classifiers   {statistics.median(rest):8.1f} s")


@app.command()
def tre(
    split: Annotated[str, typer.Option(help="An eval split of TreeReconstruction.")] = "dev_words_from_train",
    model: Annotated[str, typer.Option(help="A sentence-transformers model.")] = MODEL,
) -> None:
    """TreeReconstruction of a model, of a bag of words and of random vectors, and how long it takes after encoding."""
    (task,) = mteb.get_tasks(tasks=["TreeReconstruction"], eval_splits=[split])
    task.load_data()
    rows = task.dataset[split].to_list()
    comparisons = tree_comparisons(rows)
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
        items = tree_items(vectors, comparisons)
        scores = TREE_RECONSTRUCTION.flat_scores(items)
        seconds = time.perf_counter() - start
        used = items.used()  # with the correlation also where it means nothing, which is what this is to show
        rho = spearman(used.error, used.wns)[0]
        low, high = percentile_interval(spearman_resamples(used.error, used.wns))
        print(
            f"{name:40} {scores['tre_mean']:9.2g} {items.median_error():9.2g} {rho:6.3f} {low:7.3f} to {high:5.3f} "
            f"{scores['n_steps']:5} {seconds:7.1f}  of {scores['n_trees']} trees"
        )


if __name__ == "__main__":
    app()
