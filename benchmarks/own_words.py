"""The tables and the picture of docs/words.md, from a folder of results. No model is run.

Print the tables: `python benchmarks/own_words.py RESULTS`. Draw the picture of the ε test: add `--picture FILE.svg`.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from harness_ext.evaluators.gain_keys import gain_key, p_value_key
from harness_ext.results.load import load_results
from harness_ext.show.figures import gains, has_gain, save_figures
from harness_ext.show.listing import Listing
from harness_ext.show.model_labels import model_labels
from harness_ext.show.result_tables import number, own_words

EPSILON = "EpsilonCompositionality"


def main() -> None:
    """Print a table per task, subset and split; or draw the ε test."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", type=Path)
    parser.add_argument("--picture", type=Path)
    arguments = parser.parse_args()
    entries = [entry for entry in load_results(arguments.results).entries if has_gain(entry)]
    if arguments.picture:
        of_epsilon = [entry for entry in entries if entry.task == EPSILON]
        (file,) = save_figures([gains(of_epsilon)], arguments.picture.parent, "svg")
        file.replace(arguments.picture)
        return
    labels = model_labels(entries)
    for task, data in dict.fromkeys((entry.task, entry.data) for entry in entries):
        same = [entry for entry in entries if (entry.task, entry.data) == (task, data)]
        same.sort(key=lambda entry: entry.scores[gain_key(entry.measure.main)])
        rows = []
        for entry in same:
            p_value = number(entry.scores[p_value_key(gain_key(entry.measure.main))])
            rows.append((labels[entry.model, entry.revision], number(entry.main_score), *own_words(entry), p_value))
        header = ("model", same[0].measure.main, "own words", "gain [95 %]", "p")
        print(Listing(header, tuple(rows), f"{task}, {data}").markdown(), end="\n\n")


if __name__ == "__main__":
    main()
