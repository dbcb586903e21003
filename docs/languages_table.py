"""Write docs/languages.csv from folders of results, and print its main scores as the table of docs/languages.md.

python docs/languages_table.py RESULTS...; no model is run.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from harness_ext.framework.gain_keys import gain_key, words_key
from harness_ext.results.entry import Entry
from harness_ext.results.load import load_results, order
from harness_ext.show.figures import has_gain
from harness_ext.show.listing import Listing, render
from harness_ext.show.model_labels import model_labels
from harness_ext.show.numbers import number

TASKS = (
    "NegationImportance",
    "CompoundParaphrase",
    "TokenIdiomaticity",
    "IdiomRetrieval",
)
FOLDER = Path(__file__).parent


def every_score(entries: list[Entry], labels: dict[tuple[str, str], str]) -> Listing:
    """A row per task, subset and encoder; an encoder that was measured without own words has no gain."""
    header = ("task", "data", "model", "score", "value", "from", "to", "own words", "gain", "gain from", "gain to")
    rows = []
    for entry in entries:
        main = entry.measure.main
        figures = [entry.main_score, *(entry.interval(main) or (None, None))]
        if has_gain(entry):
            gain = gain_key(main)
            figures += [entry.scores[words_key(main)], entry.scores[gain], *(entry.interval(gain) or (None, None))]
        texts = ["" if value is None else number(value) for value in figures]
        texts += [""] * (7 - len(texts))
        rows.append((entry.task, entry.data, labels[entry.model, entry.revision], main, *texts))
    return Listing(header, tuple(rows))


def main_scores(entries: list[Entry], labels: dict[tuple[str, str], str]) -> Listing:
    """A row per task and subset, a column per encoder; the best of the encoders that know nothing is the last."""
    names = list(dict.fromkeys(labels[each.model, each.revision] for each in entries if not each.knows_nothing))
    rows = []
    for place in dict.fromkeys((each.task, each.data) for each in entries):
        here = [each for each in entries if (each.task, each.data) == place]
        values = {labels[each.model, each.revision]: number(each.main_score) for each in here}
        best = max((each for each in here if each.knows_nothing), key=lambda each: each.main_score, default=None)
        last = f"{number(best.main_score)} {labels[best.model, best.revision]}" if best else ""
        rows.append((*place, *(values.get(name, "") for name in names), last))
    return Listing(("task", "data", *names, "best that knows nothing"), tuple(rows))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path, nargs="+")
    found = [entry for folder in parser.parse_args().results for entry in load_results(folder).entries]
    last = {(entry.task, entry.data, entry.model): entry for entry in found if entry.task in TASKS}
    entries = sorted(last.values(), key=lambda entry: (TASKS.index(entry.task), order(entry)))
    labels = dict(model_labels(entries))
    (FOLDER / "languages.csv").write_text(render([every_score(entries, labels)], "csv"), encoding="utf-8")
    print(render([main_scores(entries, labels)], "markdown"))
