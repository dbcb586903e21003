"""Write tables and pictures of the pages from folders of results: python docs/result_tables.py PAGE
RESULTS...

PAGE is additive_baseline, languages, layers (of a folder of `harness-ext layers`) or merging. No
model is run.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import itemgetter
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
    "NegationImportance": True,
    "CompoundParaphrase": True,
    "TokenIdiomaticity": True,
    "IdiomRetrieval": True,
    "NounCompoundAffinity": False,
    "NounCompoundScaledSimilarity": False,
    "TypeTokenIdiomaticity": False,
}
"""Task -> whether its English data is on the page too; of the others it is on docs/findings.md."""

GAINS = ("additive baseline", "gain", "gain from", "gain to")
MERGING = ("MergeOppositesMini", "MergeOpposites")
COSINES = (0.6, 0.7, 0.8, 0.9, 0.95)
AT_COSINES = (
    "MergeOppositesMini: share of paraphrases / share of opposites that are merged at a cosine"
)
MOST_UNKNOWN = 0.05


def place_of(entry: Entry) -> tuple[str, str]:
    """The task, and its data."""
    return entry.task, entry.data


def last_of(entries: Iterable[Entry]) -> list[Entry]:
    """The last result of each encoder on each data."""
    by_place = {(entry.task, entry.data, entry.model): entry for entry in entries}
    return list(by_place.values())


def figures(entry: Entry) -> tuple[str, ...]:
    """Additive baseline, gain and the ends of its interval; empty if the encoder was measured
    without it.
    """
    if not has_gain(entry):
        return ("",) * 4
    main = entry.measure.main
    additive = entry.scores[additive_key(main)]
    gain = entry.scores[gain_key(main)]
    low, high = entry.interval(gain_key(main)) or (None, None)
    values = (additive, gain, low, high)
    return tuple("" if value is None else formatted(value) for value in values)


def interval(entry: Entry) -> tuple[str, ...]:
    """The ends of the interval of the main score."""
    ends = entry.interval(entry.measure.main)
    return tuple(map(formatted, ends)) if ends else ("", "")


def write(
    page: str,
    tables: list[Listing],
    chart: alt.TopLevelMixin | None = None,
) -> None:
    """Write `PAGE.csv` and `PAGE.svg`."""
    file = FOLDER / f"{page}.csv"
    file.write_text(render(tables, "csv"), encoding="utf-8")
    if chart:
        write_picture(chart, page)


def additive_baseline(entries: list[Entry]) -> None:
    """A row per task, subset, split and encoder, the greatest gain of a task last."""
    with_gains = last_of(filter(has_gain, entries))
    of_encoders = [entry for entry in with_gains if not entry.is_baseline]
    entries = sorted(of_encoders, key=order)
    labels = model_labels(entries)
    places = list(dict.fromkeys(map(place_of, entries)))

    def by_place_and_gain(entry: Entry) -> tuple[int, float]:
        gain = entry.scores[_gain(entry)]
        return places.index(place_of(entry)), gain

    rows: list[tuple[str, ...]] = []
    for entry in sorted(entries, key=by_place_and_gain):
        p_of_gain = entry.scores[p_value_key(_gain(entry))]
        row = (
            *place_of(entry),
            labels[entry.model, entry.revision],
            entry.measure.main,
            formatted(entry.main_score),
            *figures(entry),
            p_value(p_of_gain),
        )
        rows.append(row)
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
    charts = [_arrows(same, labels) for same in blocks]
    return alt.vconcat(*charts, spacing=26)


def _arrows(entries: Sequence[Entry], labels: Mapping[tuple[str, str], str]) -> alt.LayerChart:
    """Draw the models of one split and subset, the greatest gain first."""
    first = entries[0]
    main = first.measure.main
    score, _ = first.measure.declarations[main]
    rows = []
    for entry in entries:
        additive = entry.scores[additive_key(main)]
        gain = entry.scores[gain_key(main)]
        low, _ = entry.interval(gain_key(main)) or (0.0, 0.0)
        row: dict[str, Any] = {
            "model": labels[entry.model, entry.revision],
            "additive": additive,
            "value": additive + gain,
            "gain": gain,
            "gained": int(low > 0),
            "angle": 90 if gain >= 0 else 270,
        }
        rows.append(row)
    rows.sort(key=itemgetter("gain"), reverse=True)
    ends = [score.chance or 0.0]
    for row in rows:
        ends += [row["additive"], row["value"]]
    least = min(ends)
    most = max(ends)
    margin = 0.08 * (most - least or 1.0)
    y = parts.row_axis([row["model"] for row in rows])
    color = parts.model_colors([*labels.values()])
    domain = (least - margin, most + margin)
    scale = alt.Scale(domain=domain, nice=False)
    additive_axis = alt.X("additive:Q", scale=scale, title=None)
    tooltip = ["model:N", *parts.tooltips("additive", "value", "gain")]
    shafts = alt.Chart().mark_rule(strokeWidth=2.5)
    starts = alt.Chart().mark_point(size=45, filled=False)
    heads = alt.Chart().mark_point(size=90, opacity=1, shape="triangle")
    layers = [
        *parts.reference_lines(score.chance),
        shafts.encode(x=additive_axis, x2="value:Q", y=y, color=color),
        starts.encode(x="additive:Q", y=y, color=color, tooltip=tooltip),
        heads.encode(
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
    data = parts.data_of(rows)
    return alt.LayerChart(
        layer=layers,
        data=data,
        width=330,
        height=alt.Step(22),
        title=title,
    )


def languages(entries: list[Entry]) -> None:
    """A row per task, subset and encoder, control encoders last; printed: the same with a column
    per encoder.
    """

    def is_shown(entry: Entry) -> bool:
        if entry.is_baseline or entry.task not in LANGUAGES:
            return False
        return bool(LANGUAGES[entry.task]) or entry.subset != "en"

    def by_task(entry: Entry) -> int:
        return [*LANGUAGES].index(entry.task)

    shown = filter(is_shown, last_of(entries))
    entries = sorted(shown, key=order)
    entries.sort(key=by_task)
    labels = label_of_entries(entries)
    names = list(dict.fromkeys(labels.values()))
    header = ("task", "data", "model", "score", "value", "from", "to", *GAINS)
    rows: list[tuple[str, ...]] = []
    printed: list[tuple[str, ...]] = []
    for place in dict.fromkeys(map(place_of, entries)):
        here = [entry for entry in entries if place_of(entry) == place]
        first = here[0]
        main = first.measure.main
        values: dict[str, str] = {}
        for entry in here:
            label = labels[entry]
            value = formatted(entry.main_score)
            values[label] = value
            row = (*place, label, main, value, *interval(entry), *figures(entry))
            rows.append(row)
        no_gains = [""] * len(GAINS)
        for reference in reference_scores(first):
            row = (
                *place,
                reference.name,
                main,
                formatted(reference.value),
                formatted(reference.low),
                formatted(reference.high),
                *no_gains,
            )
            rows.append(row)
        best = best_reference(first)
        best_cell = f"{formatted(best.value)} {best.name}" if best else ""
        cells = [values.get(name, "") for name in names]
        printed.append((*place, *cells, best_cell))
    write("languages", [Listing(header, tuple(rows))])
    header_of_page = ("task", "data", *names, "best control encoder")
    print(render([Listing(header_of_page, tuple(printed))], "markdown"))


def label_of_entries(entries: Sequence[Entry]) -> dict[Entry, str]:
    """Entry -> what its model is called beside the others."""
    labels = model_labels(entries)
    return {entry: labels[entry.model, entry.revision] for entry in entries}


def layers(entries: list[Entry]) -> None:
    """A row per task, data, model and layer."""
    header = ("task", "data", "model", "layer", "score", "score from", "score to")
    rows: list[tuple[str, ...]] = []
    for (model, _, task, data), entries_of_layers in profiles(entries).items():
        place = (task, data, shortened(model))
        for layer, entry in entries_of_layers.items():
            row = (
                *place,
                str(layer),
                formatted(entry.main_score),
                *interval(entry),
                *figures(entry),
            )
            rows.append(row)
    header = (*header, *GAINS)
    curves = layer_curves(entries)
    write("layers", [Listing(header, tuple(rows))], curves and curves.chart)


def merging(entries: list[Entry]) -> None:
    """The share of opposites that are kept apart; and what is merged at a cosine: paraphrases /
    opposites.

    Of encoders that know a word of nearly every text, as a board asks.
    """

    def knows_words(entry: Entry) -> bool:
        most = MOST_UNKNOWN * len(entry.items().pairs)
        return entry.scores["n_excluded_zero_vector"] <= most

    of_merging = [entry for entry in entries if entry.task in MERGING]
    entries = list(filter(knows_words, of_merging))
    names = label_of_entries(entries)
    tables: list[Listing] = []
    for same in by_data(entries):
        title = ", ".join(place_of(same[0]))
        tables.append(closer_look(same, names, title))
    rows: dict[str, dict[str, str]] = {}
    for table in tables:
        for model, kept, *_ in table.rows:
            row = rows.setdefault(model, {"model": model})
            row[table.title] = kept
    page = FOLDER / "merging.md"
    table_of_page = Listing.of(rows.values()).markdown()
    text = write_between(page.read_text(encoding="utf-8"), "results", table_of_page)
    page.write_text(text, encoding="utf-8")
    at_cosines: list[tuple[str, ...]] = []
    for entry in entries:
        if entry.task == MERGING[0]:
            pairs = entry.items().pairs
            cells = [_merged_at(cosine, pairs) for cosine in COSINES]
            at_cosines.append((names[entry], *cells))
    header = ("model", *[f"cos ≥ {cosine}" for cosine in COSINES])
    tables.append(Listing(header, tuple(at_cosines), AT_COSINES))
    write("merging", tables)


def _merged_at(cosine: float, pairs: Any) -> str:
    """The shares of paraphrases and of opposites from a cosine on."""
    is_merged = pairs.similarity >= cosine
    of_paraphrases = formatted(is_merged[pairs.is_same].mean())
    of_opposites = formatted(is_merged[~pairs.is_same].mean())
    return f"{of_paraphrases} / {of_opposites}"


PAGES: dict[str, Callable[[list[Entry]], None]] = {
    "additive_baseline": additive_baseline,
    "languages": languages,
    "layers": layers,
    "merging": merging,
}

if __name__ == "__main__":
    page, *folders = sys.argv[1:]
    entries: list[Entry] = []
    for folder in folders:
        entries += load_results(Path(folder)).entries
    PAGES[page](entries)
