"""Figures as pages embed them."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from harness_ext.show.figures import Figure


@contextmanager
def unchecked() -> Iterator[None]:
    """Altair holds every part of a chart to its schema, which takes longer than all else; tests do that once."""
    from altair.utils.schemapi import debug_mode

    with debug_mode(False):
        yield


def pictures(figures: Sequence[Figure]) -> list[dict[str, Any]]:
    """Name, title, caption and Vega-Lite specification of each."""
    import altair

    with altair.data_transformers.disable_max_rows():
        return [
            {"name": one.name, "title": one.title, "caption": one.caption, "spec": one.chart.to_dict(validate=False)}
            for one in figures
        ]
