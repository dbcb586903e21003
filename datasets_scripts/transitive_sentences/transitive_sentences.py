"""transitive_sentences: pairs of subject-verb-object sentences with people's similarity.

GS2011 (Grefenstette and Sadrzadeh 2011) and KS2013 (Kartsaklis and Sadrzadeh 2013), as cleaned and averaged in the
repository of STS3k. See README.md beside this file for the columns; the pairs of the config `mini` were written for
this project (CC0).
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import TypedDict

import datasets

from harness_ext.data.builder import PinnedBuilder
from harness_ext.data.card import dataset_folder
from harness_ext.data.readers import number_in, read_cells
from harness_ext.data.sources import Source
from harness_ext.datasets_scripts.sts3k.sts3k import REPOSITORY

_DATA = f"{REPOSITORY}/Data-experiment"


class TransitiveRow(TypedDict):
    """One pair of sentences; the columns are explained in the dataset card."""

    id: str
    sentence1: str
    sentence2: str
    similarity: float


class TransitiveSentences(PinnedBuilder):
    """The `datasets` builder of `transitive_sentences`; configs `gs2011`, `ks2013` and `mini`, one split `test`."""

    NAME = "transitive_sentences"
    BUILDER_CONFIGS = [datasets.BuilderConfig(name=name) for name in ("gs2011", "ks2013", "mini")]  # noqa: RUF012
    DEFAULT_CONFIG_NAME = "gs2011"
    SOURCES = {  # noqa: RUF012
        "gs2011": {
            "pairs": Source(f"{_DATA}/GS2011_processed.csv", "0716a7d941725c03192511532256ca63f845f096", rows=199)
        },
        "ks2013": {
            "pairs": Source(f"{_DATA}/KS2013_processed.csv", "341697c8e4fa6e9d36793b143adff391e083b940", rows=108)
        },
    }
    SPLITS = ("test",)
    FEATURES = datasets.Features(
        {
            "id": datasets.Value("string"),
            "sentence1": datasets.Value("string"),
            "sentence2": datasets.Value("string"),
            "similarity": datasets.Value("float64"),
        }
    )

    def rows(self, files: dict[str, Path], split: str) -> Iterator[TransitiveRow]:
        """The pairs in the order of the file."""
        mini = self.config.name == "mini"
        found = list(
            transitive_rows(
                dataset_folder(self.NAME) / "transitive_pairs.csv" if mini else files["pairs"], self.config.name
            )
        )
        if not mini:
            self.check_rows(files, {"pairs": len(found)})
        yield from found


def transitive_rows(file: Path | Traversable, prefix: str) -> Iterator[TransitiveRow]:
    """Read `sentence1;sentence2;similarity`, a pair a line, with similarities in [0, 1].

    Raises:
        ValueError: A line is not that, or its pair was there before; names file and line.
    """
    seen: dict[tuple[str, str], str] = {}
    cells = read_cells(file, ("sentence1", "sentence2", "similarity"), ";")
    for number, (place, (first, second, similarity)) in enumerate(cells):
        if earlier := seen.get((first, second)):
            raise ValueError(f"{place}: the same pair as in {earlier}: {first!r}, {second!r}")
        seen[first, second] = place
        yield {
            "id": f"{prefix}-{number}",
            "sentence1": first,
            "sentence2": second,
            "similarity": number_in(similarity, place, 0, 1),
        }
