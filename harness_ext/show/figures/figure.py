"""A figure, and what is in its panels."""

from __future__ import annotations  # which name altair; it is imported on first use

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from harness_ext.results.entry import Entry
from harness_ext.show.extra import altair
from harness_ext.show.model_labels import model_labels


@dataclass(frozen=True)
class Figure:
    """A figure of a task.

    Attributes:
        name: The name for anchors: ASCII letters and hyphens.
        title: A few words.
        caption: The explanation, with the paper's figure that it follows.
        chart: The chart with its data.
    """

    name: str
    title: str
    caption: str
    chart: altair.TopLevelMixin


@dataclass(frozen=True)
class Panel:
    """The content of a panel of a figure; `model` is the model's label."""

    entry: Entry
    model: str
    items: Any

    @property
    def labels(self) -> dict[str, str]:
        """The labels of every value in the panel."""
        return {"model": self.model, "data": self.entry.data}


def panels(entries: Sequence[Entry]) -> list[Panel]:
    """Make a panel per entry.

    Raises:
        ItemsError: Items are missing or damaged; names the file.
    """
    labels = model_labels(entries)
    return [Panel(entry, labels[entry.model, entry.revision], entry.items()) for entry in entries]
