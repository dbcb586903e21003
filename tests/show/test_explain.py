"""`harness-ext explain` on words of the papers, and on what nobody wrote."""

import pytest

from harness_ext.common.errors import UnknownNameError
from harness_ext.show.explain import explain
from harness_ext.show.terms import TERMS
from tests.command_line import harness_ext


@pytest.mark.parametrize(
    ("words", "key", "meaning"),
    [
        ("PSS", "fb_linear_pss", "original and rewrite are both labeled correctly"),
        ("TRE", "tre_mean", "mean cosine distance of a sentence vector from its composed words"),
        ("tree impurity", "spearman_tre_ti", "|label of the root − mean label of all nodes|"),
        ("contrast", "sentence_contrast_syn", "(d(rand) − d(syn)) / (d(rand) + d(syn))"),
        ("ε", "p_value_C", "idiomaticity-ε = d(ac, bc)/d(a, b) − 1"),
        ("Garcia", "phrase_additivity_type_spearman", "NCTTI: Garcia et al. 2021"),
    ],
)
def test_words_of_the_papers_have_answers(words, key, meaning):
    """The nearest score first; case and hyphens tell nothing apart."""
    text = explain(words)
    assert text.startswith(f"{key}  (")
    assert meaning in text
    first_line, _, _ = text.partition("\n")
    otherwise = explain(words.upper().replace("-", " "))
    assert otherwise.startswith(f"{first_line}\n")


def test_other_scores_with_the_words_have_a_line_each():
    text = explain("tre")
    assert text.count("computed as") == 1
    assert "  spearman_tre_ti: TRE and tree impurity  (PSS paper §4)" in text.splitlines()
    assert explain("PSS").endswith(" more")
    assert explain("pss", "polarity_sensitivity_mini").startswith("pss  (")
    assert "fb_linear_pss" not in explain("polarity sensitivity", "polarity_sensitivity_mini")


@pytest.mark.parametrize("nothing", ["nope", "-", "", "p s s s"])
def test_what_stands_nowhere_is_an_error(nothing):
    with pytest.raises(UnknownNameError, match="no such key or task"):
        explain(nothing)


@pytest.mark.parametrize("term", [*TERMS])
def test_a_term_has_an_answer_of_eighty_words_at_most(term):
    text = explain(term)
    assert len(text.split()) <= 80
    assert term in explain("terms")


def test_a_category_has_its_tasks():
    assert "MontagueConsistency" in explain("modifiers")


def test_a_task_has_its_question_a_row_its_score_chance_and_how_to_read_it():
    lines = explain("EpsilonCompositionality").splitlines()
    assert lines[0].startswith("EpsilonCompositionality: Does a noun compound change its sentence")
    assert lines[1].startswith("  a row: compound: back burner, class: NC, sentence: ")
    assert lines[2].startswith("  main score: auc_nc_vs_c, ")
    assert lines[3] == "  range: 0 to 1; higher is better; chance: 0.5"
    assert "additive baseline" in lines[4]


@pytest.mark.parametrize(
    "task", ["TypeTokenIdiomaticity", "polarity_sensitivity_mini", "IdiomRetrieval"]
)
def test_a_task_without_a_baseline_or_rows_of_this_project_names_neither(task):
    text = explain(task)
    assert ("additive baseline" in text) == (task == "IdiomRetrieval")
    assert ("  a row: " in text) == (task == "TypeTokenIdiomaticity")


def test_a_term_needs_no_quotation_marks():
    done = harness_ext("explain", "matched", "noise")
    assert done.exit_code == 0
    assert done.stdout == harness_ext("explain", "matched noise").stdout
