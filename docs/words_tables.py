"""Write docs/words.csv and the picture of docs/words.md from folders of results: python docs/words_tables.py RESULTS...

No model is run.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from harness_ext.framework.gain_keys import gain_key, p_value_key, words_key
from harness_ext.results.load import load_results, order
from harness_ext.show.figures import gains, has_gain, save_figures
from harness_ext.show.listing import Listing, render
from harness_ext.show.model_labels import model_labels
from harness_ext.show.numbers import number

if TYPE_CHECKING:
    from harness_ext.results.entry import Entry

EPSILON = "EpsilonCompositionality"
FOLDER = Path(__file__).parent


def table(entries: list[Entry]) -> Listing:
    """A row per task, subset, split and encoder, the greatest gain of a task last."""
    labels = model_labels(entries)
    places = list(dict.fromkeys((entry.task, entry.data) for entry in entries))
    rows = []
    for entry in sorted(entries, key=lambda one: (places.index((one.task, one.data)), one.scores[_gain(one)])):
        gain, low, high = (number(entry.scores[_gain(entry)]), *map(number, entry.interval(_gain(entry)) or ()))
        figures = (number(entry.main_score), number(entry.scores[words_key(entry.measure.main)]), gain, low, high)
        p_value = number(entry.scores[p_value_key(_gain(entry))])
        rows.append(
            (entry.task, entry.data, labels[entry.model, entry.revision], entry.measure.main, *figures, p_value)
        )
    header = ("task", "data", "model", "score", "value", "own words", "gain", "gain from", "gain to", "p")
    return Listing(header, tuple(rows))


def _gain(entry: Entry) -> str:
    return gain_key(entry.measure.main)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", type=Path, nargs="+")
    entries = [entry for folder in parser.parse_args().results for entry in load_results(folder).entries]
    last = {(entry.task, entry.data, entry.model): entry for entry in entries if has_gain(entry)}
    measured = sorted((entry for entry in last.values() if not entry.knows_nothing), key=order)
    (FOLDER / "words.csv").write_text(render([table(measured)], "csv"), encoding="utf-8")
    of_epsilon = [entry for entry in measured if entry.task == EPSILON]
    save_figures([replace(gains(of_epsilon), name="words")], FOLDER, "svg")
    (FOLDER / "words.txt").unlink(missing_ok=True)
