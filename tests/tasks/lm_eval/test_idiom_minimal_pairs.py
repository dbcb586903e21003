"""idiom_minimal_pairs: planted language models, figures worked out from the saved samples, the
papers' own data.
"""

from __future__ import annotations

import re

import numpy as np
import pytest
from datasets import load_dataset
from scipy.stats import spearmanr

from .conftest import guess, pmi

TASK = "idiom_minimal_pairs_mini"


def affinities(samples):
    """(class, compound) -> the affinity of each sentence and way to ask, from what was asked and
    answered.
    """
    found = {}
    for sample in samples:
        syn, words_syn = pmi(sample)
        found.setdefault((sample["doc"]["class"], sample["doc"]["compound"]), []).append(
            syn - words_syn
        )
    return {key: np.array(values) for key, values in found.items()}


def by_hand(samples):
    """Accuracy and affinity per class."""
    scores = {}
    for klass in ("NC", "PC", "C"):
        of_compounds = [values for (its, _), values in affinities(samples).items() if its == klass]
        scores[f"accuracy_{klass}"] = np.mean([(values > 0).mean() for values in of_compounds])
        scores[f"affinity_lm_{klass}"] = np.mean([values.mean() for values in of_compounds])
    return scores


def prefers(name):
    """Log-likelihoods of a model that prefers the option listed under a name in the data."""
    rows = load_dataset("compound_mini", split="naturalistic")
    liked = {
        row["syn"]["sentence"] if name == "syn" else row["words_syn"][0]["sentence"] for row in rows
    }

    def score(context, continuation):
        is_frame = context.startswith("Which")
        return (-0.1 if continuation.strip() in liked and not is_frame else -2.0) * len(
            continuation
        )

    return score


def test_figures_of_a_guessing_model(evaluate):
    scores, samples = evaluate(TASK)
    expected = by_hand(samples)
    assert len(samples) == 60
    assert {key: scores[key] for key in expected} == pytest.approx(expected, abs=1e-12)
    assert scores["main_score"] == scores["accuracy_NC"]
    assert scores["accuracy_NC_ci_low"] < 0.5 < scores["accuracy_NC_ci_high"]
    assert scores["accuracy_NC_stderr"] == scores["main_score_stderr"] > 0
    assert "affinity_lm_spearman" not in scores  # nobody has scored these compounds
    assert scores["n_excluded_unscored"] == scores["n_excluded_same"] == 0
    syn, words = samples[0]["doc"]["choices"]
    assert samples[0]["arguments"][0][1] == f" {syn}"
    assert samples[0]["filtered_resps"][1][0] == guess(samples[0]["doc"]["prompt"], f" {words}")


def test_a_model_that_knows_idioms_gets_1_and_a_literal_one_0(evaluate):
    knows, _ = evaluate(TASK, prefers("syn"))
    assert [knows[f"accuracy_{klass}"] for klass in ("NC", "PC", "C")] == [1, 1, 1]
    assert knows["affinity_lm_NC"] > 0
    literal, _ = evaluate(TASK, prefers("words_syn"))
    assert [literal[f"accuracy_{klass}"] for klass in ("NC", "PC", "C")] == [0, 0, 0]
    # Wilson's interval of 0 of 20 with the correction: (z² + 1 + z √(z² + 2 − 1/20)) / (2 (20 +
    # z²)), z² = 3.8415
    assert (literal["accuracy_NC_ci_low"], literal["accuracy_NC_ci_high"]) == (
        0,
        pytest.approx(0.200453, abs=1e-6),
    )
    assert knows["first_listed"] == literal["first_listed"] == 0.5


def test_a_model_that_takes_what_is_listed_first_is_at_chance_and_found_out(evaluate):
    scores, _ = evaluate(
        TASK, lambda context, option: -len(option) * (1 + context.rindex(option.strip()) / 10_000)
    )
    assert scores["first_listed"] == 1
    assert scores["per_character_accuracy_NC"] == scores["per_character_accuracy_C"] == 0.5


def test_what_a_limit_leaves_too_few_of_is_nan_and_no_error(evaluate):
    scores, samples = evaluate(TASK, limit=32)
    compounds = {sample["doc"]["compound"] for sample in samples if sample["doc"]["class"] == "NC"}
    assert {sample["doc"]["class"] for sample in samples} == {"NC", "PC", "C"}  # of every class
    assert scores["n_accuracy_NC"] == len(compounds) < 10
    assert np.isnan(
        [scores[key] for key in ("accuracy_NC", "accuracy_NC_stderr", "main_score")]
    ).all()


@pytest.mark.slow
@pytest.mark.real_data
def test_on_the_published_compounds(evaluate, unverified_mirror):
    scores, samples = evaluate("idiom_minimal_pairs_en")
    expected = by_hand(samples)
    assert {key: scores[key] for key in expected} == pytest.approx(expected, abs=1e-12)
    assert len(samples) == 6 * (843 - 3 - scores["n_excluded_unscored"])
    assert scores["n_excluded_same"] == 3
    (dataset,) = {sample["doc"]["dataset"] for sample in samples}
    assert re.fullmatch(r"ncimp/en\+unverified-[0-9a-f]{8}", dataset)
    comp = {sample["doc"]["compound"]: sample["doc"]["comp"] for sample in samples}
    found = [
        (values.mean(), comp[compound]) for (_, compound), values in affinities(samples).items()
    ]
    assert scores["affinity_lm_spearman"] == pytest.approx(spearmanr(found).statistic, abs=1e-9)
