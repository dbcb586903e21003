"""polarity_pairs: labelled reviews, and their rewrites with the opposite sentiment.

Yelp sentences and one system's rewrites: Li, Jia, He, Liang 2018, Delete, Retrieve, Generate: A Simple Approach to
Sentiment and Style Transfer, NAACL. Human rewrites as in the release of Pryzant's implementation of it. See README.md
beside this file for the columns; the sentences of the config `mini` were written for this project (CC0).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import TypedDict

import datasets

from harness_ext.data.builder import PinnedBuilder
from harness_ext.data.card import dataset_folder
from harness_ext.data.readers import read_cells, read_lines
from harness_ext.data.sources import Source

YELP_COMMIT = "14a48fa3f49a5d0020083830901037a4640deab4"
REFERENCE_COMMIT = "1dac1d428823e18832b3f4cb832bff3d17caafa3"
_YELP = f"https://raw.githubusercontent.com/lijuncen/Sentiment-and-Style-Transfer/{YELP_COMMIT}"
_REFERENCE = f"https://raw.githubusercontent.com/rpryzant/delete_retrieve_generate/{REFERENCE_COMMIT}/data/yelp"

NEGATIVE, POSITIVE = 0, 1
"""The labels; the names of the Yelp files end in them."""


def _yelp(name: str, blob: str, rows: int | None = None) -> Source:
    return Source(f"{_YELP}/data/yelp/{name}", blob, rows)


_SENTENCES = {
    "dev.0": _yelp("sentiment.dev.0", "6a3b1edc58b7af4ccf8f1ebb524ae11c4d683ce5", rows=2000),
    "dev.1": _yelp("sentiment.dev.1", "42b3eb75504547c985b3dcfecace0729ab272ace", rows=2000),
    "test.0": _yelp("sentiment.test.0", "2644815d5cff0683587f8890337761642ae8ca2b", rows=500),
    "test.1": _yelp("sentiment.test.1", "248f90c61f8c20cb680bc507f587ad75b479c590", rows=500),
}


class PolarityRow(TypedDict):
    """One labelled sentence, and its rewrite in the split `pairs`; the columns are explained in the dataset card."""

    id: str
    text: str
    label: int
    rewrite: str | None
    removed_by: str | None


class PolarityPairs(PinnedBuilder):
    """The `datasets` builder of `polarity_pairs`; configs `reference`, `system`, `train` and `mini`."""

    NAME = "polarity_pairs"
    BUILDER_CONFIGS = [  # noqa: RUF012
        datasets.BuilderConfig(name=name) for name in ("reference", "system", "train", "mini")
    ]
    SOURCES = {  # noqa: RUF012
        "reference": {
            **_SENTENCES,
            "pairs.0": Source(f"{_REFERENCE}/reference.test.0", "2644815d5cff0683587f8890337761642ae8ca2b", rows=500),
            "pairs.1": Source(f"{_REFERENCE}/reference.test.1", "9c722e0d401d359f69c60795b7cf49e003847267", rows=500),
        },
        "system": {
            **_SENTENCES,
            "pairs.0": Source(
                f"{_YELP}/evaluation/outputs/yelp/sentiment.test.0.orgin",
                "3e1b7f624a8dd1461b67df8d9c67ce4528407c84",
                rows=500,
            ),
            "pairs.1": Source(
                f"{_YELP}/evaluation/outputs/yelp/sentiment.test.1.orgin",
                "07ba856c6fe4045c2d6b09d7899ed9e1b39c1fcf",
                rows=500,
            ),
        },
        "train": {
            "train.0": _yelp("sentiment.train.0", "e99b47df0b0ff84de07ea931769a2b5bb3325ac1"),
            "train.1": _yelp("sentiment.train.1", "3e8e85b9d6b0b50f26541674d280fbd7c88ee2f8"),
        },
    }
    SPLITS = ("train", "dev", "test", "pairs")
    FEATURES = datasets.Features(
        {
            "id": datasets.Value("string"),
            "text": datasets.Value("string"),
            "label": datasets.ClassLabel(names=["negative", "positive"]),
            "rewrite": datasets.Value("string"),
            "removed_by": datasets.Value("string"),
        }
    )

    def splits(self) -> tuple[str, ...]:
        """The splits of this config. `train` has a config of its own, because it is a hundred times as large."""
        return {"train": ("train",), "mini": ("train", "pairs")}.get(self.config.name, ("dev", "test", "pairs"))

    def rows(self, files: dict[str, Path], split: str) -> Iterator[PolarityRow]:
        """Yield the rows of `split`, negative originals before positive originals, in the order of the files."""
        if self.config.name == "mini":
            folder = dataset_folder(self.NAME)
            if split == "train":
                yield from sentence_rows((folder / "mini_negative.txt", folder / "mini_positive.txt"), "mini-train")
            else:
                originals = folder / "mini_negative_to_positive.tsv", folder / "mini_positive_to_negative.tsv"
                yield from pair_rows(mini_pairs(*originals), "mini")
        elif split == "pairs":
            read = reference_pairs if self.config.name == "reference" else system_pairs
            self._check_lines(files, split)
            yield from pair_rows(read(files["pairs.0"], files["pairs.1"]), self.config.name)
        else:
            self._check_lines(files, split)
            yield from sentence_rows((files[f"{split}.0"], files[f"{split}.1"]), f"yelp-{split}")

    def _check_lines(self, files: dict[str, Path], split: str) -> None:
        names = (f"{split}.0", f"{split}.1")
        self.check_rows(files, {name: sum(1 for _ in read_lines(files[name])) for name in names})


def sentence_rows(files: tuple[Path | Traversable, Path | Traversable], prefix: str) -> Iterator[PolarityRow]:
    """Yield labelled sentences from a negative and a positive file, one per line; blank lines are skipped."""
    for label, file in enumerate(files):
        for number, (_, line) in enumerate(read_lines(file), start=1):
            if text := line.strip():
                yield {
                    "id": f"{prefix}-{label}-{number}",
                    "text": text,
                    "label": label,
                    "rewrite": None,
                    "removed_by": None,
                }


Pair = tuple[int, str, str]
"""The label of the original, the original, its rewrite."""


def reference_pairs(negative: Path, positive: Path) -> Iterator[Pair]:
    """Pair negative originals, line by line, with their positive rewrites by people.

    Raises:
        ValueError: The files differ in their number of lines.
    """
    originals, rewrites = ([cells for _, cells in read_cells(file, ("sentence",))] for file in (negative, positive))
    if len(originals) != len(rewrites):
        raise ValueError(f"{negative} has {len(originals)} lines and {positive} {len(rewrites)}; they must be pairs.")
    for (original,), (rewrite,) in zip(originals, rewrites, strict=True):
        yield NEGATIVE, original, rewrite


def system_pairs(negative: Path, positive: Path) -> Iterator[Pair]:
    """Pair originals of both labels with a system's rewrites: source, output and the label of the source.

    Raises:
        ValueError: The label of a line differs from the label of its file; names file and line.
    """
    for label, file in enumerate((negative, positive)):
        for place, (original, rewrite, stated) in read_cells(file, ("source", "output", "label")):
            if stated != str(label):
                raise ValueError(f"{place}: label {label} expected, found {stated!r}")
            yield label, original, rewrite


def mini_pairs(negative: Traversable, positive: Traversable) -> Iterator[Pair]:
    """Pair originals of both labels with their rewrites."""
    for label, file in enumerate((negative, positive)):
        for _, (original, rewrite) in read_cells(file, ("source", "rewrite")):
            yield label, original, rewrite


def pair_rows(pairs: Iterable[Pair], prefix: str) -> Iterator[PolarityRow]:
    """Yield all pairs, with the first rule of the paper's appendix B that removes the pair, if any.

    `copy`: the rewrite equals its original. `no_added_word`: no word of the rewrite is new, so the pair differs only by
    words left out (*not*) or moved. `duplicate`: an earlier pair has the same original and rewrite. Words are separated
    by blanks and compared in lower case.
    """
    seen = set()
    for number, (label, original, rewrite) in enumerate(pairs, start=1):
        words, rewritten = original.lower().split(), rewrite.lower().split()
        pair = tuple(words), tuple(rewritten)
        if words == rewritten:
            removed_by = "copy"
        elif set(rewritten) <= set(words):
            removed_by = "no_added_word"
        elif pair in seen:
            removed_by = "duplicate"
        else:
            removed_by = None
        seen.add(pair)
        yield {
            "id": f"{prefix}-{label}-{number}",
            "text": original,
            "label": label,
            "rewrite": rewrite,
            "removed_by": removed_by,
        }
