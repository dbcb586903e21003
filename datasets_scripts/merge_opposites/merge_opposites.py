"""merge_opposites: pairs of texts that mean the same, and pairs in nearly the same words that do
    not.

SemAntoNeg (Vahtola, Creutz, Tiedemann 2022, BlackboxNLP) and the captions of SugarCrepe++ (Dumpala,
Jaiswal, Sastry, Milios, Oore, Sajjad 2024, NeurIPS) as pairs. See README.md beside this file for
the columns; the sentences of the config `mini` were written for this project (CC0).
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from harness_ext.data.builder import PinnedBuilder
from harness_ext.data.rows import MergeRow, Row
from harness_ext.data.tables import File, read_table

_OPTIONS = ("antonym", "negation", "same")  # what the three options of a line are to its input


class MergeOpposites(PinnedBuilder):
    """The `datasets` builder of `merge_opposites`; configs `semantoneg`, `sugarcrepe_pp`, `mini`;
    one split `test`.
    """

    DEFAULT_CONFIG_NAME = "semantoneg"
    PACKAGED = {"mini": {"opposites": "opposites.tsv"}}  # noqa: RUF012
    SPLITS = ("test",)
    ROW = MergeRow

    def rows(
        self,
        files: Mapping[str, File],
        split: str,
    ) -> Iterator[Row]:
        """The pairs in the order of the files: of each line those that mean the same and those that
        do not.
        """
        config = self.config.name
        read_pairs = _READERS[config]
        for place, pair in enumerate(read_pairs(files)):
            yield {
                "id": f"{config}-{place}",
                "source": pair.source,
                "kind": pair.kind,
                "first": pair.first,
                "second": pair.second,
            }


class Pair(NamedTuple):
    """Two texts.

    Attributes:
        source: What they were written from; pairs of one source belong together.
        kind: What the second is to the first: `same`, or the name of a change of meaning.
    """

    source: str
    kind: str
    first: str
    second: str


def _semantoneg(files: Mapping[str, File]) -> Iterator[Pair]:
    """The input of each line with each of its options; the right one is always the last. The source
    is the input.
    """
    numbers: dict[str, str] = {}
    for line in read_table(files["semantoneg"], ("input", "sentences", "label")):
        line.number("label", 2, 2)
        sentence = line["input"]
        options = line.cells["sentences"]
        if not isinstance(options, list) or len(options) != len(_OPTIONS):
            raise line.refusal("sentences", "a list of three texts")
        source = numbers.setdefault(sentence, f"input-{len(numbers)}")
        for kind, text in zip(_OPTIONS, options, strict=True):
            yield Pair(source, kind, sentence, str(text))


def _captions(files: Mapping[str, File]) -> Iterator[Pair]:
    """Each caption with its paraphrase and with its negative; the source is the image."""
    for kind, file in files.items():
        for line in read_table(file, ("filename", "caption", "caption2", "negative_caption")):
            image = line["filename"]
            caption = line["caption"]
            yield Pair(image, "same", caption, line["caption2"])
            yield Pair(image, kind, caption, line["negative_caption"])


def _mini(files: Mapping[str, File]) -> Iterator[Pair]:
    """Each sentence with its paraphrase and with its opposite; the source is the sentence."""
    columns = ("kind", "sentence", "paraphrase", "opposite")
    lines = read_table(files["opposites"], columns, delimiter="\t", header=False)
    for place, line in enumerate(lines):
        source = f"sentence-{place}"
        sentence = line["sentence"]
        yield Pair(source, "same", sentence, line["paraphrase"])
        yield Pair(source, line["kind"], sentence, line["opposite"])


_READERS = {
    "semantoneg": _semantoneg,
    "sugarcrepe_pp": _captions,
    "mini": _mini,
}
"""Config -> the function that reads its files."""
