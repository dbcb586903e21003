"""NCIMP: noun compounds in context with minimal-pair probes, in English, Portuguese and Italian.

He, Kramer Vieira, Garcia, Scarton, Idiart, Villavicencio 2025: Investigating Idiomaticity in Word
Representations, Computational Linguistics 51(2), doi 10.1162/coli_a_00546. Read from the authors'
own files; the Italian compounds are others' (`italian.py`). See README.md beside this file for the
columns.
"""

from collections.abc import Iterator, Mapping

from harness_ext.data.builder import PinnedBuilder
from harness_ext.data.compounds import CompoundRow
from harness_ext.data.rows import Row
from harness_ext.data.tables import File
from harness_ext.datasets_scripts.ncimp.italian import italian_rows
from harness_ext.datasets_scripts.ncimp.rebuilt import REBUILT
from harness_ext.datasets_scripts.ncimp.tagged import NATURALISTIC, NEUTRAL, tagged_rows


class Ncimp(PinnedBuilder):
    """The `datasets` builder of `ncimp`; a config for each language."""

    SPLITS = ("naturalistic", "neutral", REBUILT)
    SPLITS_OF = dict.fromkeys(("pt", "it"), SPLITS[:2])
    FILES_OF = {  # noqa: RUF012
        "naturalistic": NATURALISTIC,
        "neutral": NEUTRAL,
        REBUILT: (REBUILT,),
    }
    INSTEAD = {"naturalistic": REBUILT}  # noqa: RUF012
    ROW = CompoundRow

    def rows(
        self,
        files: Mapping[str, File],
        split: str,
    ) -> Iterator[Row]:
        """Make the rows of `split`."""
        language = self.config.name
        if language == "it":
            return italian_rows(files, language, split)
        return tagged_rows(files, language, split)
