"""The measures as functions of texts to vectors: the same scores as the tasks give, and what is refused."""

from __future__ import annotations

import doctest

import mteb
import numpy as np
import pytest

import harness_ext
from harness_ext import functions
from tests.harnesses.test_mteb_run import Letters


def letters(texts):
    return np.array([[text.count(letter) for letter in "abcdefghijklmnopqrstuvwxyz"] for text in texts], float)


def letters_of_spans(sentences, spans):
    return letters([" ".join(text.split()[start:end]) for text, (start, end) in zip(sentences, spans, strict=True)])


@pytest.mark.parametrize(
    ("function", "name", "options"),
    [
        ("epsilon_compositionality", "EpsilonCompositionalityMini", {}),
        ("affinity", "NounCompoundAffinityMini", {}),
        ("scaled_similarity", "NounCompoundScaledSimilarityMini", {}),
        ("montague_consistency", "MontagueConsistencyFast", {}),
        ("polarity_sensitivity", "PolaritySensitivityMini", {"split": "mini"}),
        ("role_swap_similarity", "RoleSwapSimilarityMini", {}),
        ("transitive_similarity", "TransitiveSimilarityMini", {}),
        ("caption_swap", "CaptionSwapMini", {}),
        ("idiom_paraphrase", "IdiomParaphraseMini", {}),
    ],
)
def test_a_function_gives_what_its_task_gives(function, name, options):
    found = getattr(harness_ext, function)(letters, task=name, **options)
    result = mteb.evaluate(Letters(), mteb.get_task(name), cache=None, show_progress_bar=False)
    (entry,) = next(iter(result.task_results[0].scores.values()))
    assert {key: entry[key] for key in found.scores.flat()} == found.scores.flat()
    main = mteb.get_task(name).measure.main
    assert found.interval == (entry[f"{main}_ci_low"], entry[f"{main}_ci_high"])
    assert len(found.items)


@pytest.mark.real_data
def test_vectors_of_spans_and_of_another_language(mirror):
    found = harness_ext.affinity(letters, encode_spans=letters_of_spans, subset="pt", split="neutral")
    assert {"sentence_forced_choice_nc", "span_forced_choice_nc"} <= set(found.scores.flat())
    found = harness_ext.type_token_idiomaticity(lambda texts: np.sqrt(letters(texts)), subset="pt")
    assert found.interval[0] < found.interval[1]


def test_trees(tmp_path):
    with pytest.raises(
        ValueError, match=r"no score for local/letters, whose sentence vectors are reconstructed exactly"
    ):
        harness_ext.tree_reconstruction(letters, task="TreeReconstructionMini", split="test")
    generator = np.random.default_rng(0)
    found = harness_ext.tree_reconstruction(
        lambda texts: generator.normal(size=(len(texts), 8)), task="TreeReconstructionMini", split="test"
    )
    assert found.scores.tre_mean > 0.1


def test_a_language_that_there_is_not_is_refused():
    with pytest.raises(ValueError, match=r"NounCompoundAffinity has no subset 'de'\. There are: en, pt, it\."):
        harness_ext.affinity(letters, subset="de")


def test_a_task_of_another_measure_is_refused():
    with pytest.raises(ValueError, match=r"MontagueConsistency is no task of the measure epsilon"):
        harness_ext.epsilon_compositionality(letters, task="MontagueConsistency")


def test_vectors_that_cannot_be_used_are_refused():
    with pytest.raises(ValueError, match=r"local/<lambda> returned an array of shape \(2, 3\)"):
        harness_ext.epsilon_compositionality(lambda texts: np.ones((2, 3)), task="EpsilonCompositionalityMini")


def test_the_example():
    assert doctest.testmod(functions).attempted
    assert not doctest.testmod(functions).failed


def test_every_public_name_is_there_and_documented():
    for name in harness_ext.__all__:
        assert getattr(harness_ext, name).__doc__
