"""The Universal Sentence Encoder's wrapper on a small SavedModel with its call signature, against
TensorFlow Hub.
"""

import hashlib
import importlib.util
import os
import sys

import mteb
import numpy as np
import pytest

from harness_ext.encoders.models.universal_sentence_encoder import UniversalSentenceEncoder
from harness_ext.encoders.spans import span_encoder
from tests.encoders.models import test_elmo

needs_use = pytest.mark.skipif(
    importlib.util.find_spec("tensorflow_hub") is None
    or importlib.util.find_spec("tensorflow") is None,
    reason="TensorFlow Hub is not installed: pip install -c constraints.txt '.[use]'",
)

TEXTS = test_elmo.TEXTS[:-1]  # without words the last is as empty as another
NAME = "google/universal-sentence-encoder-4"
HANDLE = "https://tfhub.dev/google/universal-sentence-encoder/4"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """As the published ones: called with strings, shape (n,), it gives one vector each."""
    import tensorflow as tf

    class Tiny(tf.Module):
        def __init__(self):
            super().__init__()
            table = np.random.default_rng(0).normal(size=(997, 16))
            self.table = tf.Variable(table.astype(np.float32))

        @tf.function(input_signature=[tf.TensorSpec([None], tf.string, name="inputs")])
        def __call__(self, inputs):
            words = tf.strings.split(inputs + " </s>")
            rows = tf.strings.to_hash_bucket_fast(words, 997)
            return tf.reduce_mean(tf.gather(self.table, rows), axis=1)

    folder = tmp_path_factory.mktemp("models") / "universal-sentence-encoder-4"
    tf.saved_model.save(Tiny(), str(folder))
    return folder


def loaded(folder):
    """The model in a folder, whose parent is that of the variable."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HARNESS_EXT_USE", str(folder.parent))
        return UniversalSentenceEncoder(f"google/{folder.name}", source=HANDLE)


@pytest.mark.slow
@needs_use
class TestUniversalSentenceEncoder:
    def test_equal_to_the_library_in_batches_of_any_size(self, folder):
        import tensorflow_hub

        model = loaded(folder)
        of_library = tensorflow_hub.load(str(folder))
        expected = of_library(TEXTS).numpy()
        for batch_size in (4, 100):
            found = model.encode_sentences(TEXTS, batch_size=batch_size, show_progress_bar=False)
            assert found.dtype == np.float32
            np.testing.assert_allclose(found, expected, atol=1e-6)
        distinct = np.unique(found.round(4), axis=0)
        assert len(distinct) == len(TEXTS)
        assert span_encoder(model) is None
        nothing = model.encode_sentences([], show_progress_bar=False)
        assert nothing.shape == (0, 16)

    def test_from_a_folder_of_the_variable_and_from_the_hubs_cache(
        self, folder, tmp_path, monkeypatch
    ):
        expected = loaded(folder).encode_sentences(TEXTS, show_progress_bar=False)
        folders = f"{tmp_path / 'none'}{os.pathsep}{folder.parent}"
        monkeypatch.setenv("HARNESS_EXT_USE", folders)
        monkeypatch.setenv("TFHUB_CACHE_DIR", str(tmp_path / "empty"))
        model = mteb.get_model(NAME)
        assert model.mteb_model_meta.name == NAME
        assert model.mteb_model_meta.revision == "4"
        found = model.encode_sentences(TEXTS, show_progress_bar=False)
        np.testing.assert_array_equal(found, expected)

        monkeypatch.delenv("HARNESS_EXT_USE")
        cache = tmp_path / "cache"
        cache.mkdir()
        name_in_cache = hashlib.sha1(HANDLE.encode()).hexdigest()
        (cache / name_in_cache).symlink_to(folder)
        monkeypatch.setenv("TFHUB_CACHE_DIR", str(cache))
        from_cache = mteb.get_model(NAME)
        found = from_cache.encode_sentences(TEXTS, show_progress_bar=False)
        np.testing.assert_array_equal(found, expected)

    def test_absent_is_one_message_that_says_how_to_get_it(self, tmp_path, monkeypatch):
        monkeypatch.delenv("HARNESS_EXT_USE", raising=False)
        monkeypatch.setenv("TFHUB_CACHE_DIR", str(tmp_path))
        message = (
            f"{NAME} is .*not downloaded.*{HANDLE}.* folder named "
            "universal-sentence-encoder-4.*HARNESS_EXT_USE"
        )
        with pytest.raises(FileNotFoundError, match=message):
            mteb.get_model(NAME)

    def test_what_is_no_saved_model_is_an_error_that_names_it(self, tmp_path):
        (tmp_path / "empty").mkdir()
        (tmp_path / "empty" / "saved_model.pb").write_bytes(b"\xff" * 99)
        with pytest.raises(
            ValueError, match=r"google/empty: .*/empty is no SavedModel that can be loaded"
        ):
            loaded(tmp_path / "empty")

        import tensorflow as tf

        tf.saved_model.save(tf.Module(), str(tmp_path / "mute"))
        with pytest.raises(
            ValueError, match=r"google/mute: .*/mute is no SavedModel that can be called with texts"
        ):
            loaded(tmp_path / "mute")


def test_no_library_says_how_to_install_it(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "tensorflow_hub", None)
    with pytest.raises(ModuleNotFoundError, match=r'pip install -c constraints.txt "\.\[use\]"'):
        loaded(tmp_path)
