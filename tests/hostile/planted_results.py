"""A folder with the results of two planted encoders of whole numbers."""

import functools
import json
import shutil
import tempfile
from pathlib import Path

import numpy as np

from tests.planted import PlantedModel, drawn, entries_of

TASK = "EpsilonCompositionalityMini"
FIRST, SECOND = "planted/first", "planted/second"


@functools.cache
def whole_numbers(text):
    """Whole numbers from -63 to 63 without 0, the same for the same text, in 64 dimensions."""
    vector = (20 * drawn(text, dimensions=64)).round().clip(-63, 63)
    vector[vector == 0] = 1
    return vector


def measure(folder, name=FIRST, make=None, **options):
    """Run the task as mteb does, into a folder of results."""
    turned = np.random.default_rng(len(name)).normal(size=(64, 64))
    make = make or (lambda vectors: vectors @ turned if name == SECOND else vectors)
    entries_of(PlantedModel(whole_numbers, name, make=make), TASK, folder, **options)


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
