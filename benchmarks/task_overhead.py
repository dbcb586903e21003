"""What tasks cost beyond encoding their texts: time and peak memory, against plain `SentenceTransformer.encode`.

    python benchmarks/task_overhead.py --task EpsilonCompositionality
    python benchmarks/task_overhead.py --task NounCompoundAffinity --task NounCompoundScaledSimilarity

The whole of `mteb.evaluate` (data, encoding, metrics, result files; the model is loaded) and the plain encode of the
same texts run in turn, in one process; medians and their ratio. Then each once more in a process of its own, for its
peak memory. Sentence level only: benchmarks/spans.py is about the words inside sentences.
"""

from __future__ import annotations

import multiprocessing
import resource
import statistics
import tempfile
import time
from typing import Annotated, Any

import mteb
import typer

from harness_ext.cli.demo import MODEL


class SentencesOnly:
    """An mteb encoder that keeps the texts of each call, and hides that it has vectors of the words inside."""

    def __init__(self, model: Any) -> None:
        self.mteb_model_meta = model.mteb_model_meta
        self.similarity = model.similarity
        self.similarity_pairwise = model.similarity_pairwise
        self.calls: list[list[str]] = []
        self._sentence_model = model

    def encode(self, inputs: Any, **kwargs: Any) -> Any:
        """As the model's own."""
        self.calls.append([text for batch in inputs for text in batch["text"]])
        return self._sentence_model.encode(inputs, **kwargs)


def evaluate(model: Any, tasks: list[str], splits: list[str] | None) -> tuple[list[list[str]], float]:
    """The whole of the tasks, with a model that no vectors are remembered of.

    Returns:
        The texts of each call of encode, and the seconds that measuring took beside them.
    """
    fresh = SentencesOnly(model)
    with tempfile.TemporaryDirectory() as folder:
        results = mteb.evaluate(
            fresh,
            mteb.get_tasks(tasks=tasks, eval_splits=splits),
            cache=mteb.ResultCache(folder),
            overwrite_strategy="always",
            show_progress_bar=False,
        ).task_results
    spent = {"Measuring": 0.0, "Encoding": 0.0}
    for phase in (phase for result in results for phase in result.evaluation_phases):
        if phase["name"] in spent:
            spent[phase["name"]] += phase["end"] - phase["start"]
    return fresh.calls, spent["Measuring"] - spent["Encoding"]


def plain(model: Any, calls: list[list[str]]) -> None:
    """What a user of sentence-transformers would write."""
    for texts in calls:
        model.model.encode(texts, batch_size=32, show_progress_bar=False)


def peak_memory(name: str, work: str, *arguments: Any) -> float:
    """Peak resident memory, in MB, of a new process that loads the model and does `work`."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(_peak_memory, (name, work, *arguments))


def _peak_memory(name: str, work: str, *arguments: Any) -> float:
    {"evaluate": evaluate, "plain": plain}[work](mteb.get_model(name), *arguments)
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main(
    task: Annotated[list[str], typer.Option(help="The task to measure (repeatable: all in one run).")],
    split: Annotated[list[str] | None, typer.Option(help="Its splits (repeatable); by default its own.")] = None,
    model: Annotated[str, typer.Option(help="A sentence-transformers model.")] = MODEL,
    repeats: Annotated[int, typer.Option(help="Timed runs of each.", min=1)] = 3,
) -> None:
    """Time and peak memory of tasks against a plain encode of their texts."""
    encoder = mteb.get_model(model)
    calls, _ = evaluate(encoder, task, split)  # also the warm-up, and prepares the data
    print(f"{', '.join(task)}: {sum(map(len, calls))} texts in {len(calls)} calls of encode, ", end="")
    print(f"{len(set().union(*calls))} distinct")

    whole, encode, metric = [], [], []
    for _ in range(repeats):
        start = time.perf_counter()
        plain(encoder, calls)
        encode.append(time.perf_counter() - start)
        start = time.perf_counter()
        metric.append(evaluate(encoder, task, split)[1])
        whole.append(time.perf_counter() - start)
        print(f"  plain encode {encode[-1]:.2f} s, whole {whole[-1]:.2f} s, metrics {metric[-1]:.2f} s", flush=True)
    ratio = statistics.median(one / other for one, other in zip(whole, encode, strict=True))
    print(
        f"medians of {repeats}: plain {statistics.median(encode):.2f} s, whole {statistics.median(whole):.2f} s, ",
        end="",
    )
    print(f"metrics alone {statistics.median(metric):.2f} s; whole / plain {ratio:.3f}, median of the pairs")

    memory = peak_memory(model, "plain", calls), peak_memory(model, "evaluate", task, split)
    print(f"peak memory: plain {memory[0]:.0f} MB, whole {memory[1]:.0f} MB, {memory[1] - memory[0]:+.0f} MB")


if __name__ == "__main__":
    typer.run(main)
