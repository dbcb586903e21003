"""`harness-ext compare`: comparisons as tables, and as records for programs."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from harness_ext.measures.core.baseline_keys import NOISE
from harness_ext.results.compare import Comparison, ranks
from harness_ext.results.entry import Entry, by_data
from harness_ext.results.gate import Gate, model_of
from harness_ext.results.overall import Place, Values, lacking, overall_places, values_of
from harness_ext.results.ranking_columns import Row
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
    names = _names_in(comparisons)
    for pair in comparisons:
        yield {
            "task": pair.first.task,
            "subset": pair.first.subset,
            "split": pair.first.split,
            **vars(pair),
            "first": names[pair.first],
            "second": names[pair.second],
            "difference": pair.difference,
            "is_significant": pair.is_significant,
        }


_BY: Mapping[str, Callable[[str], str]] = {"": str, ", over matched noise": NOISE.difference_key}
"""End of the title -> the function from the key of a main score to that of the averaged score."""


def overall_tables(entries: Sequence[Entry]) -> Iterator[Listing]:
    """List the overall places by score and by score minus noise, on each list on which a model has
    a place.
    """
    for by, key_of in _BY.items():
        values = values_of(entries, key_of)
        for name, listed in LISTS.items():
            columns: list[ListedColumn] = []
            for column in listed:
                measure = TASKS[column.task].measure
                if key_of(measure.main) in measure.declarations:
                    columns.append(column)
            places = overall_places(columns, values)
            if places:
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
    names: dict[Row, str] = {}
    for entry, text in _names(entries).items():
        if not entry.is_baseline:
            names[Row.of(entry)] = text
    rows: list[tuple[str, ...]] = []
    for row, place in places.items():
        score = formatted(place.mean.score)
        interval = between(place.mean.interval)
        rows.append((names[row], score, interval, f"#{place.ranks}", ""))
    for row, model in names.items():
        if row in places:
            continue
        lacks = lacking(listed, values, row)
        first = ", ".join(lacks[:_FEW])
        more = ", …" if len(lacks) > _FEW else ""
        rows.append((model, "", "", "", f"{len(lacks)} of {len(listed)}: {first}{more}"))
    header = ("model", "mean", "95 % interval", "ranks", "lacks")
    return Listing(header, tuple(rows), f"overall, {name}", _OVERALL_NOTE)


_OVERALL_NOTE = (
    "The mean within categories, then over categories. Each column is 0 at chance, or at "
    "matched noise, and the unit is the way from chance to the agreement of people, or else to "
    "the best possible score. The sets of ranks all hold the true rank in 95 % of samples."
)
"""The note below a table of overall places."""


def pairs(comparisons: Sequence[Comparison]) -> Listing:
    """List comparisons, a line each, with a concluding sentence. The names of two models stand in
    the title.
    """
    names = _names_in(comparisons)
    both = list(dict.fromkeys((names[pair.first], names[pair.second]) for pair in comparisons))
    in_title = len(both) == 1
    rows: list[tuple[str, ...]] = []
    for pair in comparisons:
        row = [pair.first.task, pair.first.data, pair.key]
        if not in_title:
            row += [names[pair.first], names[pair.second]]
        rows.append((*row, *_figures(pair)))
    header = ["task", "data", "score"]
    title = "paired comparisons"
    if in_title:
        title = f"{title}: A is {both[0][0]}, B is {both[0][1]}"
    else:
        header += ["A", "B"]
    note = conclusion(comparisons)
    return Listing(
        (*header, *_FIGURES),
        tuple(rows),
        title,
        note,
        figures=len(_FIGURES),
        narrow=_narrow_pairs(comparisons, title, note, names_models=not in_title),
    )


def _narrow_pairs(
    comparisons: Sequence[Comparison],
    title: str,
    note: str,
    *,
    names_models: bool,
) -> Listing:
    """List comparisons in one table for a narrow terminal: the difference, its interval, which
    decides, and what was compared.
    """
    names = _names_in(comparisons)
    rows: list[tuple[str, ...]] = []
    for pair in comparisons:
        place = f"{pair.first.task}, {pair.first.data}, {pair.key}"
        models = f"{names[pair.first]} and {names[pair.second]}: " if names_models else ""
        interval = signed_between(pair.low, pair.high)
        adjusted = p_value(pair.adjusted_p_value)
        rows.append((signed(pair.difference), interval, adjusted, f"{models}{place}"))
    what = "A and B" if names_models else "what"
    header = ("A − B", "95 % interval", "p (Holm)", what)
    return Listing(header, tuple(rows), title, note, labels=3, prose=1)


_FIGURES = ("score of A", "score of B", "A − B", "95 % interval", "p", "p (Holm)", "test", "units")


def _figures(pair: Comparison) -> tuple[str, ...]:
    """The cells of a comparison below `_FIGURES`."""
    return (
        formatted(pair.first_score),
        formatted(pair.second_score),
        signed(pair.difference),
        signed_between(pair.low, pair.high),
        p_value(pair.p_value),
        p_value(pair.adjusted_p_value),
        pair.test,
        _units(pair),
    )


def _names(entries: Iterable[Entry]) -> dict[Entry, str]:
    """Entry -> the name of its model, told from the others'."""
    distinct = list(dict.fromkeys(entries))
    return {entry: named(entry, distinct) for entry in distinct}


def _units(pair: Comparison) -> str:
    most = max(pair.n_units_of_first, pair.n_units_of_second)
    return str(pair.n_units) if pair.n_units == most else f"{pair.n_units} of {most} are common"


def _names_in(comparisons: Iterable[Comparison]) -> dict[Entry, str]:
    """The same for the entries of comparisons."""
    entries: list[Entry] = []
    for pair in comparisons:
        entries += [pair.first, pair.second]
    return _names(entries)


def conclusion(comparisons: Sequence[Comparison]) -> str:
    """Conclude comparisons: a sentence for each significant difference, if there are not
    too many.
    """
    significant = [pair for pair in comparisons if pair.is_significant]
    if not significant or len(significant) > _MANY_LINES:
        return "\n".join([_counted(comparisons), *_at_the_edge(comparisons)])
    names = _names_in(comparisons)
    lines = [_sentence(pair, names) for pair in significant]
    rest = len(comparisons) - len(significant)
    if rest:
        lines.append(
            f"{rest} of {len(comparisons)} differences are not significant "
            f"{_corrected(comparisons)}."
        )
    return "\n".join([*lines, *_at_the_edge(comparisons)])


def _sentence(
    pair: Comparison,
    names: Mapping[Entry, str],
) -> str:
    """Say which of two models is better, or higher where neither direction is."""
    better = pair.better
    than = "is better than"
    if better is None:
        better = pair.first if pair.difference > 0 else pair.second
        than = "is higher than"
    worse = pair.second if better is pair.first else pair.first
    return (
        f"{names[better]} {than} {names[worse]} on {pair.key} of {pair.first.task} "
        f"({pair.first.data})."
    )


def gate_conclusion(gate: Gate) -> str:
    """Say which models are worse than the reference of a gate, and what was not compared."""
    entries: list[Entry] = []
    for pair in gate.comparisons:
        entries += [pair.first, pair.second]
    names = {model_of(entry): name for entry, name in _names(entries).items()}
    reference = names[gate.reference]
    n = len(gate.comparisons)
    lines: list[str] = []
    if not gate.n_losses:
        lines.append(
            f"No model is significantly worse than {reference} in {n} comparisons. A loss that is "
            "small for so few units would not be seen."
        )
    for model, n_losses in gate.n_losses.items():
        lines.append(
            f"{names[model]} is significantly worse than {reference} in {n_losses} of {n} "
            "comparisons."
        )
    for model, columns in gate.lacking.items():
        name = names.get(model, model.name)
        lines.append(f"Not compared, as {name} has no result: {', '.join(columns)}.")
    return "\n".join(lines)


def _at_the_edge(comparisons: Sequence[Comparison]) -> Iterator[str]:
    """Say which of both decides where an interval leaves out 0 and p is not small, or the other way
    round.
    """
    for pair in comparisons:
        leaves_out_zero = pair.low * pair.high > 0
        if leaves_out_zero != (pair.p_value < ALPHA):
            yield "Where interval and p disagree, the difference is close to the limit; p decides."
            return


def _counted(comparisons: Sequence[Comparison]) -> str:
    n = sum(pair.is_significant for pair in comparisons)
    corrected = _corrected(comparisons)
    if not n:
        return f"No difference is significant {corrected}."
    return f"{n} of {len(comparisons)} differences are significant {corrected}."


def _corrected(comparisons: Sequence[Comparison]) -> str:
    n_comparisons = max(pair.n_comparisons for pair in comparisons)
    return f"at {ALPHA} after Holm's correction over {n_comparisons} comparisons"


def matrix(
    entries: Sequence[Entry],
    comparisons: Sequence[Comparison],
) -> Iterator[Listing]:
    """Lay out more than two models: scores and ranks.

    The comparisons of the entries are by one score in every task and data.
    """
    names = _names(entries)
    keys = {pair.first.measured_on: pair.key for pair in comparisons}
    columns = [same for same in by_data(entries) if same[0].measured_on in keys]
    numbers = [str(number) for number in range(1, len(columns) + 1)]
    legend: list[tuple[str, ...]] = []
    rows: dict[str, dict[str, str]] = {}
    for number, same in zip(numbers, columns, strict=True):
        key = keys[same[0].measured_on]
        legend.append((number, same[0].task, same[0].data, key))
        ranked = ranks(same, key)
        for entry in same:
            text = formatted(entry.sample(key).value)
            empty = {"model": names[entry], **dict.fromkeys(numbers, "")}
            row = rows.setdefault(names[entry], empty)
            row[number] = f"{text} #{ranked[entry]}" if entry in ranked else text
    header = ("", "task", "data", "score")
    yield Listing(header, tuple(legend), "compared scores", labels=2)
    note = f"{_RANKS_NOTE}\n{_counted(comparisons)} --pairs lists them."
    yield Listing.of(
        rows.values(),
        title="scores",
        note=note,
    )


_RANKS_NOTE = (
    "#: the ranks that a model may have. The sets of a column all hold the true rank in 95 % "
    "of samples. Control encoders have no rank."
)
"""The note below scores with ranks."""
