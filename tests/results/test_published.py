"""The papers' tables: what is shipped, how it is read, looked up and laid out."""

import math
import re
from collections import Counter
from importlib.resources import files
from itertools import chain, product
from pathlib import Path

import pytest

from harness_ext.results.published import (
    TELLING_KEYS,
    Notes,
    ResultKey,
    cells_of_file,
    published_cells,
    published_of,
    published_scores,
    references,
)
from harness_ext.show.explain import explain
from harness_ext.show.published_tables import published_rows, published_tables
from harness_ext.tasks import TASKS
from harness_ext.tasks.papers import PAPER_MODELS, published_as

COUNTS = {
    "EpsilonCompositionality": 224,
    "NounCompoundAffinity": 1485,
    "NounCompoundScaledSimilarity": 285,
    "MontagueConsistency": 400,
    "PolaritySensitivity": 42,
    "TreeReconstruction": 8,
    "TypeTokenIdiomaticity": 162,
    "IdiomRetrieval": 300,
}
IN_SPLITS = {"PolaritySensitivity": 2}
"""In how many splits a cell stands, where its paper leaves the split open: pairs of people and
those of a system.
"""
COMPUTED = {"RoleSwapSimilarity": 138}
"""Not printed in a table, but computed from the similarities that are published."""
ROOT = Path(__file__).parents[2]
MINILM = ResultKey("sentence-transformers/all-MiniLM-L6-v2", "en", "naturalistic")


@pytest.mark.parametrize(("task", "count"), (COUNTS | COMPUTED).items())
def test_every_cell_is_shipped_and_printed_once(task, count):
    cells = published_cells(task)
    n_cells = count * IN_SPLITS.get(task, 1)
    places = {(cell.result_key, cell.key) for cell in cells}
    assert len(places) == len(cells) == n_cells
    assert all(math.isfinite(cell.value) for cell in cells)
    shown = []
    for table in published_tables(task, cells):
        for row in table.rows:
            figures = "±".join(row[len(row) - table.figures :])
            shown += filter(str.strip, figures.split("±"))
    assert len(shown) == count
    n_suspect = sum(cell.suspect for cell in cells)
    n_marked = sum("†" in figure for figure in shown)
    assert n_suspect == n_marked * IN_SPLITS.get(task, 1)


def test_every_table_is_declared_by_a_measure_and_listed_on_their_page():
    counts = COUNTS | COMPUTED
    assert counts.keys() == TELLING_KEYS.keys()
    declared = {}
    for task, count in counts.items():
        measure = TASKS[task].measure
        folder = measure.package.removeprefix("harness_ext.").replace(".", "/")
        declared[f"{folder}/{measure.published}"] = str(count)
    listed = re.findall(r"^\| `(measures/.+)` \| (\d+) \|", page_of_tables(), re.MULTILINE)
    assert dict(listed) == declared
    package = ROOT / "harness_ext"
    shipped = {path.relative_to(package).as_posix() for path in package.glob("measures/**/*.csv")}
    assert shipped == declared.keys()
    assert published_cells("EpsilonCompositionalityMini") == ()
    assert published_cells("no task") == ()


def page_of_tables():
    page = files("harness_ext.results") / "published.md"
    return page.read_text(encoding="utf-8")


def tables_of(task):
    """The tables of a task by their titles."""
    tables = published_tables(task, published_cells(task))
    return {table.title: table for table in tables}


def cells_by_column(table):
    """First cell of a row -> column -> its cell."""
    rows = {}
    for row in table.rows:
        rows[row[0]] = dict(zip(table.header, row, strict=True))
    return rows


def test_the_row_of_sentence_bert():
    """Tables 1, 3 and 4 of the ε paper, last digits included."""
    scores = published_scores("EpsilonCompositionality")
    printed = {key: cell.printed for key, cell in scores[MINILM].items()}
    assert printed == {
        "p_value_C": "1.000",
        "p_value_PC": "1.000",
        "p_value_NC": "0.850",
        "rank_share_C": "0.346",
        "rank_share_PC": "0.432",
        "rank_share_NC": "0.484",
        "rank_share_modifier_C": "0.344",
        "rank_share_modifier_PC": "0.438",
        "rank_share_modifier_NC": "0.545",
        "rank_share_head_C": "0.350",
        "rank_share_head_PC": "0.425",
        "rank_share_head_NC": "0.417",
        "phrase_distance_mean": "0.604",
        "phrase_distance_std": "0.170",
        "context_distance_mean": "0.081",
        "context_distance_std": "0.069",
    }
    bert = ResultKey("google-bert/bert-base-uncased (pooling=cls+sep)", "en", "naturalistic")
    assert scores[bert]["rank_share_modifier_NC"].value == 0.509


def test_references_are_of_the_same_data_where_there_is_any():
    """The measured model itself is none of them."""
    everywhere = references("NounCompoundAffinity", ())
    data = {(place.subset, place.split) for place in everywhere}
    assert data == {*product(("en", "pt"), ("naturalistic", "neutral"))}
    measured = {ResultKey(model, "pt", "neutral") for model in ("my/encoder", "ELMo")}
    here = references("NounCompoundAffinity", measured)
    assert {place[1:] for place in here} == {("pt", "neutral")}
    assert len(here) == 8
    assert ResultKey("ELMo", "pt", "neutral") not in here
    assert here["GloVe", "pt", "neutral"]["span_affinity_syn_words_syn_spearman"].value == 0.37
    assert references("EpsilonCompositionalityMini", ()) == {}


def test_a_table_is_as_the_paper_has_it():
    """Means and standard deviations side by side, cells that are not there empty, every
    note below.
    """
    tables = tables_of("NounCompoundAffinity")
    table = tables["NCIMP T10: en naturalistic"]
    assert "sentence_sim_rand_mean±std" in table.header
    affinity = tables["NCIMP T12: pt neutral"]
    assert affinity.note == "† suspect: pools sentence and NC level (T10 and T11)"
    for _, *figures in affinity.rows:
        for figure in figures:
            assert re.fullmatch(r"-?\.\d+† ± \.\d+†", figure)
    rows = cells_by_column(tables["NCIMP T2: en naturalistic"])
    assert rows["Word2Vec"]["sentence_sim_syn_spearman"] == ".30"
    assert rows["Word2Vec"]["sentence_sim_words_syn_spearman"] == ""


def test_a_table_that_stands_in_two_splits_is_printed_once():
    """PSS Table 1, of pairs by people or by a system: with relative PSS, and a record per split."""
    cells = published_cells("PolaritySensitivity")
    (table,) = published_tables("PolaritySensitivity", cells)
    assert table.title == "PSS T1: reference, system"
    rows = cells_by_column(table)
    assert [*rows] == ["BERT", "ELMo", "USE DAN", "USE Transformer"]
    assert rows["BERT"]["fb_linear_relative_pss"] == ".751*"
    assert rows["BERT"]["ft_linear_relative_pss"] == ".907*"
    splits = Counter(record["split"] for record in table.data)
    assert splits == {"reference": 42, "system": 42}


def test_marks_are_daggers_for_suspect_cells_and_asterisks_for_others(tmp_path):
    lines = [
        "model,subset,split,key,value,table,note",
        "m,en,s,a,0.50,T,",
        "m,en,s,b,-0.10,T,suspect: x",
        "m,en,s,c,1.0,T,no key yet: y",
        "m,en,s,d,2,T,suspect: z",
    ]
    path = tmp_path / "Some.csv"
    path.write_text("\n".join(lines), encoding="utf-8")
    cells = cells_of_file(path)
    notes = Notes()
    assert [notes.marked(cell) for cell in cells] == [".50", "-.10†", "1.0*", "2††"]
    assert notes.lines() == ["† suspect: x", "* no key yet: y", "†† suspect: z"]
    assert [cell.value for cell in cells] == [0.5, -0.1, 1, 2]
    assert [cell.has_key for cell in cells] == [True, True, False, True]


def test_a_measured_model_meets_what_its_paper_published_under_its_own_label():
    use = published_of(
        "TreeReconstruction",
        ResultKey("google/universal-sentence-encoder-large-5", "default", "dev"),
    )
    assert use["compositionality"].value == 0.168
    name = "google-bert/bert-base-uncased (pooling=concat_last4_words, injected=mine.txt)"
    bertram = published_of("TypeTokenIdiomaticity", ResultKey(name, "en", "naturalistic"))
    assert bertram["nc_out_type_spearman"].value == 0.28
    assert not published_of("TypeTokenIdiomaticity", ResultKey(name, "pt", "naturalistic"))


def test_every_label_of_the_tables_is_that_of_a_model_unless_no_paper_says_which_one_it_is():
    models = list(chain.from_iterable(PAPER_MODELS.values()))
    unmet = set()
    for task in COUNTS:
        for label, subset, _ in published_scores(task):
            if "/" in label or label.startswith("Cordeiro et al."):  # a name, or quoted, not run
                continue
            if not any(label in published_as(model.name, task, subset) for model in models):
                unmet.add((label, subset))
    assert unmet == {("BERTRAM", "pt")}


def test_what_a_paper_predicts_stands_below_what_it_printed_and_in_explain():
    """NCIMP §§4.1 and 4.2: a synonym of the whole is near to every compound, idiomatic or not."""
    task = "NounCompoundAffinity"
    tables = tables_of(task)
    of_affinity = tables["NCIMP T5: en naturalistic"].note.splitlines()
    assert (
        "The paper predicts of span_affinity_syn_words_syn_spearman: below 0; true of 0 of the 8 "
        "published."
    ) in of_affinity
    assert (
        "The paper predicts of span_affinity_syn_rand_spearman: no correlation; true of 0 of the 8 "
        "published."
    ) in of_affinity
    of_similarity = tables["NCIMP T2: en naturalistic"].note
    # one is printed, the others have no significance
    assert "sentence_sim_words_syn_spearman: above 0; true of 1 of the 9" in of_similarity
    assert "The paper predicts" not in tables["NCIMP T4: en naturalistic"].note
    below = published_rows(task, references(task, ()))
    assert "The paper predicts of span_affinity_syn_words_syn_spearman: below 0" in below.note
    assert "its paper predicts: below 0" in explain("span_affinity_syn_words_syn_spearman")
    assert "its paper predicts: above 0" in explain("sentence_sim_comp_spearman_no_overlap")
    assert "its paper predicts" not in explain("sentence_sim_rand_spearman")
    assert "its paper predicts" not in explain("sentence_sim_syn_spearman_type")


def test_a_star_marks_each_model_that_the_text_of_the_paper_calls_otherwise():
    """EPS §5, beside the names that its rule gives by the p-values of Table 1."""
    task = "EpsilonCompositionality"
    table = tables_of(task)["EPS T1: en naturalistic"]
    names = {model: name for model, name, *_ in table.rows}
    starred = {model: name for model, name in names.items() if name.endswith(" *")}
    bert = "google-bert/bert-base-uncased (pooling=cls+sep)"
    sgpt = "Muennighoff/SGPT-125M-weightedmean-nli-bitfit"
    assert starred == {
        bert: "PC alone treated as whole *",
        sgpt: "human-aligned *",
    }
    lines = table.note.splitlines()
    assert f"* In the paper's text {bert} is to a lesser extent human-aligned." in lines
    assert f"* In the paper's text {sgpt} is anti-compositional." in lines
    assert "the rank share of each class, where .5 means none" in table.note
    assert "AUC" not in table.note
    alone = [cell for cell in published_cells(task) if cell.model == MINILM.model]
    first_table, *_ = published_tables(task, alone)
    assert "In the paper's text" not in first_table.note


def test_what_the_page_says_of_contradictions_is_in_the_tables():
    text = " ".join(page_of_tables().split())
    montague = published_scores("MontagueConsistency")
    for model, label, type_ in (
        ("DPR", "DPR has", "NS-Pr"),
        ("sentence-transformers/LaBSE", "LaBSE", "NS-Pl"),
        ("sentence-transformers/allenai-specter", "Specter", "NS-Pr"),
    ):
        scores = montague[ResultKey(model, "default", "test")]
        printed = scores[f"non_subsective_{type_}"].printed.removeprefix("0")
        assert f"{label} {printed} for {type_}" in text
    bert = ResultKey("google-bert/bert-large-uncased (pooling=mean_last4)", "en", "naturalistic")
    scores = published_scores("NounCompoundAffinity")[bert]
    assert scores["span_affinity_syn_words_syn_mean_grey_matter"].printed == "-0.23"
    assert "−.23 in Table 8 (A_Syn|WordsSyn, BERT)" in text
    added = published_scores("NounCompoundAffinity")[
        ResultKey("neuralmind/bert-large-portuguese-cased (pooling=mean_last4)", "pt", "neutral")
    ]
    assert added["span_sim_syn_spearman_standardised"].printed == "0.79"


def test_both_readings_of_a_sentence_vector_meet_the_rows_of_ncimp():
    """The authors' code takes all tokens; the words alone are our reading."""
    checkpoint = "google-bert/bert-base-multilingual-cased"
    for pooling in ("mean_last4", "mean_last4_words"):
        measured = ResultKey(f"{checkpoint} (pooling={pooling})", "en", "naturalistic")
        cells = published_of("NounCompoundAffinity", measured)
        assert cells["sentence_sim_rand_mean"].table == "NCIMP T10"
        assert cells["span_sim_rand_mean"].table == "NCIMP T11"
    models = [model for model in PAPER_MODELS["NCIMP"] if "mean_last4" in model.name]
    theirs = models[::2]
    ours = models[1::2]
    assert theirs
    for model, reading in zip(theirs, ours, strict=True):
        assert model.name.endswith("=mean_last4)")
        assert model.remark == ""
        assert reading.name.endswith("=mean_last4_words)")
        assert reading.remark == "our reading"
        assert model.label == reading.label
        assert model.language == reading.language
