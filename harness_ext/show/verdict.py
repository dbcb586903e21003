"""The sentences about a result, read by terminal, report and board.

They say how far a main score is from chance, the encoder's additive baseline, people, and encoders that know nothing.
There is a sentence for each reference, see `harness_ext.results.effects`; without an interval there is none.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from harness_ext.measures.core.baseline_keys import ADDITIVE_FIT, additive_key, gain_key
from harness_ext.measures.core.measure import Measure
from harness_ext.measures.core.same_vector import SAME_VECTOR
from harness_ext.measures.core.wording import Wording
from harness_ext.results.effects import Effect, Outcome, Reference, effect
from harness_ext.results.entry import Entry
from harness_ext.results.reference_scores import baselines_above_chance, best_reference, control, lead
from harness_ext.show.model_labels import listed
from harness_ext.show.numbers import formatted, with_interval
from harness_ext.show.paper import paper_of
from harness_ext.tasks import TASKS

_TERMS = (
    "In words: above, below: the 95 % interval lies there; just: by less than the smallest effect of interest. Near: "
    "any difference is smaller than that, by the 90 % interval. Cannot tell: there may be none, or one that matters. "
    "Baseline: the encoder's words added up (docs/words.md). Named at the end: the best encoder that knows nothing, if "
    "the score is not shown to be above it; by intervals: not on the same units."
)

_HARDEST_FIRST = (Outcome.BELOW, Outcome.OPEN, Outcome.SMALL, Outcome.ABOVE)
_OF_CHANCE = {
    Outcome.ABOVE: "above",
    Outcome.SMALL: "near",
    Outcome.OPEN: "cannot tell from",
    Outcome.BELOW: "below",
}

_NOISE = "Encoders that know nothing go beyond their words here too: only a score above chance would tell."


def terms(measures: Iterable[Measure[Any]]) -> str:
    """Explain the terms of verdicts on results of some measures, for a line under a table."""
    cautions = dict.fromkeys(paper_of(measure).caution for measure in measures)
    return " ".join([_TERMS, *filter(None, cautions)])


def baseline_and_gain(entry: Entry) -> tuple[str, str]:
    """Write the main score of the additive baseline, and the gain over it with its 95 % interval; empty if unknown."""
    main = entry.measure.main
    gain = with_interval(entry.scores.get(gain_key(main)), entry.interval(gain_key(main)))
    return with_interval(entry.scores.get(additive_key(main))), gain


def about_baseline(entry: Entry) -> str:
    """Write sentences about the additive baseline: score, gain, how near it is to the vectors; empty if unknown."""
    additive, gain = baseline_and_gain(entry)
    fit = entry.scores.get(ADDITIVE_FIT)
    told = [f"Its additive baseline gets {additive}: a gain of {gain}."] if gain else []
    told += [] if fit is None else [f"The mean cosine of its vectors and these sums is {formatted(fit)}."]
    return " ".join(told)


def about_references(entries: Sequence[Entry], chance: str) -> str:
    """Write sentences about chance, people and encoders that know nothing, as far as known, for entries of a task.

    Args:
        entries: The entries.
        chance: What gets the value of chance, as the subject of a sentence.
    """
    score, _ = entries[0].measure.declarations()[entries[0].measure.main]
    best = best_reference(entries[0], entries)
    told = [] if score.chance is None else [f"{chance} gives {formatted(score.chance)}."]
    told += [] if score.ceiling is None else [f"People agree with each other at {formatted(score.ceiling)}."]
    told += [f"The best encoder that knows nothing ({best.name}) gets {formatted(best.value)}."] if best else []
    return " ".join(told)


def effects(entry: Entry, entries: Sequence[Entry] = ()) -> dict[Reference, Effect]:
    """Hold an entry against chance, its additive baseline, the control if form alone wins the gain, and people.

    Args:
        entry: The entry.
        entries: The results beside it, which may have encoders that know nothing.
    """
    by_control = control(entry, entries) == entry.measure.controlled != ""
    references = Reference.CHANCE, Reference.CONTROL if by_control else Reference.BASELINE, Reference.PEOPLE
    return {reference: known for reference in references if (known := effect(entry, reference))}


def outcome(entry: Entry, entries: Sequence[Entry] = ()) -> Outcome | None:
    """Compare the main score with its hardest reference, people aside; None without an interval.

    Args:
        entry: The entry. It is `above` if it is above chance, its additive baseline or control, and all encoders that
            know nothing.
        entries: The results beside it.
    """
    known = effects(entry, entries)
    outcomes = [shown.outcome for reference, shown in known.items() if reference is not Reference.PEOPLE]
    if (ahead := lead(entry, entries)) and not ahead.is_beyond:
        outcomes.append(Outcome.OPEN)
    return min(outcomes, key=_HARDEST_FIRST.index, default=None)


def verdict(entry: Entry, entries: Sequence[Entry] = ()) -> str:
    """Say a few words about chance, baseline or control, the paper's verdict, encoders that know nothing; see `terms`.

    Empty if nothing is known. `entries` are the results beside it.
    """
    if entry.is_baseline:
        return "knows nothing"
    said: list[str] = []
    known = effects(entry, entries)
    chance, words = known.get(Reference.CHANCE), known.get(Reference.BASELINE)
    if chance:
        said.append(_brief(chance, _OF_CHANCE, "chance"))
    if words and not may_be_noise(entry, entries):
        said.append(_brief(words, _OF_CHANCE, "its baseline"))
        if chance and chance.outcome is words.outcome and chance.is_small is words.is_small and "tell" in said[-1]:
            said = [f"{said[0]} or its baseline"]
        elif chance and (chance.outcome, words.outcome) == (Outcome.ABOVE, Outcome.BELOW):
            said[-1] = f"but {said[-1]}"
    if words and entry.signature and entry.signature.prompt:  # not the bare model's gain: docs/instructions.md
        said.append("under an instruction")
    if controlled := known.get(Reference.CONTROL):
        said.append(f"controlled: {_brief(controlled, _OF_CHANCE, 'chance')}")
    if said and entry.measure.exploratory:
        said.append("exploratory")
    paper = paper_of(entry.measure)
    if interpretation := paper.interpretation(entry.scores):
        said.append(f"{paper.name}: {interpretation}")
    if (ahead := lead(entry, entries)) and not ahead.is_beyond:
        told = "below" if ahead.is_behind else "cannot tell from"
        said.append(f"{told} {ahead.best.name}{'' if ahead.paired else ' by intervals'}")
    if n := entry.scores.get(SAME_VECTOR.key):
        said.append(f"one vector for {n:,.0f} {'pairs' if n > 1 else 'pair'} of different texts")
    return ", ".join(said)


def _brief(one: Effect, says: dict[Outcome, str], reference: str) -> str:
    just = "just " if one.is_small and one.outcome in {Outcome.ABOVE, Outcome.BELOW} else ""
    return f"{just}{says[one.outcome]} {reference}"


def has_gained(entry: Entry) -> bool:
    """Whether the interval of the gain over the additive baseline is above 0."""
    words = effect(entry, Reference.BASELINE)
    return words is not None and words.outcome is Outcome.ABOVE


def may_be_noise(entry: Entry, entries: Sequence[Entry] = ()) -> bool:
    """Whether its gain shows nothing: encoders that know nothing gain too, and the score is not above chance."""
    chance = effect(entry, Reference.CHANCE)
    is_above_chance = chance is not None and chance.outcome is Outcome.ABOVE
    is_of_form = gain_key(entry.measure.main) in baselines_above_chance(entry, entries)
    return has_gained(entry) and not is_above_chance and is_of_form


def sentences(
    labelled: Iterable[tuple[str, Entry]], entries: Sequence[Entry] = ()
) -> Iterator[tuple[Reference, list[str], str]]:
    """Write the sentences about entries of a task, one for each reference and all entries with the same outcome.

    Yields:
        The reference, the labels of the entries that the sentence is about, and the sentence.
    """
    groups: dict[tuple[Any, ...], dict[str, Effect]] = {}
    told: dict[tuple[Any, ...], str] = {}
    for label, entry in labelled:
        known = effects(entry, entries)
        for reference, shown in known.items():
            is_noise = reference is Reference.BASELINE and may_be_noise(entry, entries)
            meaning = _NOISE if is_noise else _meaning(shown, entry.wording, known.get(Reference.CHANCE))
            if reference is Reference.CHANCE and shown.outcome is Outcome.ABOVE:
                meaning += _but_form(entry, entries)
            is_open = shown.outcome is Outcome.OPEN
            key = reference, shown.outcome, shown.is_small, is_open and shown.n, meaning
            groups.setdefault(key, {})[label] = shown
            told[key] = _larger(entry) if is_open else meaning
    for reference in Reference:
        for key, of_labels in groups.items():
            if key[0] is reference:
                yield reference, [*of_labels], _sentence([*of_labels.values()], told[key])


def _sentence(alike: Sequence[Effect], more: str) -> str:
    """Write the sentence about effects with the same outcome on the same reference: what they mean, or the remedy."""
    first = alike[0]
    smallest = formatted(first.smallest)
    if first.outcome is Outcome.SMALL:
        return f"Any difference from {first.reference} is smaller than {smallest}."
    if first.outcome is Outcome.OPEN:
        return f"{_cannot_tell(alike)} {more}".strip()
    if len(alike) == 1 and first.reference is not Reference.CHANCE and more is not _NOISE:
        low, high = sorted(map(abs, (first.low, first.high)))
        more = f"{more[:-1]}: by {formatted(low)} to {formatted(high)}."
    return f"{more} The effect is small: below {smallest}." if first.is_small and more is not _NOISE else more


def _but_form(entry: Entry, entries: Sequence[Entry]) -> str:
    """Say that a score above chance shows no meaning if an encoder that knows nothing is not shown to have less."""
    ahead = lead(entry, entries)
    if ahead is None or ahead.is_beyond:
        return ""
    if ahead.is_behind:
        return f" But {ahead.best.name}, which knows nothing, does better."
    return f" But {ahead.best.name}, which knows nothing, cannot be told from it. {_larger(entry)}".rstrip()


def _meaning(one: Effect, wording: Wording, chance: Effect | None) -> str:
    """Say the consequence of an effect that is above or below its reference."""
    is_above = one.outcome is Outcome.ABOVE
    match one.reference:
        case Reference.CHANCE:
            return wording.chance.above if is_above else wording.chance.below
        case Reference.CONTROL:
            return f"Under the control, the score lies {'above' if is_above else 'below'} chance."
        case Reference.PEOPLE:
            return (
                "It agrees with people more closely than people agree with each other."
                if is_above
                else "People agree with each other more closely than it agrees with them."
            )
    if is_above:
        return "It is above its additive baseline."
    its = "It is above chance, but its" if chance and chance.outcome is Outcome.ABOVE else "Its"
    return f"{its} additive baseline does better than it does."


def _cannot_tell(alike: Sequence[Effect]) -> str:
    first = alike[0]
    units = "The data" if first.n is None else f"{first.n:,} {first.unit}s"
    where = (
        f"the difference from {first.reference} may be anywhere from {formatted(first.low)} to {formatted(first.high)}"
        if len(alike) == 1
        else f"each difference from {first.reference} may be anywhere in its interval"
    )
    times = max(shown.times_as_many for shown in alike)
    needed = ""
    if times > 1:
        many = f"{times:.1f} times as many" if first.n is None else f"{_two_digits(first.n * times):,}"
        needed = f"; to find {formatted(first.smallest)}, about {many} are needed"
    return f"{units} cannot tell: {where}{needed}."


def _two_digits(value: float) -> int:
    """Round up to two digits: 123.4 to 130."""
    unit: int = 10 ** max(0, math.floor(math.log10(value)) - 1)
    return math.ceil(value / unit) * unit


def _larger(entry: Entry) -> str:
    """Name the task that asks the same of more data; empty if there is none."""
    here = entry.declared_task
    larger = [
        task.name
        for task in TASKS.values()
        if task.measure is here.measure and not task.quick and dict(task.dataset) != dict(here.dataset)
    ]
    return f"Run {listed(larger[:1])}, which has more." if here.quick and larger else ""
