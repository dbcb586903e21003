"""merge_opposites: pairs of texts that mean the same, and pairs in nearly the same words that do
    not.

SemAntoNeg (Vahtola, Creutz, Tiedemann 2022, BlackboxNLP) and the captions of SugarCrepe++ (Dumpala,
Jaiswal, Sastry, Milios, Oore, Sajjad 2024, NeurIPS) as pairs. See README.md beside this file for
the columns; the sentences of the config `mini` were written for this project (CC0).
"""

from collections.abc import Iterator, Mapping

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

    def rows(self, files: Mapping[str, File], split: str) -> Iterator[Row]:
        """The pairs in the order of the files: of each line those that mean the same and those that
        do not.
        """
        read = {"semantoneg": _semantoneg, "sugarcrepe_pp": _captions, "mini": _mini}[
            self.config.name
        ]
        for place, (source, kind, first, second) in enumerate(read(files)):
            texts = {"first": first, "second": second}
            yield {"id": f"{self.config.name}-{place}", "source": source, "kind": kind, **texts}


Pair = tuple[str, str, str, str]  # source, kind, and both texts


def _semantoneg(files: Mapping[str, File]) -> Iterator[Pair]:
    """The input of each line with each of its options; the right one is always the last. The source
    is the input.
    """
    numbers: dict[str, str] = {}
    for line in read_table(files["semantoneg"], ("input", "sentences", "label")):
        line.number("label", 2, 2)
        options, sentence = line.cells["sentences"], line["input"]
        if not isinstance(options, list) or len(options) != len(_OPTIONS):
            raise line.refusal("sentences", "a list of three texts")
        source = numbers.setdefault(sentence, f"input-{len(numbers)}")
        yield from (
            (source, kind, sentence, str(text))
            for kind, text in zip(_OPTIONS, options, strict=True)
        )


def _captions(files: Mapping[str, File]) -> Iterator[Pair]:
    """Each caption with its paraphrase and with its negative; the source is the image."""
    for kind, file in files.items():
        for line in read_table(file, ("filename", "caption", "caption2", "negative_caption")):
            yield line["filename"], "same", line["caption"], line["caption2"]
            yield line["filename"], kind, line["caption"], line["negative_caption"]


def _mini(files: Mapping[str, File]) -> Iterator[Pair]:
    """Each sentence with its paraphrase and with its opposite; the source is the sentence."""
    columns = ("kind", "sentence", "paraphrase", "opposite")
    for place, line in enumerate(
        read_table(files["opposites"], columns, delimiter="\t", header=False)
    ):
        yield f"sentence-{place}", "same", line["sentence"], line["paraphrase"]
        yield f"sentence-{place}", line["kind"], line["sentence"], line["opposite"]
