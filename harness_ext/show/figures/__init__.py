"""Figures of results as the papers draw them, from items, for pages and for publication."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

from harness_ext.common.files import whole_file
from harness_ext.common.names import file_name
from harness_ext.results.entry import Entry
from harness_ext.show.extra import FigureFormat
from harness_ext.show.figures.figure import Figure, panels
from harness_ext.show.figures.layer_curves import layer_curves
from harness_ext.show.figures.overview import main_scores
from harness_ext.show.figures.score_figures import score_figures
from harness_ext.show.model_labels import listed, shortened
from harness_ext.show.paper import paper_of

__all__ = ["Figure", "figures_of", "layer_curves", "main_scores", "save_figures"]

_PIXELS_PER_POINT = 3
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


def save_figures(figures: Iterable[Figure], folder: Path, form: FigureFormat) -> list[Path]:
    """Write each figure on white to a file of its name, and its caption to a `.txt` beside it.

    Args:
        figures: The figures.
        folder: The folder; made if missing.
        form: `pdf` or `svg`, which scale to any size, or `png`, three pixels to a point.

    Returns:
        The files of the figures.

    Raises:
        ValueError: There is no such format.
    """
    if form not in get_args(FigureFormat):
        raise ValueError(f"{form}: no such format of figures. There are: {', '.join(get_args(FigureFormat))}.")
    folder.mkdir(parents=True, exist_ok=True)
    around: dict[str, Any] = {"background": "white"}
    if form == "svg":  # the reader's font may be wider than the one that measured the labels
        around["padding"] = {"left": 40, "right": 5, "top": 5, "bottom": 5}
    written = []
    for figure in figures:
        file = folder / f"{figure.name}.{form}"
        chart = figure.chart.properties(**around)
        with whole_file(file) as partial:
            chart.save(str(partial), format=form, scale_factor=_PIXELS_PER_POINT if form == "png" else 1)
        with whole_file(file.with_suffix(".txt")) as partial:
            partial.write_text(f"{figure.title}\n\n{figure.caption}\n", encoding="utf-8")
        written.append(file)
    return written
