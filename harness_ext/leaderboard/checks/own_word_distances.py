"""Distances of single words that differ between the items of an encoder and the items of its own words.

The bag of a text of one word is the vector of that word. So two single words have the same distance in both.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from harness_ext.evaluators.items import Items
from harness_ext.leaderboard.checks.compared_texts import compared_texts
from harness_ext.leaderboard.checks.finding import Finding, row_finding
from harness_ext.leaderboard.checks.records import COARSE, TOLERANCE

if TYPE_CHECKING:
    from harness_ext.results.entry import Entry


def word_findings(entry: Entry, items: Items, words: Items) -> Iterator[Finding]:
    """Find the first pair of single words with one distance in `items` and another in `words`.

    The tolerance is a rerun's with the dtype of the signature, because other batches give other last digits.
    """
    texts, of_words = compared_texts(items), compared_texts(words)
    single = np.array([name.isalpha() for name in texts.names.tolist()], dtype=bool)
    tolerance = TOLERANCE.get(entry.signature.dtype if entry.signature else "", COARSE)
    for place in texts.columns:
        behind = texts.behind[place]
        if place not in of_words.behind or behind.shape != of_words.behind[place].shape:
            continue  # a level that own words do not have
        name, column = place
        here, there = (each.tables()[name].values()[column] for each in (items, words))
        if (differs := single[behind].all(axis=0) & (np.abs(here - there) > tolerance)).any():
            row = int(np.argmax(differs))
            yield row_finding(entry.file, (f"own words, {name}", column, row), float(there[row]), float(here[row]),
                              "The distance of two single words is another in the items of the texts.")  # fmt: skip
            return
