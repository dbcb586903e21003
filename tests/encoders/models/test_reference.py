"""The reference encoders: their vectors, by hand, and their names in mteb."""

from __future__ import annotations

import hashlib

import mteb
import numpy as np
import pytest

from harness_ext.encoders.models.reference import (
    ENCODERS,
    length,
    letters,
    random_words,
    trigrams,
)


def number_of(string: bytes) -> int:
    """The first eight bytes of a hash."""
    digest = hashlib.sha256(string).digest()
    return int.from_bytes(digest[:8], "big")


def test_a_word_is_the_draw_of_its_hash_and_a_text_the_mean_of_its_words():
    generator = np.random.default_rng(number_of(b"black"))
    black = generator.standard_normal(300)
    upper, box, both = random_words(["BLACK", "box", "black  Box box"])
    np.testing.assert_allclose(upper, black, rtol=1e-6)
    np.testing.assert_allclose(both, (upper + 2 * box) / 3, atol=1e-6)


def test_letters_are_counted_by_kind_and_with_words():
    found = letters(["Ab, é 12 b!"])[0]
    assert found[:2].tolist() == [1, 2]
    assert found[26:].tolist() == [1, 2, 2]  # é; 1 2; , !
    assert found.sum() == 8
    assert length(["to be, or 2"]).tolist() == [[6, 4, 1]]  # letters and words, and a 1


def test_trigrams_have_a_blank_on_either_side():
    found = trigrams(["ab", "a"])
    assert found.sum(axis=1).tolist() == [2, 1]  # " ab" "ab "; " a "
    place = number_of(b" ab") % 1024
    assert found[0, place] == 1


@pytest.mark.parametrize("name", ENCODERS)
def test_by_name_in_mteb_and_deterministic(name):
    model = mteb.get_model(f"compositionality/{name}")
    again = mteb.get_model(f"compositionality/{name}")
    texts = ["A black box.", "", "É 12"]
    vectors = model.encode_sentences(texts)
    np.testing.assert_array_equal(vectors, again.encode_sentences(texts))
    assert vectors.shape == (3, model.mteb_model_meta.embed_dim)
