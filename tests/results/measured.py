"""Results of encoders whose vectors are known, where `mteb run --output-folder` would put them."""

from __future__ import annotations

import json
import zlib
from typing import TYPE_CHECKING

import mteb
import numpy as np
from mteb.cache import ResultCache
from mteb.models import ModelMeta
from mteb.models.abs_encoder import AbsEncoder

if TYPE_CHECKING:
    from pathlib import Path

QUICK = ("EpsilonCompositionalityMini", "NounCompoundAffinityMini", "NounCompoundScaledSimilarityMini")


class BagOfWords(AbsEncoder):
    """A text is the sum of its words, and a word is a random vector that the seed fixes."""

    def __init__(self, name: str, seed: int) -> None:
        self.mteb_model_meta = ModelMeta.create_empty(overwrites={"name": name, "revision": "1"})
        self.seed = seed
        self.words: dict[str, np.ndarray] = {}

    def word(self, word):
        if word not in self.words:
            seed = zlib.crc32(f"{self.seed} {word}".encode())
            self.words[word] = np.random.default_rng(seed).normal(size=24)
        return self.words[word]

    def encode(self, inputs, **kwargs):
        texts = [text for batch in inputs for text in batch["text"]]
        return np.array([sum(self.word(word) for word in text.split()) for text in texts])


def write_results(folder: Path, models: dict[str, int], tasks=QUICK) -> Path:
    """Run the tasks with a bag of words for each name and seed."""
    for name, seed in models.items():
        mteb.evaluate(
            BagOfWords(name, seed),
            mteb.get_tasks(tasks=list(tasks)),
            cache=ResultCache(folder),
            show_progress_bar=False,
        )
    return folder


def result_files(folder: Path, model: str) -> list[Path]:
    """The result files of a model."""
    return sorted(folder.glob(f"results/{model.replace('/', '__')}/1/*Mini.json"))


def rename(folder: Path, model: str, name: str) -> None:
    """Make the results of a model say that they are of another one."""
    (meta,) = folder.glob(f"results/{model.replace('/', '__')}/1/model_meta.json")
    meta.write_text(json.dumps({**json.loads(meta.read_text()), "name": name}))
