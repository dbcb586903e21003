"""What the papers say stands beside what runs, and their words are answered."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path

import mteb
import pytest

from harness_ext.show.explain import explain
from harness_ext.tasks import ENCODER_TASKS, TASKS
from harness_ext.tasks.papers import (
    AUTHORS_CODE,
    PAPER_MODELS,
    PAPER_SAYS,
    PAPER_TERMS,
)

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "paper_models.md").read_text(encoding="utf-8")
BERT = "google-bert/bert-base-uncased"
CONCAT = "(pooling=concat_last4_words)"
ELMO = "(layer_pooling=concatenate)"
LAYERS = (
    "the concatenation of the three layers for ELMo and of the last four hidden layers for the "
    "BERT models"
)
SAYS = {
    ("PSS", "we take the average of token embeddings"): [BERT],
    ("PSS", "Bert as a service"): [f"{BERT} (layer=11)"],
    ("PSS", "averaging across the layers"): ["allenai/elmo-original"],
    ("PSS", "by simply averaging the final word-level vectors"): ["allenai/elmo-original"],
    ("PSS", "AllenNLP for TRE and TensorflowHub for PSS"): ["allenai/elmo-original"],
    ("PSS", "We learn a weighted linear combination"): ["allenai/elmo-original"],
    ("PSS", "for accurate comparisons across models, we must default to FT mode"): [],
    ("PSS", "learning rate=2e-5 for BERT and 3e-3 for others"): [],
    ("NCIMP", "the small model provided by Peters et al. (2018)"): [f"allenai/elmo-small {ELMO}"],
    ("NCIMP", "the concatenation of its three layers is adopted"): [
        f"allenai/elmo-portuguese-brwac {ELMO}"
    ],
    ("NCIMP", "summing/averaging the vector embeddings of the relevant layers"): [
        "allenai/elmo-small"
    ],
    ("NCIMP", "we chose mean pooling"): ["allenai/elmo-portuguese-brwac"],
    ("NCIMP", "300 dimensions vectors for Portuguese (Hartmann et al. 2017)"): [
        "nilc-nlp/glove-300d",
        "nilc-nlp/glove-1000d",
        "nilc-nlp/word2vec-skip-gram-300d",
        "nilc-nlp/word2vec-skip-gram-1000d",
    ],
    ("NCIMP", "standardize the top three rogue dimensions"): [],
    ("NCTTI", "ELMo small model"): [f"allenai/elmo-small {ELMO}"],
    ("NCTTI", LAYERS): [
        f"google-bert/bert-large-uncased {CONCAT}",
        f"allenai/elmo-portuguese-brwac {ELMO}",
    ],
    ("NCTTI", "(and their sentences)"): [],
    ("NCTTI", "by averaging their (sub)words"): [],
    ("NCTTI", "DistilBERT …, based on BERT-Base and distilled on SQuAD"): [
        f"distilbert/distilbert-base-uncased-distilled-squad {CONCAT}"
    ],
    ("NCTTI", "SentenceBERT … trained on BERT-Large and both MultiNLI and SNLI"): [
        f"sentence-transformers/bert-large-nli-mean-tokens {CONCAT}"
    ],
    (
        "NCTTI",
        "mBERT (base cased), and both multilingual DistilBERT and Sentence-BERT (Reimers and "
        "Gurevych, 2020)",
    ): [
        f"{name} {CONCAT}"
        for name in (
            "google-bert/bert-base-multilingual-cased",
            "distilbert/distilbert-base-multilingual-cased",
            "sentence-transformers/distiluse-base-multilingual-cased",
        )
    ],
    (
        "NCTTI",
        "300 dimensions and trained on 840 billion tokens, and the equivalent Portuguese model",
    ): [
        "stanfordnlp/glove.840B.300d",
        "nilc-nlp/glove-300d",
    ],
    ("EPS", "mean pooling on the final output layer"): ["Qwen/Qwen3-Embedding-0.6B (pooling=mean)"],
    ("EPS", "with a size of 768"): ["sentence-transformers/all-MiniLM-L6-v2"],
    ("MONT", "no statistically significant difference between different adjective categories"): [],
}
"""A paper and what it says -> what runs for it."""
TERMS = {
    # EPS
    "ε": "p_value_C",
    "idiomaticity-ε": "p_value_NC",
    "idiomaticity-epsilon": "p_value_NC",
    "baseline-ε": "p_value_NC",
    "baseline-epsilon": "p_value_NC",
    "rank-biserial": "rank_share_NC",
    "W⁺": "rank_share_NC",
    "Wilcoxon": "p_value_NC",
    "human-aligned": "p_value_NC",
    "compositionally-inclined": "p_value_NC",
    "anti-compositional": "p_value_NC",
    "context-dominance": "context_distance_mean",
    "NC": "rank_share_NC",
    # NCIMP
    "Comp": "sentence_sim_syn_spearman",
    "P_Syn": "sentence_sim_syn_mean",
    "P_WordsSyn": "sentence_sim_words_syn_mean",
    "P_Comp": "sentence_sim_comp_mean",
    "P_Rand": "sentence_sim_rand_mean",
    "Affinity": "span_affinity_syn_words_syn_spearman",
    "A_Syn|WordsSyn": "span_affinity_syn_words_syn_spearman",
    "A_Syn|Rand": "span_affinity_syn_rand_spearman",
    "Scaled Similarity": "span_scaled_sim_syn_mean",
    "Sim_R": "span_scaled_sim_syn_mean",
    "Sim_R|Syn": "span_scaled_sim_syn_mean",
    "Sim_R|WordsSyn": "span_scaled_sim_words_syn_mean",
    "NC level": "span_sim_syn_mean",
    "rogue dimensions": "sentence_sim_syn_spearman_standardised",
    "sentence length": "sentence_sim_syn_spearman_length",
    # NCTTI
    "token level": "nc_out_token_spearman",
    "type level": "nc_out_type_spearman",
    "NC_out": "nc_out_type_spearman",
    "NC_outComp": "nc_out_comp_type_spearman",
    "BERTRAM": "nc_out_type_spearman",
    "PPMI": "nc_out_type_spearman_frequency",
    "Experiment 3": "spread_spearman",
    "cross sentence": "sentence_cross_sentence_spearman_mean",
    "NCTTI": "phrase_additivity_type_spearman",
    "Garcia": "phrase_additivity_type_spearman",
    # MONT
    "consistency": "montague_consistency",
    "intersectivity": "intersective_S-I",
    "intersective": "intersective_S-I",
    "subsective": "non_subsective_S-I",
    "subsectivity": "non_subsective_S-I",
    "non-subsective": "non_subsective_S-I",
    "non-subsectivity": "non_subsective_S-I",
    "privative": "non_subsective_NS-Pr",
    "S-NI": "intersective_S-NI",
    "Montague": "montague_consistency",
    # PSS
    "PSS": "fb_linear_pss",
    "polarity sensitivity": "fb_linear_pss",
    "relative PSS": "fb_linear_relative_pss",
    "FB": "fb_linear_pss",
    "FT": "ft_linear_pss",
    "DNN": "fb_dnn_pss",
    "TRE": "tre_mean",
    "tree reconstruction error": "tre_mean",
    "WNS": "spearman_tre_wns",
    "weighted node switching": "spearman_tre_wns",
    "TI": "spearman_tre_ti",
    "tree impurity": "spearman_tre_ti",
}
"""Sixty terms of the papers -> the key that the answer begins with."""


@pytest.mark.parametrize(("term", "key"), TERMS.items())
def test_a_term_of_the_papers_has_an_answer(term, key):
    text = explain(term)
    assert text.startswith(f"{key}  (")
    assert "  source: " in text


def test_the_terms_are_sixty_and_hold_those_of_the_list():
    assert len(TERMS) == 60
    for terms in PAPER_TERMS.values():
        assert terms.keys() <= TERMS.keys()


@pytest.mark.parametrize(("paper", "quotation"), SAYS)
def test_what_a_paper_says_stands_beside_what_runs(paper, quotation):
    answers = dict(PAPER_SAYS[paper])
    (said,) = (said for said in answers if f'"{quotation}"' in said)
    assert answers[said]
    models = {model.name for model in PAPER_MODELS[paper]}
    assert {*SAYS[paper, quotation]} <= models
    assert f"| {said} |" in PAGE.replace("\\", "")


def test_every_quotation_is_one_of_these():
    quoted = set()
    for paper, answers in PAPER_SAYS.items():
        for said, _ in answers:
            quoted |= {(paper, text) for text in re.findall('"(.+?)"', said)}
    assert quoted == {*SAYS}


@pytest.mark.parametrize(
    ("page", "quotations"),
    [
        (
            files("harness_ext.results") / "published.md",
            [
                "we directly utilize the 500 reference test pairs released",
                "353 example pairs",
                "we utilize outputs of an off the shelf model for synthetic data generation",
                "generates an exact duplicate of its provided input",
                "the model only deletes (does not add)",
                "we only consider examples where the model adds some words",
                "Examples of sentences output by the Polarity Switching Model",
                "the concatenation of its three layers is adopted",
                "we chose mean pooling",
                "standardize the top three rogue dimensions",
            ],
        ),
        (
            ROOT / "docs" / "tasks.md",
            ["for accurate comparisons across models, we must default to FT mode"],
        ),
    ],
)
def test_pages_say_what_the_papers_say(page, quotations):
    text = " ".join(page.read_text(encoding="utf-8").split())
    assert [quotation for quotation in quotations if f'"{quotation}"' not in text] == []


@pytest.mark.parametrize("paper", ["NCIMP", "NCTTI"])
def test_elmo_of_two_papers_is_the_small_one_with_its_layers_one_after_another(paper):
    models = {}
    for model in reversed(PAPER_MODELS[paper]):
        if model.label == "ELMo":
            models[model.language] = model.name
    assert models == {
        "eng": f"allenai/elmo-small {ELMO}",
        "por": f"allenai/elmo-portuguese-brwac {ELMO}",
    }
    for language, width in (("eng", 768), ("por", 3072)):
        meta = mteb.get_model_meta(models[language])
        assert meta.embed_dim == width
        assert meta.loader_kwargs["layer_pooling"] == "concatenate"


@pytest.mark.slow
def test_every_term_of_a_paper_has_an_answer_of_its_own():
    for terms in PAPER_TERMS.values():
        for term, (key, remark) in terms.items():
            first_line, *lines = explain(term).splitlines()
            assert first_line.startswith(f"{key}  ("), term
            assert f"  {term}: {remark}" in lines
    first_line, *_ = explain("Rank Biserial").splitlines()
    assert explain("rank-biserial").startswith(f"{first_line}\n")
    assert explain("rank_biserial_NC").startswith("rank_biserial_NC  (")  # a key is itself


def test_authors_code_is_of_tasks_and_headlines_are_scores():
    assert {*AUTHORS_CODE} <= {*ENCODER_TASKS}
    argued = {}
    for task in TASKS.values():
        measure = task.measure
        if measure.headline:
            argued[measure.name] = measure.headline
            assert measure.headline in measure.declarations
    assert argued == {
        "affinity": "span_affinity_syn_words_syn_spearman",
        "scaled_similarity": "span_scaled_sim_syn_mean",
        "type_token": "nc_out_token_spearman",
        "polarity": "ft_linear_pss",
    }
    text = explain("NounCompoundAffinity")
    assert "main score: sentence_forced_choice_nc, " in text
    assert "(not a measure of the paper)" in text
    assert "what the paper argues for: span_affinity_syn_words_syn_spearman" in text
    assert "no measure of the paper" not in explain("PolaritySensitivity")
    quotation = "for accurate comparisons across models, we must default to FT mode"
    assert quotation in explain("ft_linear_pss")
    lines = explain("TreeReconstruction").splitlines()
    assert "  authors' code: https://github.com/jacobandreas/tre" in lines


def test_our_reading_stands_where_a_paper_names_no_checkpoint():
    for paper, label in (
        ("MONT", "DPR"),
        ("MONT", "Glove"),
        ("PSS", "BERT"),
        ("NCTTI", "BERTRAM"),
    ):
        remarks = {model.remark for model in PAPER_MODELS[paper] if model.label == label}
        assert "our reading" in remarks
        assert f"| {label} (our reading) | `" in PAGE
