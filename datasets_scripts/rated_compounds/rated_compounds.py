"""rated_compounds: compounds and particle verbs with people's degrees of compositionality, and uses with literalness.

Qi et al. 2019: Modeling Semantic Compositionality with Sememe Knowledge, ACL (Chinese); Aedmaa 2017, and Aedmaa, Köper,
Schulte im Walde 2018, NAACL SRW (Estonian); Compositionality Ratings for Scientific Noun Compounds (English). See
README.md beside this file for the columns.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Mapping
from statistics import fmean
from typing import TypedDict

from harness_ext.data.builder import PinnedBuilder
from harness_ext.data.sources import Source
from harness_ext.data.tables import File, read_bytes, read_table

_GITHUB = "https://raw.githubusercontent.com"
_ESTONIAN = f"{_GITHUB}/eleriaedmaa/compositionality/b18abeeab3473e6412ba0a5048b18dbede75bc6c/datasets"
_SCIENCE = f"{_GITHUB}/uzaberer/Compositionality-Ratings-for-Scientific-Noun-Compounds"

_RECORD = 8
"""Lines of a record of the Chinese file: a word and its sememes three times, the degree, and an empty line."""

_DO_NOT_KNOW = "don't know"
"""Put in place of `ei` all over the file of 211 verbs, also inside of the verb `heitma`."""

_MOST_FIGURATIVE = 5
"""The Estonian average is 0 for a literal use and 5 for one that is not."""


class RatedRow(TypedDict):
    """A compound; the columns are explained in the dataset card."""

    id: str
    expression: str
    name: str
    parts: list[str]
    rating: float
    modifier_rating: float | None
    head_rating: float | None


class UseRow(TypedDict):
    """A sentence with a particle verb; the columns are explained in the dataset card."""

    id: str
    kind: str
    group: str
    sentence1: str
    sentence2: str
    similarity: float


Rated = tuple[str, list[str], float, float | None, float | None]
"""Compound, its words, people's rating, and those of its modifier and its head."""


def _chinese(file: File) -> Iterator[Rated]:
    lines = read_table(file, ("line",), header=False)
    for start in range(0, len(lines), _RECORD):
        modifier, _, head, _, compound, _ = (line["line"] for line in lines[start : start + 6])
        yield compound, [modifier, head], lines[start + 6].number("line", 0, 3), None, None


def _estonian(file: File, encoding: str = "utf-8") -> Iterator[Rated]:
    place, data = read_bytes(file)
    lines = list(csv.reader(io.StringIO(data.decode(encoding)), delimiter=";"))[1:]
    if isinstance(file, Source):
        file.check_rows(place, len(lines))
    for name, *ratings in lines:
        verb = name.replace(_DO_NOT_KNOW, "ei")
        yield verb, verb.split(), fmean(int(rating) for rating in ratings if rating.strip().isdigit()), None, None


def _english(file: File) -> Iterator[Rated]:
    for line in read_table(file, ("Compound", "Modifier judgement", "Head judgement"), unique=("Compound",)):
        modifier, head = (line.number(f"{part} judgement", 0, 5) for part in ("Modifier", "Head"))
        yield line["Compound"], line["Compound"].split(), (modifier + head) / 2, modifier, head


_RATED: Mapping[str, tuple[Callable[[File], Iterator[Rated]], Source]] = {
    "zh": (
        _chinese,
        Source(
            f"{_GITHUB}/thunlp/Sememe-SC/fb94a7a8b26520c66067878263047f50324b7332/SC%20Degree/scd.txt",
            "74da7b02c871f27d1d8bcf864dbe0542a56c18be",
            4008,
        ),
    ),
    "et_157": (
        _estonian,
        Source(
            f"{_ESTONIAN}/compositionality_ET_PV/157_comp_unit_ratings.csv",
            "5d9f072baeca24ac83fddeb71b469b18cd4eeebb",
            157,
        ),
    ),
    "et_211": (
        lambda file: _estonian(file, "latin-1"),
        Source(
            f"{_ESTONIAN}/compositionality_ET_PV/211_comp_ratings.csv", "207a701f8174700270c4ad0c1611a830a7933c43", 211
        ),
    ),
    "en_science": (
        _english,
        Source(
            f"{_SCIENCE}/84bce641c9230123f90fea429bc5aa69e2fd4523/compounds_annotated.csv",
            "95a464ad7f4e942fb1688efbbae38f2083718556",
            200,
        ),
    ),
}
"""Config -> the reader of its file, and the file."""

_USES = "et_uses"
_USES_FILE = Source(
    f"{_ESTONIAN}/literalness_ET_PV/1481_literalness_ET_PV.csv", "e5fcf63554fcb6f7b02b1a8b6db425f9cf3a68a3", 1481
)


class RatedCompounds(PinnedBuilder):
    """The `datasets` builder of `rated_compounds`; configs `zh`, `et_157`, `et_211`, `en_science`, `et_uses`."""

    DEFAULT_CONFIG_NAME = "zh"
    SOURCES = {**{name: {"ratings": file} for name, (_, file) in _RATED.items()}, _USES: {"ratings": _USES_FILE}}  # noqa: RUF012
    SPLITS = ("test",)
    WITHOUT_LICENCE = ("et_157", "et_211", _USES)
    ROW = RatedRow
    ROW_OF = {_USES: UseRow}  # noqa: RUF012

    def rows(self, files: Mapping[str, File], split: str) -> Iterator[RatedRow | UseRow]:
        """The compounds or uses in the order of their file."""
        name = self.config.name
        if name == _USES:
            yield from self._uses(files["ratings"])
            return
        for number, (compound, parts, rating, modifier, head) in enumerate(_RATED[name][0](files["ratings"])):
            yield {
                "id": (id_ := f"{name}-{number}"),
                "expression": compound,
                "name": self.in_results(compound, id_),
                "parts": parts,
                "rating": rating,
                "modifier_rating": modifier,
                "head_rating": head,
            }

    def _uses(self, file: File) -> Iterator[UseRow]:
        verbs: dict[str, int] = {}
        for line in read_table(file, ("id", "avg", "sentence", "particle", "verb"), delimiter=";", unique=("id",)):
            verb = f"{line['particle']} {line['verb']}"
            number = verbs.setdefault(verb, len(verbs))
            yield {
                "id": f"{_USES}-{line['id']}",
                "kind": "use",
                "group": self.in_results(verb, f"verb-{number}"),
                "sentence1": line["sentence"].strip("'"),
                "sentence2": verb,
                "similarity": 1 - line.number("avg", 0, _MOST_FIGURATIVE) / _MOST_FIGURATIVE,
            }
