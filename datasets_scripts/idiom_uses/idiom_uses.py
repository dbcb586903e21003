"""idiom_uses: sentences with an expression that is used literally or as an idiom, in German,
    Italian and Turkish.

Ehren, Lichte, Kallmeyer, Waszczuk 2020: Supervised Disambiguation of German Verbal Idioms with a
BiLSTM Architecture (German); Eryiğit, Şentaş, Monti 2022: Gamified Crowdsourcing for Idiom Corpora
Construction (Italian, Turkish). See README.md beside this file for the columns.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from harness_ext.data.builder import PinnedBuilder
from harness_ext.data.rows import UseRow
from harness_ext.data.tables import TAB, File, read_table


class IdiomUses(PinnedBuilder):
    """The `datasets` builder of `idiom_uses`; configs `de`, `it` and `tr`; one split `test`."""

    DEFAULT_CONFIG_NAME = "de"
    SPLITS = ("test",)
    ROW = UseRow

    def rows(
        self,
        files: Mapping[str, File],
        split: str,
    ) -> Iterator[UseRow]:
        """The sentences in the order of the files."""
        config = self.config.name
        uses = _german(files) if config == "de" else _dodiom(files)
        numbers: dict[str, int] = {}
        for use in uses:
            number = numbers.setdefault(use.expression, len(numbers))
            # the German data has no license, so that results must not hold its texts
            name = f"de-expression-{number}" if config == "de" else use.expression
            yield {
                "id": f"{config}-{use.id}",
                "expression": use.expression,
                "name": name,
                "sentence": use.sentence,
                "is_idiomatic": use.is_idiomatic,
                "removed_by": use.removed_by,
            }


class Use(NamedTuple):
    """A sentence of the files.

    Attributes:
        removed_by: Why the sentence is not to be used; None if it is.
    """

    id: str
    expression: str
    sentence: str
    is_idiomatic: bool
    removed_by: str | None


_GERMAN_COLUMNS = ("id", "expression", "reading", "sentence")
_GERMAN_READINGS = ("figuratively", "literally", "both", "undecidable")
_DODIOM_COLUMNS = ("idiom", "submission", "category", "likes", "dislikes")


def _german(files: Mapping[str, File]) -> Iterator[Use]:
    for file in files.values():
        for line in read_table(file, _GERMAN_COLUMNS, delimiter=TAB, header=False):
            reading = line.choice("reading", _GERMAN_READINGS)
            yield Use(
                id=line["id"],
                expression=line["expression"],
                sentence=line["sentence"].replace("<b>", "").replace("</b>", ""),
                is_idiomatic=reading == "figuratively",
                removed_by="unclear" if reading in {"both", "undecidable"} else None,
            )


def _dodiom(files: Mapping[str, File]) -> Iterator[Use]:
    lines = read_table(files["uses"], _DODIOM_COLUMNS)
    for number, line in enumerate(lines):
        is_disliked = line.number("dislikes") > line.number("likes")
        reading = line.choice("category", ("idiom", "nonidiom"))
        yield Use(
            id=f"{number:05}",
            expression=line["idiom"],
            sentence=line["submission"],
            is_idiomatic=reading == "idiom",
            removed_by="disliked" if is_disliked else None,
        )
