"""Measure how much of STS is vocabulary: python docs/sts_baselines.py PAIRS RESULTS -m MODEL.

PAIRS has the pairs of the tasks as `<Task>.jsonl`, with mteb's columns sentence1, sentence2 and score. What RESULTS
has already is not measured again. Writes additive_baseline_sts.csv, of all models in RESULTS.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import mteb
from datasets import Dataset, DatasetDict
from mteb.abstasks import AbsTask

from harness_ext.common.model_name import ModelName
from harness_ext.results.other_tasks import OtherTask, other_tasks
from harness_ext.show.listing import Listing, render
from harness_ext.show.model_labels import model_labels
from harness_ext.show.numbers import formatted

TASKS = ("STS13", "STS14", "STS15", "STS16", "STSBenchmark", "SICK-R")
FOLDER = Path(__file__).parent


def loaded(pairs: Path, name: str) -> AbsTask:
    """Give a stock task its pairs."""
    task = mteb.get_task(name)
    task.dataset = DatasetDict(test=Dataset.from_json(str(pairs / f"{name}.jsonl")))
    task.data_loaded = True
    return task


def measure(pairs: Path, results: Path, model: str) -> None:
    """Run a model and its additive baseline on the stock tasks."""
    cache = mteb.ResultCache(results)
    for name in (model, str(ModelName.parse(model).but(additive="additive"))):
        encoder = mteb.get_model(name)
        for each in TASKS:
            mteb.evaluate(encoder, loaded(pairs, each), cache=cache, show_progress_bar=False)


def table(rows: Sequence[OtherTask]) -> Listing:
    """A row for each task and model, the greatest gain of a task last."""
    labels = model_labels(rows)
    header = ("task", "model", "score", "additive baseline", "gain", "additive_fit")
    return Listing(
        header,
        tuple(
            (
                row.task,
                labels[row.model, row.revision],
                *map(formatted, (row.score, row.additive, row.gain, row.additive_fit)),
            )
            for row in sorted(rows, key=lambda row: (TASKS.index(row.task), row.gain))
        ),
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pairs", type=Path)
    parser.add_argument("results", type=Path)
    parser.add_argument("-m", "--model", action="append", default=[])
    given = parser.parse_args()
    given.results.mkdir(parents=True, exist_ok=True)
    for model in given.model:
        measure(given.pairs, given.results, model)
    found = table(other_tasks(given.results))
    (FOLDER / "additive_baseline_sts.csv").write_text(render([found], "csv"), encoding="utf-8")
