"""Arrows from an encoder's own words, added up, to its main score: how far each model goes beyond its vocabulary."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import altair as alt

from harness_ext.evaluators.gain_keys import gain_key, words_key
from harness_ext.show.figures.chart import BLUE, ORANGE, RULE, Figure, by_data, data_of
from harness_ext.show.model_labels import model_labels
from harness_ext.show.verdict import has_gained

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from harness_ext.results.entry import Entry

_WIDTH = 330
_BEYOND = "beyond its words"
_NOT = "not beyond its words"


def has_gain(entry: Entry) -> bool:
    """Whether the entry has a gain over the encoder's own words."""
    return gain_key(entry.measure.main) in entry.scores


def gains(entries: Sequence[Entry]) -> Figure:
    """The own words and the main score of each model, by task, subset and split.

    Args:
        entries: In the order of `load_results`; at least one `has_gain`. Items are not needed.
    """
    tasks = dict.fromkeys(entry.task for entry in entries if has_gain(entry))
    blocks = [same for task in tasks
              for same in by_data([one for one in entries if one.task == task and has_gain(one)]).values()]  # fmt: skip
    return Figure(
        name="gains",
        title="Beyond the encoder's own words",
        caption="Each arrow begins at the main score of the encoder's own words, added up, and ends at its main score. "
        "Blue arrows are gains with a 95 % interval above 0. The dashed line is chance.",
        chart=alt.vconcat(*map(_block, blocks), spacing=26),
    )


def _rows(entries: Sequence[Entry]) -> Iterator[dict[str, Any]]:
    labels = model_labels(entries)
    for entry in entries:
        main = entry.measure.main
        words, gain = entry.scores[words_key(main)], entry.scores[gain_key(main)]
        yield {
            "model": labels[entry.model, entry.revision],
            "words": words,
            "value": words + gain,
            "gain": gain,
            "verdict": _BEYOND if has_gained(entry) else _NOT,
            "angle": 90 if gain >= 0 else 270,
        }


def _block(entries: Sequence[Entry]) -> alt.LayerChart:
    """The models of one split and subset, the greatest gain first."""
    first = entries[0]
    score, _ = first.measure.declarations()[first.measure.main]
    rows = sorted(_rows(entries), key=lambda row: -row["gain"])
    order = [row["model"] for row in rows]
    ends = [row[name] for row in rows for name in ("words", "value")] + [score.chance or 0.0]
    margin = 0.08 * (max(ends) - min(ends) or 1.0)
    y = alt.Y("model:N", sort=order, title=None, axis=alt.Axis(labelLimit=230, minExtent=150, ticks=False))
    scale = alt.Scale(domain=(min(ends) - margin, max(ends) + margin), nice=False)
    title = [score.title, first.measure.main]
    colour = alt.Color("verdict:N", scale=alt.Scale(domain=[_BEYOND, _NOT], range=[BLUE, ORANGE]),
                       legend=alt.Legend(title=None, orient="top"))  # fmt: skip
    tooltip = [alt.Tooltip("model:N"), *(alt.Tooltip(f"{name}:Q", format=".3f") for name in ("words", "value", "gain"))]
    layers = [
        alt.Chart().mark_rule(strokeWidth=2.5).encode(
            x=alt.X("words:Q", scale=scale, title=title), x2="value:Q", y=y, color=colour
        ),
        alt.Chart().mark_point(size=45, filled=False).encode(x="words:Q", y=y, color=colour, tooltip=tooltip),
        alt.Chart().mark_point(size=90, filled=True, opacity=1, shape="triangle").encode(
            x="value:Q", y=y, color=colour, tooltip=tooltip, angle=alt.Angle("angle:Q", scale=None)
        ),
    ]  # fmt: skip
    if score.chance is not None:
        layers.insert(0, alt.Chart().mark_rule(strokeDash=[4, 4], color=RULE).encode(x=alt.datum(score.chance)))
    about = alt.TitleParams(first.task, subtitle=first.data, anchor="start", frame="bounds", fontSize=13)
    return alt.LayerChart(layer=layers, data=data_of(rows), width=_WIDTH, height=alt.Step(22), title=about)
