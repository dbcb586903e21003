"""Write the table of docs/roles.md, and its picture, from a results folder: python docs/roles_table.py RESULTS."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

from harness_ext.documentation.tables import write_between
from harness_ext.evaluators.gain_keys import gain_key, words_key
from harness_ext.results.load import load_results
from harness_ext.show.figures import main_scores, save_figures
from harness_ext.show.listing import Listing
from harness_ext.show.model_labels import shortened
from harness_ext.show.numbers import chance_and_ceiling, number

TASKS = ("RoleSwapSimilarity", "TransitiveSimilarity", "CaptionSwap", "IdiomParaphrase")
FOLDER = Path(__file__).parent


def table(results: Path) -> Listing:
    """A row for each score of interest of each model, in the order of tasks, scores and models."""
    rows = []
    for entry in load_results(results, TASKS).entries:
        main = entry.measure.main
        for key, (score, _) in entry.measure.scores.by_key().items():
            if key in entry.scores and entry.interval(key):
                words, gain = entry.scores.get(words_key(main)), gain_key(main)
                own = (number(words), _cell(entry, gain)) if key == main and words is not None else ("", "")
                about = (entry.task, entry.data.partition(" +")[0], key, shortened(entry.model))
                rows.append((*about, _cell(entry, key), *own, chance_and_ceiling(score)))
    rows.sort(key=lambda row: TASKS.index(row[0]))
    header = ("task", "data", "score", "model", "value [95 %]", "own words", "gain [95 %]", "chance")
    return Listing(header, tuple(rows))


def _cell(entry, key):
    low, high = entry.interval(key) or (float("nan"), float("nan"))
    return f"{number(entry.scores[key])} [{number(low)}, {number(high)}]"


if __name__ == "__main__":
    folder, page = Path(sys.argv[1]), FOLDER / "roles.md"
    written = write_between(page.read_text(encoding="utf-8"), "roles", table(folder).markdown())
    page.write_text(written, encoding="utf-8")
    figure = main_scores(load_results(folder, TASKS).entries)
    save_figures([replace(figure, name="role_scores")], FOLDER, "svg")
    (FOLDER / "role_scores.txt").unlink()
