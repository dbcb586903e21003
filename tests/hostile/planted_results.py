"""A planted encoder of whole numbers, and a folder with the results of two encoders."""

import functools
import json
import shutil
import tempfile
from pathlib import Path

import numpy as np

from tests.planted import PlantedModel, drawn, entries_of

MODEL = "planted/hostile"
TASK = "EpsilonCompositionalityMini"
FIRST, SECOND = "planted/first", "planted/second"


@functools.cache
def whole_numbers(text):
    """Whole numbers from -63 to 63 without 0, the same for the same text, in 64 dimensions."""
    vector = (20 * drawn(text, dimensions=64)).round().clip(-63, 63)
    vector[vector == 0] = 1
    return vector


class Planted(PlantedModel):
    """Returns what `make` makes of whole numbers. All floats hold these exactly, but for 8 bits, which get ±2."""

    def __init__(self, make=lambda vectors: vectors, signs=False, name=MODEL):
        super().__init__((lambda text: 2 * np.sign(whole_numbers(text))) if signs else whole_numbers, name, make=make)


def main_score(task, model, folder=None, **options):
    """Of the first split of a task."""
    return float(next(iter(entries_of(model, task, folder, **options).values()))["main_score"])


def measure(folder, name=FIRST, make=None, **options):
    """Run the task as mteb does, into a folder of results."""
    turned = np.random.default_rng(len(name)).normal(size=(64, 64))
    make = make or (lambda vectors: vectors @ turned if name == SECOND else vectors)
    return main_score(TASK, Planted(make, name=name), folder, **options)


@functools.cache
def _template():
    folder = tempfile.TemporaryDirectory()  # removed when this process ends
    for name in (FIRST, SECOND):
        measure(Path(folder.name), name)
    return folder


def sound(folder):
    """The folder `out` with the results of two models, with their items."""
    shutil.copytree(_template().name, folder / "out")
    return folder / "out"


def file_of(out, model=FIRST):
    """The result of a model."""
    return out / "results" / model.replace("/", "__") / "1" / f"{TASK}.json"


def score_in(file):
    """The main score of a result file."""
    return float(json.loads(file.read_text(encoding="utf-8"))["scores"]["naturalistic"][0]["main_score"])
