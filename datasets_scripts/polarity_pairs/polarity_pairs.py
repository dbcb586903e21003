"""polarity_pairs: labeled reviews, and their rewrites with the opposite sentiment.

Yelp sentences and one system's rewrites: Li, Jia, He, Liang 2018, Delete, Retrieve, Generate: A
Simple Approach to Sentiment and Style Transfer, NAACL. Human rewrites as in the release of
Pryzant's implementation of it. See README.md beside this file for the columns; the sentences of the
config `mini` were written for this project (CC0).
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from harness_ext.data.builder import PinnedBuilder
from harness_ext.data.rows import PolarityRow
from harness_ext.data.tables import File, read_table


class PolarityPairs(PinnedBuilder):
    """The `datasets` builder of `polarity_pairs`; configs `reference`, `system`, `train` and
    `mini`.
    """

    PACKAGED = {  # noqa: RUF012
        "mini": {
            "train.0": "mini_negative.txt",
            "train.1": "mini_positive.txt",
            "pairs.0": "mini_negative_to_positive.tsv",
            "pairs.1": "mini_positive_to_negative.tsv",
        }
    }
    SPLITS = ("train", "dev", "test", "pairs")
    SPLITS_OF = {  # noqa: RUF012
        "reference": ("dev", "test", "pairs"),
        "system": ("dev", "test", "pairs"),
        "train": ("train",),  # of its own, because it is a hundred times as large
        "mini": ("train", "pairs"),
    }
    ROW = PolarityRow

    def rows(
        self,
        files: Mapping[str, File],
        split: str,
    ) -> Iterator[PolarityRow]:
        """Yield the rows of `split`, negative originals before positive originals, in the order of
        the files.
        """
        config = self.config.name
        negative = files[f"{split}.0"]
        positive = files[f"{split}.1"]
        if split == "pairs":
            read_pairs = reference_pairs if config == "reference" else system_pairs
            pairs = read_pairs(negative, positive)
            yield from pair_rows(pairs, config)
        else:
            source = "mini" if config == "mini" else "yelp"
            yield from sentence_rows((negative, positive), f"{source}-{split}")


def sentence_rows(files: tuple[File, File], prefix: str) -> Iterator[PolarityRow]:
    """Yield labeled sentences from a negative and a positive file, one per line; blank lines are
    skipped.
    """
    for label, file in enumerate(files):
        lines = read_table(file, ["text"], header=False)
        for number, line in enumerate(lines, start=1):
            text = line.get("text")
            if text:
                yield _row(f"{prefix}-{label}-{number}", text, label)


def _row(
    id_: str,
    text: str,
    label: int,
    rewrite: str | None = None,
    removed_by: str | None = None,
) -> PolarityRow:
    return {
        "id": id_,
        "text": text,
        "label": label,
        "rewrite": rewrite,
        "removed_by": removed_by,
    }


class Pair(NamedTuple):
    """A sentence and its rewrite.

    Attributes:
        label: Of the original, 0 or 1 as at the end of the file's name.
    """

    label: int
    original: str
    rewrite: str


def reference_pairs(negative: File, positive: File) -> Iterator[Pair]:
    """Pair negative originals, line by line, with their positive rewrites by people."""
    originals = read_table(negative, ["sentence"], header=False)
    rewrites = read_table(positive, ["sentence"], header=False)
    # `Source.rows` has counted the lines
    for original, rewrite in zip(originals, rewrites, strict=True):
        yield Pair(0, original["sentence"], rewrite["sentence"])


def system_pairs(negative: File, positive: File) -> Iterator[Pair]:
    """Pair originals of both labels with their rewrites, which stand in the same line."""
    for label, file in enumerate((negative, positive)):
        for line in read_table(file, ("source", "rewrite"), delimiter="\t", header=False):
            yield Pair(label, line["source"], line["rewrite"])


def pair_rows(pairs: Iterable[Pair], prefix: str) -> Iterator[PolarityRow]:
    """Yield all pairs, with the first rule of the paper's appendix B that removes the pair, if any.

    - `copy`: the rewrite equals its original.
    - `no_added_word`: no word of the rewrite is new, so the pair differs only by words left out
      (*not*) or moved.
    - `duplicate`: an earlier pair has the same original and rewrite.

    Words are separated by blanks and compared in lower case.
    """
    earlier_pairs = set()
    for number, pair in enumerate(pairs, start=1):
        words = tuple(pair.original.lower().split())
        new_words = tuple(pair.rewrite.lower().split())
        removed_by = None
        if new_words == words:
            removed_by = "copy"
        elif set(new_words) <= set(words):
            removed_by = "no_added_word"
        elif (words, new_words) in earlier_pairs:
            removed_by = "duplicate"
        earlier_pairs.add((words, new_words))
        name = f"{prefix}-{pair.label}-{number}"
        yield _row(name, pair.original, pair.label, pair.rewrite, removed_by)
