"""Figures of made-up items: their data by hand, their files, and what they do with little, much and
nothing.
"""

import html
import json
import re
from dataclasses import replace
from itertools import chain
from operator import itemgetter

import numpy as np
import pytest
import vl_convert
from pytest import approx

from harness_ext import plot
from harness_ext.measures.epsilon.compositionality import rank_shares
from harness_ext.measures.montague.consistency import MONTAGUE
from harness_ext.results.published import published_cells
from harness_ext.show.figures import figures_of
from harness_ext.show.figures.parts import box
from harness_ext.tasks import ENCODER_TASKS
from tests.results.planted_items import planted_items, write_entry

TASKS = list(ENCODER_TASKS)
FULL = [task for task in TASKS if not task.endswith(("Mini", "Fast"))]


def data(figure):
    """The rows of a figure's chart."""
    return rows_of(figure.chart.to_dict())


def rows_of(chart):
    """The rows of all data sets of a chart."""
    datasets = chart["datasets"].values()
    return list(chain.from_iterable(datasets))


def drawn(figure):
    """The figure as Vega draws it: an SVG, which it cannot make of what it does not understand."""
    return svg_of(figure.chart.to_dict())


def svg_of(chart):
    return vl_convert.vegalite_to_svg(json.dumps(chart))


def entries_of(folder, task, models=("planted/one",), n=30, **options):
    entries = []
    for seed, model in enumerate(models):
        items = planted_items(task, seed, n, **options)
        entries.append(write_entry(folder, task, items, model))
    return entries


@pytest.mark.slow
@pytest.mark.parametrize("task", FULL)
def test_every_measure_has_figures_that_can_be_drawn(task, tmp_path):
    entries = entries_of(tmp_path, task, ["planted/one", "planted/other"], n=12)
    figures = list(figures_of(entries))
    assert figures
    names = {figure.name for figure in figures}
    assert len(names) == len(figures)
    for figure in figures:
        assert re.fullmatch(r"[A-Za-z0-9._-]+", figure.name)
        assert len(figure.caption) > 150
        assert "<svg" in drawn(figure)


NAMES_OF_CLASSES = {"C": "compositional (C)", "PC": "partly (PC)", "NC": "idiomatic (NC)"}
"""Class -> its name in a chart."""


place_of = itemgetter("group", "color")
"""Where the box of a row stands."""


def approximately(value):
    """A number as charts have it, rounded."""
    return approx(value, rel=1e-3)


def test_epsilons_by_hand(tmp_path):
    """Medians, quartiles and numbers of both ε in each class."""
    items = planted_items("EpsilonCompositionality", n=60)
    entry = write_entry(tmp_path, "EpsilonCompositionality", items)
    shares_of_compounds, boxes = figures_of([entry])
    shares = rank_shares(items)
    for drawn_box, name in zip(data(shares_of_compounds), NAMES_OF_CLASSES, strict=True):
        of_class = shares[items.compounds.class_ == name]
        assert drawn_box["group"].endswith(f"({name})")
        assert drawn_box["n"] == len(of_class) == 20
        assert drawn_box["median"] == approximately(np.median(of_class))
    samples = items.samples
    epsilons = {
        "idiomaticity-ε": samples.context_distance / samples.phrase_distance - 1,
        "baseline-ε": samples.baseline_context_distance / samples.baseline_phrase_distance - 1,
    }
    classes = items.classes_of_usable
    rows = data(boxes)
    drawn_boxes = {place_of(row): row for row in rows}
    assert len(drawn_boxes) == len(rows)
    for name, group in NAMES_OF_CLASSES.items():
        for label, epsilon in epsilons.items():
            of_class = epsilon[classes == name]
            low, high = np.percentile(of_class, (25, 75))
            drawn_box = drawn_boxes[group, label]
            assert drawn_box["n"] == len(of_class) == 80
            assert drawn_box["median"] == approximately(np.median(of_class))
            assert drawn_box["low"] == approximately(low)
            assert drawn_box["high"] == approximately(high)


def test_a_box_by_hand():
    """Of 0 to 200, NaN and infinities left out."""
    values = np.array([*range(201), np.nan, np.inf])
    found = box(values, "group", "name", {"model": "a"})
    assert found == {
        "model": "a",
        "group": "group",
        "color": "name",
        "n": 201,
        "lowest": 1,
        "low": 50,
        "median": 100,
        "high": 150,
        "highest": 199,
    }


def test_similarities_stand_beside_those_of_the_ideal_model(tmp_path):
    items = planted_items("NounCompoundAffinity", spans=False)
    entry = write_entry(tmp_path, "NounCompoundAffinity", items)
    figures = {figure.name: figure for figure in figures_of([entry])}

    def medians(name):
        rows = data(figures[f"sentence-{name}"])
        return {place_of(row): row["median"] for row in rows}

    def of_probe(probe):
        table = items.similarities
        return table.similarity[table.probe == probe]

    similarities = medians("similarity")
    comp_of_sentences = np.repeat(items.compounds.comp, 2)
    human = np.nanmedian(comp_of_sentences) / 5
    assert similarities["gold synonym", "ideal model"] == 1
    assert similarities["unrelated", "ideal model"] == 0
    assert similarities["words' synonyms", "ideal model"] == approximately(human)
    median = np.median(of_probe("syn"))
    assert similarities["gold synonym", "measured"] == approximately(median)

    gold_over_words = "gold over words' synonyms"
    affinities = medians("affinity")
    assert affinities[gold_over_words, "ideal model"] == approximately(1 - human)
    differences = of_probe("syn") - of_probe("words_syn")
    median = np.median(differences)
    assert affinities[gold_over_words, "measured"] == approx(median, abs=1e-3)
    is_idiom = np.repeat(items.compounds.class_, 2) == "NC"
    median_of_idioms = np.median(differences[is_idiom])
    by_class = medians("affinity-by-class")
    assert by_class[gold_over_words, "idiomatic"] == approx(median_of_idioms, abs=1e-3)


NCIMP = "He et al. 2025"
EPS = "Wold et al."
SIMILARITIES = {"gold synonym", "nearer word", "words' synonyms", "unrelated"}
AFFINITIES = {"gold over words' synonyms", "gold over unrelated"}
SCALED = {"gold synonym", "words' synonyms"}
CLASSES = {"compositional (C)", "partly (PC)", "idiomatic (NC)"}
OF_PAPERS = {
    "EpsilonCompositionality": {
        "epsilons": (EPS, "Fig. 2", CLASSES),
    },
    "NounCompoundAffinity": {
        "sentence-similarity": (NCIMP, "Fig. 1", SIMILARITIES),
        "span-similarity": (NCIMP, "Fig. 2", SIMILARITIES),
        "{level}-affinity": (NCIMP, "Fig. 3", AFFINITIES),
        "{level}-affinity-by-class": (NCIMP, "Fig. 4", AFFINITIES),
    },
    "NounCompoundScaledSimilarity": {
        "{level}-scaled": (NCIMP, "Fig. 5", SCALED),
        "{level}-scaled-by-class": (NCIMP, "Figs. 6 and 7", SCALED),
    },
}
"""Task -> figure -> the paper, its figures, and their groups of boxes."""

NOT_OF_PAPERS = {"rank-shares"}
"""Figures of what a main score compares, which no paper draws."""


@pytest.mark.parametrize("task", OF_PAPERS)
def test_a_caption_names_the_figures_of_the_paper_that_draw_the_same(task, tmp_path):
    drawn_figures = figures_of(entries_of(tmp_path, task))
    figures = {figure.name: figure for figure in drawn_figures}
    expected = {}
    for name, about in OF_PAPERS[task].items():
        for level in ("sentence", "span"):
            expected[name.format(level=level)] = about
    assert figures.keys() - NOT_OF_PAPERS == expected.keys()
    for name, (paper, which, drawn_groups) in expected.items():
        caption = figures[name].caption
        said = re.findall(r"Follows (Figs?\. .+?) of (He et al\. 2025|Wold et al\.)", caption)
        assert said == [(which, paper)], name
        of_the_compound = name.startswith("sentence-") and which != "Fig. 1"
        assert ("The paper's are of the compound" in caption) == of_the_compound, name
        groups = {row["group"] for row in data(figures[name])}
        assert groups == drawn_groups, name


def test_main_scores_with_intervals_chance_and_published_models(tmp_path):
    task = "IdiomRetrieval"
    name = "BAAI/bge-m3"
    items = planted_items(task)
    place = ("test", "default")
    of_published = write_entry(tmp_path, task, items, name, place)
    other = write_entry(tmp_path, task, items, "planted/other", place)
    chart = plot([of_published, other]).to_dict()
    rows = rows_of(chart)
    (measured,) = [row for row in rows if row["model"] == "other"]
    assert measured["value"] == approx(other.main_score, abs=1e-3)
    ends = (measured["low"], measured["high"])
    assert ends == approx(other.interval(), abs=1e-3)
    published = {}
    for cell in published_cells(task):
        if cell.key == "r_precision":
            published[cell.model] = cell.value
    beside = [row["same"] for row in rows if "same" in row]
    assert beside == [published.pop(name)]
    others = {row["of"]: row["published"] for row in rows if "published" in row}
    assert others == published
    assert "<svg" in svg_of(chart)


def test_a_published_figure_that_is_suspect_does_not_stand_beside_the_same_model(tmp_path):
    task = "RoleSwapSimilarity"
    main = ENCODER_TASKS[task].measure.main
    suspect = [cell for cell in published_cells(task) if cell.suspect]
    cell = next(cell for cell in suspect if cell.key == main)
    items = planted_items(task)
    entry = write_entry(tmp_path, task, items, cell.model, ("test", "default"))
    for row in rows_of(plot([entry]).to_dict()):
        assert "same" not in row


@pytest.mark.slow
def test_a_measure_without_figures_of_a_paper_has_dots_with_intervals(tmp_path):
    task = "MontagueConsistency"
    entry = write_entry(tmp_path, task, planted_items(task), place=("test", "default"))
    (figure,) = figures_of([entry])
    dots = {row["score"]: row for row in data(figure)}
    main = dots["montague_consistency"]
    assert main["value"] == approx(entry.main_score, abs=1e-3)
    assert main["chance"] == approx(0.5, abs=1e-3)
    ends = (main["low"], main["high"])
    assert ends == approx(entry.interval(), abs=1e-3)
    key = "non_subsective_NS-Pr"
    other = dots[key]
    score = MONTAGUE.flat_scores(entry.items())[key]
    assert other["value"] == approx(score, abs=1e-3)
    assert other["low"] <= other["value"] <= other["high"]


@pytest.mark.parametrize("task", ["TypeTokenIdiomaticity", "EpsilonCompositionality"])
def test_a_caption_says_measure_data_and_number_of_units_in_words_for_a_paper(task, tmp_path):
    """No name of a place in a key, no command; and no key is cut, so that two look the same."""
    entries = entries_of(tmp_path, task)
    first = entries[0]
    measure = first.measure
    n = int(first.scores[f"n_{measure.main}"])
    for figure in figures_of(entries):
        caption = figure.caption
        assert f"Measure: {measure.name}, main score {measure.main}." in caption
        assert f"Data: {task}, {first.data}" in caption
        assert f"; n = {n} ({measure.unit})." in caption
        assert not re.search(r"\{|harness-ext", caption)
        if figure.name == "by-score":
            assert "lines are their 95 % intervals" in caption
            assert "…_type_spearman, " in caption
            assert '"labelLimit": 0' in json.dumps(figure.chart.to_dict())


@pytest.mark.slow
def test_a_model_has_the_same_color_in_every_chart_and_the_best_stands_first(tmp_path):
    models = [f"planted/{number}" for number in range(8)]
    entries = []
    for task in FULL[:2]:
        entries += entries_of(tmp_path, task, models)
    chart = plot(entries).to_dict()
    blocks = chart["vconcat"]
    assert len(blocks) == 2
    scales = []
    for block in blocks:
        name_of_data = block["data"]["name"]
        rows = chart["datasets"][name_of_data]
        values = [row["value"] for row in rows if "value" in row]
        assert len(values) == 8
        assert values == sorted(values, reverse=True)
        for layer in block["layer"]:
            for channel in ("color", "fill"):
                scale = layer["encoding"].get(channel, {}).get("scale")
                if scale and "domain" in scale:
                    scales.append((scale["domain"], scale["range"]))
    names, shades = scales[0]
    assert scales == [(names, shades)] * len(scales)
    assert names == [model.partition("/")[2] for model in models]
    assert len({*shades}) == 8


@pytest.mark.slow
def test_a_name_of_a_model_is_text(tmp_path):
    """It stands in the data, cut to a readable length, and never in an expression, a field or a
    file's name.
    """
    name = f"<script>alert(1) x'] || alert(1) || ['{'a' * 10_000}"
    (entry,) = entries_of(tmp_path, "EpsilonCompositionality")
    entries = [replace(entry, model=name)]
    *_, boxes = figures_of(entries)
    for figure in (boxes, replace(boxes, chart=plot(entries))):
        text = json.dumps(figure.chart.to_dict())
        assert len(text) < 100_000
        svg = drawn(figure)
        assert "<script" not in svg
        assert html.escape(name[:38], quote=False) in svg
