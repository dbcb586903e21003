"""The pictures of the report as charts of Altair, for notebooks."""

from __future__ import annotations

from collections.abc import Iterable

from harness_ext.results.entry import Entry
from harness_ext.show.extra import altair, check_extra
from harness_ext.show.figures import main_scores


def plot(entries: Iterable[Entry]) -> altair.TopLevelMixin:
    """Draw main scores with their intervals, beside chance and published scores: a chart for each task and data.

    Args:
        entries: Entries of `load_results`. Items are not needed.

    Raises:
        MissingExtraError: The extra `report` is not installed; says how to install it.
        ValueError: There is no entry.
    """
    check_extra()
    entries = list(entries)
    if not entries:
        raise ValueError("There is no entry to draw.")
    return main_scores(entries).chart
