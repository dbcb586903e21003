"""Static vectors: three file formats, hand-computed means, unknown words."""

import gzip
import os
import sys

import mteb
import numpy as np
import pytest
from mteb.models import EncoderProtocol

from harness_ext.encoders.batches import EncodingError
from harness_ext.encoders.models.static import StaticVectors, load_vectors
from harness_ext.encoders.spans import span_encoder
from tests.encoders.as_mteb import encode

VECTORS = {
    "black": [1.0, 2.0],
    "box": [3.0, -2.0],
    "Box": [0.0, 1.0],
    "paris": [5.0, 5.0],
}
GLOVE = "".join(f"{word} {x} {y}\n" for word, (x, y) in VECTORS.items())


@pytest.fixture
def glove(tmp_path):
    path = tmp_path / "tiny.txt"
    path.write_text(GLOVE, encoding="utf-8")
    return path


def test_a_text_is_the_mean_of_its_known_words_as_written_first_then_in_lower_case(glove):
    model = StaticVectors(str(glove))
    assert isinstance(model, EncoderProtocol)
    expected = {
        "black box": [2, 0],
        "black unheard-of box box": [7 / 3, -2 / 3],
        "Box": [0, 1],
        "BOX": [3, -2],
        "Paris": [5, 5],
        "what ever": [0, 0],
        "": [0, 0],
    }
    found = encode(model, list(expected))
    np.testing.assert_allclose(found, list(expected.values()), rtol=1e-6)
    assert found.dtype == np.float32


def test_span_level_is_the_mean_over_the_span(glove):
    model = StaticVectors(str(glove))
    encoder = span_encoder(model)
    assert encoder is model
    sentences = ["paris black box", "paris  black Box", "box box", "a box"]
    spans = [(1, 3), (1, 3), (0, 1), (0, 1)]
    found = encoder.encode_spans(sentences, spans)
    assert found.tolist() == [
        [2, 0],
        [0.5, 1.5],
        [3, -2],
        [0, 0],
    ]
    with pytest.raises(EncodingError, match=r"span \(1, 3\) is outside the 2 words of 'black box'"):
        encoder.encode_spans(["black box"], [(1, 3)])


def test_all_formats_hold_the_same(glove, tmp_path):
    expected = load_vectors(glove)
    expected.save_word2vec_format(str(tmp_path / "v.bin"), binary=True)
    expected.save_word2vec_format(str(tmp_path / "v.vec"))
    expected.save(str(tmp_path / "v.kv"))
    compressed_text = gzip.compress(GLOVE.encode())
    compressed_binary = gzip.compress((tmp_path / "v.bin").read_bytes())
    (tmp_path / "v.txt.gz").write_bytes(compressed_text)
    (tmp_path / "v.bin.gz").write_bytes(compressed_binary)
    (tmp_path / "word2vec-google-news-300.gz").write_bytes(compressed_binary)
    for name, binary in (
        ("v.bin", None),
        ("v.vec", None),
        ("v.kv", None),
        ("v.txt.gz", None),
        ("v.bin.gz", None),
        ("word2vec-google-news-300.gz", True),
    ):
        found = load_vectors(tmp_path / name, binary=binary)
        assert found.index_to_key == list(VECTORS)
        np.testing.assert_array_equal(found.vectors, list(VECTORS.values()))
    # gensim's own methods work on what we read
    ((nearest, _),) = expected.most_similar("paris", topn=1)
    assert nearest == "black"


def test_words_with_blanks_and_repeated_words_as_in_glove_840b(tmp_path):
    path = tmp_path / "v.txt"
    path.write_text(
        "a 1 2\n. . . 3 4\nat name@domain.com 5 6\na 7 8\n\u0085 9 9\n", encoding="utf-8"
    )
    vectors = load_vectors(path)
    assert vectors[". . ."].tolist() == [3, 4]
    assert vectors["at name@domain.com"].tolist() == [5, 6]
    assert vectors["a"].tolist() == [1, 2]
    assert vectors["\u0085"].tolist() == [9, 9]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        (
            "v.txt",
            "a 1 2\n".encode("utf-16"),
            r"v\.txt is damaged, or not a UTF-8 text file: 'utf-8' codec",
        ),
        (
            "v.txt.gz",
            b"a 1 2\n",
            r"v\.txt\.gz is damaged, or not a UTF-8 text file \(\.gz\): Not a gzipped file",
        ),
        (
            "v.txt.gz",
            gzip.compress(b"a 1 2\n" * 99, mtime=0)[:-9],
            r"v\.txt\.gz is damaged.*Compressed file ended",
        ),
        ("v.bin", b"2 8\na " + bytes(40), r"v\.bin is damaged, or not in word2vec's binary format"),
        ("v.kv", b"a 1 2\n", r"v\.kv is damaged, or not in gensim's own format"),
    ],
)
def test_a_file_that_is_not_of_its_format_is_named(tmp_path, name, content, message):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ValueError, match=message):
        load_vectors(tmp_path / name)


def test_no_gensim_says_how_to_install_it(glove, monkeypatch):
    monkeypatch.setitem(sys.modules, "gensim.models", None)
    with pytest.raises(ModuleNotFoundError, match=r'need gensim.*"\.\[static\]"'):
        load_vectors(glove)


def test_the_path_of_a_file_is_the_name_of_a_model(glove):
    meta = mteb.get_model_meta(str(glove), fetch_from_hf=True)
    model = mteb.get_model(str(glove), device="cpu")
    assert meta.name == "local/tiny.txt"
    assert model.mteb_model_meta.name == meta.name
    assert model.mteb_model_meta.revision == meta.revision
    of_class = StaticVectors(str(glove)).mteb_model_meta
    assert of_class.revision == meta.revision
    assert encode(model, ["black box"]).tolist() == [[2, 0]]
    glove.write_text(GLOVE.replace("black 1.0", "black 2.0"), encoding="utf-8")
    changed = mteb.get_model_meta(str(glove), fetch_from_hf=True)
    assert changed.revision != meta.revision


class TestRegisteredNames:
    def test_found_in_the_folders_of_the_variable(self, tmp_path, monkeypatch):
        empty = tmp_path / "empty"
        empty.mkdir()
        ones = " ".join(["1"] * 300)
        (tmp_path / "glove.840B.300d.txt").write_text(f"box {ones}\n", encoding="utf-8")
        monkeypatch.setenv("HARNESS_EXT_VECTORS", f"{empty}{os.pathsep}{tmp_path}")
        model = mteb.get_model("stanfordnlp/glove.840B.300d", device="cpu")
        assert model.mteb_model_meta.name == "stanfordnlp/glove.840B.300d"
        assert model.mteb_model_meta.revision == "1"
        found = encode(model, ["box unheard"])
        np.testing.assert_array_equal(found, np.ones((1, 300)))

    def test_found_in_gensims_folder_in_binary_format(self, tmp_path, monkeypatch):
        monkeypatch.delenv("HARNESS_EXT_VECTORS", raising=False)
        monkeypatch.setenv("GENSIM_DATA_DIR", str(tmp_path))
        file = tmp_path / "word2vec-google-news-300" / "word2vec-google-news-300.gz"
        file.parent.mkdir()
        ones = np.ones(300, dtype=np.float32)
        content = b"1 300\nbox " + ones.tobytes() + b"\n"
        file.write_bytes(gzip.compress(content))
        model = mteb.get_model("google/GoogleNews-vectors-negative300")
        np.testing.assert_array_equal(encode(model, ["box"]), ones[None])

    def test_absent_is_an_error_that_says_where_to_put_the_file(self, tmp_path, monkeypatch):
        monkeypatch.setenv("HARNESS_EXT_VECTORS", str(tmp_path / "mine"))
        monkeypatch.setenv("GENSIM_DATA_DIR", str(tmp_path / "gensim"))
        name = "stanfordnlp/glove.6B.300d"
        message = f"{name}.*glove.6B.300d.txt.*/mine.*/gensim.*nlp.stanford.*_VECTORS"
        with pytest.raises(FileNotFoundError, match=message):
            mteb.get_model(name)
