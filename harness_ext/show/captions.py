"""What a caption says of entries: the measure, the data, and the number of units."""

from collections.abc import Sequence

from harness_ext.measures.core.measure import unit_count_key
from harness_ext.results.entry import Entry

_FEW = 3
"""So many splits and subsets are named in a caption; of more, their number."""


def about(entries: Sequence[Entry]) -> str:
    """Say which measure and data the entries of a task are of, and of how many units."""
    first = entries[0]
    measure = first.measure
    places = list(dict.fromkeys(entry.data for entry in entries))
    data = " and ".join(places)
    if len(places) > _FEW:
        data = f"{len(places)} splits and subsets"
    key = unit_count_key(measure.main)
    counts = [int(entry.scores[key]) for entry in entries if key in entry.scores]
    n = ""
    if counts:
        fewest = min(counts)
        most = max(counts)
        number = str(most) if fewest == most else f"{fewest} to {most}"
        n = f"; n = {number} ({measure.unit})"
    return f"Measure: {measure.name}, main score {measure.main}. Data: {first.task}, {data}{n}."


def about_columns(columns: Sequence[Sequence[Entry]]) -> str:
    """Say it of the entries of each column of a table, with the number of the column."""
    intervals = "In brackets are 95 % intervals of resampled units."
    if len(columns) == 1:
        return f"{about(columns[0])} {intervals}"
    parts = [f"({number}) {about(column)}" for number, column in enumerate(columns, start=1)]
    return f"{' '.join(parts)} {intervals}"
