"""A folder is loaded as what it says it is."""

from __future__ import annotations

import shutil

import mteb
import numpy as np
import pytest
import transformers
from mteb.models import SparseEncoderWrapper
from sentence_transformers import CrossEncoder, SentenceTransformer, SparseEncoder

from harness_ext.encoders.batches import EncodingError
from harness_ext.results.load import load_results
from tests.command_line import harness_ext
from tests.encoders.as_mteb import encode
from tests.encoders.library_modules import MultiVectorEncoder, needs_late_interaction
from tests.encoders.tiny_transformers import letters, save_bert, save_pooled
from tests.planted import entries_of

TASK = "MergeOppositesMini"


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """A folder of each kind, of small random weights."""
    place = tmp_path_factory.mktemp("kinds")
    plain = save_bert(place / "plain")
    words = save_bert(place / "words", transformers.AutoModelForMaskedLM)
    save_pooled(place / "dense", plain)
    models = {
        "cross": CrossEncoder(plain, num_labels=1, device="cpu"),
        "sparse": SparseEncoder(words, device="cpu"),
    }
    if MultiVectorEncoder:
        models["multi"] = MultiVectorEncoder(plain, device="cpu")
    for name, model in models.items():
        model.save_pretrained(str(place / name))
    return place


@pytest.mark.slow
def test_sparse_vectors_are_as_many_as_tokens(folders, tmp_path, without_baselines):
    folder = str(folders / "sparse")
    texts = ["black box", "hot dog"]
    model = mteb.get_model(folder)
    assert isinstance(model, SparseEncoderWrapper)
    assert model.mteb_model_meta.model_type == ["sparse"]
    tensor = SparseEncoder(folder, device="cpu").encode(texts)
    expected = tensor.to_dense().cpu().numpy()
    found = np.asarray(encode(model, texts))
    np.testing.assert_allclose(found, expected, rtol=1e-5)
    assert expected.shape == (2, letters().get_vocab_size())
    entries_of(model, "EpsilonCompositionalityMini", tmp_path)
    (entry,) = load_results(tmp_path).entries
    assert entry.model == "local/sparse"
    assert entry.signature.level == "sentence"


@pytest.mark.parametrize(
    ("folder", "what"),
    [
        ("cross", "is a cross-encoder model, which scores pairs of texts"),
        pytest.param(
            "multi",
            "is a late-interaction model, which gives a vector to each token",
            marks=needs_late_interaction,
        ),
    ],
)
def test_a_model_without_a_vector_per_text_is_refused_in_a_sentence(
    folder, what, folders, tmp_path
):
    sentence = (
        f"local/{folder} {what}, but {TASK} compares vectors of texts. In tasks of pairs and "
        "triplets, `harness_ext.measure` takes it as a function of two texts."
    )
    model = mteb.get_model(str(folders / folder))
    with pytest.raises(EncodingError) as raised:
        entries_of(model, TASK, tmp_path)
    assert str(raised.value) == sentence
    assert not list(tmp_path.rglob(f"{TASK}.json"))
    done = harness_ext("safe-to-merge", "-m", folders / folder)
    assert done.exit_code == 2
    assert f"Error: {sentence}" in done.stderr


def test_two_folders_of_one_name_are_not_taken_for_one_model(folders, tmp_path):
    """Else the second hides the first from the decision whether all are safe."""
    other = shutil.copytree(folders / "plain", tmp_path / "plain")
    done = harness_ext("safe-to-merge", "-m", folders / "plain", "-m", other)
    assert done.exit_code == 2
    assert f"-m {folders / 'plain'} -m {other}: two are called local/plain." in done.stderr


def test_dense_are_other_models_and_plain_checkpoints_and_any_body_whose_pooling_is_named(folders):
    for folder in ("dense", "plain"):
        model = mteb.get_model(str(folders / folder))
        assert isinstance(model.model, SentenceTransformer)
        assert model.mteb_model_meta.model_type == ["dense"]
    model = mteb.get_model(f"{folders / 'cross'} (pooling=mean)")
    vectors = np.asarray(encode(model, ["black box"]))
    assert vectors.shape == (1, 16)
