"""ELMo against simple-elmo itself, on random weights saved in its own format."""

import importlib.util
import json
import os
import sys
import zipfile

import mteb
import numpy as np
import pytest

from harness_ext.encoders.models.elmo import Elmo
from harness_ext.encoders.spans import SpanEncoder, span_encoder
from harness_ext.encoders.texts import EncodingError

needs_elmo = pytest.mark.skipif(
    importlib.util.find_spec("simple_elmo") is None or importlib.util.find_spec("tensorflow") is None,
    reason="simple-elmo is not installed: pip install -c constraints.txt '.[elmo]'",
)

TEXTS = [
    "the black box stood in the corner",
    "box",
    "",
    "Ele comeu um pé de moleque na praça ontem à noite , 東京で .",
    " ".join(f"word{number % 17}" for number in range(700)),
    "box box",
    " \t ",
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory, save_elmo):
    return save_elmo(tmp_path_factory.mktemp("models") / "tiny-elmo")


@pytest.fixture(scope="module")
def model(folder):
    return Elmo(str(folder))


LIBRARY = """
import json, sys
import numpy as np
from simple_elmo import ElmoModel

folder, texts, out = sys.argv[1:]
words = [text.split() for text in json.loads(texts)]
model = ElmoModel()
model.load(folder)
together = model.get_elmo_vectors(words, warmup=False, layers="all")
average = model.get_elmo_vectors(words, warmup=False, layers="average")
alone = {str(n): model.get_elmo_vector_average([text], warmup=False) for n, text in enumerate(words) if text}
np.savez(out, together=together, average=average, **alone)
"""


@pytest.fixture
def library(folder, run, tmp_path):
    """What simple-elmo says when it is called as its documentation does, in a process of its own."""
    run("python", "-c", LIBRARY, str(folder), json.dumps(TEXTS), str(tmp_path / "v.npz"), TF_USE_LEGACY_KERAS="1")
    return np.load(tmp_path / "v.npz")


@pytest.mark.slow
@needs_elmo
class TestElmo:
    def test_vectors_of_words_and_sentences_equal_the_librarys(self, folder, model, library):
        places = [(row, number) for row, text in enumerate(TEXTS) for number in range(len(text.split()))]
        sentences, spans = [TEXTS[row] for row, _ in places], [(number, number + 1) for _, number in places]
        # float32 over 700 steps: processors differ by 1.2e-6
        found = quiet(model, "mean").encode_spans(sentences, spans)
        np.testing.assert_allclose(
            found, [library["average"][row, word] for row, word in places], atol=5e-6
        )  # float32, 700 steps of an LSTM: processors differ
        found = quiet(model, "concatenate").encode_spans(sentences, spans)
        expected = [library["together"][row, :, word].reshape(-1) for row, word in places]
        np.testing.assert_allclose(found, expected, atol=5e-6)
        assert found.shape == (len(places), 48)
        assert np.abs(found).max() > 0.5  # so that 1e-6 says something

        found = model.encode_sentences(TEXTS, show_progress_bar=False)
        concatenated = Elmo(str(folder), layer_pooling="concatenate").encode_sentences(TEXTS, show_progress_bar=False)
        for row, text in enumerate(TEXTS):
            if not (n_words := len(text.split())):
                assert not found[row].any()
                assert not concatenated[row].any()
                continue
            np.testing.assert_allclose(found[row], library["average"][row, :n_words].mean(axis=0), atol=1e-6)
            layers = library["together"][row, :, :n_words].mean(axis=1)
            np.testing.assert_allclose(concatenated[row], layers.reshape(-1), atol=1e-6)
            # the library's own sentence vector, which is of length 1, and right for a text without others beside it
            np.testing.assert_allclose(found[row] / np.linalg.norm(found[row]), library[str(row)][0], atol=1e-6)

    @pytest.mark.parametrize("batch_size", [1, 1000])
    def test_batches_order_and_what_was_encoded_before_change_nothing(self, model, batch_size):
        texts = TEXTS * 40  # more than fit into one batch
        expected = model.encode_sentences(TEXTS, show_progress_bar=False)
        order = np.random.default_rng(batch_size).permutation(len(texts))
        found = model.encode_sentences([texts[row] for row in order], batch_size=batch_size, show_progress_bar=False)
        np.testing.assert_allclose(found, expected[order % len(TEXTS)], atol=1e-6)

    def test_spans(self, model):
        encoder = quiet(model, "mean")
        assert isinstance(encoder, SpanEncoder)
        words = encoder.encode_spans([TEXTS[0]] * 2, [(1, 2), (2, 3)])
        np.testing.assert_allclose(encoder.encode_spans([TEXTS[0]], [(1, 3)])[0], words.mean(axis=0), atol=1e-6)
        with pytest.raises(EncodingError, match=r"span \(1, 2\) is outside the 1 words of 'box'"):
            encoder.encode_spans(["box"], [(1, 2)])

    def test_folder_archive_and_published_names_hold_the_same(self, model, folder, save_elmo, tmp_path, monkeypatch):
        expected = model.encode_sentences(TEXTS, show_progress_bar=False)
        published = "elmo_2x4096_512_2048cnn_2xhighway"
        save_elmo(tmp_path / "files", f"{published}_options.json", f"{published}_weights.hdf5")
        save_elmo(tmp_path / "portuguese" / "brwac", "options.json", "elmo_pt_weights_dgx1.hdf5")
        (tmp_path / "archive").mkdir()
        with zipfile.ZipFile(tmp_path / "archive" / "elmo-original.zip", "w") as archive:
            archive.write(folder / "model.hdf5", "model.hdf5")
            archive.write(folder / "options.json", "options.json")
            archive.writestr("vocab.txt", "<S>\n</S>\n<UNK>\nbox\n")
        for place, name in (
            ("files", "allenai/elmo-original"),
            ("archive", "allenai/elmo-original"),
            ("portuguese", "allenai/elmo-portuguese-brwac"),
        ):
            monkeypatch.setenv("HARNESS_EXT_ELMO", os.pathsep.join([str(tmp_path / "none"), str(tmp_path / place)]))
            loaded = mteb.get_model(name)
            assert (loaded.mteb_model_meta.name, loaded.mteb_model_meta.revision) == (name, "1")
            np.testing.assert_allclose(loaded.encode_sentences(TEXTS, show_progress_bar=False), expected, atol=1e-6)

    @pytest.mark.parametrize(
        ("damage", "message"),
        [
            (lambda folder: (folder / "model.hdf5").unlink(), r"one file of weights \(.hdf5\); there is options.json"),
            (lambda folder: (folder / "b.hdf5").write_text(""), "there is options.json, b.hdf5, model.hdf5"),
            (lambda folder: (folder / "model.hdf5").write_bytes(b"x" * 99), r"no ELMo .*options.json, model.hdf5"),
            (lambda folder: (folder / "options.json").write_text("{"), r"no ELMo .*options.json, model.hdf5"),
            (lambda folder: (folder / "options.json").write_text("{}"), r"no ELMo .*'char_cnn'"),
        ],
    )
    def test_a_damaged_model_is_an_error_that_names_it(self, save_elmo, tmp_path, damage, message):
        damage(save_elmo(tmp_path / "tiny"))
        with pytest.raises(ValueError, match=message) as error:
            Elmo(str(tmp_path / "tiny"))
        assert str(tmp_path / "tiny") in str(error.value)


def quiet(model, layer_pooling):
    return span_encoder(model, layer_pooling=layer_pooling, show_progress_bar=False)


def test_absent_is_an_error_that_says_where_to_get_it(tmp_path, monkeypatch):
    monkeypatch.setenv("HARNESS_EXT_ELMO", str(tmp_path / "mine"))
    with pytest.raises(FileNotFoundError) as error:
        mteb.get_model("allenai/elmo-original")
    for part in ("allenai/elmo-original", "elmo_2x4096_512_2048cnn", str(tmp_path / "mine"), "https://", "HARNESS_EXT"):
        assert part in str(error.value)
    monkeypatch.delenv("HARNESS_EXT_ELMO")
    with pytest.raises(FileNotFoundError, match="HARNESS_EXT_ELMO, which is not set"):
        mteb.get_model("allenai/elmo-portuguese-brwac")


def test_no_library_says_how_to_install_it(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "simple_elmo", None)
    with pytest.raises(ModuleNotFoundError, match=r"pip install -c constraints.txt '\.\[elmo\]'"):
        Elmo(str(tmp_path))
