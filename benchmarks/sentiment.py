"""What the sentiment tasks cost beyond encoding.

    python benchmarks/sentiment.py pss     # the whole task against a plain encode of its texts: ≤ 1.10 × + 20 s
    python benchmarks/sentiment.py tre     # everything after encoding, on 2000 sentences, d = 384: ≤ 60 s

`pss` trains on dev, for which the Yelp files must be at hand (see HARNESS_EXT_MIRROR in the README). `tre` needs no
data and no model: random trees over a vocabulary with Zipf's frequencies, in length and size like the treebank's, and
random sentence vectors, the hardest to fit.
"""

from __future__ import annotations

import statistics
import time
from typing import Annotated

import mteb
import numpy as np
import typer

from harness_ext.cli.demo import MODEL
from harness_ext.evaluators.forest import Forest, tree_impurity, weighted_node_switching
from harness_ext.evaluators.tree_reconstruction import reconstruct, tree_reconstruction_scores

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
    sentences: Annotated[int, typer.Option(help="How many trees.", min=3)] = 2000,
    dimensions: Annotated[int, typer.Option(help="Of the vectors.", min=2)] = 384,
    composition: Annotated[str, typer.Option(help="sum, mean or linear.")] = "sum",
) -> None:
    """TreeReconstruction after encoding: fit, WNS, TI, correlations with their intervals."""
    rng = np.random.default_rng(0)
    forest = random_forest(sentences, rng)
    targets = rng.normal(size=(sentences, dimensions)).astype(np.float32)
    start = time.perf_counter()
    fit = reconstruct(targets, forest, composition)
    fitted = time.perf_counter()
    tree_reconstruction_scores(fit.error, weighted_node_switching(forest), tree_impurity(forest))
    done = time.perf_counter()
    print(f"{sentences} trees, {forest.is_leaf.sum()} words, {forest.word.max() + 1} distinct")
    print(f"fit           {fitted - start:8.1f} s   {fit.n_steps} steps, converged: {fit.converged}")
    print(f"scores        {done - fitted:8.1f} s")
    print(f"all           {done - start:8.1f} s   (allowed for sum: 60 s)")


def random_forest(n_trees: int, rng: np.random.Generator) -> Forest:
    """Random binary trees of about 19 words."""
    ranks = np.arange(1, 20_001)
    chance = 1 / ranks / (1 / ranks).sum()
    tree: list[int] = []
    word: list[int] = []
    children: list[tuple[int, int]] = []
    for number, length in enumerate(np.clip(rng.normal(19, 9, size=n_trees).astype(int), 2, 52)):
        nodes = list(range(len(tree), len(tree) + length))
        tree += [number] * length
        word += rng.choice(len(ranks), size=length, p=chance).tolist()
        children += [(-1, -1)] * length
        while len(nodes) > 1:
            place = rng.integers(len(nodes) - 1)
            children.append((nodes[place], nodes[place + 1]))
            nodes[place : place + 2] = [len(tree)]
            tree.append(number)
            word.append(-1)
    _, words = np.unique(word, return_inverse=True)  # -1, of the nodes that are no leaves, is the first
    return Forest(np.array(tree), words - 1, np.array(children), rng.integers(5, size=len(tree)))


if __name__ == "__main__":
    app()
