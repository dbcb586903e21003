"""Arrows from the score of an encoder's own words, added up, to its main score."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import altair as alt

from harness_ext.framework.gain_keys import gain_key, words_key
from harness_ext.results.entry import Entry
from harness_ext.show.figures.chart import by_task_and_data, data_of, reference_lines, row_axis, score_title, tooltips
from harness_ext.show.figures.colours import model_colours
from harness_ext.show.figures.figure import Figure
from harness_ext.show.model_labels import model_labels
from harness_ext.show.verdict import has_gained

_WIDTH = 330


def has_gain(entry: Entry) -> bool:
    """Whether the entry has a gain over the encoder's own words."""
    return gain_key(entry.measure.main) in entry.scores


def gains(entries: Sequence[Entry]) -> Figure:
    """Draw own words and main score of each model, by task, subset and split. At least one entry `has_gain`."""
    labels = model_labels(entries)
    blocks = by_task_and_data([entry for entry in entries if has_gain(entry)])
    return Figure(
        name="gains",
        title="Beyond the encoder's own words",
        caption="Each arrow leads from the main score of the encoder's own words, added up, to its main score. Heads "
        "are filled if the 95 % interval of the gain is above 0. The dashed line is chance.",
        chart=alt.vconcat(*(_block(same, labels) for same in blocks), spacing=26),
        small_multiples=True,
    )


def _rows(entries: Sequence[Entry], labels: Mapping[tuple[str, str], str]) -> Iterator[dict[str, Any]]:
    for entry in entries:
        main = entry.measure.main
        words, gain = entry.scores[words_key(main)], entry.scores[gain_key(main)]
        yield {
            "model": labels[entry.model, entry.revision],
            "words": words,
            "value": words + gain,
            "gain": gain,
            "gained": int(has_gained(entry)),
            "angle": 90 if gain >= 0 else 270,
        }


def _block(entries: Sequence[Entry], labels: Mapping[tuple[str, str], str]) -> alt.LayerChart:
    """Draw the models of one split and subset, the greatest gain first."""
    first = entries[0]
    score, _ = first.measure.declarations()[first.measure.main]
    rows = sorted(_rows(entries, labels), key=lambda row: -row["gain"])
    ends = [row[name] for row in rows for name in ("words", "value")] + [score.chance or 0.0]
    margin = 0.08 * (max(ends) - min(ends) or 1.0)
    y = row_axis([row["model"] for row in rows])
    scale = alt.Scale(domain=(min(ends) - margin, max(ends) + margin), nice=False)
    colour = model_colours([*labels.values()])
    tooltip = [alt.Tooltip("model:N"), *tooltips("words", "value", "gain")]
    layers = [
        *reference_lines(score.chance),
        alt.Chart().mark_rule(strokeWidth=2.5).encode(
            x=alt.X("words:Q", scale=scale, title=None), x2="value:Q", y=y, color=colour
        ),
        alt.Chart().mark_point(size=45, filled=False).encode(x="words:Q", y=y, color=colour, tooltip=tooltip),
        alt.Chart().mark_point(size=90, opacity=1, shape="triangle").encode(
            x="value:Q", y=y, stroke=colour, fill=colour, tooltip=tooltip, angle=alt.Angle("angle:Q", scale=None),
            fillOpacity=alt.FillOpacity("gained:Q", scale=None, legend=None),
        ),
    ]  # fmt: skip
    about = score_title(first.task, first.data, score, first.measure.main)
    return alt.LayerChart(layer=layers, data=data_of(rows), width=_WIDTH, height=alt.Step(22), title=about)
