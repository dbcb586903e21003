"""Frequencies of the words of English noun compounds and of their synonyms: a table of facts from wordfreq.

Robyn Speer: *wordfreq* (doi 10.5281/zenodo.7199437). Its data is licensed CC BY-SA 4.0; so is the table. To write it
again, install the extra `frequencies`, provide the datasets, and run `python -m harness_ext.data.word_frequencies`.
Nothing else needs wordfreq.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping
from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from harness_ext.data.compounds import CompoundRow

TABLE = files("harness_ext.data") / "word_frequencies.tsv"


@functools.cache
def _table() -> Mapping[str, float]:
    lines = TABLE.read_text(encoding="utf-8").splitlines()
    cells = (line.split("\t") for line in lines if not line.startswith("#"))
    return {word: float(frequency) for word, frequency in cells}


def zipf_frequency(word: str) -> float:
    """Look up the base-10 logarithm of a word's occurrences in a billion words; 0 without any, NaN if not listed.

    Examples:
        >>> zipf_frequency("Black") > zipf_frequency("ebony") > 0
        True
    """
    return _table().get(word.casefold(), math.nan)


def write() -> None:
    """Write the table: every word that ε-compositionality puts into a slot of an English compound."""
    from importlib.metadata import version
    from pathlib import Path

    from datasets import load_dataset
    from wordfreq import zipf_frequency as frequency

    from harness_ext.data.compounds import slot_words

    rows: list[CompoundRow] = [
        row
        for dataset, config in (("ncimp", "en"), ("compound_mini", "default"))
        for row in load_dataset(dataset, config, split="naturalistic").to_list()
    ]
    words = sorted({word.casefold() for row in rows for slot in slot_words(row) for word in slot})
    head = f"# wordfreq {version('wordfreq')}, English, Zipf scale; CC BY-SA 4.0, doi 10.5281/zenodo.7199437"
    text = "\n".join([head, *(f"{word}\t{frequency(word, 'en')}" for word in words)])
    Path(str(TABLE)).write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    write()
