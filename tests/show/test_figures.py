"""Figures of made-up items: their data by hand, their files, and what they do with little, much and
nothing.
"""

import html
import json
import re
from dataclasses import replace

import numpy as np
import pytest
import vl_convert

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
    return [row for rows in figure.chart.to_dict()["datasets"].values() for row in rows]


def drawn(figure):
    """The figure as Vega draws it: an SVG, which it cannot make of what it does not understand."""
    return vl_convert.vegalite_to_svg(json.dumps(figure.chart.to_dict()))


def entries_of(folder, task, models=("planted/one",), n=30, **options):
    made = [planted_items(task, seed, n, **options) for seed, _ in enumerate(models)]
    return [
        write_entry(folder, task, items, model) for items, model in zip(made, models, strict=True)
    ]


@pytest.mark.slow
@pytest.mark.parametrize("task", FULL)
def test_every_measure_has_figures_that_can_be_drawn(task, tmp_path):
    figures = list(figures_of(entries_of(tmp_path, task, ["planted/one", "planted/other"], n=12)))
    assert figures
    assert len({figure.name for figure in figures}) == len(figures)
    for figure in figures:
        assert re.fullmatch(r"[A-Za-z0-9._-]+", figure.name)
        assert len(figure.caption) > 150
        assert "<svg" in drawn(figure)


def test_epsilons_by_hand(tmp_path):
    """Medians, quartiles and numbers of both ε in each class."""
    items = planted_items("EpsilonCompositionality", n=60)
    entry = write_entry(tmp_path, "EpsilonCompositionality", items)
    shares_of_compounds, boxes = figures_of([entry])
    shares = rank_shares(items)
    for drawn_box, name in zip(data(shares_of_compounds), ("C", "PC", "NC"), strict=True):
        of_class = shares[items.compounds.class_ == name]
        assert drawn_box["group"].endswith(f"({name})")
        assert drawn_box["n"] == len(of_class) == 20
        assert drawn_box["median"] == pytest.approx(np.median(of_class), rel=1e-3)
    classes = items.classes_of_samples(items.samples)
    for name, group in (
        ("C", "compositional (C)"),
        ("PC", "partly (PC)"),
        ("NC", "idiomatic (NC)"),
    ):
        for label, context, phrase in (
            ("idiomaticity-ε", items.samples.context_distance, items.samples.phrase_distance),
            (
                "baseline-ε",
                items.samples.baseline_context_distance,
                items.samples.baseline_phrase_distance,
            ),
        ):
            epsilon = (context / phrase - 1)[classes == name]
            (drawn_box,) = (
                row for row in data(boxes) if (row["group"], row["color"]) == (group, label)
            )
            assert drawn_box["n"] == len(epsilon) == 80
            assert drawn_box["median"] == pytest.approx(np.median(epsilon), rel=1e-3)
            assert [drawn_box["low"], drawn_box["high"]] == pytest.approx(
                np.percentile(epsilon, (25, 75)), rel=1e-3
            )


def test_a_box_by_hand():
    """Of 0 to 200, NaN and infinities left out."""
    found = box(np.array([*range(201), np.nan, np.inf]), "group", "name", {"model": "a"})
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
        return {(row["group"], row["color"]): row["median"] for row in rows}

    found = medians("similarity")
    human = np.nanmedian(np.repeat(items.compounds.comp, 2)) / 5
    assert (found["gold synonym", "ideal model"], found["unrelated", "ideal model"]) == (1, 0)
    assert found["words' synonyms", "ideal model"] == pytest.approx(human, rel=1e-3)
    here = items.similarities
    assert found["gold synonym", "measured"] == pytest.approx(
        np.median(here.similarity[here.probe == "syn"]), rel=1e-3
    )
    found = medians("affinity")
    assert found["gold over words' synonyms", "ideal model"] == pytest.approx(1 - human, rel=1e-3)
    difference = here.similarity[here.probe == "syn"] - here.similarity[here.probe == "words_syn"]
    assert found["gold over words' synonyms", "measured"] == pytest.approx(
        np.median(difference), abs=1e-3
    )
    of_idioms = np.median(difference[np.repeat(items.compounds.class_, 2) == "NC"])
    found = medians("affinity-by-class")
    assert found["gold over words' synonyms", "idiomatic"] == pytest.approx(of_idioms, abs=1e-3)


NCIMP, EPS = "He et al. 2025", "Wold et al."
SIMILARITIES = {"gold synonym", "nearer word", "words' synonyms", "unrelated"}
AFFINITIES = {"gold over words' synonyms", "gold over unrelated"}
SCALED = {"gold synonym", "words' synonyms"}
CLASSES = {"compositional (C)", "partly (PC)", "idiomatic (NC)"}
OF_PAPERS = {
    "EpsilonCompositionality": {"epsilons": (EPS, "Fig. 2", CLASSES)},
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
    figures = {figure.name: figure for figure in figures_of(entries_of(tmp_path, task))}
    expected = {
        name.format(level=level): about
        for name, about in OF_PAPERS[task].items()
        for level in ("sentence", "span")
    }
    assert figures.keys() - NOT_OF_PAPERS == expected.keys()
    for name, (paper, which, drawn_groups) in expected.items():
        said = re.findall(
            r"Follows (Figs?\. .+?) of (He et al\. 2025|Wold et al\.)", figures[name].caption
        )
        assert said == [(which, paper)], name
        of_the_compound = name.startswith("sentence-") and which != "Fig. 1"
        assert ("The paper's are of the compound" in figures[name].caption) == of_the_compound, name
        assert {row["group"] for row in data(figures[name])} == drawn_groups, name


def test_main_scores_with_intervals_chance_and_published_models(tmp_path):
    name, items = "BAAI/bge-m3", planted_items("IdiomRetrieval")
    models = (name, "planted/other")
    entries = [
        write_entry(tmp_path, "IdiomRetrieval", items, model, ("test", "default"))
        for model in models
    ]
    chart = plot(entries).to_dict()
    rows = [row for rows in chart["datasets"].values() for row in rows]
    (measured,) = (row for row in rows if row["model"] == "other")
    assert measured["value"] == pytest.approx(entries[1].main_score, abs=1e-3)
    assert [measured["low"], measured["high"]] == pytest.approx(entries[1].interval(), abs=1e-3)
    published = {
        cell.model: cell.value
        for cell in published_cells("IdiomRetrieval")
        if cell.key == "r_precision"
    }
    assert [row["same"] for row in rows if "same" in row] == [published.pop(name)]
    assert {row["of"]: row["published"] for row in rows if "published" in row} == published
    assert "<svg" in vl_convert.vegalite_to_svg(json.dumps(chart))


def test_a_published_figure_that_is_suspect_does_not_stand_beside_the_same_model(tmp_path):
    suspect = [cell for cell in published_cells("RoleSwapSimilarity") if cell.suspect]
    main = ENCODER_TASKS["RoleSwapSimilarity"].measure.main
    cell = next(cell for cell in suspect if cell.key == main)
    items = planted_items("RoleSwapSimilarity")
    entry = write_entry(tmp_path, "RoleSwapSimilarity", items, cell.model, ("test", "default"))
    chart = plot([entry]).to_dict()
    rows = [row for rows in chart["datasets"].values() for row in rows]
    assert not [row for row in rows if "same" in row]


def test_a_measure_without_figures_of_a_paper_has_dots_with_intervals(tmp_path):
    task = "MontagueConsistency"
    entry = write_entry(tmp_path, task, planted_items(task), place=("test", "default"))
    (figure,) = figures_of([entry])
    dots = {row["score"]: row for row in data(figure)}
    main, other = dots["montague_consistency"], dots["non_subsective_NS-Pr"]
    assert [main["value"], main["chance"]] == pytest.approx([entry.main_score, 0.5], abs=1e-3)
    assert [main["low"], main["high"]] == pytest.approx(entry.interval(), abs=1e-3)
    assert other["value"] == pytest.approx(
        MONTAGUE.flat_scores(entry.items())["non_subsective_NS-Pr"], abs=1e-3
    )
    assert other["low"] <= other["value"] <= other["high"]


@pytest.mark.parametrize("task", ["TypeTokenIdiomaticity", "EpsilonCompositionality"])
def test_a_caption_says_measure_data_and_number_of_units_in_words_for_a_paper(task, tmp_path):
    """No name of a place in a key, no command; and no key is cut, so that two look the same."""
    entries = entries_of(tmp_path, task)
    first = entries[0]
    n = int(first.scores[f"n_{first.measure.main}"])
    for figure in figures_of(entries):
        assert f"Measure: {first.measure.name}, main score {first.measure.main}." in figure.caption
        assert f"Data: {task}, {first.data}" in figure.caption
        assert f"; n = {n} ({first.measure.unit})." in figure.caption
        assert not re.search(r"\{|harness-ext", figure.caption)
        if figure.name == "by-score":
            assert "lines are their 95 % intervals" in figure.caption
            assert "…_type_spearman, " in figure.caption
            assert '"labelLimit": 0' in json.dumps(figure.chart.to_dict())


@pytest.mark.slow
def test_a_model_has_the_same_color_in_every_chart_and_the_best_stands_first(tmp_path):
    models = [f"planted/{number}" for number in range(8)]
    entries = [one for task in FULL[:2] for one in entries_of(tmp_path, task, models)]
    chart = plot(entries).to_dict()
    blocks, datasets = chart["vconcat"], chart["datasets"]
    layers = [layer["encoding"] for block in blocks for layer in block["layer"]]
    scales = [
        layer.get(channel, {}).get("scale") or {}
        for layer in layers
        for channel in ("color", "fill")
    ]
    ((names, shades),) = {
        (*map(tuple, (scale["domain"], scale["range"])),) for scale in scales if "domain" in scale
    }
    assert names == tuple(model.partition("/")[2] for model in models)
    assert len(set(shades)) == 8
    assert len(blocks) == 2
    for block in blocks:
        values = [row["value"] for row in datasets[block["data"]["name"]] if "value" in row]
        assert len(values) == 8
        assert values == sorted(values, reverse=True)


@pytest.mark.slow
def test_a_name_of_a_model_is_text(tmp_path):
    """It stands in the data, cut to a readable length, and never in an expression, a field or a
    file's name.
    """
    name = f"<script>alert(1) x'] || alert(1) || ['{'a' * 10_000}"
    entries = [
        replace(entry, model=name) for entry in entries_of(tmp_path, "EpsilonCompositionality")
    ]
    *_, boxes = figures_of(entries)
    for figure in (boxes, replace(boxes, chart=plot(entries))):
        assert len(json.dumps(figure.chart.to_dict())) < 100_000
        svg = drawn(figure)
        assert "<script" not in svg
        assert html.escape(name[:38], quote=False) in svg
