"""Models with random weights that tests of their identity save into folders."""

from __future__ import annotations

import mteb
import pytest

from tests.encoders import tiny_transformers
from tests.encoders.tiny_transformers import BERT_LIKE, fast, save_pooled, small_bert, word_level


@pytest.fixture(scope="module")
def words():
    """A tokenizer with all words of the small task."""
    task = mteb.get_task("EpsilonCompositionalityMini")
    task.load_data()
    rows = task.dataset["naturalistic"]
    return word_level([*rows["sentence"], *(synonym["sentence"] for row in rows["words_syn"] for synonym in row)])


@pytest.fixture
def save_static(words):
    """Saves a sentence-transformers model of random word vectors."""
    return lambda folder, seed: tiny_transformers.save_static(folder, words, seed)


@pytest.fixture
def save_bert(words):
    """Saves a plain random BERT, and as a sentence-transformers model, in the folder's `plain` and `st`."""

    def save(folder, seed):
        config = small_bert(words, num_hidden_layers=4)
        plain = tiny_transformers.save(folder / "plain", config, fast(words, BERT_LIKE, model_max_length=64), seed=seed)
        save_pooled(folder / "st", plain)
        return folder

    return save
