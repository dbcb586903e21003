"""Figures as pages embed them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness_ext.results.figures import Figure


def pictures(figures: Sequence[Figure]) -> list[dict[str, Any]]:
    """Name, title, caption and Vega-Lite specification of each."""
    import altair

    with altair.data_transformers.disable_max_rows():
        return [
            {"name": one.name, "title": one.title, "caption": one.caption, "spec": one.chart.to_dict()}
            for one in figures
        ]
