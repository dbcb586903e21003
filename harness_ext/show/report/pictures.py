"""Prepares figures for pages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from harness_ext.show.figures import Figure


@contextmanager
def unchecked() -> Iterator[None]:
    """Stop Altair from checking every part of a chart against its schema, its slowest step. Tests check it instead."""
    from altair.utils.schemapi import debug_mode

    with debug_mode(False):
        yield


def pictures(figures: Sequence[Figure]) -> list[dict[str, Any]]:
    """List name, title, caption and Vega-Lite specifications of each figure: a specification per small multiple."""
    import altair

    with altair.data_transformers.disable_max_rows():
        return [
            {"name": each.name, "title": each.title, "caption": each.caption, "specs": [*_specs(each)]}
            for each in figures
        ]


def _specs(figure: Figure) -> Iterator[dict[str, Any]]:
    whole = figure.chart.to_dict(validate=False)
    if not figure.small_multiples:
        yield whole
        return
    shared = {name: value for name, value in whole.items() if name in ("$schema", "background", "config", "data")}
    for row in whole["vconcat"]:
        for part in row.get("hconcat", [row]):
            spec = {**shared, **part, "width": "container"}
            named = repr(spec)
            yield {**spec, "datasets": {name: rows for name, rows in whole["datasets"].items() if name in named}}
