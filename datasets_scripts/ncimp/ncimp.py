"""NCIMP: noun compounds in context with minimal-pair probes, in English, Portuguese and Italian.

He, Kramer Vieira, Garcia, Scarton, Idiart, Villavicencio 2025: Investigating Idiomaticity in Word Representations,
Computational Linguistics 51(2), doi 10.1162/coli_a_00546. Read from the authors' own files; the Italian compounds are
others' (`italian.py`). See README.md beside this file for the columns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from harness_ext.data.builder import PinnedBuilder
from harness_ext.data.compounds import CompoundRow
from harness_ext.data.sources import Source
from harness_ext.data.tables import File
from harness_ext.datasets_scripts.ncimp.italian import SOURCES as ITALIAN_SOURCES
from harness_ext.datasets_scripts.ncimp.italian import italian_rows
from harness_ext.datasets_scripts.ncimp.tagged import NATURALISTIC, NEUTRAL, SCORES, TAGGED_FILES, tagged_rows
from harness_ext.datasets_scripts.nctti.human_scores import COMPOUNDS


class Language(NamedTuple):
    """A language of the dataset.

    Attributes:
        sources: Its files.
        rows: Makes the rows from the files, the language and the split.
    """

    sources: Mapping[str, Source]
    rows: Callable[[Mapping[str, File], str, str], Iterator[CompoundRow]]


def _tagged(language: str) -> Mapping[str, Source]:
    return {"scores": SCORES, "people": COMPOUNDS[language], **TAGGED_FILES[language]}


LANGUAGES = {
    "en": Language(_tagged("en"), tagged_rows),
    "pt": Language(_tagged("pt"), tagged_rows),
    "it": Language(ITALIAN_SOURCES, italian_rows),
}


class Ncimp(PinnedBuilder):
    """The `datasets` builder of `ncimp`; a config for each of `LANGUAGES`."""

    SOURCES = {name: language.sources for name, language in LANGUAGES.items()}  # noqa: RUF012
    SPLITS = ("naturalistic", "neutral")
    FILES_OF = {"naturalistic": NATURALISTIC, "neutral": NEUTRAL}  # noqa: RUF012
    ROW = CompoundRow

    def rows(self, files: Mapping[str, File], split: str) -> Iterator[CompoundRow]:
        """Make the rows of `split`."""
        return LANGUAGES[self.config.name].rows(files, self.config.name, split)
