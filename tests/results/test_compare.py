"""Paired comparisons: by hand, of a model with itself, of planted models, and what is refused."""

import json
import shutil
from collections import Counter
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from datasets import load_dataset

from harness_ext.measures.core.baseline_keys import NOISE
from harness_ext.results.compare import (
    Comparison,
    ComparisonError,
    compare,
    holm,
    ranks,
)
from harness_ext.results.gate import Gate, model_of
from harness_ext.results.load import load_results
from harness_ext.results.overall import overall_places, values_of
from harness_ext.show.comparison_tables import (
    conclusion,
    matrix,
    overall_table,
    overall_tables,
    pairs,
)
from harness_ext.show.listing import Listing, render
from harness_ext.show.numbers import formatted
from harness_ext.tasks.overall import LISTS, ListedColumn
from tests.command_line import harness_ext
from tests.planted import PlantedModel, entries_of
from tests.results.measured import rename

TASK = "NounCompoundScaledSimilarityMini"


ORIGINAL = {
    row["syn"]["sentence"]: row["sentence"]
    for row in load_dataset("compound_mini", split="naturalistic")
}
"""The sentence with a compound's gold synonym -> the one with the compound."""


@cache
def shared_vector(sentence):
    """What all models have in common of a sentence."""
    return np.random.default_rng([*sentence.encode()]).normal(size=32)


def planted(name, common, seed):
    """Random vectors; a sentence and the one with the gold synonym share `common` times as much as
    is their own.
    """

    def vector(text):
        own = np.random.default_rng([seed, *text.encode()]).normal(size=32)
        return common * shared_vector(ORIGINAL.get(text, text)) + own

    return PlantedModel(vector, name)


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """A good model, one like it, and a bad one."""
    folder = tmp_path_factory.mktemp("results")
    good = planted("a/good", 2.0, seed=1)
    alike = planted("a/alike", 2.0, seed=5)
    bad = planted("a/bad", 0.5, seed=3)
    for model in (good, alike, bad):
        entries_of(model, TASK, folder, baselines=False)
    return folder


@pytest.fixture
def entries(results):
    return load_results(results).entries


def test_holm_by_hand():
    one = Comparison(
        first=None,
        second=None,
        key="",
        first_score=1.0,
        second_score=0.0,
        low=0.5,
        high=1.5,
        p_value=0.0,
        test="resamples",
        n_units=9,
        n_units_of_first=9,
        n_units_of_second=9,
        adjusted_p_value=0.0,
    )
    corrected = holm([replace(one, p_value=p) for p in (0.04, 0.01, 0.03)])
    adjusted = [each.adjusted_p_value for each in corrected]
    assert adjusted == pytest.approx([0.06, 0.03, 0.06], abs=1e-10)
    assert {each.n_comparisons for each in corrected} == {3}


def test_planted_models(entries):
    found = {}
    for each in compare(entries):
        difference = each.first.main_score - each.second.main_score
        assert each.difference == pytest.approx(difference, abs=1e-9)
        found[each.first.model, each.second.model] = each
    entry = entries[0]
    (same,) = compare([entry, entry])
    assert same.difference == 0
    assert same.low == 0
    assert same.high == 0
    assert same.p_value == 1
    assert same.n_units == 120
    assert same.test == "sign flips"
    assert found["a/alike", "a/bad"].is_significant
    assert found["a/alike", "a/bad"].low > 0
    assert not found["a/alike", "a/good"].is_significant
    places = {entry.model: str(rank) for entry, rank in ranks(entries).items()}
    assert places == {"a/good": "1–2", "a/alike": "1–2", "a/bad": "3"}


def test_slices(results):
    found = compare(load_results(results).entries, "class")
    rows = load_dataset("compound_mini", split="naturalistic")
    class_of_compound = {row["compound"]: row["class"] for row in rows}
    n_compounds = Counter(class_of_compound.values())
    for each in found:
        name = each.key.rpartition("_")[2]
        assert each.n_units == n_compounds[name]
    assert {each.key for each in found} >= {
        "sentence_scaled_sim_syn_mean_NC",
        "sentence_scaled_sim_syn_mean_C",
    }
    # none of these is better by itself
    significant = [replace(each, adjusted_p_value=0.0) for each in found[:2]]
    said = conclusion(significant)
    assert "is higher than" in said
    assert "better" not in said
    key = "sentence_scaled_sim_syn_mean_NC"
    of_one_score = compare(load_results(results).entries, score=key)
    assert {each.key for each in of_one_score} == {key}


def test_tables(entries):
    comparisons = compare(entries)
    assert "a/alike is better than a/bad" in pairs(comparisons).note
    compared, scores = matrix(entries, comparisons)
    assert compared.rows == (("1", TASK, "naturalistic", "sentence_contrast_syn"),)
    shown = {model: cell.partition("#")[2] for model, cell, *_ in scores.rows}
    assert shown == {"a/good": "1–2", "a/alike": "1–2", "a/bad": "3"}
    assert "2 of 3 differences are significant at 0.05" in scores.note
    others = [each for each in comparisons if not each.is_significant]
    assert pairs(others).note.startswith("No difference is significant at 0.05")
    two = [entry for entry in entries if entry.model != "a/alike"]
    assert pairs(compare(two)).title == "paired comparisons: A is a/bad, B is a/good"
    assert pairs(comparisons).header[3:5] == ("A", "B")


def test_figures_are_aligned_to_the_right():
    listing = Listing(
        ("name", "n"),
        (("a", "7"), ("b", "12")),
        figures=1,
    )
    (table,) = listing.rich(80)
    assert [column.justify for column in table.columns] == ["left", "right"]


def test_a_baseline_is_the_second_of_two(results):
    bad, good = load_results(results, models=["a/good", "a/bad"]).entries
    baseline = replace(bad, model="compositionality/length")
    for entries in ([baseline, good], [good, baseline]):
        (each,) = compare(entries)
        assert each.first == good
        assert each.second == baseline
        assert each.difference > 0


def test_a_table_for_latex(results):
    entry, other = load_results(results, models=["a/good", "a/bad"]).entries
    renamed = replace(entry, model="a_b & 100 % of {it} \\end")
    comparisons = compare([renamed, other])
    text = render([pairs(comparisons)], "latex")
    lines = text.splitlines()
    assert r"A is a\_b \& 100 \% of \{it\} \textbackslash{}end, B is a/good." in lines[2]
    assert lines[3] == r"\begin{tabular}{lllrrrrrrrr}"
    assert text.count(r"\begin") == 2
    assert text.count(r"\end{") == 2
    (row,) = (line for line in lines if line.strip().startswith(TASK))
    assert row.count(" & ") == 10
    assert row.endswith(r"\\")
    (comparison,) = compare([entry, other])
    digits = f"{comparison.difference:.3f}".removeprefix("-0")  # the bad model comes first
    assert f"$-${digits}" in row
    assert text.isascii()


def test_slices_of_a_single_score_are_refused(entries):
    with pytest.raises(ComparisonError, match="Either the slices by class or the score gain"):
        compare(entries, "class", score="gain")


def test_results_that_are_of_other_data_or_without_items_are_refused(results):
    one, other, *_ = load_results(results).entries
    signature = replace(other.signature, dataset="compound_mini@4")
    of_other_data = replace(other, signature=signature)
    with pytest.raises(ComparisonError, match="dataset compound_mini@3 and compound_mini@4"):
        compare([one, of_other_data])
    without_signature = replace(other, signature=None)
    with pytest.raises(ComparisonError, match=r"(?s)no signature.*--overwrite-strategy always"):
        compare([one, without_signature])
    without_items = replace(other, digests={})
    with pytest.raises(ValueError, match=r"has no items.*--overwrite-strategy always"):
        compare([one, without_items])


def test_overall_places_and_what_a_model_lacks(entries, monkeypatch):
    definition = entries[0].measure.definition
    listed = (ListedColumn(TASK, "default", definition, ("naturalistic",)),)
    monkeypatch.setitem(LISTS, "english", listed)
    values = values_of(entries)
    places = overall_places(listed, values)
    table = overall_table("english", listed, entries, values, places)
    shown = [(model, rank) for model, _, _, rank, *_ in table.rows]
    assert sorted(shown) == [("a/alike", "#1–2"), ("a/bad", "#3"), ("a/good", "#1–2")]
    assert shown[2] == ("a/bad", "#3")
    place_of_model = {row.model: place for row, place in places.items()}
    for entry in entries:  # the best possible score is 1, so the scale is the score's
        mean = place_of_model[entry.model].mean
        assert mean.score == pytest.approx(entry.main_score, abs=1e-6)
        low, high = mean.interval
        assert low < entry.main_score < high
    places_in_all = overall_places(LISTS["all"], values)
    table = overall_table("all", LISTS["all"], entries, values, places_in_all)
    lacks = {model: columns for model, *_, columns in table.rows}
    assert lacks["a/bad"].startswith("30 of 30: EpsilonCompositionality (en naturalistic), ")


def with_todays_noise(entry):
    """An entry whose noise has both kinds, the stronger as before."""
    main = entry.measure.main
    if f"noise_{main}" not in entry.scores:
        return entry
    kinds = {f"noise_text_{main}": 0.0, f"noise_neighbors_{main}": 0.0}
    return replace(entry, scores=entry.scores | kinds)


def listed_minis(entries):
    """A list with two small tasks, as measured by the entries."""
    listed = []
    for entry in entries:
        if entry.is_baseline:
            continue
        if entry.task in ("EpsilonCompositionalityMini", "TreeReconstructionMini"):
            definition = entry.measure.definition
            listed.append(ListedColumn(entry.task, entry.subset, definition, (entry.split,)))
    return tuple(listed)


def test_what_lies_over_noise_of_1_0_has_no_place(monkeypatch):
    found = []
    for entry in load_results("docs/example_results").entries:
        main = entry.measure.main
        kinds = {f"noise_text_{main}", f"noise_neighbors_{main}"}
        scores = {f"noise_{main}": 0.5, f"over_noise_{main}": 0.2, **entry.scores}
        for key in kinds & scores.keys():
            del scores[key]
        found.append(replace(entry, scores=scores))
    monkeypatch.setitem(LISTS, "english", listed_minis(found))
    assert values_of(found)
    assert not values_of(found, NOISE.difference_key)


def test_there_are_overall_places_by_score_and_by_what_lies_over_noise(monkeypatch):
    """What lies over noise counts in the columns that have it, so without trees."""
    stored = load_results("docs/example_results").entries
    found = [with_todays_noise(entry) for entry in stored]
    monkeypatch.setitem(LISTS, "english", listed_minis(found))
    by_score, over_noise = overall_tables(found)
    assert by_score.title == "overall, english"
    assert over_noise.title == "overall, english, over matched noise"
    of_epsilon = [entry for entry in found if entry.task == "EpsilonCompositionalityMini"]
    (epsilon,) = [entry for entry in of_epsilon if not entry.is_baseline]
    share = epsilon.scores["over_noise_auc_nc_vs_c"] / 0.5  # 1 − chance is .5
    _, first_cell, *_ = over_noise.rows[0]
    assert first_cell == formatted(share)


def test_few_common_units_are_refused(results):
    """Of the 120 compounds the other model has the last 40, or the last 80."""
    one, other = load_results(results, models=["a/good", "a/bad"]).entries
    compounds = one.items().compounds
    names = sorted(compounds.compound.tolist())

    def with_last(n):
        entry = replace(other)
        last = np.array(names[-n:])
        vars(entry)["_items"] = other.items().restrict("compound", last)
        return entry

    with pytest.raises(ComparisonError, match="40 of 120 units are common"):
        compare([one, with_last(40)])
    (found,) = compare([one, with_last(80)])
    assert found.n_units == 80
    assert found.n_units_of_first == 120
    assert found.n_units_of_second == 80
    (row,) = pairs([found]).rows
    assert row[-1] == "80 of 120 are common"


def test_the_command(results, measured_folder, tmp_path):
    done = harness_ext("compare", results, "-m", "a/good", "-m", "a/bad", "--format", "csv")
    header, line = done.stdout.splitlines()
    assert "adjusted_p_value" in header.split(",")
    assert ",a/bad,a/good," in line
    broken = shutil.copytree(results, tmp_path / "broken")
    for file in broken.rglob("*Mini.json"):
        file.write_text("{")
    for arguments, message in (
        ([results, "-m", "a/good"], "only one model has results, a/good. At least two are needed"),
        ([broken], "no model has results. At least two are needed"),
        (["nowhere"], "nowhere: no such folder. Name the --output-folder of `mteb run`"),
    ):
        failed = harness_ext("compare", *arguments)
        assert failed.exit_code == 2
        assert message in failed.stderr


@pytest.mark.slow
@pytest.mark.usefixtures("without_baselines")
def test_models_of_another_folder_stand_beside_ones_own(results, tmp_path):
    """Where both folders have a model, one's own counts; of the other only what one's own was
    measured on.
    """
    mine = tmp_path / "mine"
    board = tmp_path / "board"
    entries_of(planted("me/mine", 1, 7), TASK, mine)
    entries_of(planted("me/mine", 3, 8), TASK, board)
    entries_of(planted("a/model", 1, 9), TASK, board)
    entries_of(planted("a/model", 1, 9), "NounCompoundAffinityMini", board)
    done = harness_ext("compare", mine, "--with", board, "--format", "json")
    compared = json.loads(done.stdout)
    for row in compared:
        assert row["task"] == TASK
        assert {row["first"], row["second"]} == {"me/mine", "a/model"}
    of_board = load_results(board, TASK, "a/model").entries
    of_mine = load_results(mine).entries
    expected = [each.difference for each in compare(of_board + of_mine)]
    assert expected
    assert [row["difference"] for row in compared] == pytest.approx(expected)
    chosen = harness_ext("compare", mine, "--with", board, "-m", "mine", "-m", "a/model")
    assert chosen.exit_code == 0, chosen.output
    refused = harness_ext("compare", mine, "--with", tmp_path / "leaderboard")
    assert refused.exit_code == 2
    assert "clone the repository, and name CHECKOUT/leaderboard" in refused.stderr


def test_a_gate_is_red_if_another_model_is_worse(results):
    red = harness_ext("compare", results, "--fail-if-worse", "a/good", "--format", "json")
    assert red.exit_code == 1, red.output
    shown = json.loads(red.stdout)
    # columns × other models, not the pair of both others
    assert {row["n_comparisons"] for row in shown} == {2}
    models = set()
    for row in shown:
        models |= {row["first"], row["second"]}
    assert models == {"a/good", "a/alike", "a/bad"}
    assert red.stderr == "a/bad is significantly worse than a/good in 1 of 2 comparisons.\n"


def test_a_gate_is_green_if_none_is_worse(results):
    for arguments in (
        ["--fail-if-worse", "bad"],
        ["--fail-if-worse", "good", "-m", "alike"],
    ):
        green = harness_ext("compare", results, *arguments)
        assert green.exit_code == 0, green.output
        assert "No model is significantly worse than a/" in green.stdout


def test_a_gate_corrects_for_the_models_shown(entries):
    """A loss that is significant alone is not beside another comparison."""
    good, alike = (entry for entry in entries if entry.model in {"a/good", "a/alike"})
    compared = [good, alike]
    reference = model_of(good)
    (pair,) = compare(compared)
    lost = replace(
        pair,
        first=good,
        second=alike,
        first_score=0.4,
        second_score=0.3,
        p_value=0.03,
    )
    assert lost.better is good
    gate = Gate.of(reference, compared, [lost])
    assert gate.n_losses == {model_of(alike): 1}
    another = replace(lost, p_value=0.5)
    assert not Gate.of(reference, compared, [lost, another]).n_losses


def test_a_gate_knows_scores_that_are_better_when_lower():
    found = load_results("docs/example_results", "TreeReconstructionMini").entries
    (pair,) = compare(found, score="tre_mean")
    assert pair.first_score != pair.second_score
    lower = pair.first if pair.first_score < pair.second_score else pair.second
    assert pair.better is lower


@pytest.mark.slow
@pytest.mark.usefixtures("without_baselines")
def test_a_gate_that_could_compare_nothing_is_neither(results, tmp_path):
    apart = shutil.copytree(results, tmp_path / "apart")
    entries_of(planted("a/apart", 1, 7), "NounCompoundAffinityMini", apart)
    twice = shutil.copytree(results, tmp_path / "twice")
    rename(twice, "a/bad", "a/good")
    (of_bad,) = (twice / "results" / "a__bad").iterdir()
    of_bad.rename(of_bad.with_name("of-bad"))
    neither = ("--score", "sentence_scaled_sim_syn_mean_NC")
    for arguments, message in (
        ([results, "--fail-if-worse", "a/none"], "a/none: no such model"),
        ([results, "--fail-if-worse", "a/"], "a/ may be any of"),
        ([results, "--fail-if-worse", ""], "no such model"),
        ([results, "--fail-if-worse", "a/good", "-m", "a/good"], "only one model has results"),
        ([apart, "--fail-if-worse", "a/apart"], "no other model shown was measured on what"),
        ([results, "--fail-if-worse", "a/good", *neither], "neither direction is better"),
        ([twice, "--fail-if-worse", "a/good"], "2 revisions of this model match"),
        ([twice, "--fail-if-worse", "a/good@none"], "0 revisions of this model match"),
    ):
        failed = harness_ext("compare", *arguments)
        assert failed.exit_code == 2, failed.output
        assert message in failed.stderr
    named = harness_ext("compare", twice, "--fail-if-worse", "a/good@of")
    assert named.exit_code == 0, named.output


@pytest.mark.slow
@pytest.mark.usefixtures("without_baselines")
def test_what_a_gate_could_not_compare_is_named(results, tmp_path):
    folder = shutil.copytree(results, tmp_path / "folder")
    entries_of(planted("a/bad", 1, 7), "NounCompoundAffinityMini", folder)
    done = harness_ext("compare", folder, "--fail-if-worse", "a/bad")
    assert done.exit_code == 0, done.output
    missing = "has no result: NounCompoundAffinityMini (naturalistic)."
    assert f"Not compared, as a/good {missing}" in done.stdout
    (damaged,) = folder.rglob("NounCompoundAffinityMini.json")
    damaged.write_text("{")
    for name, status in (("a/bad", 2), ("a/good", 1)):
        done = harness_ext("compare", folder, "--fail-if-worse", name)
        assert done.exit_code == status, done.output
        assert "NounCompoundAffinityMini.json" in done.stderr
