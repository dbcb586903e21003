"""ELMo as an mteb model, through simple-elmo: vectors of texts and of words in texts.

Peters, Neumann, Iyyer, Gardner, Clark, Lee, Zettlemoyer 2018: *Deep contextualized word
representations*, NAACL.
"""

from __future__ import annotations

import contextlib
import json
import logging
import tempfile
import warnings
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tqdm.auto import tqdm

from harness_ext.encoders.batches import words_of_span
from harness_ext.encoders.models.local_files import find_local
from harness_ext.encoders.models.tensorflow import import_with_tensorflow
from harness_ext.encoders.models.text_encoder import TextEncoder
from harness_ext.measures.core.fill import LayerPooling

_TEXTS_AT_ONCE = 128
_WORDS_AT_ONCE = 2048  # the character network takes some 200 kB a word


class Elmo(TextEncoder):
    """An ELMo of two files, `…options.json` and weights (`.hdf5`), at sentence and at span level.

    Words are the parts that `str.split` gives. A text of any length is encoded completely; the
    library cuts words after 48 bytes of UTF-8 (in the published models). A text without words gets
    the zero vector, which the evaluators leave out and count.

    The library passes the state of its networks on from one batch to the next, so a vector would
    depend on earlier texts. Here every batch begins with the state zero, like the library's first
    batch with `warmup=False`: a text always has the same vector.
    """

    backend = "tensorflow"

    def __init__(
        self,
        model_name: str,
        revision: str | None = None,
        *,
        files: Sequence[str],
        source: str,
        layer_pooling: LayerPooling = "mean",
        **kwargs: Any,
    ) -> None:
        """Load the model from a folder of `HARNESS_EXT_ELMO`; it is never downloaded.

        Its possible `files` there are a folder or ZIP archive with both files, or the options file
        of a pair `…options.json`, `…weights.hdf5`. `layer_pooling` is over the layers, including
        that of single words. Vectors of words in sentences are concatenated too if it says so, else
        the task decides.

        Raises:
            FileNotFoundError: The model is missing; names the places searched and the source.
            MissingExtraError: simple-elmo or TensorFlow is not installed; says how to install it.
            ValueError: The files are not such a model; names them.
        """
        path = find_local(model_name, files, "HARNESS_EXT_ELMO", source)
        self.layer_pooling = layer_pooling
        import_with_tensorflow("simple_elmo", "elmo")
        with _files(path) as (options_file, weights_file):
            try:
                self._build(json.loads(options_file.read_text(encoding="utf-8")), weights_file)
            except (KeyError, OSError, TypeError, ValueError) as error:
                message = (
                    f"{path}: no ELMo that simple-elmo can load ({options_file.name}, "
                    f"{weights_file.name}): "
                )
                raise ValueError(f"{message}{error}") from error
        super().__init__(model_name, revision)

    def _build(
        self,
        options: dict[str, Any],
        weights_file: Path,
    ) -> None:
        """Build the library's graph in a separate graph, so that TensorFlow's default graph stays
        unchanged.
        """
        import tensorflow as tf
        from simple_elmo.data import Batcher
        from simple_elmo.model import BidirectionalLanguageModel

        max_characters = options["char_cnn"]["max_characters_per_token"]
        with _quiet(), tf.Graph().as_default() as graph:
            self._batcher = Batcher(None, max_characters)  # a vocabulary only saves time
            shape = (None, None, max_characters)
            self._ids = tf.compat.v1.placeholder("int32", shape=shape)
            model = BidirectionalLanguageModel(
                options, str(weights_file), max_batch_size=_TEXTS_AT_ONCE
            )
            self._layers = model(self._ids)["lm_embeddings"]
            variables = tf.compat.v1.global_variables()
            states = [
                variable for variable in variables if variable.name.startswith("bilm/Variable")
            ]
            self._zero_states = tf.compat.v1.variables_initializer(states)
            self._session = tf.compat.v1.Session(graph=graph)
            self._session.run(tf.compat.v1.variables_initializer(variables))
        self.n_layers = int(self._layers.shape[1])
        self.dimensions = int(self._layers.shape[3])

    def encode_sentences(
        self,
        texts: Sequence[str],
        *,
        batch_size: int = 32,
        show_progress_bar: bool = True,
    ) -> NDArray[np.float32]:
        """Average the words of each text; in the order of the texts, shape (n, d)."""
        shape = (len(texts), self._size(self.layer_pooling))
        vectors = np.zeros(shape, dtype=np.float32)
        rows = self._word_vectors(
            texts,
            self.layer_pooling,
            batch_size,
            show_progress_bar,
        )
        for row, words in rows:
            vectors[row] = words.mean(axis=0, dtype=np.float64)
        return vectors

    def span_encoder(
        self, layer_pooling: LayerPooling, *, batch_size: int = 32, show_progress_bar: bool = True
    ) -> ElmoSpans:
        """Make its span encoder; a model that concatenates its layers does so here too."""
        if self.layer_pooling == "concatenate":
            layer_pooling = "concatenate"
        return ElmoSpans(self, layer_pooling, batch_size, show_progress_bar)

    def _size(self, layer_pooling: LayerPooling) -> int:
        return self.dimensions * (self.n_layers if layer_pooling == "concatenate" else 1)

    def _word_vectors(
        self,
        texts: Sequence[str],
        layer_pooling: LayerPooling,
        batch_size: int,
        show_progress_bar: bool,
    ) -> Iterator[tuple[int, NDArray[np.float32]]]:
        """Yield the row of each text with words, and the words' vectors, shape (words, d); the
        longest text first.
        """
        words = [text.split() for text in texts]
        lengths = [*map(len, words)]
        rows = [row for row, length in enumerate(lengths) if length]
        rows.sort(key=lengths.__getitem__, reverse=True)
        bar = tqdm(
            total=len(rows),
            desc="Encoding words",
            disable=not show_progress_bar,
        )
        with bar as progress:
            while rows:
                most = _WORDS_AT_ONCE // lengths[rows[0]]
                step = max(1, min(batch_size, _TEXTS_AT_ONCE, most))
                batch = rows[:step]
                rows = rows[step:]
                ids = self._batcher.batch_sentences([words[row] for row in batch])
                self._session.run(self._zero_states)
                # (text, layer, word, d)
                states = self._session.run(self._layers, {self._ids: ids})
                for row, padded in zip(batch, states, strict=True):
                    layers = padded[:, : lengths[row]]
                    if layer_pooling == "concatenate":
                        yield row, np.concatenate(layers, axis=1)
                    else:
                        yield row, layers.mean(axis=0)
                progress.update(len(batch))


@dataclass(frozen=True)
class ElmoSpans:
    """The `SpanEncoder` of an ELMo: the mean over the words of the span."""

    elmo: Elmo
    layer_pooling: LayerPooling
    batch_size: int
    show_progress_bar: bool

    def encode_spans(
        self,
        sentences: Sequence[str],
        spans: Sequence[tuple[int, int]],
    ) -> NDArray[np.float32]:
        """See `harness_ext.encoders.spans.SpanEncoder`."""
        places: dict[str, list[int]] = {}
        for place, (sentence, span) in enumerate(zip(sentences, spans, strict=True)):
            words_of_span(sentence, span)  # raises if it is not in the sentence
            places.setdefault(sentence, []).append(place)
        texts = list(places)
        shape = (len(sentences), self.elmo._size(self.layer_pooling))
        vectors = np.empty(shape, dtype=np.float32)
        rows = self.elmo._word_vectors(
            texts,
            self.layer_pooling,
            self.batch_size,
            self.show_progress_bar,
        )
        for row, words in rows:
            for place in places[texts[row]]:
                start, end = spans[place]
                vectors[place] = words[start:end].mean(axis=0, dtype=np.float64)
        return vectors


@contextlib.contextmanager
def _files(path: Path) -> Iterator[tuple[Path, Path]]:
    """Find options and weights in a folder, an archive, or a pair of files named by its options."""
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive, tempfile.TemporaryDirectory() as folder:
            for name in archive.namelist():
                if name.endswith(("options.json", ".hdf5")):
                    archive.extract(name, folder)
            with _files(Path(folder)) as files:
                yield files
        return
    if path.is_dir():
        options = sorted(path.rglob("*options.json"))
        weights = sorted(path.rglob("*.hdf5"))
    else:
        beside = path.name.removesuffix("options.json") + "weights.hdf5"
        options = [path]
        weights = [path.with_name(beside)]
    is_pair = len(options) == 1 and len(weights) == 1
    if not is_pair or not weights[0].is_file():
        names = [file.name for file in (*options, *weights) if file.is_file()]
        raise ValueError(
            f"{path}: an ELMo is one …options.json and one file of weights (.hdf5); there is "
            f"{', '.join(names) or 'neither'}."
        )
    yield options[0], weights[0]


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Suppress messages of the library and TensorFlow, and leave the root logger unchanged."""
    root = logging.getLogger()
    tensorflow = logging.getLogger("tensorflow")
    nothing = logging.NullHandler()
    level = tensorflow.level
    # without a handler, the library's first message would set up the root logger
    root.addHandler(nothing)
    tensorflow.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        root.removeHandler(nothing)
        tensorflow.setLevel(level)
