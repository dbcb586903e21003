"""Time and memory of the Montague tests. `python benchmarks/montague.py --help`."""

from __future__ import annotations

import statistics
import tempfile
import time
import tracemalloc
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np
import typer

from harness_ext.evaluators.montague import MONTAGUE
from harness_ext.evaluators.montague_items import TYPES, montague_items
from harness_ext.evaluators.montague_pairs import NounPairs, pair_shares

if TYPE_CHECKING:
    from collections.abc import Callable

app = typer.Typer(help=__doc__, no_args_is_help=True, add_completion=False)


def seconds(run: Callable[[], object]) -> tuple[float, float]:
    """Elapsed and processor time of `run()`. The latter says more on a machine with other work to do."""
    start, processor_start = time.perf_counter(), time.process_time()
    run()
    return time.perf_counter() - start, time.process_time() - processor_start


@app.command()
def metrics(dimensions: Annotated[int, typer.Option(help="Of the random vectors.")] = 384, repeats: int = 5) -> None:
    """All metrics of the 44 652 phrases, their vectors given; and their items, in files and out of them."""
    from datasets import load_dataset

    from harness_ext.encoders.texts import TextTable
    from harness_ext.results.items import commit_items, keep, prepare_items, read_items
    from harness_ext.tasks.montague_consistency import montague_phrases

    table = TextTable()
    phrases = montague_phrases(load_dataset("modifier_phrases", split="test").to_list(), table)
    vectors = np.random.default_rng(0).normal(size=(len(table.texts), dimensions)).astype(np.float32)
    tracemalloc.start()
    items = montague_items(vectors, phrases)
    MONTAGUE.flat_scores(items)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    typer.echo(
        f"{len(vectors)} vectors of {dimensions} dimensions ({vectors.nbytes / 1e6:.0f} MB): "
        f"{peak / 1e6:.0f} MB above the vectors"
    )
    with tempfile.TemporaryDirectory() as folder:
        file, place = Path(folder, "MontagueConsistency.json"), ("test", "default")

        def write() -> None:
            commit_items(prepare_items(file, MONTAGUE.items, {place: keep(items)}))

        for name, run in (
            ("vectors to items", lambda: montague_items(vectors, phrases)),
            ("items to scores with intervals", lambda: MONTAGUE.flat_scores(items)),
            ("items to files", write),
            ("files to items", lambda: read_items(file, MONTAGUE.items, place, items.digest())),
        ):
            times = [seconds(run) for _ in range(repeats)]
            elapsed, processor = (statistics.median(column) for column in zip(*times, strict=True))
            typer.echo(f"{name}: {elapsed:.2f} s (processor {processor:.2f} s, median of {repeats})")
        megabytes = sum(path.stat().st_size for path in Path(folder).iterdir()) / 1e6
        typer.echo(f"{len(items)} rows: {megabytes:.1f} MB")


@app.command()
def pairs(
    adjectives: Annotated[list[int] | None, typer.Option(help="Several may be given.")] = None,
    nouns: Annotated[list[int] | None, typer.Option(help="Several may be given.")] = None,
    dimensions: Annotated[int, typer.Option(help="Of the random vectors.")] = 384,
) -> None:
    """The pair test alone, on larger vocabularies: how time and memory grow with adjectives and nouns."""
    rng = np.random.default_rng(0)
    typer.echo(
        f"{'adjectives':>10} {'nouns':>6} {'comparisons':>12} {'seconds':>8} {'processor':>9} {'MB above vectors':>16}"
    )
    for n_nouns in nouns or [50, 100, 200]:
        for n_adjectives in adjectives or [250, 500, 1000]:
            vectors = rng.standard_normal((n_adjectives * n_nouns, dimensions), dtype=np.float32)
            distances = NounPairs(vectors, np.arange(len(vectors)).reshape(n_adjectives, n_nouns))
            members = rng.integers(0, len(TYPES), n_adjectives) == np.arange(len(TYPES))[:, None]
            tracemalloc.start()
            elapsed, processor = seconds(lambda d=distances, m=members: pair_shares(d, m))  # type: ignore[misc]
            peak = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
            comparisons = n_adjectives * (n_adjectives - 1) * n_nouns * (n_nouns - 1) // 2
            size = f"{n_adjectives:>10} {n_nouns:>6} {comparisons:>12.1e}"
            typer.echo(f"{size} {elapsed:>8.1f} {processor:>9.1f} {peak / 1e6:>16.0f}")


if __name__ == "__main__":
    app()
