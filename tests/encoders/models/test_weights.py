"""The name of a model asks for the dtype of its weights, or spreads them over devices."""

from __future__ import annotations

import mteb
import numpy as np
import pytest
from sentence_transformers import SentenceTransformer

from harness_ext.common.errors import UnknownNameError
from harness_ext.encoders.models.registry import meta_of
from harness_ext.results.load import load_results
from tests.encoders.as_mteb import encode
from tests.encoders.tiny_transformers import save_bert, save_pooled
from tests.planted import entries_of

TEXTS = ["black box", "hot dog"]


@pytest.fixture(scope="module")
def dense(tmp_path_factory):
    """The folder of a small model of random weights."""
    place = tmp_path_factory.mktemp("weights")
    save_pooled(place / "dense", save_bert(place / "plain"))
    return str(place / "dense")


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_vectors_are_those_of_the_library_in_the_dtype(dense, dtype):
    model = mteb.get_model(f"{dense} (dtype={dtype})", device="cpu")
    library = SentenceTransformer(dense, device="cpu", model_kwargs={"torch_dtype": dtype})
    expected = library.encode(TEXTS, convert_to_tensor=True).float().numpy()
    np.testing.assert_array_equal(np.asarray(encode(model, TEXTS), dtype=np.float32), expected)


@pytest.mark.slow
def test_name_and_signature_have_the_dtype(dense, tmp_path, without_baselines):
    model = mteb.get_model(f"{dense} (dtype=bfloat16)", device="cpu")
    entries_of(model, "EpsilonCompositionalityMini", tmp_path)
    (entry,) = load_results(tmp_path).entries
    assert entry.model == "local/dense (dtype=bfloat16)"
    assert entry.signature.dtype == "bfloat16"


def test_devices_change_neither_name_nor_vectors(dense):
    pytest.importorskip("accelerate")
    spread = mteb.get_model(f"{dense} (device_map=cpu)")
    plain = mteb.get_model(dense, device="cpu")
    assert spread.mteb_model_meta.name == plain.mteb_model_meta.name
    np.testing.assert_array_equal(encode(spread, TEXTS), encode(plain, TEXTS))


def test_a_dtype_with_another_option_of_the_weights_is_one_name(dense):
    meta = meta_of(f"{dense} (dtype=float16, device_map=auto, standardized)")
    assert meta.name == "local/dense (dtype=float16, standardized)"


def test_unknown_dtype_is_refused_with_the_known_ones(dense):
    with pytest.raises(UnknownNameError, match=r"half.*bfloat16"):
        meta_of(f"{dense} (dtype=half)")


def test_dtype_of_a_pooled_transformer_is_refused(dense):
    with pytest.raises(UnknownNameError, match="pooling is not"):
        meta_of(f"{dense} (pooling=cls, dtype=float16)")


def test_a_model_without_weights_of_torch_has_no_dtype():
    with pytest.raises(ValueError, match=r"has no weights of torch.*dtype=float16"):
        mteb.get_model("compositionality/trigrams (dtype=float16)")
