"""What a task costs beyond encoding its texts: time and peak memory, against one plain `SentenceTransformer.encode`.

    python benchmarks/task_overhead.py --task EpsilonCompositionality

The whole `mteb.evaluate` (data, encoding, metrics, result file; the model is loaded) and the plain encode of the same
distinct texts run in turn, in one process; medians and their ratio. Then each once more in a process of its own, for
its peak memory.
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

from harness_ext.demo import MODEL


class Recorder:
    """An mteb encoder that keeps the texts it is asked for and counts the calls."""

    def __init__(self, model: Any) -> None:
        self._model = model
        self.texts: list[str] = []
        self.calls = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    def encode(self, inputs: Any, **kwargs: Any) -> Any:
        """As the model's own."""
        self.texts += [text for batch in inputs for text in batch["text"]]
        self.calls += 1
        return self._model.encode(inputs, **kwargs)


def evaluate(model: Any, task: str, split: list[str] | None) -> Any:
    """The whole task, result file included."""
    with tempfile.TemporaryDirectory() as folder:
        return mteb.evaluate(
            model,
            mteb.get_tasks(tasks=[task], eval_splits=split),
            cache=mteb.ResultCache(folder),
            overwrite_strategy="always",
            show_progress_bar=False,
        ).task_results[0]


def plain(model: Any, texts: list[str]) -> None:
    """What a user of sentence-transformers would write."""
    model.model.encode(texts, batch_size=32, show_progress_bar=False)


def seconds(function: Any, *arguments: Any) -> float:
    """How long one call takes."""
    start = time.perf_counter()
    function(*arguments)
    return time.perf_counter() - start


def peak_memory(name: str, work: str, *arguments: Any) -> float:
    """Peak resident memory, in MB, of a new process that loads the model and does `work`."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(_peak_memory, (name, work, *arguments))


def _peak_memory(name: str, work: str, *arguments: Any) -> float:
    {"evaluate": evaluate, "plain": plain}[work](mteb.get_model(name), *arguments)
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main(
    task: Annotated[str, typer.Option(help="The task to measure.")] = "EpsilonCompositionality",
    split: Annotated[list[str] | None, typer.Option(help="Its splits (repeatable); by default its own.")] = None,
    model: Annotated[str, typer.Option(help="A sentence-transformers model.")] = MODEL,
    repeats: Annotated[int, typer.Option(help="Timed runs of each.", min=1)] = 3,
) -> None:
    """Time and peak memory of a task against a plain encode of its distinct texts."""
    encoder = mteb.get_model(model)
    recorder = Recorder(encoder)
    evaluate(recorder, task, split)  # also the warm-up, and prepares the data
    texts = recorder.texts
    print(f"{task}: {len(texts)} texts, {len(set(texts))} distinct, {recorder.calls} calls of encode")

    whole, encode, metric = [], [], []
    for _ in range(repeats):
        encode.append(seconds(plain, encoder, texts))
        start = time.perf_counter()
        result = evaluate(encoder, task, split)
        whole.append(time.perf_counter() - start)
        spent = dict.fromkeys(("Measuring", "Encoding"), 0.0)
        for phase in result.evaluation_phases:
            if phase["name"] in spent:
                spent[phase["name"]] += phase["end"] - phase["start"]
        metric.append(spent["Measuring"] - spent["Encoding"])
    ratio = statistics.median(one / other for one, other in zip(whole, encode, strict=True))
    print(f"plain encode  {statistics.median(encode):8.2f} s")
    print(f"whole task    {statistics.median(whole):8.2f} s   ratio {ratio:.3f} (median of {repeats} pairs)")
    print(f"metrics alone {statistics.median(metric):8.2f} s")

    memory = peak_memory(model, "plain", texts), peak_memory(model, "evaluate", task, split)
    print(f"peak memory   {memory[0]:.0f} MB plain, {memory[1]:.0f} MB task, {memory[1] - memory[0]:+.0f} MB")


if __name__ == "__main__":
    typer.run(main)
