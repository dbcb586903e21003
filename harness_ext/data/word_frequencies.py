"""Frequencies of the words of English noun compounds and of their synonyms: a table of facts from
wordfreq.

Robyn Speer: *wordfreq* (doi 10.5281/zenodo.7199437). Its data is licensed CC BY-SA 4.0; so is the
table. It has every word that ε-compositionality puts into a slot of an English compound, by
`wordfreq.zipf_frequency(word, "en")`. NCTTI has the same compounds.
"""

import functools
import math
from collections.abc import Mapping
from importlib.resources import files

TABLE = files("harness_ext.data") / "word_frequencies.tsv"


@functools.cache  # 2 150 words, as long as the program runs
def _table() -> Mapping[str, float]:
    lines = TABLE.read_text(encoding="utf-8").splitlines()
    cells = (line.split("\t") for line in lines if not line.startswith("#"))
    return {word: float(frequency) for word, frequency in cells}


def zipf_frequency(word: str) -> float:
    """Look up the base-10 logarithm of a word's occurrences in a billion words; 0 without any, NaN
    if not listed.

    Examples:
        >>> zipf_frequency("Black") > zipf_frequency("ebony") > 0
        True
    """
    return _table().get(word.casefold(), math.nan)
