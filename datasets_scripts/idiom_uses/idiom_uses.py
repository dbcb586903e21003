"""idiom_uses: sentences with an expression that is used literally or as an idiom, in German,
    Italian and Turkish.

Ehren, Lichte, Kallmeyer, Waszczuk 2020: Supervised Disambiguation of German Verbal Idioms with a
BiLSTM Architecture (German); Eryiğit, Şentaş, Monti 2022: Gamified Crowdsourcing for Idiom Corpora
Construction (Italian, Turkish). See README.md beside this file for the columns.
"""

from collections.abc import Iterator, Mapping

from harness_ext.data.builder import PinnedBuilder
from harness_ext.data.rows import UseRow
from harness_ext.data.tables import TAB, File, read_table


class IdiomUses(PinnedBuilder):
    """The `datasets` builder of `idiom_uses`; configs `de`, `it` and `tr`; one split `test`."""

    DEFAULT_CONFIG_NAME = "de"
    SPLITS = ("test",)
    ROW = UseRow

    def rows(self, files: Mapping[str, File], split: str) -> Iterator[UseRow]:
        """The sentences in the order of the files."""
        config, numbers = self.config.name, dict[str, int]()
        for id_, expression, sentence, reading, removed_by in (
            _german if len(files) > 1 else _dodiom
        )(files):
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


# id, expression, sentence, reading, and why it is left out
Use = tuple[str, str, str, str, str | None]


def _german(files: Mapping[str, File]) -> Iterator[Use]:
    for file in files.values():
        for line in read_table(
            file, ("id", "expression", "reading", "sentence"), delimiter=TAB, header=False
        ):
            reading = line.choice("reading", ("figuratively", "literally", "both", "undecidable"))
            sentence = line["sentence"].replace("<b>", "").replace("</b>", "")
            unclear = None if reading in {"figuratively", "literally"} else "unclear"
            yield line["id"], line["expression"], sentence, reading, unclear


def _dodiom(files: Mapping[str, File]) -> Iterator[Use]:
    for number, line in enumerate(
        read_table(files["uses"], ("idiom", "submission", "category", "likes", "dislikes"))
    ):
        disliked = "disliked" if line.number("dislikes") > line.number("likes") else None
        reading = line.choice("category", ("idiom", "nonidiom"))
        yield f"{number:05}", line["idiom"], line["submission"], reading, disliked
