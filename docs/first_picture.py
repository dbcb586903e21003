"""Draw the picture of the first page from leaderboard/, for light and for dark pages: python
docs/first_picture.py.

Each encoder has a row: its score with the 95 % interval, its additive baseline and its matched
noise. What was not measured has no mark.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import altair as alt
from findings import MODELS

from harness_ext.measures.core.baseline_keys import ADDITIVE, NOISE, has_first_noise
from harness_ext.results.entry import Entry
from harness_ext.results.load import load_results

ROOT = Path(__file__).parents[1]

WIDTH = 262
"""The width of a panel, in pixels."""

ROW = 23
"""The height of a row, in pixels."""

FONT = 13
"""The size of letters, in pixels."""

SCORE = "encoder, with its 95 % interval"
BASELINE = "sum of its word vectors (additive baseline)"
NOISE_NAME = "that sum, moved at random (matched noise)"

SHAPES = {
    SCORE: "circle",
    BASELINE: "circle",
    NOISE_NAME: "M0,-1.3V1.3",
}
"""What a mark stands for -> its shape."""


_TICKS = [tenth / 10 for tenth in range(-9, 10)]
"""The values that an axis may show."""

_WITHOUT_ZERO = "replace(format(datum.value, '.1~f'), '0.', '.')"
"""Vega's expression for a number as the page writes it."""


class Panel(NamedTuple):
    """A task in the picture.

    Attributes:
        task: The task.
        data: Subset and split.
        question: What it asks, in a few words.
        score: The kind of score.
        chance: What chance gets, as printed.
    """

    task: str
    data: str
    question: str
    score: str
    chance: str


PANELS = (
    Panel(
        task="EpsilonCompositionality",
        data="en naturalistic_rebuilt",
        question="Does it take idioms as wholes?",
        score="AUC",
        chance="chance .5",
    ),
    Panel(
        task="RoleSwapSimilarity",
        data="test",
        question="Who did what to whom?",
        score="Spearman's ρ",
        chance="chance 0",
    ),
)
"""The tasks, from the left."""


class Theme(NamedTuple):
    """The colors of a picture."""

    paper: str
    ink: str
    line: str
    score: str
    baseline: str
    noise: str


THEMES = {
    "scores": Theme(
        paper="#ffffff",
        ink="#1c1e21",
        line="#8a9099",
        score="#0b5cad",
        baseline="#c2410c",
        noise="#5a6069",
    ),
    "scores-dark": Theme(
        paper="#0d1117",
        ink="#e6e8eb",
        line="#7d858f",
        score="#6cb2f7",
        baseline="#ff9d5c",
        noise="#aeb6c0",
    ),
}
"""Name of a file -> its colors; GitHub's pages are #ffffff and #0d1117."""


def marks(entries: Sequence[Entry]) -> list[dict[str, Any]]:
    """The marks of a panel.

    Args:
        entries: Of one task and data.

    Returns:
        A mapping for each mark: encoder, what it stands for, its value, and of a score the ends of
        its interval.
    """
    names = {model: name for name, model in MODELS.items()}
    found: list[dict[str, Any]] = []
    for entry in entries:
        main = entry.measure.main
        encoder = names[entry.model]
        interval = entry.interval()
        assert interval is not None, f"{entry.model}: {entry.task} has no interval"
        values = {
            BASELINE: entry.scores.get(ADDITIVE.score_key(main)),
            NOISE_NAME: entry.scores.get(NOISE.score_key(main)),
        }
        if has_first_noise(entry.scores, main):
            values[NOISE_NAME] = None
        low, high = interval
        found.append(_mark(encoder, SCORE, entry.main_score, low=low, high=high))
        for name, value in values.items():
            if value is not None:
                found.append(_mark(encoder, name, value))
    return found


def _mark(encoder: str, name: str, value: float, **ends: float) -> dict[str, Any]:
    rounded = {end: round(number, 3) for end, number in ends.items()}
    return {
        "encoder": encoder,
        "mark": name,
        "value": round(value, 3),
        **rounded,
    }


def panels() -> dict[Panel, list[dict[str, Any]]]:
    """The marks of each panel, from the results in leaderboard/."""
    found: dict[Panel, list[dict[str, Any]]] = {}
    for panel in PANELS:
        entries: list[Entry] = []
        for entry in load_results(ROOT / "leaderboard", panel.task).entries:
            if entry.data == panel.data and entry.model in MODELS.values():
                entries.append(entry)
        found[panel] = marks(entries)
    return found


def picture(
    marks_of_panels: Mapping[Panel, Sequence[Mapping[str, Any]]],
    theme: Theme,
) -> Any:
    """The picture in the colors of a theme."""
    charts: list[Any] = []
    for panel, found in marks_of_panels.items():
        chart = _panel(panel, found, theme, with_names=not charts)
        charts.append(chart)
    joined = alt.hconcat(*charts, spacing=22, background=theme.paper)
    return (
        joined.configure_view(stroke=None)
        .configure_axis(
            labelColor=theme.ink,
            labelFontSize=FONT,
            domainColor=theme.line,
            tickColor=theme.line,
        )
        .configure_title(color=theme.ink, subtitleColor=theme.ink, fontSize=FONT + 1)
        .configure_legend(labelColor=theme.ink, labelFontSize=FONT, labelLimit=600)
    )


def _panel(
    panel: Panel,
    found: Sequence[Mapping[str, Any]],
    theme: Theme,
    *,
    with_names: bool,
) -> alt.LayerChart:
    """A row for each encoder, the names on the left of the first panel alone."""
    first = load_results(ROOT / "leaderboard", panel.task).entries[0]
    chance = first.measure.main_declaration.chance
    # a row for every encoder, also for one that was not measured
    domain = alt.Scale(domain=[*MODELS], paddingOuter=0.2)
    axis = alt.Axis(ticks=False, domain=False, minExtent=90) if with_names else None
    y = alt.Y("encoder:N", title=None, scale=domain, axis=axis)
    x = alt.X(
        "value:Q",
        title=None,
        scale=alt.Scale(zero=False, nice=False, padding=16),
        axis=alt.Axis(grid=False, values=_TICKS, labelExpr=_WITHOUT_ZERO, labelOverlap=True),
    )
    legend = alt.Legend(
        title=None,
        orient="bottom",
        direction="vertical",
        symbolSize=110,
    )
    shapes = _scale(*SHAPES.values())
    colors = _scale(theme.score, theme.baseline, theme.noise)
    fills = _scale(theme.score, "transparent", "transparent")
    base = alt.Chart().encode(y=y)
    interval = (
        base.transform_filter("isValid(datum.low)")
        .mark_rule(strokeWidth=3, opacity=0.55, color=theme.score)
        .encode(x="low:Q", x2="high:Q")
    )
    points = base.mark_point(size=105, strokeWidth=2, opacity=1).encode(
        x=x,
        shape=alt.Shape("mark:N", scale=shapes, legend=legend),
        stroke=alt.Stroke("mark:N", scale=colors, legend=legend),
        fill=alt.Fill("mark:N", scale=fills, legend=legend),
        tooltip=["encoder:N", "mark:N", "value:Q"],
    )
    chance_data = alt.Data(values=[{"value": chance, "text": panel.chance}])
    of_chance = alt.Chart(chance_data)
    dashes = of_chance.mark_rule(strokeDash=[4, 4], color=theme.line)
    line = dashes.encode(x="value:Q")
    text = of_chance.mark_text(
        color=theme.ink,
        fontSize=FONT - 1,
        baseline="bottom",
        dy=-3,
    )
    label = text.encode(x="value:Q", y=alt.value(0), text="text:N")
    title = alt.TitleParams(
        panel.question,
        subtitle=f"{panel.task}, {panel.score}",
        anchor="start",
        subtitleFontSize=FONT - 1,
        offset=16,
    )
    return alt.layer(
        line,
        label,
        interval,
        points,
        data=alt.Data(values=[*found]),
        width=WIDTH,
        height=ROW * len(MODELS),
        title=title,
    )


def _scale(*values: str) -> alt.Scale:
    """What each of `SHAPES` looks like."""
    return alt.Scale(domain=[*SHAPES], range=[*values])


def draw(folder: Path) -> None:
    """Write the pictures into a folder."""
    found = panels()
    for name, theme in THEMES.items():
        picture(found, theme).save(str(folder / f"{name}.svg"))


if __name__ == "__main__":
    draw(ROOT / "docs")
