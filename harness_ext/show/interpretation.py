"""The interpretation of a result, as terminal, report and board write it: cells, notes, and
sentences.

A cell says what the intervals show of the difference of a main score from a reference: chance, the
encoder's additive baseline, matched noise (`harness_ext.results.effects`). What else is to be known
of a score is a note.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from harness_ext.measures.core.baseline_keys import additive_key, gain_key, has_first_noise
from harness_ext.measures.core.measure import unit_count_key
from harness_ext.measures.core.same_vector import ALONE, SAME_VECTOR, is_often_same
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

FIRST_NOISE = "noise of 1.0"
"""The cell of matched noise of the first definition, from which no claim follows."""

SAME_VECTORS = "(same vectors)"
"""The warning beside gain and noise where many different texts have one vector."""

TERMS = "Terms: harness-ext explain terms"
"""The line under a table with cells."""


def baseline_and_gain(entry: Entry) -> tuple[str, str]:
    """Write the main score of the additive baseline, and the gain over it with its 95 % interval;
    empty if unknown.
    """
    main = entry.measure.main
    additive = with_interval(entry.scores.get(additive_key(main)))
    gain = with_interval(entry.scores.get(gain_key(main)), entry.interval(gain_key(main)))
    if gain and is_often_same(entry.scores):
        gain = f"{gain} {SAME_VECTORS}"
    return additive, gain


def about_references(
    entries: Sequence[Entry],
    chance: str,
) -> str:
    """Write what chance and people get, as far as known.

    Args:
        entries: Of one task.
        chance: The subject of the sentence about chance.
    """
    score = entries[0].measure.main_declaration
    sentences_known: list[str] = []
    if score.chance is not None:
        sentences_known.append(f"{chance} gives {formatted(score.chance)}.")
    if score.ceiling is not None:
        sentences_known.append(f"People agree with each other at {formatted(score.ceiling)}.")
    return " ".join(sentences_known)


def outcomes(entry: Entry) -> dict[str, Outcome]:
    """What is known of the cells: column -> outcome."""
    known: dict[str, Outcome] = {}
    for column, reference in CELLS.items():
        difference = effect(entry, reference)
        if difference:
            known[column] = difference.outcome
    return known


def cells(entry: Entry) -> tuple[str, ...]:
    """Write the cells of an entry, one for each of `CELLS`."""
    known = outcomes(entry)
    return tuple(cell_text(entry, column, known.get(column)) for column in CELLS)


def cell_text(entry: Entry, column: str, outcome: Outcome | None) -> str:
    """Write a cell of an entry.

    Args:
        entry: The entry.
        column: One of `CELLS`.
        outcome: What is known; None if nothing is.
    """
    if outcome is None:
        return unknown_cell(entry, column)
    is_chance = CELLS[column] is Reference.CHANCE
    if is_chance or not is_often_same(entry.scores):
        return outcome
    return f"{outcome} {SAME_VECTORS}"


def unknown_cell(entry: Entry, column: str) -> str:
    """Write a cell of an entry where no outcome is known."""
    is_noise = CELLS[column] is Reference.NOISE
    if is_noise and has_first_noise(entry.scores, entry.measure.main):
        return FIRST_NOISE
    return UNKNOWN


def cells_in_short(entry: Entry) -> str:
    """Write the known cells in a line: `vs chance: above; vs baseline: inconclusive`."""
    known = outcomes(entry)
    return "; ".join(f"{column}: {cell_text(entry, column, known[column])}" for column in known)


def notes(
    entries: Iterable[Entry],
    everything: Sequence[Entry] = (),
    *,
    names_tasks: bool = True,
) -> list[str]:
    """Write what else is to be known of entries: a line for each kind of note, with the tasks that
    it is about.

    Args:
        entries: The entries of a table.
        everything: The results beside them, which may have control encoders.
        names_tasks: Whether to name the tasks; not below the heading of a single task.
    """
    shown = list(entries)
    data_of_tasks: dict[str, set[str]] = {}
    for entry in shown:
        data_of_tasks.setdefault(entry.task, set()).add(entry.data)
    places_by_note: dict[str, dict[str, None]] = {}
    cautions: dict[str, None] = {}
    for entry in shown:
        has_one_data = len(data_of_tasks[entry.task]) == 1
        task = entry.task if names_tasks else ""
        label = task if has_one_data else f"{task} {entry.data}".strip()
        for remark in _remarks(entry, everything):
            places = places_by_note.setdefault(remark.note, {})
            places[f"{label} {remark.detail}".strip()] = None
        paper = paper_of(entry.measure)
        if paper.caution and paper.interpretation(entry.scores):
            cautions[paper.caution] = None
    lines = [_line(note, [*places]) for note, places in places_by_note.items()]
    return [*lines, *cautions]


def _line(note: str, places: Sequence[str]) -> str:
    """Write a note with the tasks and figures that it is about, as far as there are."""
    about = ", ".join(place for place in places if place)
    if not about:
        return f"{note}."
    is_figure = about.startswith("(")
    return f"{note} {about}." if is_figure else f"{note}: {about}."


class _Remark(NamedTuple):
    """A note on an entry: the part that many entries share, and the figures of this one."""

    note: str
    detail: str = ""


def _remarks(
    entry: Entry,
    everything: Sequence[Entry],
) -> Iterator[_Remark]:
    """Write the notes on one entry."""
    scores = entry.scores
    against_control = _remark_on_control(entry, everything)
    if against_control:
        yield against_control
    adjusted = entry.measure.adjusted
    if adjusted and adjusted in scores:
        yield _Remark(
            "Score adjusted for other causes (harness-ext explain adjusted score)",
            with_interval(scores[adjusted], entry.interval(adjusted)),
        )
    # not the bare model's gain: docs/instructions.md
    if entry.signature and entry.signature.prompt:
        yield _Remark("Under an instruction")
    if entry.measure.exploratory:
        yield _Remark("Exploratory, so not in overall places")
    paper = paper_of(entry.measure)
    interpretation = paper.interpretation(scores)
    if interpretation:
        yield _Remark(f"In the paper's words ({paper.name}, by p-values): {interpretation}")
    n_pairs = scores.get(SAME_VECTOR.key)
    if n_pairs:
        noun = "pairs" if n_pairs > 1 else "pair"
        note = "Different texts with one vector"
        if is_often_same(scores):
            note += ", so gain and noise may come from texts that are cut"
        yield _Remark(note, f"({n_pairs:,.0f} {noun})")
    cosine = scores.get(ALONE.key)
    if cosine is not None:
        yield _Remark("Vectors depend on the batch", f"(cosine {formatted(cosine)})")


def _remark_on_control(
    entry: Entry,
    everything: Sequence[Entry],
) -> _Remark | None:
    """The note on an entry that is not significantly above the best control encoder."""
    against_best = lead(entry, everything)
    if against_best is None:
        return None
    best, outcome = against_best
    about = {Outcome.BELOW: "Below", Outcome.INCONCLUSIVE: "Not significantly above"}
    if outcome not in about:
        return None
    detail = f"({best.name} {formatted(best.value)})"
    return _Remark(f"{about[outcome]} the best control encoder", detail)


def sentences(labeled: Mapping[str, Entry]) -> dict[str, list[str]]:
    """Write what entries of a task show about chance.

    Args:
        labeled: Label -> entry.

    Returns:
        Sentence -> the labels of the entries that it is about; none about an entry without an
        interval.
    """
    labels: dict[str, list[str]] = {}
    for label, entry in labeled.items():
        over_chance = effect(entry, Reference.CHANCE)
        if over_chance:
            sentence = _sentence(over_chance, entry)
            labels.setdefault(sentence, []).append(label)
    return labels


def _sentence(over_chance: Effect, entry: Entry) -> str:
    """Write the sentence about the difference of an entry from chance: what it means, or the
    remedy.
    """
    smallest = formatted(over_chance.smallest)
    outcome = over_chance.outcome
    if outcome is Outcome.EQUIVALENT:
        return f"Any difference from chance is smaller than {smallest}."
    if outcome is Outcome.INCONCLUSIVE:
        n_units = entry.scores.get(unit_count_key(entry.measure.main))
        subject = "The data" if n_units is None else f"{n_units:,.0f} {entry.measure.unit}s"
        too_few = f"{subject} are too few: the interval holds chance, and differences that matter."
        return f"{too_few} {_larger(entry)}".rstrip()
    wording = entry.wording.chance
    meaning = wording.above if outcome.is_above else wording.below
    if outcome in {Outcome.ABOVE_SMALL, Outcome.BELOW_SMALL}:
        return f"{meaning} The difference is small: below {smallest}."
    return meaning


def _larger(entry: Entry) -> str:
    """Name the task that asks the same of more data; empty if there is none."""
    task = entry.declared_task
    if not task.quick:
        return ""
    for other in TASKS.values():
        is_same_measure = other.measure is task.measure and not other.quick
        if is_same_measure and dict(other.dataset) != dict(task.dataset):
            return f"Run {other.name}, which has more."
    return ""
