"""Draw the pictures of the pages on validity, comparing, trees and cost, from their tables.

python docs/pictures.py
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from pathlib import Path

import altair as alt

from harness_ext.show.figures import Figure, save_figures

FOLDER = Path(__file__).parent
CHANCE = {"auc_nc_vs_c": 0.5, "sentence_forced_choice_nc": 0.5, "fb_linear_pss": 0.25, "montague_consistency": 0.5}
"""Main scores between 0 and 1 whose chance one line can show."""


def rows(name: str) -> list[dict[str, str]]:
    """The rows of a CSV file beside this one."""
    return list(csv.DictReader((FOLDER / name).read_text(encoding="utf-8").splitlines()))


def tables(page: str) -> Iterator[list[list[str]]]:
    """The cells of each table of a page, without its header's line."""
    for table in re.findall(r"(?:^\|.*\n)+", (FOLDER / page).read_text(encoding="utf-8"), re.MULTILINE):
        lines = [[cell.strip() for cell in line.strip("|\n").split("|")] for line in table.splitlines()]
        yield [lines[0], *lines[2:]]


def validity() -> alt.Chart | alt.LayerChart:
    """Main scores of encoders that know nothing and of real ones, above their chance."""
    found = [
        {
            "task": f"{row['task']}, {row['data']}",
            "above chance": float(row["value"]) - CHANCE[row["score"]],
            "encoder": "knows nothing" if row["encoder"].startswith(("compositionality/", "mteb/")) else "real",
        }
        for row in rows("validity.csv")
        if row["score"] in CHANCE and not row["task"].endswith(("Mini", "Fast"))
    ]
    base = alt.Chart(alt.Data(values=found)).encode(
        y=alt.Y("task:N", title=None, axis=alt.Axis(labelLimit=320)), yOffset=alt.YOffset("encoder:N")
    )
    points = base.mark_point(filled=True, size=55, opacity=0.8).encode(
        x=alt.X("above chance:Q", title="main score above chance"), color=_colour("encoder:N")
    )
    zero = alt.Chart(alt.Data(values=[{"x": 0}])).mark_rule().encode(x="x:Q")
    return (points + zero).properties(width=330, height=alt.Step(14))


def error_rates() -> alt.LayerChart:
    """How often two equal models are told apart, by the kind of score and the number of units."""
    found = [
        {"units": row["units"], "share": float(row[key]), "of": of}  # a field with a point is looked for in another
        for row in rows("error_rates.csv")
        for key, of in (("p < .05", "scores"), ("gains: p < .05", "gains"))
    ]
    points = alt.Chart(alt.Data(values=found)).mark_point(filled=True, size=40, opacity=0.5)
    promised = alt.Chart(alt.Data(values=[{"y": 0.05}])).mark_rule(strokeDash=[4, 3]).encode(y="y:Q")
    encoded = points.encode(
        x=alt.X("units:O", sort=None, title="units", axis=alt.Axis(labelAngle=0)),
        xOffset="of:N",
        y=alt.Y("share:Q", title="share of worlds with p < .05"),
        color=_colour("of:N"),
    )
    return (encoded + promised).properties(width=330, height=190)


def trees() -> alt.LayerChart:
    """The correlation of error and switching in each protocol, with its interval."""
    (table,) = [table for table in tables("trees.md") if table[0][0] == "split"]
    split, found = "", []
    for first, score, *cells in table[1:]:
        split = first or split
        if score.startswith("ρ"):
            for encoder, cell in zip(table[0][2:], cells, strict=True):
                value, low, high = (float(x.replace("−", "-")) for x in re.findall(r"[−\d.]+", cell))
                found.append(
                    {"split": split.replace("`", ""), "encoder": encoder, "ρ": value, "low": low, "high": high}
                )
    base = alt.Chart(alt.Data(values=found)).encode(
        y=alt.Y("split:N", sort=None, title=None, axis=alt.Axis(labelLimit=300)),
        yOffset=alt.YOffset("encoder:N", sort=None),
        color=_colour("encoder:N"),
    )
    drawn = base.mark_rule(strokeWidth=2).encode(x=alt.X("low:Q", title="ρ of error and switching"), x2="high:Q")
    drawn += base.mark_point(filled=True, size=60, opacity=1).encode(x="ρ:Q")
    zero = alt.Chart(alt.Data(values=[{"x": 0}])).mark_rule().encode(x="x:Q")
    return (drawn + zero).properties(width=330, height=alt.Step(16))


def performance() -> alt.LayerChart:
    """Time of whole tasks, in plain encodes of their texts."""
    header, *found = next(tables("performance.md"))
    values = [{"task": row[0], "times": float(row[header.index("ratio")])} for row in found]
    x = alt.X("times:Q", scale=alt.Scale(zero=False), title="times as long as a plain encode")
    y = alt.Y("task:N", sort=None, title=None, axis=alt.Axis(labelLimit=320))
    points = alt.Chart(alt.Data(values=values)).mark_point(filled=True, size=70, opacity=1)
    one = alt.Chart(alt.Data(values=[{"x": 1}])).mark_rule().encode(x="x:Q")
    return (points.encode(x=x, y=y) + one).properties(width=330, height=alt.Step(17))


def _colour(field: str) -> alt.Color:
    return alt.Color(field, title=None, legend=alt.Legend(orient="top"))


if __name__ == "__main__":
    for draw in (validity, error_rates, trees, performance):
        name = draw.__name__
        save_figures([Figure(name=name, title="", caption="", chart=draw())], FOLDER, "svg")
        (FOLDER / f"{name}.txt").unlink(missing_ok=True)
