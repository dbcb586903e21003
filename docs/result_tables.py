"""Write tables and pictures of the pages from folders of results: python docs/result_tables.py PAGE
RESULTS...

PAGE is additive_baseline, languages, layers (of a folder of `harness-ext layers`) or merging. No
model is run.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pages import write_between
from pictures import write_picture

from harness_ext.measures.core.baseline_keys import additive_key, gain_key, p_value_key
from harness_ext.results.entry import Entry, by_data
from harness_ext.results.load import load_results, order
from harness_ext.results.reference_scores import best_reference, reference_scores
from harness_ext.show.extra import altair as alt
from harness_ext.show.figures import layer_curves, parts
from harness_ext.show.listing import Listing, render
from harness_ext.show.model_labels import model_labels, shortened
from harness_ext.show.numbers import formatted, p_value
from harness_ext.show.result_tables import closer_look, profiles

FOLDER = Path(__file__).parent
LANGUAGES = {
    **dict.fromkeys(
        ("NegationImportance", "CompoundParaphrase", "TokenIdiomaticity", "IdiomRetrieval"), True
    ),
    **dict.fromkeys(
        ("NounCompoundAffinity", "NounCompoundScaledSimilarity", "TypeTokenIdiomaticity"), False
    ),
}
"""Task -> whether its English data is on the page too; of the others it is on docs/findings.md."""

GAINS = ("additive baseline", "gain", "gain from", "gain to")
MERGING = ("MergeOppositesMini", "MergeOpposites")
COSINES = (0.6, 0.7, 0.8, 0.9, 0.95)
AT_COSINES = (
    "MergeOppositesMini: share of paraphrases / share of opposites that are merged at a cosine"
)
MOST_UNKNOWN = 0.05


def last_of(entries: Iterable[Entry]) -> list[Entry]:
    """The last result of each encoder on each data."""
    return list({(entry.task, entry.data, entry.model): entry for entry in entries}.values())


def figures(entry: Entry) -> tuple[str, ...]:
    """Additive baseline, gain and the ends of its interval; empty if the encoder was measured
    without it.
    """
    if not has_gain(entry):
        return ("",) * 4
    gain = gain_key(entry.measure.main)
    values = (
        entry.scores[additive_key(entry.measure.main)],
        entry.scores[gain],
        *(entry.interval(gain) or (None, None)),
    )
    return tuple("" if value is None else formatted(value) for value in values)


def interval(entry: Entry) -> tuple[str, ...]:
    """The ends of the interval of the main score."""
    return tuple(map(formatted, entry.interval(entry.measure.main) or ())) or ("", "")


def write(page: str, tables: list[Listing], chart: alt.TopLevelMixin | None = None) -> None:
    """Write `PAGE.csv` and `PAGE.svg`."""
    (FOLDER / f"{page}.csv").write_text(render(tables, "csv"), encoding="utf-8")
    if chart:
        write_picture(chart, page)


def additive_baseline(entries: list[Entry]) -> None:
    """A row per task, subset, split and encoder, the greatest gain of a task last."""
    entries = sorted(
        (one for one in last_of(filter(has_gain, entries)) if not one.is_baseline), key=order
    )
    labels, places = (
        model_labels(entries),
        list(dict.fromkeys((entry.task, entry.data) for entry in entries)),
    )
    rows = []
    for one in sorted(
        entries, key=lambda one: (places.index((one.task, one.data)), one.scores[_gain(one)])
    ):
        of = (
            one.task,
            one.data,
            labels[one.model, one.revision],
            one.measure.main,
            formatted(one.main_score),
        )
        rows.append((*of, *figures(one), p_value(one.scores[p_value_key(_gain(one))])))
    header = (
        "task",
        "data",
        "model",
        "score",
        "value",
        "additive baseline",
        "gain",
        "gain from",
        "gain to",
        "p",
    )
    of_epsilon = [entry for entry in entries if entry.task == "EpsilonCompositionality"]
    write("additive_baseline", [Listing(header, tuple(rows))], gains(of_epsilon))


def _gain(entry: Entry) -> str:
    return gain_key(entry.measure.main)


def has_gain(entry: Entry) -> bool:
    """Whether the entry has a gain over the encoder's additive baseline."""
    return _gain(entry) in entry.scores


def gains(entries: Sequence[Entry]) -> alt.VConcatChart:
    """Draw arrows from the main score of the encoder's additive baseline to its own; at least one
    entry `has_gain`.

    Heads are filled if the 95 % interval of the gain is above 0. The dashed line is chance.
    """
    labels = model_labels(entries)
    blocks = by_data([entry for entry in entries if has_gain(entry)])
    return alt.vconcat(*(_arrows(same, labels) for same in blocks), spacing=26)


def _arrows(entries: Sequence[Entry], labels: Mapping[tuple[str, str], str]) -> alt.LayerChart:
    """Draw the models of one split and subset, the greatest gain first."""
    first, main = entries[0], entries[0].measure.main
    score, _ = first.measure.declarations[main]
    rows = []
    for entry in entries:
        additive, gain = entry.scores[additive_key(main)], entry.scores[gain_key(main)]
        low, _ = entry.interval(gain_key(main)) or (0.0, 0.0)
        row: dict[str, Any] = {
            "model": labels[entry.model, entry.revision],
            "additive": additive,
            "value": additive + gain,
            "gain": gain,
        }
        rows.append({**row, "gained": int(low > 0), "angle": 90 if gain >= 0 else 270})
    rows.sort(key=lambda row: -row["gain"])
    ends = [row[name] for row in rows for name in ("additive", "value")] + [score.chance or 0.0]
    margin = 0.08 * (max(ends) - min(ends) or 1.0)
    y, color = (
        parts.row_axis([row["model"] for row in rows]),
        parts.model_colors([*labels.values()]),
    )
    scale = alt.Scale(domain=(min(ends) - margin, max(ends) + margin), nice=False)
    tooltip = ["model:N", *parts.tooltips("additive", "value", "gain")]
    layers = [
        *parts.reference_lines(score.chance),
        alt.Chart()
        .mark_rule(strokeWidth=2.5)
        .encode(x=alt.X("additive:Q", scale=scale, title=None), x2="value:Q", y=y, color=color),
        alt.Chart()
        .mark_point(size=45, filled=False)
        .encode(x="additive:Q", y=y, color=color, tooltip=tooltip),
        alt.Chart()
        .mark_point(size=90, opacity=1, shape="triangle")
        .encode(
            x="value:Q",
            y=y,
            stroke=color,
            fill=color,
            tooltip=tooltip,
            angle=alt.Angle("angle:Q", scale=None),
            fillOpacity=alt.FillOpacity("gained:Q", scale=None, legend=None),
        ),
    ]
    title = parts.score_title(first.task, first.data, score, main)
    return alt.LayerChart(
        layer=layers, data=parts.data_of(rows), width=330, height=alt.Step(22), title=title
    )


def languages(entries: list[Entry]) -> None:
    """A row per task, subset and encoder, control encoders last; printed: the same with a column
    per encoder.
    """
    entries = [
        entry
        for entry in last_of(entries)
        if not entry.is_baseline
        and entry.task in LANGUAGES
        and (LANGUAGES[entry.task] or entry.subset != "en")
    ]
    entries.sort(key=lambda entry: ([*LANGUAGES].index(entry.task), order(entry)))
    labels = {entry: model_labels(entries)[entry.model, entry.revision] for entry in entries}
    names = list(dict.fromkeys(labels.values()))
    header = ("task", "data", "model", "score", "value", "from", "to", *GAINS)
    rows, printed = [], []
    for place in dict.fromkeys((entry.task, entry.data) for entry in entries):
        here = [entry for entry in entries if (entry.task, entry.data) == place]
        main, references = here[0].measure.main, reference_scores(here[0])
        rows += [
            (*place, labels[one], main, formatted(one.main_score), *interval(one), *figures(one))
            for one in here
        ]
        rows += [
            (
                *place,
                one.name,
                main,
                *map(formatted, (one.value, one.low, one.high)),
                *("" for _ in GAINS),
            )
            for one in references
        ]
        best = best_reference(here[0])
        values = {labels[entry]: formatted(entry.main_score) for entry in here}
        printed.append(
            (
                *place,
                *(values.get(name, "") for name in names),
                f"{formatted(best.value)} {best.name}" if best else "",
            )
        )
    write("languages", [Listing(header, tuple(rows))])
    print(
        render(
            [Listing(("task", "data", *names, "best control encoder"), tuple(printed))], "markdown"
        )
    )


def layers(entries: list[Entry]) -> None:
    """A row per task, data, model and layer."""
    header = ("task", "data", "model", "layer", "score", "score from", "score to")
    rows = [
        (
            task,
            data,
            shortened(model),
            str(layer),
            formatted(one.main_score),
            *interval(one),
            *figures(one),
        )
        for (model, _, task, data), of_layers in profiles(entries).items()
        for layer, one in of_layers.items()
    ]
    header = (*header, *GAINS)
    curves = layer_curves(entries)
    write("layers", [Listing(header, tuple(rows))], curves and curves.chart)


def merging(entries: list[Entry]) -> None:
    """The share of opposites that are kept apart; and what is merged at a cosine: paraphrases /
    opposites.

    Of encoders that know a word of nearly every text, as a board asks.
    """
    entries = [entry for entry in entries if entry.task in MERGING]
    entries = [
        one
        for one in entries
        if one.scores["n_excluded_zero_vector"] <= MOST_UNKNOWN * len(one.items().pairs)
    ]
    labels = model_labels(entries)
    names = {entry: labels[entry.model, entry.revision] for entry in entries}
    tables = [
        closer_look(same, names, f"{same[0].task}, {same[0].data}") for same in by_data(entries)
    ]
    rows: dict[str, dict[str, str]] = {}
    for table in tables:
        for model, kept, *_ in table.rows:
            rows.setdefault(model, {"model": model})[table.title] = kept
    page = FOLDER / "merging.md"
    text = write_between(
        page.read_text(encoding="utf-8"), "results", Listing.of(rows.values()).markdown()
    )
    page.write_text(text, encoding="utf-8")
    at_cosines = []
    for entry in (entry for entry in entries if entry.task == MERGING[0]):
        pairs = entry.items().pairs
        shares = [
            [(pairs.similarity[one] >= cos).mean() for one in (pairs.is_same, ~pairs.is_same)]
            for cos in COSINES
        ]
        at_cosines.append(
            (names[entry], *(" / ".join(map(formatted, of_both)) for of_both in shares))
        )
    tables.append(
        Listing(("model", *(f"cos ≥ {cos}" for cos in COSINES)), tuple(at_cosines), AT_COSINES)
    )
    write("merging", tables)


PAGES: dict[str, Callable[[list[Entry]], None]] = {
    page.__name__: page for page in (additive_baseline, languages, layers, merging)
}

if __name__ == "__main__":
    page, *folders = sys.argv[1:]
    PAGES[page]([entry for folder in folders for entry in load_results(Path(folder)).entries])
