"""The pictures of the report as charts of Altair, for notebooks."""

from __future__ import annotations

from collections.abc import Iterable

from harness_ext.results.entry import Entry
from harness_ext.show.extra import altair, check_extra
from harness_ext.show.figures import main_scores, task_scores


def plot(entries: Iterable[Entry]) -> altair.TopLevelMixin:
    """Draw main scores with their intervals as on the first page of a report, or all scores of a single task.

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
    return (task_scores if len({entry.task for entry in entries}) == 1 else main_scores)(entries).chart
