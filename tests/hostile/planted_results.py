"""Planted encoders, and a folder with the results of two of them."""

import functools
import json
import shutil
import tempfile
import zlib
from pathlib import Path

import mteb
import numpy as np
from mteb.models import ModelMeta
from mteb.models.abs_encoder import AbsEncoder

MODEL = "planted/hostile"
TASK = "EpsilonCompositionalityMini"
FIRST, SECOND = "planted/first", "planted/second"


class Planted(AbsEncoder):
    """Returns what `make` makes of whole numbers from -63 to 63, the same for the same text, in 64 dimensions.

    All floats hold these exactly, but for those of 8 bits, which get ±2.
    """

    def __init__(self, make=lambda vectors: vectors, signs=False, name=MODEL):
        self.mteb_model_meta = ModelMeta.create_empty({"name": name, "revision": "1"})
        self.make, self.signs = make, signs

    def encode(self, inputs, **kwargs):
        vectors = np.array([_vector(text) for batch in inputs for text in batch["text"]])
        return self.make(2 * np.sign(vectors) if self.signs else vectors)


@functools.cache
def _vector(text):
    vector = (20 * np.random.default_rng(zlib.crc32(text.encode())).normal(size=64)).round().clip(-63, 63)
    vector[vector == 0] = 1
    return vector


def main_score(task, model, cache=None, **options):
    """Of the first split of a task."""
    task = mteb.get_task(task)
    (result,) = mteb.evaluate(model, task, cache=cache, show_progress_bar=False, **options).task_results
    return float(next(iter(result.scores.values()))[0]["main_score"])


def measure(folder, name=FIRST, make=None, **options):
    """Run the task as mteb does, into a folder of results."""
    turned = np.random.default_rng(len(name)).normal(size=(64, 64))
    make = make or (lambda vectors: vectors @ turned if name == SECOND else vectors)
    return main_score(TASK, Planted(make, name=name), mteb.ResultCache(folder), **options)


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
