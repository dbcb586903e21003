"""Draw the pictures of the pages on validity, comparing and layers, from their tables.

python docs/pictures.py
"""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import altair as alt

from harness_ext.common.names import data_name
from harness_ext.common.revisions import UNVERIFIED
from harness_ext.results.reference_scores import FILE
from harness_ext.tasks import ENCODER_TASKS

FOLDER = Path(__file__).parent
CHANCE = {
    "auc_nc_vs_c": 0.5,
    "sentence_forced_choice_nc": 0.5,
    "fb_linear_pss": 0.25,
    "montague_consistency": 0.5,
}
"""Main scores between 0 and 1 whose chance one line can show."""


def rows(file: Path) -> list[dict[str, str]]:
    """The rows of a CSV file."""
    return list(csv.DictReader(file.read_text(encoding="utf-8").splitlines()))


def validity() -> alt.Chart | alt.LayerChart:
    """Main scores of control encoders and of real ones, above their chance."""
    found: list[dict[str, Any]] = []
    of_encoders = rows(FOLDER / "additive_baseline.csv")
    of_controls = rows(Path(str(FILE)))
    for row in [*of_encoders, *of_controls]:
        task = row["task"]
        score = row.get("score") or ENCODER_TASKS[task].measure.main
        is_small = task.endswith(("Mini", "Fast"))
        if score not in CHANCE or is_small or UNVERIFIED in row.get("dataset", ""):
            continue
        data = row.get("data") or data_name(row["subset"], row["split"])
        mark = {
            "task": f"{task}, {data}",
            "above chance": float(row["value"]) - CHANCE[score],
            "encoder": "real" if "additive baseline" in row else "control",
        }
        found.append(mark)
    long_labels = alt.Axis(labelLimit=320)
    points = _chart(found).mark_point(filled=True, size=55, opacity=0.8)
    encoded = points.encode(
        y=alt.Y("task:N", title=None, axis=long_labels),
        yOffset=alt.YOffset("encoder:N"),
        x=alt.X("above chance:Q", title="main score above chance"),
        color=_color("encoder:N"),
    )
    rule = _chart([{"x": 0}]).mark_rule()
    zero = rule.encode(x="x:Q")
    picture = encoded + zero
    return picture.properties(width=330, height=alt.Step(14))


def error_rates() -> alt.LayerChart:
    """How often two equal models differ significantly, by the kind of score and the number of
    units.
    """
    found: list[dict[str, Any]] = []
    for row in rows(FOLDER / "error_rates.csv"):
        if not row["the score"]:
            continue  # of units that are not independent
        # a field with a point is looked for in another
        columns = {"scores": "p < .05", "gains": "gains: p < .05"}
        for kind, column in columns.items():
            mark = {
                "units": row["units"],
                "share": float(row[column]),
                "of": kind,
            }
            found.append(mark)
    points = _chart(found).mark_point(filled=True, size=40, opacity=0.5)
    line = _chart([{"y": 0.05}]).mark_rule(strokeDash=[4, 3])
    promised = line.encode(y="y:Q")
    upright_labels = alt.Axis(labelAngle=0)
    encoded = points.encode(
        x=alt.X("units:O", sort=None, title="units", axis=upright_labels),
        xOffset="of:N",
        y=alt.Y("share:Q", title="share of worlds with p < .05"),
        color=_color("of:N"),
    )
    return (encoded + promised).properties(width=330, height=190)


def layers() -> alt.FacetChart:
    """Main scores of every layer of three encoders, with chance."""
    found: list[dict[str, Any]] = []
    for row in rows(FOLDER / "layers.csv"):
        _, _, encoder = row["model"].rpartition("/")
        mark = {
            "task": row["task"],
            "layer": int(row["layer"]),
            "score": float(row["score"]),
            "low": float(row["score from"]),
            "high": float(row["score to"]),
            "chance": _chance(row["task"]),
            "encoder": encoder,
        }
        found.append(mark)
    whole_layers = alt.Axis(tickMinStep=1)
    not_from_zero = alt.Scale(zero=False)
    layer = alt.X("layer:Q", axis=whole_layers)
    score = alt.Y("score:Q", title="main score", scale=not_from_zero)
    base = alt.Chart().encode(x=layer, color=_color("encoder:N"))
    line = base.mark_line(point=True).encode(y=score)
    band = base.mark_area(opacity=0.12).encode(y="low:Q", y2="high:Q")
    dashes = alt.Chart().mark_rule(strokeDash=[4, 3])
    chance = dashes.encode(y="chance:Q")
    data = alt.Data(values=found)
    layered = alt.layer(band, line, chance, data=data)
    panels = layered.properties(width=220, height=190)
    facets = panels.facet(column=alt.Column("task:N", title=None))
    return facets.resolve_scale(y="independent")


def _chance(task: str) -> float | None:
    measure = ENCODER_TASKS[task].measure
    return measure.main_declaration.chance


def _chart(records: list[dict[str, Any]]) -> alt.Chart:
    return alt.Chart(alt.Data(values=records))


def _color(field: str) -> alt.Color:
    legend = alt.Legend(orient="top")
    return alt.Color(field, title=None, legend=legend)


def write_picture(chart: alt.TopLevelMixin, name: str) -> None:
    """Write a chart on white into `NAME.svg`."""
    # the reader's font may be wider than that of the labels
    space = {
        "left": 40,
        "right": 5,
        "top": 5,
        "bottom": 5,
    }
    on_white = chart.properties(background="white", padding=space)
    on_white.save(str(FOLDER / f"{name}.svg"))


if __name__ == "__main__":
    for draw in (validity, error_rates, layers):
        write_picture(draw(), draw.__name__)
