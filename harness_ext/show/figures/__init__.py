"""Figures of results as the papers draw them, from items."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from harness_ext.common.names import file_name
from harness_ext.results.entry import Entry
from harness_ext.show.figures.figure import Figure, panels
from harness_ext.show.figures.layer_curves import layer_curves
from harness_ext.show.figures.score_figures import score_figures
from harness_ext.show.model_labels import listed, shortened
from harness_ext.show.paper import paper_of

__all__ = ["Figure", "figures_of", "layer_curves"]

_NAMED_MODELS = 4


def figures_of(entries: Sequence[Entry]) -> Iterator[Figure]:
    """Draw the figures of a task as the papers do, each with all models, subsets and splits, from entries with items.

    Raises:
        ItemsError: Items are missing or damaged; names the file.
    """
    if entries:
        task, measured = file_name(entries[0].task), _measured(entries)
        measure = entries[0].measure
        draw = paper_of(measure).figures.get(measure.name, score_figures)
        for figure in draw(panels(entries)):
            yield replace(figure, name=f"{task}-{figure.name}", caption=f"{figure.caption} {measured}")


def _measured(entries: Sequence[Entry]) -> str:
    """Name task, data and models, for captions that stand alone."""
    models = list(dict.fromkeys(entry.model for entry in entries))
    data = list(dict.fromkeys(entry.data for entry in entries))
    whose = listed([shortened(model) for model in models]) if len(models) <= _NAMED_MODELS else f"{len(models)} models"
    return f"{entries[0].task}, {listed(data)}: {whose}."
