"""The interpretation of a result, as terminal, report and board write it: cells, notes, and
sentences.

A cell says what the intervals show of the difference of a main score from a reference: chance, the
encoder's additive baseline, matched noise (`harness_ext.results.effects`). What else is to be known
of a score is a note.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from harness_ext.measures.core.baseline_keys import additive_key, gain_key
from harness_ext.measures.core.measure import unit_count_key
from harness_ext.measures.core.same_vector import ALONE, SAME_VECTOR
from harness_ext.results.effects import Effect, Outcome, Reference, effect
from harness_ext.results.entry import Entry
from harness_ext.results.reference_scores import lead
from harness_ext.show.numbers import formatted, with_interval
from harness_ext.show.paper import paper_of
from harness_ext.tasks import TASKS

CELLS = {
    "vs chance": Reference.CHANCE,
    "vs baseline": Reference.ADDITIVE,
    "vs noise": Reference.NOISE,
}
"""Column -> the reference of its cells."""

UNKNOWN = "–"
"""The cell where there is no such reference, or no interval."""

TERMS = "Terms: harness-ext explain terms"
"""The line under a table with cells."""


def baseline_and_gain(entry: Entry) -> tuple[str, str]:
    """Write the main score of the additive baseline, and the gain over it with its 95 % interval;
    empty if unknown.
    """
    main = entry.measure.main
    gain = with_interval(entry.scores.get(gain_key(main)), entry.interval(gain_key(main)))
    return with_interval(entry.scores.get(additive_key(main))), gain


def about_references(entries: Sequence[Entry], chance: str) -> str:
    """Write what `chance`, the subject of a sentence, and people get, as far as known, for entries
    of a task.
    """
    score = entries[0].measure.main_declaration
    found = [] if score.chance is None else [f"{chance} gives {formatted(score.chance)}."]
    found += (
        []
        if score.ceiling is None
        else [f"People agree with each other at {formatted(score.ceiling)}."]
    )
    return " ".join(found)


def outcomes(entry: Entry) -> dict[str, Outcome]:
    """What is known of the cells: column -> outcome."""
    found = {column: effect(entry, reference) for column, reference in CELLS.items()}
    return {column: one.outcome for column, one in found.items() if one}


def cells(entry: Entry) -> tuple[str, ...]:
    """Write the cells of an entry, one for each of `CELLS`."""
    found = outcomes(entry)
    return tuple(found.get(column, UNKNOWN) for column in CELLS)


def cells_in_short(entry: Entry) -> str:
    """Write the known cells in a line: `vs chance: above; vs baseline: inconclusive`."""
    return "; ".join(f"{column}: {cell}" for column, cell in outcomes(entry).items())


def notes(entries: Iterable[Entry], everything: Sequence[Entry] = ()) -> list[str]:
    """Write what else is to be known of entries: a line for each kind of note, with the tasks that
    it is about.

    Args:
        entries: The entries of a table.
        everything: The results beside them, which may have control encoders.
    """
    shown = list(entries)
    parts = Counter(
        entry.task for entry in {(entry.task, entry.data): entry for entry in shown}.values()
    )
    about: dict[str, dict[str, None]] = {}
    cautions: dict[str, None] = {}
    for entry in shown:
        label = entry.task if parts[entry.task] == 1 else f"{entry.task} {entry.data}"
        for note, detail in _remarks(entry, everything):
            about.setdefault(note, {})[f"{label} {detail}".strip()] = None
        if paper_of(entry.measure).interpretation(entry.scores):
            cautions[paper_of(entry.measure).caution] = None
    return [
        *(f"{note}: {', '.join(where)}." for note, where in about.items()),
        *filter(None, cautions),
    ]


def _remarks(entry: Entry, everything: Sequence[Entry]) -> Iterator[tuple[str, str]]:
    """Write the notes on one entry: the part that many entries share, and the figures of
    this one.
    """
    if of_best := lead(entry, everything):
        best, outcome = of_best
        about = {Outcome.BELOW: "Below", Outcome.INCONCLUSIVE: "Not significantly above"}
        if outcome in about:
            yield (
                f"{about[outcome]} the best control encoder",
                f"({best.name} {formatted(best.value)})",
            )
    if (adjusted := entry.measure.adjusted) and adjusted in entry.scores:
        yield (
            "Score adjusted for other causes (harness-ext explain adjusted score)",
            with_interval(entry.scores[adjusted], entry.interval(adjusted)),
        )
    # not the bare model's gain: docs/instructions.md
    if entry.signature and entry.signature.prompt:
        yield "Under an instruction", ""
    if entry.measure.exploratory:
        yield "Exploratory, so not in overall places", ""
    paper = paper_of(entry.measure)
    if interpretation := paper.interpretation(entry.scores):
        yield f"By the p-values of {paper.name} the model is {interpretation}", ""
    if n := entry.scores.get(SAME_VECTOR.key):
        yield "Different texts with one vector", f"({n:,.0f} {'pairs' if n > 1 else 'pair'})"
    if (cosine := entry.scores.get(ALONE.key)) is not None:
        yield "Vectors depend on the batch", f"(cosine {formatted(cosine)})"


def sentences(labeled: Mapping[str, Entry]) -> dict[str, list[str]]:
    """Write what entries of a task show about chance.

    Args:
        labeled: Label -> entry.

    Returns:
        Sentence -> the labels of the entries that it is about; none about an entry without an
        interval.
    """
    found: dict[str, list[str]] = {}
    for label, entry in labeled.items():
        if of_chance := effect(entry, Reference.CHANCE):
            found.setdefault(_sentence(of_chance, entry), []).append(label)
    return found


def _sentence(of_chance: Effect, entry: Entry) -> str:
    """Write the sentence about the difference of an entry from chance: what it means, or the
    remedy.
    """
    smallest, outcome = formatted(of_chance.smallest), of_chance.outcome
    if outcome is Outcome.EQUIVALENT:
        return f"Any difference from chance is smaller than {smallest}."
    if outcome is Outcome.INCONCLUSIVE:
        n = entry.scores.get(unit_count_key(entry.measure.main))
        units = "The data" if n is None else f"{n:,.0f} {entry.measure.unit}s"
        too_few = f"{units} are too few: the interval holds chance, and differences that matter."
        return f"{too_few} {_larger(entry)}".rstrip()
    meaning = entry.wording.chance.above if outcome.is_above else entry.wording.chance.below
    is_small = outcome in {Outcome.ABOVE_SMALL, Outcome.BELOW_SMALL}
    return f"{meaning} The difference is small: below {smallest}." if is_small else meaning


def _larger(entry: Entry) -> str:
    """Name the task that asks the same of more data; empty if there is none."""
    here = entry.declared_task
    larger = [
        task.name
        for task in TASKS.values()
        if task.measure is here.measure
        and not task.quick
        and dict(task.dataset) != dict(here.dataset)
    ]
    return f"Run {larger[0]}, which has more." if here.quick and larger else ""
