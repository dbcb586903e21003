"""Static word vectors (word2vec, GloVe) as mteb models: a text is the mean of the vectors of the
words.
"""

from __future__ import annotations

import gzip
import os
import zlib
from array import array
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from tqdm.auto import tqdm

from harness_ext.common.extras import imported
from harness_ext.common.model_name import local_name
from harness_ext.encoders.batches import words_of_span
from harness_ext.encoders.models.local_files import find_local, vectors_hash
from harness_ext.encoders.models.text_encoder import TextEncoder

if TYPE_CHECKING:
    from gensim.models import KeyedVectors


class StaticVectors(TextEncoder):
    """A file of word vectors as an mteb model, at sentence and at span level.

    Words are the parts that `str.split` gives. A word is looked up as written, then in lower case.
    Unknown words are ignored. A text or span with unknown words only gets the zero vector, which
    the evaluators leave out and count.
    """

    def __init__(
        self,
        model_name: str,
        revision: str | None = None,
        *,
        files: Sequence[str] = (),
        source: str = "",
        binary: bool | None = None,
        **kwargs: Any,
    ) -> None:
        """Load the user's own file, named by its path; or one of `files`, which is never
        downloaded.

        These lie in a folder of `HARNESS_EXT_VECTORS` or in gensim's data folder
        (`GENSIM_DATA_DIR`, else `~/gensim-data`). The revision of the user's own file is a hash of
        it.

        Raises:
            FileNotFoundError: The file is missing; names the places searched and the source.
            MissingExtraError, ValueError: As `load_vectors`.
        """
        if files:
            home = os.path.expanduser("~")  # noqa: PTH111 - which raises no error where there is none
            gensim_data = Path(os.environ.get("GENSIM_DATA_DIR") or Path(home, "gensim-data"))
            name = model_name
            self.path = find_local(
                model_name,
                files,
                "HARNESS_EXT_VECTORS",
                source,
                [gensim_data],
            )
        else:
            self.path = Path(model_name)
            name = local_name(self.path)
        self.vectors = load_vectors(self.path, binary)
        if not files and not revision:
            revision = vectors_hash(self.path)
        super().__init__(name, revision)

    def encode_sentences(
        self,
        texts: Sequence[str],
        **_: Any,
    ) -> NDArray[np.float32]:
        """Encode each text as one vector; in the order of the texts, shape (n, d)."""
        means = [self._mean(text.split()) for text in texts]
        return np.array(means).reshape(len(texts), self.vectors.vector_size)

    def encode_spans(
        self,
        sentences: Sequence[str],
        spans: Sequence[tuple[int, int]],
    ) -> NDArray[np.float32]:
        """See `harness_ext.encoders.spans.SpanEncoder`; the words around the span change
        nothing.
        """
        means = [
            self._mean(words_of_span(sentence, span))
            for sentence, span in zip(sentences, spans, strict=True)
        ]
        return np.array(means).reshape(len(sentences), self.vectors.vector_size)

    def _mean(
        self,
        words: Sequence[str],
    ) -> NDArray[np.float32]:
        index = self.vectors.key_to_index
        rows = []
        for word in words:
            form = word if word in index else word.lower()
            if form in index:
                rows.append(index[form])
        if not rows:
            return np.zeros(self.vectors.vector_size, dtype=np.float32)
        vectors = self.vectors.vectors[rows]
        return vectors.mean(axis=0, dtype=np.float64).astype(np.float32)


def load_vectors(path: Path, binary: bool | None = None) -> KeyedVectors:
    """Read word vectors: gensim's own format (`.kv`), word2vec's binary format (`.bin`, `.bin.gz`),
    else text.

    A line of a text file is a word and its numbers, after a first line of two counts (word2vec,
    fastText) or without it (GloVe). The file may be compressed (`.gz`). The first of equal words
    counts. By default the name of a file tells whether it is binary.

    Raises:
        FileNotFoundError: There is no such file.
        MissingExtraError: gensim is not installed.
        ValueError: A line has another form, or the file is not in the format of its name; names the
            file.
    """
    vectors = imported("gensim.models", "static", "Word vectors need").KeyedVectors
    if not path.is_file():
        raise FileNotFoundError(f"There is no file {path} of word vectors.")
    suffixes = [suffix for suffix in path.suffixes if suffix != ".gz"]
    if suffixes[-1:] == [".kv"]:
        form = "gensim's own format"
        read = partial(vectors.load, mmap="r")
    elif binary or (binary is None and suffixes[-1:] == [".bin"]):
        form = "word2vec's binary format"
        read = partial(vectors.load_word2vec_format, binary=True)
    else:
        return _read_text(path)
    try:
        return read(str(path))
    except Exception as error:  # a damaged file fails in many ways
        raise ValueError(f"{path} is damaged, or not in {form}: {error!r}") from error


def _read_text(path: Path) -> KeyedVectors:
    """Read a text file of words."""
    from gensim.models import KeyedVectors

    words = []
    numbers = array("f")  # an array grows without a second copy of all
    lines = tqdm(
        read_vectors(path),
        desc=f"Reading {path.name}",
        unit="word",
    )
    for _, word, vector in lines:
        words.append(word)
        numbers.frombytes(vector.tobytes())
    vectors = KeyedVectors(vector_size=len(numbers) // len(words))
    flat = np.frombuffer(numbers, dtype=np.float32)
    vectors.vectors = flat.reshape(len(words), -1)
    vectors.index_to_key = words
    for row, word in enumerate(words):
        vectors.key_to_index.setdefault(word, row)
    return vectors


def read_vectors(
    path: Path, dimensions: int | None = None
) -> Iterator[tuple[int, str, NDArray[np.float32]]]:
    """Read a text file of vectors, in UTF-8, or compressed (`.gz`): number, word or words, and
    vector of each line.

    A line is a word, or several, and numbers, as many as in the first line by default, separated by
    blanks. A first line of two counts, as in word2vec's files, is skipped. gensim's own reader
    stops at words with a blank, as in GloVe 840B.

    Raises:
        ValueError: A line has another form, a NaN or an infinity, or the file is empty or damaged;
            names file and line.
    """
    like = "the first line has" if dimensions is None else "the model's input embeddings have"
    n_vectors = 0
    with (gzip.open if path.suffix == ".gz" else open)(
        path, "rt", encoding="utf-8", newline="\n"
    ) as file:
        try:
            for number, line in enumerate(file, start=1):
                fields = line.rstrip().split(" ")
                if number == 1 and len(fields) == 2 and dimensions != 1:
                    continue
                dimensions = dimensions or len(fields) - 1
                word = " ".join(fields[:-dimensions])
                place = f"{path}, line {number}"
                values = fields[-dimensions:] if word else np.nan
                try:
                    vector = np.array(values, dtype=np.float32)
                except ValueError as error:
                    raise ValueError(f"{place}: {error}.") from error
                if not np.isfinite(vector).all():
                    raise ValueError(
                        f"{place}: not a word and {dimensions} finite numbers, as {like}."
                    )
                n_vectors += 1
                yield number, word, vector
        except (UnicodeDecodeError, EOFError, gzip.BadGzipFile, zlib.error) as error:
            kind = " (.gz)" * (path.suffix == ".gz")
            raise ValueError(
                f"{path} is damaged, or not a UTF-8 text file{kind}: {error}"
            ) from error
    if not n_vectors:
        raise ValueError(f"{path} holds no vectors.")
