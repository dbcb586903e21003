"""Results of as many models as one likes, as `load_results` finds them, for tests.

The items are made up at random, a few sets per task; a model gets one of them.
"""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from harness_ext.store.item_files import DIGEST, write_items
from harness_ext.store.signature import Signature
from harness_ext.tasks import ENCODER_TASKS

from ..results.planted_items import planted_items

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from harness_ext.framework.items import Items

TASKS = tuple(name for name in ENCODER_TASKS if name != "MontagueConsistencyFast")
"""All but a part of another."""

_SETS = 12


def write_models(folder: Path, models: range, tasks: Sequence[str] = TASKS, *, items: bool = True) -> None:
    """Write the results of models in two subsets of each task, one of them that which is run by itself.

    Args:
        folder: Where to, as the `--output-folder` of `mteb run`.
        models: Their numbers.
        tasks: Names of tasks.
        items: Whether with items; else scores and intervals alone.
    """
    for number in models:
        model = f"synthetic/model-{number:05d}"
        home = folder / "results" / model.replace("/", "__") / "1"
        home.mkdir(parents=True, exist_ok=True)
        (home / "model_meta.json").write_text(json.dumps(_meta(model, number)))
        for task in tasks:
            _write_result(home / f"{task}.json", model, number, items=items)


def places(task: str) -> list[tuple[str, str]]:
    """Two (split, subset) of a task."""
    about = ENCODER_TASKS[task]
    return [(about.splits[0], subset) for subset in [*about.subsets, "other"][:2]]


def _write_result(file: Path, model: str, number: int, *, items: bool) -> None:
    task = file.stem
    measure = ENCODER_TASKS[task].measure
    scores: dict[str, list[dict[str, Any]]] = {}
    for place, (split, subset) in enumerate(places(task)):
        made, flat = _made(task, (number + 5 * place) % _SETS)
        signed = Signature(task, "synthetic@made-up", split, subset, f"{measure.name}-{measure.version}", model, "1",
                           "sentence", "", "float32", "torch", "2.26", "5.0")  # fmt: skip
        entry: dict[str, Any] = {**flat, "hf_subset": subset, "languages": ["eng-Latn"], "signature": str(signed)}
        if items:
            entry[DIGEST] = write_items(file, made)
        else:
            entry |= _scores_alone(task, measure.main, number, place)
        entry["main_score"] = entry[measure.main]
        scores.setdefault(split, []).append(entry)
    content = {"task_name": task, "dataset_revision": "made-up", "mteb_version": "2.26.24", "scores": scores}
    file.write_text(json.dumps(content))


@cache
def _made(task: str, seed: int) -> tuple[Items, dict[str, float]]:
    measure = ENCODER_TASKS[task].measure
    for another in range(seed, seed + 100 * _SETS, _SETS):
        items = planted_items(task, another)
        flat = measure.flat_scores(items)
        if measure.main in flat:
            return items, flat
    raise AssertionError(f"{task}: no planted items have a main score")


def _scores_alone(task: str, main: str, number: int, place: int) -> dict[str, float]:
    """A main score with an interval of a tenth of its range."""
    measure = ENCODER_TASKS[task].measure
    low, high = measure.declarations()[main][0].range
    low = max(low, -1.0)
    score, half = np.random.default_rng([number, place, *task.encode()]).uniform(0.2, 0.8), 0.05
    return {
        key: float(low + (high - low) * value)
        for key, value in ((main, score), (f"{main}_ci_low", score - half), (f"{main}_ci_high", score + half))
    }


def _meta(model: str, number: int) -> dict[str, Any]:
    return {
        "name": model,
        "revision": "1",
        "n_parameters": 10 ** (6 + number % 5),
        "languages": [["eng-Latn"], ["eng-Latn", "por-Latn"], None][number % 3],
    }
