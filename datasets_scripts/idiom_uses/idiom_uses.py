"""idiom_uses: sentences with an expression that is used literally or as an idiom, in German, Italian and Turkish.

Ehren, Lichte, Kallmeyer, Waszczuk 2020: Supervised Disambiguation of German Verbal Idioms with a BiLSTM Architecture
(German); Eryiğit, Şentaş, Monti 2022: Gamified Crowdsourcing for Idiom Corpora Construction (Italian, Turkish). See
README.md beside this file for the columns.
"""

from collections.abc import Iterator, Mapping

from harness_ext.data.builder import PinnedBuilder
from harness_ext.data.rows import UseRow
from harness_ext.data.sources import Source
from harness_ext.data.tables import TAB, File, read_table

_GITHUB = "https://raw.githubusercontent.com"
_GERMAN = f"{_GITHUB}/rafehr/vid-disambiguation-sharedtask/3022ece96352719bb98f627fd061c5aba5fbc98a/data"
_DODIOM = f"{_GITHUB}/Dodiom/dodiom/1c47e49a3b90c21420dd0441302e689b8dfea441/dataset"


class IdiomUses(PinnedBuilder):
    """The `datasets` builder of `idiom_uses`; configs `de`, `it` and `tr`; one split `test`."""

    DEFAULT_CONFIG_NAME = "de"
    SOURCES = {  # noqa: RUF012
        "de": {
            "train": Source(f"{_GERMAN}/train/train.tsv", "4187a1c9d397c95d96e7f31487b5940b43000117", 6902),
            "dev": Source(f"{_GERMAN}/dev/dev.tsv", "c24e119cddf550e850a25cca8306476ca30dbad6", 1488),
            "test": Source(f"{_GERMAN}/test/test.tsv", "2a040eb51e1bb8b3c96174bb1b35b248d242d8e5", 1511),
        },
        "it": {"uses": Source(f"{_DODIOM}/dataset_it.csv", "fcc27ef27e9583ad412cced5fbbf643b35503a73", 7533)},
        "tr": {"uses": Source(f"{_DODIOM}/dataset_tr.csv", "8163fd71165aacaa3349845ab7f03f47a08913b0", 6861)},
    }
    SPLITS = ("test",)
    ROW = UseRow

    def rows(self, files: Mapping[str, File], split: str) -> Iterator[UseRow]:
        """The sentences in the order of the files."""
        config, numbers = self.config.name, dict[str, int]()
        for id_, expression, sentence, reading, removed_by in (_german if len(files) > 1 else _dodiom)(files):
            number = numbers.setdefault(expression, len(numbers))
            yield {
                "id": f"{config}-{id_}",
                "expression": expression,
                # the German data has no license, so that results must not hold its texts
                "name": f"{config}-expression-{number}" if config == "de" else expression,
                "sentence": sentence,
                "is_idiomatic": reading in {"figuratively", "idiom"},
                "removed_by": removed_by,
            }


Use = tuple[str, str, str, str, str | None]
"""Id, expression, sentence, reading, and why it is left out."""


def _german(files: Mapping[str, File]) -> Iterator[Use]:
    for file in files.values():
        for line in read_table(file, ("id", "expression", "reading", "sentence"), delimiter=TAB, header=False):
            reading = line.choice("reading", ("figuratively", "literally", "both", "undecidable"))
            sentence = line["sentence"].replace("<b>", "").replace("</b>", "")
            unclear = None if reading in {"figuratively", "literally"} else "unclear"
            yield line["id"], line["expression"], sentence, reading, unclear


def _dodiom(files: Mapping[str, File]) -> Iterator[Use]:
    for number, line in enumerate(read_table(files["uses"], ("idiom", "submission", "category", "likes", "dislikes"))):
        disliked = "disliked" if line.number("dislikes") > line.number("likes") else None
        reading = line.choice("category", ("idiom", "nonidiom"))
        yield f"{number:05}", line["idiom"], line["submission"], reading, disliked
