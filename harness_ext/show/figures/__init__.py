"""Figures of results as the papers draw them, from items."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from harness_ext.results.entry import Entry
from harness_ext.show.captions import about
from harness_ext.show.figures.figure import Figure, panels
from harness_ext.show.figures.layer_curves import layer_curves
from harness_ext.show.figures.score_figures import score_figures
from harness_ext.show.paper import paper_of

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
        measured = about(entries)
        for figure in draw(panels(entries)):
            yield replace(figure, caption=f"{figure.caption} {measured}")
