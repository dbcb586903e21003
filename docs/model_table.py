"""Write the tables of models in README.md from leaderboard/ and ε's published table: python docs/model_table.py."""

from __future__ import annotations

from pathlib import Path

from pages import write_between

from harness_ext.measures.core.scores import CLASS
from harness_ext.results.load import load_results
from harness_ext.results.published import published_scores, without_zero
from harness_ext.show.interpretation import CELLS, baseline_and_gain, cells
from harness_ext.show.listing import Listing
from harness_ext.show.model_labels import model_labels
from harness_ext.show.numbers import with_interval
from harness_ext.show.papers.epsilon import interpretation
from harness_ext.tasks.papers import PAPER_MODELS

ROOT = Path(__file__).parents[1]
TASKS = {
    ("RoleSwapSimilarity", "test"): "who did what to whom",
    ("TransitiveSimilarity", "gs2011 test"): "sense of a verb",
}
"""Task and data -> what it asks: two on which every encoder of the board was measured."""

EPS = {
    "human-aligned": "human-aligned: idioms alone are wholes",
    "compositionally-inclined": "compositionally-inclined: idioms too are their words",
    "anti-compositional": "anti-compositional: all are wholes",
}
"""What the paper calls a model -> the same in words that need no legend."""


def measured() -> Listing:
    """The encoders of the board, best first in each task: score, gain, cells."""
    rows = []
    for (task, data), asked in TASKS.items():
        entries = [one for one in load_results(ROOT / "leaderboard", task).entries if one.data == data]
        labels = model_labels(entries)
        for one in sorted((one for one in entries if not one.is_baseline), key=lambda one: -one.main_score):
            score = with_interval(one.main_score, one.interval())
            rows.append((labels[one.model, one.revision], asked, score, baseline_and_gain(one)[1], *cells(one)))
    return Listing(("encoder", "task", "score", "gain", *CELLS), tuple(rows))


def published() -> Listing:
    """The encoders of EPS, in its order: what it calls them by its rule, and rank shares."""
    labels = {model.name: model.label for model in PAPER_MODELS["EPS"]}
    rows = []
    for place, found in published_scores("EpsilonCompositionality").items():
        said = interpretation({key: found[key].value for key in found})
        shares = (without_zero(found[f"rank_share_{one}"].printed) for one in CLASS.values)
        rows.append((labels[place.model], EPS.get(said, said), *shares))
    return Listing(("encoder", "by the paper's rule", *CLASS.values), tuple(rows))


def page(readme: str) -> str:
    """The first page with the tables."""
    for mark, table in (("measured", measured()), ("published", published())):
        readme = write_between(readme, mark, table.markdown())
    return readme


if __name__ == "__main__":
    path = ROOT / "README.md"
    path.write_text(page(path.read_text(encoding="utf-8")), encoding="utf-8")
    print(path)
