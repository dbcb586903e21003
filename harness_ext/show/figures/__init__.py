"""Figures of results as the papers draw them, from items."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from harness_ext.measures.core.measure import unit_count_key
from harness_ext.results.entry import Entry
from harness_ext.show.figures.figure import Figure, panels
from harness_ext.show.figures.layer_curves import layer_curves
from harness_ext.show.figures.score_figures import score_figures
from harness_ext.show.paper import paper_of

_FEW = 3
"""So many splits and subsets are named in a caption; of more, their number."""

__all__ = ["Figure", "figures_of", "layer_curves"]


def figures_of(entries: Sequence[Entry]) -> Iterator[Figure]:
    """Draw the figures of a task as the papers do, each with all models, subsets and splits, from
    entries with items.

    Raises:
        ItemsError: Items are missing or damaged; names the file.
    """
    if entries:
        measure = entries[0].measure
        draw = paper_of(measure).figures.get(measure.name, score_figures)
        about = _about(entries)
        for figure in draw(panels(entries)):
            yield replace(figure, caption=f"{figure.caption} {about}")


def _about(entries: Sequence[Entry]) -> str:
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
