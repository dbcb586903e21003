"""The pictures of the report as charts of Altair, for notebooks."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    import altair

    from harness_ext.results.entry import Entry


def plot(entries: Iterable[Entry]) -> altair.TopLevelMixin:
    """The main scores with their intervals, as the first page of the report draws them; of one task, its scores.

    Args:
        entries: As `load_results` gives them. Items are not needed.

    Raises:
        ModuleNotFoundError: The extra `report` is not installed; says how to get it.
        ValueError: There is no entry.
    """
    if find_spec("altair") is None:
        raise ModuleNotFoundError('Pictures need the extra "report", from the checkout: pip install ".[report]"')
    from harness_ext.show.figures import main_scores, task_scores

    entries = list(entries)
    if not entries:
        raise ValueError("There is no entry to draw.")
    return (task_scores if len({entry.task for entry in entries}) == 1 else main_scores)(entries).chart
