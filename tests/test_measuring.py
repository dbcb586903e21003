"""Any task as a function of texts to vectors: the same scores as the tasks give, and what is refused."""

from __future__ import annotations

import doctest

import mteb
import numpy as np
import pytest

import harness_ext
from harness_ext import measure, measuring
from harness_ext.tasks import ENCODER_TASKS
from tests.harnesses.test_mteb_run import Letters


def letters(texts):
    return np.array([[text.count(letter) for letter in "abcdefghijklmnopqrstuvwxyz"] for text in texts], float)


def letters_of_spans(sentences, spans):
    return letters([" ".join(text.split()[start:end]) for text, (start, end) in zip(sentences, spans, strict=True)])


@pytest.mark.parametrize("name", [name for name, task in ENCODER_TASKS.items() if task.quick and "Tree" not in name])
def test_the_function_gives_what_the_task_gives(name):
    measured = measure(letters, name)
    result = mteb.evaluate(Letters(), mteb.get_task(name), cache=None, show_progress_bar=False)
    (entry,) = next(iter(result.task_results[0].scores.values()))
    assert {key: entry[key] for key in measured.scores.flat()} == measured.scores.flat()
    main = ENCODER_TASKS[name].measure.main
    assert measured.interval == (entry[f"{main}_ci_low"], entry[f"{main}_ci_high"])
    assert len(measured.items)


@pytest.mark.real_data
def test_vectors_of_spans_and_of_another_language(mirror):
    found = measure(letters, "NounCompoundAffinity", encode_spans=letters_of_spans, subset="pt", split="neutral")
    assert {"sentence_forced_choice_nc", "span_forced_choice_nc"} <= set(found.scores.flat())
    found = measure(lambda texts: np.sqrt(letters(texts)), "TypeTokenIdiomaticity", subset="pt")
    assert found.interval[0] < found.interval[1]


def test_trees(tmp_path):
    with pytest.raises(ValueError, match=r"no score for an encoder whose sentence vectors are reconstructed exactly"):
        measure(letters, "TreeReconstructionMini")
    generator = np.random.default_rng(0)
    found = measure(lambda texts: generator.normal(size=(len(texts), 8)), "TreeReconstructionMini")
    assert found.scores.tre_mean > 0.1


def test_a_language_that_there_is_not_is_refused():
    with pytest.raises(ValueError, match=r"NounCompoundAffinity has no subset 'de'\. There are: en, pt, it\."):
        measure(letters, "NounCompoundAffinity", subset="de")


def test_a_task_of_another_project_is_refused():
    with pytest.raises(ValueError, match=r"STS12 is no task of this project"):
        measure(letters, "STS12")


def test_vectors_that_cannot_be_used_are_refused():
    with pytest.raises(ValueError, match=r"local/<lambda> returned an array of shape \(2, 3\)"):
        measure(lambda texts: np.ones((2, 3)), "EpsilonCompositionalityMini")


def test_the_example():
    assert doctest.testmod(measuring).attempted
    assert not doctest.testmod(measuring).failed


def test_every_public_name_is_there_and_documented():
    for name in harness_ext.__all__:
        assert getattr(harness_ext, name).__doc__
