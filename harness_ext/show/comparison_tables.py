"""`harness-ext compare`: comparisons as tables."""

from __future__ import annotations

import math
from collections import Counter
from itertools import count, groupby
from string import ascii_lowercase
from typing import TYPE_CHECKING

from harness_ext.results.compare import ALPHA, ranks
from harness_ext.show.listing import Listing
from harness_ext.show.model_labels import named
from harness_ext.show.result_tables import number

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from harness_ext.results.compare import Comparison
    from harness_ext.results.entry import Entry


def pairs(comparisons: Sequence[Comparison], *, names_in_title: bool = True) -> Listing:
    """A line per comparison, and a sentence that says what they come to.

    Args:
        comparisons: What to show.
        names_in_title: Whether the names of two models stand above the table; more than two always have columns.
    """
    entries = [entry for each in comparisons for entry in (each.first, each.second)]
    names = list(dict.fromkeys((named(each.first, entries), named(each.second, entries)) for each in comparisons))
    in_title = names_in_title and len(names) == 1
    rows = [
        (
            *(each.first.task, each.first.data, each.key),
            *(() if in_title else (named(each.first, entries), named(each.second, entries))),
            *(number(each.first_score), number(each.second_score), signed(each.difference)),
            "" if math.isnan(each.low) else f"{signed(each.low)} to {signed(each.high)}",
            *(number(each.p_value), number(each.adjusted_p_value), str(each.n_units)),
        )
        for each in comparisons
    ]
    header = ("task", "data", "score", *(() if in_title else ("A", "B")), *_FIGURES)
    title = f"paired comparisons: A is {names[0][0]}, B is {names[0][1]}" if in_title else "paired comparisons"
    return Listing(header, tuple(rows), title, conclusion(comparisons), figures=len(_FIGURES))


_FIGURES = ("score of A", "score of B", "A − B", "95 % interval", "p", "p (Holm)", "units")


def signed(value: float) -> str:
    """A difference, with its sign."""
    return f"{'+' if value > 0 else ''}{number(value)}"


def conclusion(comparisons: Sequence[Comparison]) -> str:
    """What the comparisons say, in a sentence."""
    significant = [each for each in comparisons if each.is_significant]
    if not significant:
        return f"No difference is significant at {ALPHA} after Holm's correction over {len(comparisons)} comparisons."
    lines = []
    for each in significant:
        score, _ = each.first.measure.declarations()[each.key]
        upper, lower = (each.first, each.second) if each.difference > 0 else (each.second, each.first)
        one, other = (lower, upper) if score.direction == "lower" else (upper, lower)
        than = "is higher than" if score.direction == "neither" else "is better than"
        lines.append(f"{one.model} {than} {other.model} on {each.key} of {each.first.task} ({each.first.data}).")
    rest = len(comparisons) - len(significant)
    return "\n".join([*lines, f"{rest} of {len(comparisons)} differences are not significant."] if rest else lines)


def matrix(entries: Sequence[Entry], comparisons: Sequence[Comparison]) -> Iterator[Listing]:
    """More than two models: scores with a letter for each model that is worse, ranks with ties, wins, ties and losses.

    Args:
        entries: All that was compared.
        comparisons: Of the main scores.
    """
    models = dict(zip(dict.fromkeys(entry.model for entry in entries), _letters(), strict=False))
    columns = [list(same) for _, same in groupby(entries, key=lambda entry: (entry.task, entry.data))]
    cells = {(number, entry.model): "" for number, same in enumerate(columns) for entry in same}
    for place, same in enumerate(columns):
        for entry, rank in ranks(same, comparisons).items():
            worse = "".join(letter for model, letter in models.items() if _outcome(comparisons, entry, model) > 0)
            cells[place, entry.model] = f"{number(entry.main_score)} {worse}".rstrip() + f" #{rank}"
    rows = [
        (letter, model, *(cells.get((n, model), "") for n in range(len(columns)))) for model, letter in models.items()
    ]
    note = (
        f"A letter after a score: better than that model at {ALPHA}, Holm-corrected over all of them. #: rank; models\n"
        "of one rank are not told from the best of them."
    )
    header = ("", "model", *(f"{same[0].task} {same[0].data}" for same in columns))
    yield Listing(header, tuple(rows), "main scores", note, figures=len(columns))
    yield _wins(models, comparisons)


def _outcome(comparisons: Sequence[Comparison], entry: Entry, model: str) -> int:
    """1 where an entry is better than a model's on the same data, -1 where it is worse, 0 where that cannot be told."""
    for each in comparisons:
        if each.is_significant:
            winner, loser = (each.first, each.second) if each.difference > 0 else (each.second, each.first)
            if (winner is entry and loser.model == model) or (loser is entry and winner.model == model):
                return 1 if winner is entry else -1
    return 0


def _wins(models: Mapping[str, str], comparisons: Sequence[Comparison]) -> Listing:
    """How often the model of the row wins against that of the column, ties with it, and loses."""
    outcomes: Counter[tuple[str, str, int]] = Counter()
    for each in comparisons:
        sign = (each.difference > 0) - (each.difference < 0) if each.is_significant else 0
        outcomes[each.first.model, each.second.model, sign] += 1
        outcomes[each.second.model, each.first.model, -sign] += 1
    rows = tuple(
        (letter, model, *("/".join(str(outcomes[model, other, sign]) for sign in (1, 0, -1)) for other in models))
        for model, letter in models.items()
    )
    header = ("", "model", *models.values())
    return Listing(header, rows, "wins/ties/losses against", conclusion(comparisons), figures=len(models))


def _letters() -> Iterator[str]:
    """A … z, then a1 … z1 and so on."""
    yield from ascii_lowercase
    for round_ in count(1):
        yield from (f"{letter}{round_}" for letter in ascii_lowercase)
