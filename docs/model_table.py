"""Write the table of models in README.md from leaderboard/: python docs/model_table.py."""

from __future__ import annotations

from operator import attrgetter
from pathlib import Path
from typing import NamedTuple

from findings import static_verbs
from pages import with_links, write_between

from harness_ext.measures.core.baseline_keys import ADDITIVE, NOISE, gain_key
from harness_ext.results.effects import Outcome
from harness_ext.results.entry import Entry
from harness_ext.results.load import load_results
from harness_ext.results.reference_scores import lead
from harness_ext.show.interpretation import FIRST_NOISE, UNKNOWN, cells
from harness_ext.show.listing import Listing
from harness_ext.show.model_labels import model_labels
from harness_ext.show.numbers import formatted, with_interval

ROOT = Path(__file__).parents[1]


class Asked(NamedTuple):
    """What a column of the table asks.

    Attributes:
        data: Subset and split.
        question: In a few words.
        kind: The kind of score.
        key: That of the score; empty for the main score.
    """

    data: str
    question: str
    kind: str
    key: str = ""


TASKS = {
    "EpsilonCompositionality": Asked("en naturalistic_rebuilt", "idioms are wholes", "AUC"),
    "RoleSwapSimilarity": Asked("test", "who did what to whom", "Spearman's ρ with people"),
    "TransitiveSimilarity": Asked(
        "gs2011 test",
        "subject and object",
        "correlation with people within pairs of verbs",
        "spearman_within_verbs",
    ),
}
"""Three tasks on which encoders of the board were measured."""

NOT_MEASURED = (UNKNOWN, FIRST_NOISE)
"""Cells from which nothing follows."""


def measured() -> Listing:
    """The encoders of the board in rows, the best at telling who did what to whom first; tasks in
    columns.
    """
    entries: dict[tuple[str, str], Entry] = {}
    for task, asked in TASKS.items():
        for entry in load_results(ROOT / "leaderboard", task).entries:
            if entry.data == asked.data and not entry.is_baseline:
                entries[entry.model, task] = entry
    labels = model_labels(entries.values())
    of_roles = [entry for (_, task), entry in entries.items() if task == "RoleSwapSimilarity"]
    rows = []
    for of_role in sorted(of_roles, key=attrgetter("main_score"), reverse=True):
        model = of_role.model
        scores: list[str] = []
        for task in TASKS:
            entry = entries.get((model, task))
            scores.append(cell(entry) if entry else "")
        label = labels[model, of_role.revision]
        rows.append((label, *scores))
    return Listing(("encoder", *map(head, TASKS)), tuple(rows))


def head(task: str) -> str:
    """What a task asks, its name, the kind of score, chance, and the agreement of people where it
    is known.
    """
    (measure,) = {entry.measure for entry in load_results(ROOT / "leaderboard", task).entries}
    asked = TASKS[task]
    score, _ = measure.declarations[asked.key or measure.main]
    people = ""
    if score.ceiling is not None:
        people = f", people with each other {formatted(score.ceiling)}"
    return f"{asked.question}: {task} ({asked.kind}; chance {formatted(score.chance)}{people})"


def cell(entry: Entry) -> str:
    """The score with its interval, the gain, and the first thing that forbids to read the score as
    meaning.
    """
    further_key = TASKS[entry.task].key
    key = further_key or entry.measure.main
    gain = entry.scores.get(gain_key(key))
    gained = "" if gain is None else f", gain {formatted(gain)}"
    said = caveat_of_key(entry, key) if further_key else caveat(entry)
    return f"{with_interval(entry.scores[key], entry.interval(key))}{gained}; {said}"


def caveat_of_key(entry: Entry, key: str) -> str:
    """The same of the score within pairs of verbs, which no control encoder has: by the intervals
    of the score and of its differences, and last by the encoder's static-verb encoder.
    """
    keys = {
        "chance": key,
        "baseline": ADDITIVE.difference_key(key),
        "noise": NOISE.difference_key(key),
    }
    for reference, key_of_difference in keys.items():
        ends = entry.interval(key_of_difference)
        if ends is None:
            return f"{reference} not yet measured"
        low, high = ends
        if high < 0 and reference != "noise":
            return f"below {reference}"
        if low <= 0:
            return f"not above {reference}"
    return caveat_of_static_verb(entry)


def caveat_of_static_verb(entry: Entry) -> str:
    """Say whether an encoder is significantly above its own static-verb encoder at each strength
    of the fixed vector, as docs/static_verb.csv has it; else the highest score of these.
    """
    name = entry.model.rpartition("/")[2]
    rows = [row for row in static_verbs() if row["model"] == name]
    if not rows:
        return "static verb not yet measured"
    if all(float(row["low"]) > 0 for row in rows):
        return "above all"
    highest = max(float(row["static_verb"]) for row in rows)
    return f"not above static verb ({formatted(highest)})"


def caveat(entry: Entry) -> str:
    """Say which reference the score is not significantly above, or significantly below: chance,
    the additive baseline, matched noise, a control encoder.
    """
    outcomes = cells(entry)
    for reference, outcome in zip(("chance", "baseline", "noise"), outcomes, strict=True):
        if outcome.startswith("below"):
            return f"below {reference}"
        if not outcome.startswith(("above", *NOT_MEASURED)):
            return f"not above {reference}"
    best_control = lead(entry)
    if best_control:
        best, outcome = best_control
        if outcome is not Outcome.ABOVE:
            word = "below" if outcome is Outcome.BELOW else "not above"
            return f"{word} {best.name} ({formatted(best.value)})"
    is_measured = not {*NOT_MEASURED} & {*outcomes}
    return "above all" if is_measured else "noise not yet measured"


def page(readme: str) -> str:
    """The first page with the table."""
    text = write_between(readme, "measured", measured().markdown())
    return with_links(text, "docs/glossary.md")


if __name__ == "__main__":
    path = ROOT / "README.md"
    path.write_text(page(path.read_text(encoding="utf-8")), encoding="utf-8")
    print(path)
