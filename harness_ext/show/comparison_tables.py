"""`harness-ext compare`: comparisons as tables, and as records for programs."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from harness_ext.measures.core.baseline_keys import NOISE
from harness_ext.results.columns import Row
from harness_ext.results.compare import Comparison, ranks
from harness_ext.results.entry import Entry, by_data
from harness_ext.results.overall import Place, Values, lacking, overall_places, values_of
from harness_ext.results.ranks import ALPHA
from harness_ext.show.listing import Listing
from harness_ext.show.model_labels import named
from harness_ext.show.numbers import between, formatted, p_value, signed, signed_between
from harness_ext.tasks import TASKS
from harness_ext.tasks.overall import LISTS, ListedColumn

_MANY_LINES = 30
"""The most significant differences that get a line each; more are only counted."""

_FEW = 3
"""The columns that are named where a model lacks more of them."""


def records(comparisons: Sequence[Comparison]) -> Iterator[dict[str, Any]]:
    """Make a record per comparison, with the names of `Comparison`: numbers with all digits, NaN if
    undefined.
    """
    names = _names(entry for pair in comparisons for entry in (pair.first, pair.second))
    for pair in comparisons:
        record = {
            "task": pair.first.task,
            "subset": pair.first.subset,
            "split": pair.first.split,
            **vars(pair),
        }
        record |= {
            "first": names[pair.first],
            "second": names[pair.second],
            "difference": pair.difference,
        }
        record["is_significant"] = pair.is_significant
        yield record


_BY: Mapping[str, Callable[[str], str]] = {"": str, ", over matched noise": NOISE.difference_key}
"""End of the title -> the function from the key of a main score to that of the averaged score."""


def overall_tables(entries: Sequence[Entry]) -> Iterator[Listing]:
    """List the overall places by score and by score minus noise, on each list on which a model has
    a place.
    """
    for by, key_of in _BY.items():
        values = values_of(entries, key_of)
        for name, listed in LISTS.items():
            measures = {one: TASKS[one.task].measure for one in listed}
            columns = [
                one
                for one, measure in measures.items()
                if key_of(measure.main) in measure.declarations
            ]
            if places := overall_places(columns, values):
                yield overall_table(f"{name}{by}", columns, entries, values, places)


def overall_table(
    name: str,
    listed: Sequence[ListedColumn],
    entries: Iterable[Entry],
    values: Values,
    places: Mapping[Row, Place],
) -> Listing:
    """List the overall places on a list, best first, and what the other models lack.

    Args:
        name: The name of the list.
        listed: Its columns.
        entries: All entries compared.
        values: Those of the entries, as `harness_ext.results.overall.values_of` gives them.
        places: Model -> its place, the best first.
    """
    names = {Row.of(one): text for one, text in _names(entries).items() if not one.is_baseline}
    rows = [
        (
            names[row],
            formatted(place.mean.score),
            between(place.mean.interval),
            f"#{place.ranks}",
            "",
        )
        for row, place in places.items()
    ]
    for row in [row for row in names if row not in places]:
        lacks = lacking(listed, values, row)
        first = ", ".join(lacks[:_FEW]) + (", …" if len(lacks) > _FEW else "")
        rows.append((names[row], "", "", "", f"{len(lacks)} of {len(listed)}: {first}"))
    note = (
        "The mean within categories, then over categories. Each column is 0 at chance, or at "
        "matched noise, and the unit is the way from chance to the agreement of people, or else to "
        "the best possible score. The sets of ranks all hold the true rank in 95 % of samples."
    )
    return Listing(
        ("model", "mean", "95 % interval", "ranks", "lacks"), tuple(rows), f"overall, {name}", note
    )


def pairs(comparisons: Sequence[Comparison]) -> Listing:
    """List comparisons, a line each, with a concluding sentence. The names of two models stand in
    the title.
    """
    names = _names(entry for pair in comparisons for entry in (pair.first, pair.second))
    both = list(dict.fromkeys((names[pair.first], names[pair.second]) for pair in comparisons))
    in_title = len(both) == 1
    rows = [
        (
            *(pair.first.task, pair.first.data, pair.key),
            *(() if in_title else (names[pair.first], names[pair.second])),
            *(formatted(pair.first_score), formatted(pair.second_score), signed(pair.difference)),
            signed_between(pair.low, pair.high),
            *(p_value(pair.p_value), p_value(pair.adjusted_p_value), pair.test, _units(pair)),
        )
        for pair in comparisons
    ]
    header = ("task", "data", "score", *(() if in_title else ("A", "B")), *_FIGURES)
    title = (
        f"paired comparisons: A is {both[0][0]}, B is {both[0][1]}"
        if in_title
        else "paired comparisons"
    )
    return Listing(header, tuple(rows), title, conclusion(comparisons), figures=len(_FIGURES))


_FIGURES = ("score of A", "score of B", "A − B", "95 % interval", "p", "p (Holm)", "test", "units")


def _names(entries: Iterable[Entry]) -> dict[Entry, str]:
    all_ = list(dict.fromkeys(entries))
    return {entry: named(entry, all_) for entry in all_}


def _units(pair: Comparison) -> str:
    most = max(pair.n_units_of_first, pair.n_units_of_second)
    return str(pair.n_units) if pair.n_units == most else f"{pair.n_units} of {most} are common"


def conclusion(comparisons: Sequence[Comparison]) -> str:
    """Conclude comparisons: a sentence for each significant difference, if there are not
    too many.
    """
    significant = [pair for pair in comparisons if pair.is_significant]
    if not significant or len(significant) > _MANY_LINES:
        return "\n".join([_counted(comparisons), *_at_the_edge(comparisons)])
    lines, names = [], _names(entry for pair in comparisons for entry in (pair.first, pair.second))
    for pair in significant:
        score, _ = pair.first.measure.declarations[pair.key]
        upper, lower = (
            (pair.first, pair.second) if pair.difference > 0 else (pair.second, pair.first)
        )
        better, worse = (lower, upper) if score.better == "lower" else (upper, lower)
        than = "is higher than" if score.better == "neither" else "is better than"
        lines.append(
            f"{names[better]} {than} {names[worse]} on {pair.key} of {pair.first.task} "
            f"({pair.first.data})."
        )
    if rest := len(comparisons) - len(significant):
        lines.append(
            f"{rest} of {len(comparisons)} differences are not significant "
            f"{_corrected(comparisons)}."
        )
    return "\n".join([*lines, *_at_the_edge(comparisons)])


def _at_the_edge(comparisons: Sequence[Comparison]) -> Iterator[str]:
    """Say which of both decides where an interval leaves out 0 and p is not small, or the other way
    round.
    """
    if any((pair.low * pair.high > 0) != (pair.p_value < ALPHA) for pair in comparisons):
        yield "Where interval and p disagree, the difference is close to the limit; p decides."


def _counted(comparisons: Sequence[Comparison]) -> str:
    n = sum(pair.is_significant for pair in comparisons)
    corrected = _corrected(comparisons)
    if not n:
        return f"No difference is significant {corrected}."
    return f"{n} of {len(comparisons)} differences are significant {corrected}."


def _corrected(comparisons: Sequence[Comparison]) -> str:
    return (
        f"at {ALPHA} after Holm's correction over "
        f"{max(pair.n_comparisons for pair in comparisons)} comparisons"
    )


def matrix(entries: Sequence[Entry], comparisons: Sequence[Comparison]) -> Iterator[Listing]:
    """Lay out more than two models: scores and ranks.

    The comparisons of the entries are by one score in every task and data.
    """
    keys, names = {pair.first.measured_on: pair.key for pair in comparisons}, _names(entries)
    columns = [
        (keys[same[0].measured_on], same)
        for same in by_data(entries)
        if same[0].measured_on in keys
    ]
    empty = {str(n): "" for n in range(1, len(columns) + 1)}
    rows: dict[str, dict[str, str]] = {}
    for n, (key, same) in enumerate(columns, start=1):
        ranked = ranks(same, key)
        for entry in same:
            text = formatted(entry.sample(key).value)
            row = rows.setdefault(names[entry], {"model": names[entry], **empty})
            row[str(n)] = f"{text} #{ranked[entry]}" if entry in ranked else text
    yield Listing(
        ("", "task", "data", "score"),
        tuple(
            (str(n), same[0].task, same[0].data, key)
            for n, (key, same) in enumerate(columns, start=1)
        ),
        "compared scores",
        labels=2,
    )
    note = (
        "#: the ranks that a model may have. The sets of a column all hold the true rank in 95 % "
        "of samples. Control encoders have no rank."
    )
    yield Listing.of(
        rows.values(), title="scores", note=f"{note}\n{_counted(comparisons)} --pairs lists them."
    )
