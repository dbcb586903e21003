"""Write the tables and the picture of docs/words.md, from a folder of results: python docs/words_tables.py RESULTS.

No model is run. The tasks of roles and verbal idioms are in docs/roles.md.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from harness_ext.documentation.tables import write_between
from harness_ext.evaluators.gain_keys import gain_key, p_value_key
from harness_ext.results.load import load_results
from harness_ext.show.figures import gains, has_gain, save_figures
from harness_ext.show.listing import Listing
from harness_ext.show.model_labels import model_labels
from harness_ext.show.numbers import number
from harness_ext.show.result_tables import own_words

if TYPE_CHECKING:
    from harness_ext.results.entry import Entry

EPSILON = "EpsilonCompositionality"
TASKS = (
    EPSILON,
    "NounCompoundAffinity",
    "NounCompoundScaledSimilarity",
    "TypeTokenIdiomaticity",
    "MontagueConsistency",
    "PolaritySensitivity",
)
PAGE = Path(__file__).with_name("words.md")


def tables(entries: list[Entry]) -> str:
    """A table per task, subset and split, the greatest gain last."""
    labels = model_labels(entries)
    found = []
    for task, data in dict.fromkeys((entry.task, entry.data) for entry in entries):
        same = [entry for entry in entries if (entry.task, entry.data) == (task, data)]
        same.sort(key=lambda entry: entry.scores[gain_key(entry.measure.main)])
        rows = []
        for entry in same:
            p_value = number(entry.scores[p_value_key(gain_key(entry.measure.main))])
            rows.append((labels[entry.model, entry.revision], number(entry.main_score), *own_words(entry), p_value))
        header = ("model", same[0].measure.main, "own words", "gain [95 %]", "p")
        found.append(Listing(header, tuple(rows), f"{task}, {data}").markdown())
    return "\n\n".join(found)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", type=Path)
    results = load_results(parser.parse_args().results, TASKS)
    measured = [entry for entry in results.entries if has_gain(entry)]
    page = write_between(PAGE.read_text(encoding="utf-8"), "results", tables(measured))
    PAGE.write_text(page, encoding="utf-8")
    of_epsilon = [entry for entry in measured if entry.task == EPSILON]
    save_figures([replace(gains(of_epsilon), name="words")], PAGE.parent, "svg")
    PAGE.with_name("words.txt").unlink(missing_ok=True)
