"""Write the tables of models in README.md, with badges, from leaderboard/ and ε's table: python docs/model_table.py."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape
from pathlib import Path

from pages import write_between

from harness_ext.measures.core.scores import CLASS
from harness_ext.results.effects import Outcome, Reference
from harness_ext.results.entry import Entry
from harness_ext.results.load import load_results
from harness_ext.results.published import published_scores, without_zero
from harness_ext.results.reference_scores import lead
from harness_ext.show.listing import Listing
from harness_ext.show.model_labels import model_labels
from harness_ext.show.numbers import with_interval
from harness_ext.show.papers.epsilon import interpretation
from harness_ext.show.verdict import baseline_and_gain, effects, outcome
from harness_ext.tasks.papers import PAPER_MODELS

ROOT = Path(__file__).parents[1]
TESTS = {
    ("RoleSwapSimilarity", "test"): "who did what to whom",
    ("TransitiveSimilarity", "gs2011 test"): "sense of a verb",
}
"""Task and data -> what it asks: two on which every encoder of the board was measured."""

GREEN, GREY, RED = "#1a7f37", "#57606a", "#b3261e"
COLOURS = {Outcome.ABOVE: GREEN, Outcome.SMALL: GREY, Outcome.OPEN: GREY, Outcome.BELOW: RED}
CHANCE = {Outcome.ABOVE: "above", Outcome.SMALL: "at", Outcome.OPEN: "not told from", Outcome.BELOW: "below"}
EPS = {
    "human-aligned": ("human-aligned: idioms alone are wholes", GREEN),
    "compositionally-inclined": ("compositionally-inclined: idioms too are their words", GREY),
    "anti-compositional": ("anti-compositional: all are wholes", RED),
}
"""A verdict of EPS -> the same in words that need no legend."""


def short_verdict(entry: Entry, entries: list[Entry]) -> str:
    """Chance first; additive baseline, and the best encoder that knows nothing, of a score above chance alone."""
    known, ahead = effects(entry, entries), lead(entry, entries)
    said = [f"{CHANCE[known[Reference.CHANCE].outcome]} chance"]
    if known[Reference.CHANCE].outcome is Outcome.ABOVE:
        said += [f"{CHANCE[known[Reference.BASELINE].outcome]} its baseline"] if Reference.BASELINE in known else []
        said += [f"not told from {ahead.best.name}, which knows nothing"] if ahead and not ahead.is_beyond else []
    return "; ".join(said)


def badge(text: str, colour: str) -> str:
    """A badge as SVG, of a width that holds the text in any font."""
    width = round(6.4 * len(text)) + 16
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="20" viewBox="0 0 {width} 20" role="img">'
        f'<title>{escape(text)}</title><rect width="{width}" height="20" rx="4" fill="{colour}"/>'
        f'<text x="8" y="14" textLength="{width - 16}" fill="#fff" font-family="Verdana, sans-serif" font-size="11">'
        f"{escape(text)}</text></svg>\n"
    )


class Badges(dict[Path, str]):
    """The file of each badge that stands in a table -> its content."""

    def of(self, text: str, colour: str) -> str:
        """The badge as a picture of Markdown."""
        path = Path("docs", "badges", f"{re.sub(r'[^a-z]+', '-', text.lower())}.svg")
        self[path] = badge(text, colour)
        return f"![{text}]({path.as_posix()})"


def measured(badges: Badges) -> Listing:
    """The encoders of the board, best first in each test: verdict, score, gain."""
    rows = []
    for (task, data), test in TESTS.items():
        entries = [one for one in load_results(ROOT / "leaderboard", task).entries if one.data == data]
        labels = model_labels(entries)
        for one in sorted((one for one in entries if not one.is_baseline), key=lambda one: -one.main_score):
            told = badges.of(short_verdict(one, entries), COLOURS[outcome(one, entries) or Outcome.OPEN])
            score = with_interval(one.main_score, one.interval())
            rows.append((labels[one.model, one.revision], test, told, score, baseline_and_gain(one)[1]))
    return Listing(("encoder", "test", "verdict", "score", "gain"), tuple(rows))


def published(badges: Badges) -> Listing:
    """The encoders of EPS, in its order: verdict by its rule, and rank shares."""
    labels = {model.name: model.label for model in PAPER_MODELS["EPS"]}
    rows = []
    for place, cells in published_scores("EpsilonCompositionality").items():
        told = badges.of(*EPS.get(said := interpretation({key: cells[key].value for key in cells}), (said, GREY)))
        rows.append(
            (labels[place.model], told, *(without_zero(cells[f"rank_share_{one}"].printed) for one in CLASS.values))
        )
    return Listing(("encoder", "verdict", *CLASS.values), tuple(rows))


def pages(readme: str) -> Iterator[tuple[Path, str]]:
    """Yield the first page with the tables, and each badge in them: path from the top of the repository, content."""
    badges = Badges()
    for mark, table in (("measured", measured(badges)), ("published", published(badges))):
        pictures = table.markdown().replace("]\\(", "](")  # the badges; names from elsewhere have no links
        readme = write_between(readme, mark, pictures)
    yield Path("README.md"), readme
    yield from badges.items()


if __name__ == "__main__":
    made = dict(pages((ROOT / "README.md").read_text(encoding="utf-8")))
    for old in (ROOT / "docs" / "badges").glob("*.svg"):
        old.unlink()
    for path, text in made.items():
        (ROOT / path).parent.mkdir(exist_ok=True)
        (ROOT / path).write_text(text, encoding="utf-8")
        print(path)
