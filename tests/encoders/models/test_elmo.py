"""ELMo against simple-elmo itself, on random weights saved in its own format."""

import importlib.util
import json
import os
import sys
import zipfile

import mteb
import numpy as np
import pytest

from harness_ext.encoders.batches import EncodingError
from harness_ext.encoders.models.elmo import Elmo
from harness_ext.encoders.spans import span_encoder

needs_elmo = pytest.mark.skipif(
    importlib.util.find_spec("simple_elmo") is None
    or importlib.util.find_spec("tensorflow") is None,
    reason="simple-elmo is not installed: pip install -c constraints.txt '.[elmo]'",
)

TEXTS = [
    "the black box stood in the corner",
    "box",
    "",
    "Ele comeu um pé de moleque na praça ontem à noite , 東京で .",
    " ".join(f"word{number % 17}" for number in range(300)),
    "box box",
    " \t ",
]


LSTM = {
    "use_skip_connections": True,
    "projection_dim": 8,
    "cell_clip": 3,
    "proj_clip": 3,
    "dim": 16,
    "n_layers": 2,
}
FILTERS = [[1, 4], [2, 8]]
LETTERS = {
    "embedding": {"dim": 4},
    "n_characters": 262,
    "max_characters_per_token": 20,
    "n_highway": 1,
    "activation": "relu",
    "filters": FILTERS,
}
OPTIONS = {"lstm": LSTM, "char_cnn": LETTERS}


def save_elmo(folder, options_name="options.json", weights_name="model.hdf5"):
    """Save random weights as ELMo's authors save theirs, and return the folder."""
    import h5py

    random = np.random.default_rng(0)
    shapes = {
        "char_embed": (261, 4),
        "CNN_proj/W_proj": (12, 8),
        "CNN_proj/b_proj": (8,),
    }
    for number, (width, filters) in enumerate(FILTERS):
        shapes[f"CNN/W_cnn_{number}"] = (1, width, 4, filters)
        shapes[f"CNN/b_cnn_{number}"] = (filters,)
    for gate in ("carry", "transform"):
        shapes[f"CNN_high_0/W_{gate}"] = (12, 12)
        shapes[f"CNN_high_0/b_{gate}"] = (12,)
    for direction in (0, 1):
        for layer in (0, 1):
            cell = f"RNN_{direction}/RNN/MultiRNNCell/Cell{layer}/LSTMCell"
            shapes[f"{cell}/W_0"] = (16, 64)
            shapes[f"{cell}/B"] = (64,)
            shapes[f"{cell}/W_P_0"] = (16, 8)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / options_name).write_text(json.dumps(OPTIONS))
    with h5py.File(folder / weights_name, "w") as file:
        for name, shape in shapes.items():
            weights = random.normal(0, 0.5, shape)
            file[name] = weights.astype(np.float32)
    return folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return save_elmo(tmp_path_factory.mktemp("models") / "tiny-elmo")


def loaded(folder, **options):
    """The model in a folder, whose parent is that of the variable."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HARNESS_EXT_ELMO", str(folder.parent))
        return Elmo(f"allenai/{folder.name}", files=[folder.name], source="", **options)


@pytest.fixture(scope="module")
def model(folder):
    return loaded(folder)


@pytest.mark.slow
@needs_elmo
class TestElmo:
    def test_vectors_of_words_and_sentences_equal_the_librarys(self, folder, model, monkeypatch):
        """The library is called as its documentation does, in a graph of its own."""
        import tensorflow as tf
        from simple_elmo import ElmoModel

        def stays_eager():
            """In place of a switch for all of this process."""

        monkeypatch.setattr(tf.compat.v1, "disable_eager_execution", stays_eager)
        words = [text.split() for text in TEXTS]
        with tf.Graph().as_default():
            library = ElmoModel()
            library.load(str(folder))
            layers = library.get_elmo_vectors(words, warmup=False, layers="all")
            average = library.get_elmo_vectors(words, warmup=False, layers="average")

        sentences = []
        spans = []
        places = []
        for row, words_of_text in enumerate(words):
            for number in range(len(words_of_text)):
                sentences.append(TEXTS[row])
                spans.append((number, number + 1))
                places.append((row, number))
        n_texts, longest, _ = average.shape
        concatenated = np.moveaxis(layers, 1, 2).reshape(n_texts, longest, -1)
        for layer_pooling, expected in (("mean", average), ("concatenate", concatenated)):
            encoder = span_encoder(model, layer_pooling=layer_pooling, show_progress_bar=False)
            found = encoder.encode_spans(sentences, spans)
            vectors = [expected[place] for place in places]
            # float32, 300 steps of an LSTM: processors differ
            np.testing.assert_allclose(found, vectors, atol=5e-6)
            assert np.abs(found).max() > 0.5  # so that 1e-6 says something
            (of_two,) = encoder.encode_spans([TEXTS[0]], [(1, 3)])
            mean_of_two = expected[0, 1:3].mean(axis=0)
            np.testing.assert_allclose(of_two, mean_of_two, atol=1e-6)
            elmo = loaded(folder, layer_pooling=layer_pooling)
            found = elmo.encode_sentences(TEXTS, show_progress_bar=False)
            means = []
            for row, words_of_text in enumerate(words):
                n_words = len(words_of_text)
                total = expected[row, :n_words].sum(axis=0)
                means.append(total / max(1, n_words))
            np.testing.assert_allclose(found, means, atol=1e-6)
        with pytest.raises(EncodingError, match=r"span \(1, 2\) is outside the 1 words of 'box'"):
            encoder.encode_spans(["box"], [(1, 2)])

    def test_batches_order_and_what_was_encoded_before_change_nothing(self, model):
        expected = model.encode_sentences(TEXTS, batch_size=1, show_progress_bar=False)
        every_row = [*range(len(TEXTS))]
        rows = every_row * 2 + [0, 1, 3, 5] * 40  # more than fit into one batch
        np.random.default_rng(0).shuffle(rows)
        texts = [TEXTS[row] for row in rows]
        found = model.encode_sentences(texts, batch_size=1000, show_progress_bar=False)
        np.testing.assert_allclose(found, expected[rows], atol=1e-6)

    def test_folder_archive_and_published_names_hold_the_same(
        self, model, folder, tmp_path, monkeypatch
    ):
        expected = model.encode_sentences(TEXTS, show_progress_bar=False)
        published = "elmo_2x4096_512_2048cnn_2xhighway"
        save_elmo(tmp_path / "files", f"{published}_options.json", f"{published}_weights.hdf5")
        save_elmo(tmp_path / "portuguese" / "brwac", "options.json", "elmo_pt_weights_dgx1.hdf5")
        small = "elmo_2x1024_128_2048cnn_1xhighway"
        save_elmo(tmp_path / "small", f"{small}_options.json", f"{small}_weights.hdf5")
        (tmp_path / "archive").mkdir()
        with zipfile.ZipFile(tmp_path / "archive" / "elmo-original.zip", "w") as archive:
            archive.write(folder / "model.hdf5", "model.hdf5")
            archive.write(folder / "options.json", "options.json")
            archive.writestr("vocab.txt", "<S>\n</S>\n<UNK>\nbox\n")
        for place, which in (
            ("files", "original"),
            ("archive", "original"),
            ("portuguese", "portuguese-brwac"),
            ("small", "small"),
        ):
            name = f"allenai/elmo-{which}"
            folders = f"{tmp_path / 'none'}{os.pathsep}{tmp_path / place}"
            monkeypatch.setenv("HARNESS_EXT_ELMO", folders)
            elmo = mteb.get_model(name)
            assert elmo.mteb_model_meta.name == name
            assert elmo.mteb_model_meta.revision == "1"
            found = elmo.encode_sentences(TEXTS, show_progress_bar=False)
            np.testing.assert_allclose(found, expected, atol=1e-6)

    def test_a_model_that_concatenates_its_layers_does_so_in_spans_of_any_task(
        self, model, tmp_path, monkeypatch
    ):
        small = "elmo_2x1024_128_2048cnn_1xhighway"
        save_elmo(tmp_path, f"{small}_options.json", f"{small}_weights.hdf5")
        monkeypatch.setenv("HARNESS_EXT_ELMO", str(tmp_path))
        concatenated = mteb.get_model("allenai/elmo-small (layer_pooling=concatenate)")

        def vector_of_a_span(elmo, layer_pooling):
            encoder = span_encoder(elmo, layer_pooling=layer_pooling, show_progress_bar=False)
            (vector,) = encoder.encode_spans([TEXTS[0]], [(1, 3)])
            return vector

        mean = vector_of_a_span(model, "mean")
        assert len(mean) == 16
        layers = vector_of_a_span(concatenated, "mean")
        assert len(layers) == 48
        np.testing.assert_array_equal(layers, vector_of_a_span(concatenated, "concatenate"))
        # as NCTTI's task asks of any ELMo
        of_any = vector_of_a_span(model, "concatenate")
        np.testing.assert_allclose(layers, of_any, atol=1e-6)

    @pytest.mark.parametrize(
        ("name", "content", "message"),
        [
            ("b.hdf5", "", "there is options.json, b.hdf5, model.hdf5"),
            ("model.hdf5", "no weights", r"no ELMo .*options.json, model.hdf5"),
            ("options.json", "{}", r"no ELMo .*'char_cnn'"),
        ],
    )
    def test_a_damaged_model_is_an_error_that_names_it(self, tmp_path, name, content, message):
        folder = save_elmo(tmp_path / "tiny")
        (folder / name).write_text(content)
        with pytest.raises(ValueError, match=message) as error:
            loaded(folder)
        assert str(folder) in str(error.value)


def test_absent_files_or_libraries_are_errors_that_say_where_to_get_them(tmp_path, monkeypatch):
    monkeypatch.delenv("HARNESS_EXT_ELMO", raising=False)
    message = (
        r"allenai/elmo-original: none of .*elmo_2x4096_512_2048cnn.* HARNESS_EXT_ELMO, which is "
        r"not set\..* https://"
    )
    with pytest.raises(FileNotFoundError, match=message):
        mteb.get_model("allenai/elmo-original")
    monkeypatch.setitem(sys.modules, "simple_elmo", None)
    with pytest.raises(ModuleNotFoundError, match=r'pip install -c constraints.txt "\.\[elmo\]"'):
        loaded(tmp_path)
