"""Violins: distributions side by side, with medians and quartiles."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import altair as alt
import numpy as np
import scipy

from harness_ext.arrays import Floats
from harness_ext.show.figures.chart import faceted
from harness_ext.show.figures.colours import RULE, colour

VIOLINS = "Thick lines are medians, bars the middle half of the values; each shape is scaled to its own widest place."
"""Explanation for captions."""

_POINTS = 41
_FEWEST = 5
"""The fewest values with a density; fewer values only get a median."""
_NO_SPREAD = 1e-9
_HALF_WIDTH = 0.42
_COVERED = 99.0
"""The least percentage of the values of each violin that the axis shows."""


@dataclass(frozen=True)
class Violin:
    """One distribution.

    Attributes:
        values: The values, shape (n,); NaN is left out.
        group: Its place on the horizontal axis.
        colour: Its name in the legend.
        labels: The labels of its panel, such as the model.
        side: -1 for the left half of a violin, 1 for the right half, 0 for a whole violin.
        shift: Its distance from the middle of the group, in widths of a group.
        width: Its greatest width, in widths of a group.
    """

    values: Floats
    group: str
    colour: str
    labels: Mapping[str, str] = field(default_factory=dict)
    side: int = 0
    shift: float = 0.0
    width: float = 2 * _HALF_WIDTH

    def known(self) -> Floats:
        """Leave out NaN and infinities."""
        known: Floats = self.values[np.isfinite(self.values)]
        return known


def halves(two: Mapping[str, Floats], **shared: Any) -> Iterator[Violin]:
    """Make two distributions, given by their names in the legend, the halves of one violin."""
    for side, (name, values) in zip((-1, 1), two.items(), strict=True):
        yield Violin(values, colour=name, side=side, **shared)


def next_to_each_other(several: Mapping[str, Floats], **shared: Any) -> Iterator[Violin]:
    """Put several distributions of a group next to each other, given by their names in the legend."""
    width = 2 * _HALF_WIDTH / max(1, len(several))
    for place, (name, values) in enumerate(several.items()):
        shift = (place - (len(several) - 1) / 2) * width
        yield Violin(values, colour=name, shift=shift, width=0.9 * width, **shared)


def axis_range(violins: Sequence[Violin]) -> tuple[float, float]:
    """Find the ends of the axis. It shows 99 % of each violin, so that a few far values do not flatten all others."""
    out = (100 - _COVERED) / 2
    known = [values for violin in violins if len(values := violin.known())]
    ends = [end for values in known for end in np.percentile(values, (out, 100 - out)).tolist()] or [0.0, 1.0]
    low, high = min(ends), max(ends)
    margin = 0.03 * (high - low) or 0.5
    return low - margin, high + margin


def share_outside(violins: Sequence[Violin], ends: tuple[float, float]) -> float:
    """Compute the share of all values beyond the ends of the axis, in [0, 1]."""
    values = np.concatenate([np.zeros(0), *(violin.known() for violin in violins)])
    return float(np.mean((values < ends[0]) | (values > ends[1]))) if len(values) else 0.0


def violin_rows(violin: Violin, place: int, ends: tuple[float, float]) -> list[dict[str, Any]]:
    """List the parts of a violin: outline, quartiles and median; none without values.

    It is in the group of number `place`, on an axis with these ends.
    """
    values = violin.known()
    if not len(values):
        return []
    middle, half = place + violin.shift, violin.width / 2
    left, right = (half if violin.side <= 0 else 0), (half if violin.side >= 0 else 0)
    low, median, high = np.percentile(values, (25, 50, 75)).tolist()
    shared = {**violin.labels, "colour": violin.colour, "group": violin.group}
    facts = {"n": len(values), "low": low, "median": median, "high": high}
    rows: list[dict[str, Any]] = []
    if len(values) >= _FEWEST and np.ptp(values) > _NO_SPREAD:
        grid = np.linspace(max(values.min(), ends[0]), min(values.max(), ends[1]), _POINTS)
        density = scipy.stats.gaussian_kde(values)(grid)
        density /= density.max()
        rows += [
            {**shared, "part": "outline", "value": value, "from": middle - left * width, "to": middle + right * width}
            for value, width in zip(grid.tolist(), density.tolist(), strict=True)
        ]
        nearer = 0.12 * half
        rows.append(
            {**shared, **facts, "part": "quartiles", "value": low, "end": high,
             "from": middle - nearer * (violin.side <= 0), "to": middle + nearer * (violin.side >= 0)}
        )  # fmt: skip
    part = 0.5 if rows else 1  # without an outline, the line is as wide as the missing violin
    ends_of_line = {"from": middle - part * left, "to": middle + part * right}
    return [*rows, {**shared, **facts, "part": "median", "value": median, **ends_of_line}]


def violin_chart(
    violins: Sequence[Violin],
    colours: Mapping[str, str],
    value_title: str,
    *,
    reference: float | None = None,
    own_scale: bool = False,
    width_per_group: int = 90,
    height: int = 200,
) -> alt.FacetChart:
    """Draw violins by group, in panels by model and data.

    Args:
        violins: The violins; each must have the labels `model` and `data`.
        colours: Name in the legend -> colour.
        value_title: The title of the vertical axis, with the range of the values.
        reference: A value marked by a line, if it is on the axis.
        own_scale: Whether each panel has an axis of its own; then heights of models cannot be compared.
        width_per_group: The width of a group in pixels.
        height: The height of a panel in pixels.
    """
    groups = list(dict.fromkeys(violin.group for violin in violins))
    rows: list[dict[str, Any]] = []
    for scale in _scales(violins, own_scale):
        ends = axis_range(scale)
        rows += [row for violin in scale for row in violin_rows(violin, groups.index(violin.group), ends)]
        if reference is not None and ends[0] <= reference <= ends[1]:
            places = {tuple(violin.labels.items()): violin.labels for violin in scale}.values()
            rows += [{**labels, "part": "reference", "value": reference} for labels in places]
    domain: dict[str, Any] = {} if own_scale else {"domain": axis_range(violins)}
    vertical = alt.Y("value:Q", title=value_title, scale=alt.Scale(nice=False, zero=False, **domain))
    labels = alt.Axis(values=list(range(len(groups))), labelExpr=f"{json.dumps(groups)}[datum.value]",
                      grid=False, ticks=False, domain=False, labelLimit=width_per_group + 10)  # fmt: skip
    horizontal = alt.X("from:Q").title(None).scale(domain=(-0.5, len(groups) - 0.5), nice=False).axis(labels)
    tooltip = [
        alt.Tooltip("group:N", title="of"), alt.Tooltip("colour:N", title="which"),
        alt.Tooltip("median:Q", format=".3f"), alt.Tooltip("low:Q", title="lower quartile", format=".3f"),
        alt.Tooltip("high:Q", title="upper quartile", format=".3f"), alt.Tooltip("n:Q", title="values"),
    ]  # fmt: skip

    def part(name: str) -> alt.Chart:
        return alt.Chart().transform_filter(f"datum.part == '{name}'")

    layers = [
        part("outline")
        .mark_area(orient="horizontal", opacity=0.6, clip=True)
        .encode(y=vertical, x=horizontal, x2="to:Q", color=colour(None, colours), detail=["group:N", "colour:N"]),
        part("quartiles")
        .mark_rect(clip=True)
        .encode(y=vertical, y2="end:Q", x=horizontal, x2="to:Q", color="colour:N", tooltip=tooltip),
        part("median")
        .mark_rule(strokeWidth=2.5, clip=True)
        .encode(y=vertical, x=horizontal, x2="to:Q", color="colour:N", tooltip=tooltip),
        part("reference").mark_rule(strokeDash=[4, 4], color=RULE).encode(y=vertical),
    ]
    width = max(160, width_per_group * len(groups))
    return faceted(layers, rows, width=width, height=height, own_scale=own_scale)


def _scales(violins: Sequence[Violin], own_scale: bool) -> list[list[Violin]]:
    """Group the violins that share an axis."""
    if not own_scale:
        return [list(violins)]
    scales: dict[tuple[str, ...], list[Violin]] = {}
    for violin in violins:
        scales.setdefault(tuple(violin.labels.values()), []).append(violin)
    return list(scales.values())


def beyond(violins: Sequence[Violin], *, own_scale: bool = False) -> str:
    """Write a sentence about values beyond the axis; empty if there are none."""
    shares = [share_outside(scale, axis_range(scale)) for scale in _scales(violins, own_scale)]
    share = max(shares, default=0.0)
    return f" Up to {share:.1%} of a panel's values lie beyond the ends of its axis." if share else ""
