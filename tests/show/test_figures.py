"""Figures of made-up items: their data by hand, their files, and what they do with little, much and nothing."""

import html
import json
import re
from dataclasses import replace

import numpy as np
import pytest
import scipy
import vl_convert

from harness_ext.measures.core.baseline_keys import additive_key, gain_key
from harness_ext.measures.montague.consistency import MONTAGUE
from harness_ext.measures.noun_compounds.affinity import affinities
from harness_ext.results.published import published_cells
from harness_ext.show.figures import figures_of, gains, main_scores, save_figures, task_scores
from harness_ext.show.figures.parts import box
from harness_ext.show.papers.montague import predicted_intersective, predicted_non_subsective, predicted_pair
from harness_ext.show.report.pages import pictures
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
    return [write_entry(folder, task, items, model) for items, model in zip(made, models, strict=True)]


@pytest.mark.slow
@pytest.mark.parametrize("task", FULL)
def test_every_measure_has_figures_that_can_be_drawn(task, tmp_path):
    figures = list(figures_of(entries_of(tmp_path, task, ["planted/one", "planted/other"], n=12)))
    assert figures
    assert len({figure.name for figure in figures}) == len(figures)
    for figure in figures:
        assert re.fullmatch(r"[A-Za-z0-9._-]+", figure.name)
        assert figure.caption.endswith(f"{task}, en naturalistic: planted/one and planted/other.")
        assert len(figure.caption) > 150
        assert "<svg" in drawn(figure)
        assert figure.chart.to_dict()["background"] == "transparent"


def test_epsilons_by_hand(tmp_path):
    """Medians, quartiles and numbers of both ε in each class."""
    items = planted_items("EpsilonCompositionality", n=60)
    (boxes,) = figures_of([write_entry(tmp_path, "EpsilonCompositionality", items)])
    classes = items.classes_of_samples(items.samples)
    for name, group in (("C", "compositional (C)"), ("PC", "partly (PC)"), ("NC", "idiomatic (NC)")):
        for label, context, phrase in (
            ("idiomaticity-ε", items.samples.context_distance, items.samples.phrase_distance),
            ("baseline-ε", items.samples.baseline_context_distance, items.samples.baseline_phrase_distance),
        ):
            epsilon = (context / phrase - 1)[classes == name]
            (drawn_box,) = (row for row in data(boxes) if (row["group"], row["colour"]) == (group, label))
            assert drawn_box["n"] == len(epsilon) == 80
            assert drawn_box["median"] == pytest.approx(np.median(epsilon), rel=1e-3)
            assert [drawn_box["low"], drawn_box["high"]] == pytest.approx(np.percentile(epsilon, (25, 75)), rel=1e-3)


def test_a_box_by_hand():
    """Of 0 to 200, NaN and infinities left out."""
    found = box(np.array([*range(201), np.nan, np.inf]), "group", "name", {"model": "a"})
    assert found == {"model": "a", "group": "group", "colour": "name", "n": 201,
                     "lowest": 1, "low": 50, "median": 100, "high": 150, "highest": 199}  # fmt: skip


def test_similarities_stand_beside_those_of_the_ideal_model(tmp_path):
    items = planted_items("NounCompoundAffinity", spans=False)
    entry = write_entry(tmp_path, "NounCompoundAffinity", items)
    figures = {figure.name: figure for figure in figures_of([entry])}

    def medians(name):
        rows = data(figures[f"NounCompoundAffinity-sentence-{name}"])
        return {(row["group"], row["colour"]): row["median"] for row in rows}

    found = medians("similarity")
    human = np.nanmedian(np.repeat(items.compounds.comp, 2)) / 5
    assert (found["gold synonym", "ideal model"], found["unrelated", "ideal model"]) == (1, 0)
    assert found["words' synonyms", "ideal model"] == pytest.approx(human, rel=1e-3)
    here = items.similarities
    assert found["gold synonym", "measured"] == pytest.approx(np.median(here.similarity[here.probe == "syn"]), rel=1e-3)
    found = medians("affinity")
    assert found["gold over words' synonyms", "ideal model"] == pytest.approx(1 - human, rel=1e-3)
    difference = here.similarity[here.probe == "syn"] - here.similarity[here.probe == "words_syn"]
    assert found["gold over words' synonyms", "measured"] == pytest.approx(np.median(difference), abs=1e-3)
    of_idioms = np.median(difference[np.repeat(items.compounds.class_, 2) == "NC"])
    found = medians("affinity-by-class")
    assert found["gold over words' synonyms", "idiomatic"] == pytest.approx(of_idioms, abs=1e-3)


def test_ratios_of_scaled_similarity_by_hand(tmp_path):
    """Sim(rand) = .5: a gold synonym at .9 keeps .8, words' synonyms at .7 keep .4, so the ratio is 2."""
    items = planted_items("NounCompoundScaledSimilarity", spans=False)
    probes = items.similarities.probe
    similarity = np.select([probes == "syn", probes == "words_syn"], [0.9, 0.7], 0.5)
    items = replace(items, similarities=replace(items.similarities, similarity=similarity))
    figures = figures_of([write_entry(tmp_path, "NounCompoundScaledSimilarity", items)])
    (ratios,) = (data(figure) for figure in figures if figure.name.endswith("-sentence-scaled-ratio"))
    assert {row["median"] for row in ratios if row["colour"] == "measured"} == {2}
    ideal = 5 / items.compounds.comp[items.compounds.class_ == "NC"]
    (drawn_ideal,) = (row for row in ratios if (row["group"], row["colour"]) == ("idiomatic (NC)", "ideal model"))
    assert drawn_ideal["median"] == pytest.approx(np.median(ideal[ideal <= 10]), rel=1e-3)


def test_the_correlogram_holds_every_two_models_and_people_and_marks_what_is_not_significant(tmp_path):
    items = planted_items("NounCompoundAffinity", spans=False)
    other = planted_items("NounCompoundAffinity", 1, spans=False)
    turned = replace(items, similarities=replace(items.similarities, similarity=-items.similarities.similarity))
    entries = [
        write_entry(tmp_path, "NounCompoundAffinity", one, model)
        for model, one in (("p/a", items), ("p/b", items), ("p/turned", turned), ("p/other", other))
    ]
    (figure,) = (figure for figure in figures_of(entries) if "correlogram" in figure.name)
    cells = {(row["key"], row["row"], row["column"]): row for row in data(figure)}
    assert len(cells) == 2 * 25
    of_compounds = [affinities(one, "sentence") for one in (items, other)]
    for key, name in (("P_Syn", "sim_syn"), ("A_Syn|WordsSyn", "affinity_syn_words_syn")):
        assert cells[key, "a", "b"]["value"] == 1
        assert cells[key, "a", "turned"]["value"] == cells[key, "turned", "a"]["value"] == -1
        people = cells[key, "a", "people: idiomatic"]
        assert people["value"] == pytest.approx(-entries[0].scores[f"sentence_{name}_spearman"], abs=1e-3)
        assert ("mark" in people) == (entries[0].scores[f"sentence_{name}_spearman_p"] >= 0.05)
        both = zip((items, other), of_compounds, strict=True)
        found = scipy.stats.spearmanr(*(one.per_compound(values[name]) for one, values in both))
        assert cells[key, "a", "other"]["value"] == pytest.approx(found.statistic, abs=1e-3)
        assert ("mark" in cells[key, "a", "other"]) == (found.pvalue >= 0.05)
        assert "mark" not in cells[key, "a", "turned"]
    assert {"mark" in cell for cell in cells.values()} == {True, False}
    assert drawn(figure).count(">✕<") == sum("mark" in cell for cell in cells.values())


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
        "{level}-similarity-by-class": ("", "", SIMILARITIES),
        "{level}-affinity": (NCIMP, "Fig. 3", AFFINITIES),
        "{level}-affinity-by-class": (NCIMP, "Fig. 4", AFFINITIES),
        "{level}-correlogram": (NCIMP, "Fig. 10", {"P_Syn", "A_Syn|WordsSyn"}),
    },
    "NounCompoundScaledSimilarity": {
        "{level}-scaled": (NCIMP, "Fig. 5", SCALED),
        "{level}-scaled-by-class": (NCIMP, "Figs. 6 and 7", SCALED),
        "{level}-scaled-ratio": (NCIMP, "Figs. 8 and 9", CLASSES),
        "{level}-correlogram": (NCIMP, "Fig. 10", {"Sim_R|Syn"}),
    },
}
"""Task -> figure -> the paper, its figures, and what they are of: groups of boxes, or keys."""


@pytest.mark.parametrize("task", OF_PAPERS)
def test_a_caption_names_the_figures_of_the_paper_that_draw_the_same(task, tmp_path):
    figures = {figure.name.removeprefix(f"{task}-"): figure for figure in figures_of(entries_of(tmp_path, task))}
    expected = {
        name.format(level=level): about for name, about in OF_PAPERS[task].items() for level in ("sentence", "span")
    }
    assert figures.keys() == expected.keys()
    for name, (paper, which, drawn_keys) in expected.items():
        said = re.findall(r"Follows (Figs?\. .+?) of (He et al\. 2025|Wold et al\.)", figures[name].caption)
        assert said == ([(which, paper)] if which else []), name
        of_the_compound = name.startswith("sentence-") and which not in ("", "Fig. 1")
        assert ("The paper's are of the compound" in figures[name].caption) == of_the_compound, name
        key = "key" if name.endswith("correlogram") else "group"
        assert {row[key] for row in data(figures[name])} == drawn_keys, name


def test_set_theory():
    """MONT §3: what is intersective, subsective and privative."""
    assert [predicted_pair("S-I", kind) for kind in ("S-I", "S-NI", "NS-Pl", "NS-Pr")] == [0.5, 1, 1, 1]
    assert predicted_pair("NS-Pl", "S-I") == 0
    assert np.isnan(predicted_pair("S-I", "A"))
    assert np.isnan(predicted_pair("S-NI", "NS-Pr"))
    assert predicted_intersective("S-I") == predicted_intersective("S-I", "S-I") == 1
    assert predicted_intersective("S-I", "NS-Pr") == predicted_intersective("A", "S-NI") == 0
    assert np.isnan(predicted_intersective("A", "S-I"))
    assert [predicted_non_subsective(kind) for kind in ("S-I", "S-NI", "NS-Pl", "NS-Pr")] == [0, 0, 1, 1]


@pytest.mark.parametrize("doubles", [True, False])
def test_montague_cells_are_the_scores(doubles, tmp_path):
    items = planted_items("MontagueConsistency", doubles=doubles)
    entry = write_entry(tmp_path, "MontagueConsistency", items, place=("test", "default"))
    pairs, types = figures_of([entry])
    scores = MONTAGUE.flat_scores(items)
    cells = [row for row in data(pairs) if row["model"] != "set theory"]
    assert len(cells) == (75 if doubles else 25)
    kinds = {"pairs of nouns (Eq. 5)": "pair", "two adjectives (Eq. 3)": "intersective"}
    for row in cells:
        kind = kinds.get(row["test"], "partition")
        assert row["value"] == pytest.approx(scores[f"{kind}_{row['row']}_{row['column']}"], abs=1e-3)
    (dot,) = (row for row in data(types) if row["test"].startswith("nearer") and row["type"] == "NS-Pr")
    assert dot["value"] == pytest.approx(scores["non_subsective_NS-Pr"], abs=1e-3)
    assert dot["low"] <= dot["value"] <= dot["high"]
    assert dot["predicted"] == 1


def test_types_and_tokens_are_the_human_scores_and_cosines(tmp_path):
    """A model without words in sentences has no tokens."""
    items = planted_items("TypeTokenIdiomaticity")
    (without,) = entries_of(tmp_path, "TypeTokenIdiomaticity", ["planted/sentences"], spans=False)
    types, tokens = figures_of([without, write_entry(tmp_path, "TypeTokenIdiomaticity", items)])
    assert len({(row["model"], row["comparison"]) for row in data(types)}) == 6
    assert {row["model"] for row in data(tokens)} == {"one"}
    assert [figure.name for figure in figures_of([without])] == ["TypeTokenIdiomaticity-types"]
    shown = [row for row in data(tokens) if row["comparison"].endswith("itself alone") and "x" in row]
    here = items.compared("nc_out")
    rounded = {(name, float(f"{value:.4g}")) for name, value in zip(here.compound, here.similarity, strict=True)}
    assert {(row["compound"], row["y"]) for row in shown} == rounded
    of_one = [row for row in data(types) if row["model"] == "one" and row["comparison"].startswith("alone")]
    (rho,) = {row["rho"] for row in of_one if "rho" in row}
    scores = ENCODER_TASKS["TypeTokenIdiomaticity"].measure.flat_scores(items)
    assert rho == f"ρ = {scores['phrase_additivity_type_spearman']:.2f}".replace("-", "−")


def test_main_scores_with_intervals_chance_and_published_models(tmp_path):
    name = "sentence-transformers/all-MiniLM-L6-v2"
    entries = entries_of(tmp_path, "EpsilonCompositionality", [name, "planted/other"])
    rows = data(task_scores(entries))
    (measured,) = (row for row in rows if row["model"] == "other" and row["low"] is not None)
    assert measured["value"] == pytest.approx(entries[1].main_score, abs=1e-3)
    assert [measured["low"], measured["high"]] == pytest.approx(entries[1].interval(), abs=1e-3)
    assert measured["chance"] == 0.5
    assert [row["same"] for row in rows if "same" in row] == [0.346, 0.432, 0.484]  # EPS Table 1, S-BERT
    cells = published_cells("EpsilonCompositionality")
    others = {cell.value for cell in cells if re.fullmatch("rank_share_P?N?C", cell.key) and cell.model != name}
    assert {row["published"] for row in rows if "published" in row} == others
    assert "<svg" in drawn(task_scores(entries))


@pytest.mark.slow
def test_a_model_has_the_same_colour_in_every_overview_and_the_best_stands_first(tmp_path):
    models = [f"planted/{number}" for number in range(8)]
    entries = [one for task in FULL[:2] for one in entries_of(tmp_path, task, models)]
    gained = [
        replace(one, scores={**one.scores, gain_key(one.measure.main): 0.1, additive_key(one.measure.main): 0.2})
        for one in entries[3:]
    ]
    charts = [figure.chart.to_dict() for figure in (main_scores(entries), gains([*entries[:3], *gained]))]
    layers = [layer["encoding"] for chart in charts for block in chart["vconcat"] for layer in block["layer"]]
    scales = [layer.get(channel, {}).get("scale") or {} for layer in layers for channel in ("color", "fill")]
    ((names, shades),) = {(*map(tuple, (scale["domain"], scale["range"])),) for scale in scales if "domain" in scale}
    assert names == tuple(model.partition("/")[2] for model in models)
    assert len(set(shades)) == 8
    (parts,) = (one["specs"] for one in pictures([main_scores(entries)]))
    assert len(parts) == 2
    for part in parts:
        (rows,) = part["datasets"].values()  # its own alone
        values = [row["value"] for row in rows if "value" in row]
        assert len(values) == 8
        assert values == sorted(values, reverse=True)


@pytest.mark.parametrize(("form", "first"), [("pdf", b"%PDF"), ("svg", b"<svg"), ("png", b"\x89PNG")])
def test_files_for_papers(form, first, tmp_path):
    figures = list(figures_of(entries_of(tmp_path, "TreeReconstruction")))
    (file,) = save_figures(figures, tmp_path / "new" / "figures", form)
    assert file.name == f"TreeReconstruction-errors.{form}"
    assert file.read_bytes().startswith(first)
    assert form != "svg" or re.search(r'<rect[^>]*fill="white"', file.read_text(encoding="utf-8"))
    assert file.with_suffix(".txt").read_text(encoding="utf-8") == f"{figures[0].title}\n\n{figures[0].caption}\n"
    with pytest.raises(ValueError, match=r"gif: no such format of figures\. There are: pdf, svg, png"):
        save_figures(figures, tmp_path, "gif")


@pytest.mark.slow
def test_a_name_of_a_model_is_text(tmp_path):
    """It stands in the data, cut to a readable length, and never in an expression, a field or a file's name."""
    name = f"<script>alert(1) x'] || alert(1) || ['{'a' * 10_000}"
    entries = [replace(entry, model=name) for entry in entries_of(tmp_path, "EpsilonCompositionality")]
    assert re.fullmatch(r"[A-Za-z0-9._-]{1,100}", replace(task_scores(entries), name=f"../../{name}").name)
    for figure in (*figures_of(entries), task_scores(entries)):
        assert re.fullmatch(r"[A-Za-z0-9._-]{1,100}", figure.name)
        assert len(figure.caption) < 2000
        assert len(json.dumps(figure.chart.to_dict())) < 100_000
        svg = drawn(figure)
        assert "<script" not in svg
        assert html.escape(name[:38], quote=False) in svg
