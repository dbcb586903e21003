"""sugarcrepe_pp: captions, a paraphrase of each, and a hard negative.

Dumpala, Jaiswal, Sastry, Milios, Oore, Sajjad 2024: SUGARCREPE++ Dataset: Vision-Language Model Sensitivity to
Semantic and Lexical Alterations, NeurIPS. The texts alone, no images. See README.md beside this file for the columns;
the captions of the config `mini` were written for this project (CC0).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TypedDict

import datasets

from harness_ext.data.builder import PinnedBuilder
from harness_ext.data.card import dataset_folder
from harness_ext.data.readers import read_cells
from harness_ext.data.sources import Source

COMMIT = "c083bbf039a5ca215acaf25e7ee736d2ea6f3864"
_FOLDER = f"https://raw.githubusercontent.com/Sri-Harsha/scpp/{COMMIT}/data"
_FILES = {
    "swap_obj": ("8e9c3f66a2c2d3369146dec5324b1926b2fc1d40", 245),
    "swap_att": ("61ea987bbac7d8c99e6a88f3c1028609fbea6c73", 666),
    "replace_att": ("be89e623f6fd54d015f6a437ba9a34ffa39cc465", 788),
    "replace_rel": ("69d447e3fcb33817b866bd5688741f42bad7c26a", 1406),
    "replace_obj": ("3b62823c003659737a68c3d78cfe721c57b44f5f", 1652),
}
_TEXTS = ("caption", "caption2", "negative_caption")


class CaptionRow(TypedDict):
    """One triplet of captions; the columns are explained in the dataset card."""

    id: str
    caption: str
    paraphrase: str
    negative: str


class SugarcrepePp(PinnedBuilder):
    """The `datasets` builder of `sugarcrepe_pp`; configs `scpp` and `mini`, a split for each file."""

    NAME = "sugarcrepe_pp"
    BUILDER_CONFIGS = [datasets.BuilderConfig(name=name) for name in ("scpp", "mini")]  # noqa: RUF012
    DEFAULT_CONFIG_NAME = "scpp"
    SOURCES = {  # noqa: RUF012
        "scpp": {name: Source(f"{_FOLDER}/{name}.json", blob, rows) for name, (blob, rows) in _FILES.items()}
    }
    SPLITS = tuple(_FILES)
    FEATURES = datasets.Features(
        {name: datasets.Value("string") for name in ("id", "caption", "paraphrase", "negative")}
    )

    @classmethod
    def sources(cls, config: str, split: str) -> dict[str, Source]:
        """The file of the split; `all` are the five together, as `datasets` has it."""
        return {name: source for name, source in cls.SOURCES.get(config, {}).items() if split in ("all", name)}

    def splits(self) -> tuple[str, ...]:
        """All five files; `mini` has the swaps alone."""
        return ("swap_obj", "swap_att") if self.config.name == "mini" else self.SPLITS

    def rows(self, files: dict[str, Path], split: str) -> Iterator[CaptionRow]:
        """The triplets in the order of the file."""
        if self.config.name == "mini":
            lines = read_cells(dataset_folder(self.NAME) / "captions.tsv", ("split", *_TEXTS))
            triplets = [cells for _, (of_split, *cells) in lines if of_split == split]
        else:
            triplets = [list(texts) for texts in read_triplets(files[split])]
            self.check_rows(files, {split: len(triplets)})
        for number, (caption, paraphrase, negative) in enumerate(triplets):
            yield {"id": f"{split}-{number}", "caption": caption, "paraphrase": paraphrase, "negative": negative}


def read_triplets(file: Path) -> Iterator[tuple[str, ...]]:
    """Caption, paraphrase and hard negative of each entry.

    Raises:
        ValueError: The file is not a JSON list, or an entry lacks one of the three; names the file and the entry.
    """
    try:
        entries = json.loads(file.read_bytes())
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise ValueError(f"{file} is not a UTF-8 JSON file: {error}") from error
    if not isinstance(entries, list):
        raise ValueError(f"{file}: a list of triplets expected, found {type(entries).__name__}")
    for number, entry in enumerate(entries):
        texts = [entry.get(key) if isinstance(entry, dict) else None for key in _TEXTS]
        for key, text in zip(_TEXTS, texts, strict=True):
            if not (isinstance(text, str) and text.strip()):
                raise ValueError(f"{file}, entry {number} (from 0): a text {key!r} expected, found {text!r}")
        yield tuple(str(text) for text in texts)
