"""Results of encoders whose vectors are known, where `mteb run --output-folder` would put them."""

from __future__ import annotations

import json
from contextlib import nullcontext
from itertools import product
from typing import TYPE_CHECKING

from tests.planted import PlantedModel, bag_of_words, entries_of, with_noise

if TYPE_CHECKING:
    from pathlib import Path

QUICK = (
    "EpsilonCompositionalityMini",
    "NounCompoundAffinityMini",
    "NounCompoundScaledSimilarityMini",
)


def write_results(folder: Path, models: dict[str, int], tasks=QUICK) -> Path:
    """Run the tasks with a bag of words for each name and seed. The first task has additive
    baselines, and noise of the first model.
    """
    runs = [*product(models, tasks)]
    for name, task in runs:
        model = PlantedModel(bag_of_words(models[name]), name)
        is_first = (name, task) == runs[0]
        with with_noise() if is_first else nullcontext():
            entries_of(model, task, folder, baselines=task == tasks[0])
    return folder


def result_files(folder: Path, model: str) -> list[Path]:
    """The result files of a model."""
    name = model.replace("/", "__")
    return sorted(folder.glob(f"results/{name}/*/*Mini.json"))


def rename(folder: Path, model: str, name: str) -> None:
    """Make the results of a model say that they are of another one."""
    (file,) = folder.glob(f"results/{model.replace('/', '__')}/*/model_meta.json")
    meta = json.loads(file.read_text())
    meta["name"] = name
    file.write_text(json.dumps(meta))
