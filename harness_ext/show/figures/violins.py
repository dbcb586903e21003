"""Violins: distributions side by side, each with its median and the quartiles around it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import altair as alt
import numpy as np
from scipy import stats

from harness_ext.show.figures.chart import RULE, colour, faceted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

VIOLINS = "Thick lines are medians, bars the middle half of the values; each shape is scaled to its own widest place."
"""How to read them, for captions."""

_POINTS = 41
_FEWEST = 5
"""Of fewer values no density is drawn, the median alone."""
_NO_SPREAD = 1e-9
_HALF_WIDTH = 0.42
_COVERED = 99.0
"""Percent of the values of each violin that the axis shows at least."""


@dataclass(frozen=True)
class Violin:
    """One distribution.

    Attributes:
        values: Shape (n,); NaN is left out.
        group: Where it stands on the horizontal axis.
        colour: What it is, in the words of the legend.
        labels: Of its panel, such as the model.
        side: -1 for the left half of a violin, 1 for the right one, 0 for a whole one.
        shift: Beside its group, in widths of a group.
        width: Its greatest width, in widths of a group.
    """

    values: NDArray[np.float64]
    group: str
    colour: str
    labels: Mapping[str, str] = field(default_factory=dict)
    side: int = 0
    shift: float = 0.0
    width: float = 2 * _HALF_WIDTH

    def known(self) -> NDArray[np.float64]:
        """Its values without NaN and infinities."""
        known: NDArray[np.float64] = self.values[np.isfinite(self.values)]
        return known


def halves(first: Mapping[str, Any], second: Mapping[str, Any], **shared: Any) -> Iterator[Violin]:
    """Two distributions as the halves of one violin, given by their `values` and `colour`."""
    for side, half in ((-1, first), (1, second)):
        yield Violin(side=side, **half, **shared)


def beside(violins: Mapping[str, NDArray[np.float64]], **shared: Any) -> Iterator[Violin]:
    """Several distributions of a group side by side, by what the legend calls them."""
    width = 2 * _HALF_WIDTH / max(1, len(violins))
    for number, (name, values) in enumerate(violins.items()):
        shift = (number - (len(violins) - 1) / 2) * width
        yield Violin(values, colour=name, shift=shift, width=0.9 * width, **shared)


def axis_range(violins: Sequence[Violin]) -> tuple[float, float]:
    """What of the values the axis shows: for each violin 99 % at least, so that a few far ones do not flatten all."""
    out = (100 - _COVERED) / 2
    known = [one for violin in violins if len(one := violin.known())]
    ends = [end for one in known for end in np.percentile(one, (out, 100 - out)).tolist()] or [0.0, 1.0]
    low, high = min(ends), max(ends)
    margin = 0.03 * (high - low) or 0.5
    return low - margin, high + margin


def share_outside(violins: Sequence[Violin], ends: tuple[float, float]) -> float:
    """Which share of all values lies beyond the ends of the axis, in [0, 1]."""
    values = np.concatenate([np.zeros(0), *(violin.known() for violin in violins)])
    return float(np.mean((values < ends[0]) | (values > ends[1]))) if len(values) else 0.0


def violin_rows(violin: Violin, place: int, ends: tuple[float, float]) -> list[dict[str, Any]]:
    """What is drawn of a violin: its outline, its quartiles and its median; nothing if it has no values.

    Args:
        violin: The distribution.
        place: The number of its group.
        ends: Of the axis.
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
        density = stats.gaussian_kde(values)(grid)
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
    shown = 0.5 if rows else 1  # of a point, a line as wide as the violin would be
    rows.append(
        {**shared, **facts, "part": "median", "value": median, "from": middle - shown * left,
         "to": middle + shown * right}
    )  # fmt: skip
    return rows


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
    """Violins by group, in panels by model and data.

    Args:
        violins: What is shown; each must have the labels `model` and `data`.
        colours: What the legend calls a violin -> its colour.
        value_title: Of the vertical axis: what the values are, with their range.
        reference: A value at which a line is drawn where it is on the axis.
        own_scale: Whether each panel has an axis of its own, where models are not to be compared by height.
        width_per_group: In pixels.
        height: Of a panel, in pixels.
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
    """The violins that share an axis."""
    if not own_scale:
        return [list(violins)]
    scales: dict[tuple[str, ...], list[Violin]] = {}
    for violin in violins:
        scales.setdefault(tuple(violin.labels.values()), []).append(violin)
    return list(scales.values())


def beyond(violins: Sequence[Violin], *, own_scale: bool = False) -> str:
    """A sentence on the values that the axis leaves out; empty if there are none."""
    shares = [share_outside(scale, axis_range(scale)) for scale in _scales(violins, own_scale)]
    share = max(shares, default=0.0)
    return f" Up to {share:.1%} of a panel's values lie beyond the ends of its axis." if share else ""
