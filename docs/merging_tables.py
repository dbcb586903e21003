"""Write docs/merging.csv, the table and the picture of docs/merging.md: python docs/merging_tables.py RESULTS.

No model is run.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

from pages import write_between

from harness_ext.results.entry import Entry, by_data
from harness_ext.results.load import load_results
from harness_ext.show.figures import figures_of, save_figures
from harness_ext.show.listing import Listing, render
from harness_ext.show.merging import kept_apart
from harness_ext.show.model_labels import model_labels
from harness_ext.show.numbers import number

TASKS = ("MergeOppositesMini", "MergeOpposites")
DRAWN = "sentence-transformers/all-MiniLM-L6-v2"
COSINES = (0.6, 0.7, 0.8, 0.9, 0.95)
AT_COSINES = "MergeOppositesMini: share of paraphrases / share of opposites that are merged at a cosine"
MOST_UNKNOWN = 0.05
PAGE = Path(__file__).with_name("merging.md")


def is_sound(entry: Entry) -> bool:
    """Whether the encoder knows a word of nearly every text, as a board asks."""
    return entry.scores["n_excluded_zero_vector"] <= MOST_UNKNOWN * len(entry.items().pairs)


def at_cosines(entries: list[Entry], names: dict[Entry, str]) -> Listing:
    """A row for each model, a column for each cosine: the share of paraphrases at or above it / that of opposites."""
    rows = []
    for entry in entries:
        pairs = entry.items().pairs
        shares = [[(pairs.similarity[one] >= cos).mean() for one in (pairs.is_same, ~pairs.is_same)] for cos in COSINES]
        rows.append((names[entry], *(" / ".join(map(number, of_both)) for of_both in shares)))
    return Listing(("model", *(f"cos ≥ {cos}" for cos in COSINES)), tuple(rows), AT_COSINES)


def overview(tables: list[Listing]) -> Listing:
    """A row for each model, a column for each table: the share of opposites that are kept apart."""
    rows: dict[str, dict[str, str]] = {}
    for table in tables:
        for model, kept, *_ in table.rows:
            rows.setdefault(model, {"model": model})[table.title] = kept
    return Listing.of(rows.values())


if __name__ == "__main__":
    entries = [entry for entry in load_results(Path(sys.argv[1]), TASKS).entries if is_sound(entry)]
    labels = model_labels(entries)
    names = {entry: labels[entry.model, entry.revision] for entry in entries}
    tables = [kept_apart(same, names, f"{same[0].task}, {same[0].data}") for same in by_data(entries)]
    text = overview(tables).markdown()
    PAGE.write_text(write_between(PAGE.read_text(encoding="utf-8"), "results", text), encoding="utf-8")
    tables.append(at_cosines([entry for entry in entries if entry.task == TASKS[0]], names))
    PAGE.with_name("merging.csv").write_text(render(tables, "csv") + "\n", encoding="utf-8")
    picture = next(figures_of([entry for entry in entries if entry.model == DRAWN]))
    save_figures([replace(picture, name="merging")], PAGE.parent, "svg")
    PAGE.with_name("merging.txt").unlink()
