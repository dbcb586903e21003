"""The Universal Sentence Encoder as an mteb model, through TensorFlow Hub.

Cer, Yang, Kong, Hua, Limtiaco, St. John, Constant, Guajardo-Cespedes, Yuan, Tar, Sung, Strope,
Kurzweil 2018: *Universal Sentence Encoder for English*, EMNLP (demonstrations).
"""

import os
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from harness_ext.encoders.batches import longest_first
from harness_ext.encoders.models.local_files import first_found, folders_of
from harness_ext.encoders.models.tensorflow import import_with_tensorflow
from harness_ext.encoders.models.text_encoder import TextEncoder

FOLDERS_VARIABLE = "HARNESS_EXT_USE"  # the folders of models, separated by `os.pathsep`


class UniversalSentenceEncoder(TextEncoder):
    """A SavedModel that maps a batch of texts to one vector per text. Sentence level only; no
    truncation.
    """

    backend = "tensorflow"

    def __init__(
        self,
        model_name: str,
        revision: str | None = None,
        *,
        source: str,
        **kwargs: Any,
    ) -> None:
        """Load the model from a folder of `HARNESS_EXT_USE` with the last part of its name, else
        from TensorFlow Hub.

        Raises:
            FileNotFoundError: The model is missing and cannot be downloaded; tells how to get it.
            MissingExtraError: TensorFlow or TensorFlow Hub is not installed; says how to install
                it.
            ValueError: The files are not such a SavedModel; names the folder.
        """
        hub = import_with_tensorflow("tensorflow_hub", "use")
        name = model_name.rpartition("/")[2]
        folder = first_found([name], folders_of(FOLDERS_VARIABLE))
        location = str(folder or source)
        try:
            self._encoder = hub.load(location)
        except (OSError, ValueError) as error:
            if folder is None and isinstance(error, OSError):
                where = os.environ.get(FOLDERS_VARIABLE) or f"{FOLDERS_VARIABLE}, which is not set,"
                raise FileNotFoundError(
                    f"{model_name} is neither in {where} nor in TensorFlow Hub's cache "
                    f"(TFHUB_CACHE_DIR), and was not downloaded: {error}. Download it from "
                    f"{source}, unpack it into a folder named {name}, and set the environment "
                    f"variable {FOLDERS_VARIABLE} to the folder that this one lies in."
                ) from error
            raise ValueError(
                f"{model_name}: {location} is no SavedModel that can be loaded: {error}"
            ) from error
        if not callable(self._encoder):
            raise ValueError(
                f"{model_name}: {location} is no SavedModel that can be called with texts."
            )
        super().__init__(model_name, revision)

    def encode_sentences(
        self,
        texts: Sequence[str],
        *,
        batch_size: int = 32,
        show_progress_bar: bool = True,
    ) -> NDArray[np.float32]:
        """Encode each text as one vector; in the order of the texts, shape (n, d)."""
        import tensorflow as tf

        def encode(batch: list[str]) -> NDArray[np.float32]:
            texts_of_batch = tf.constant(batch, dtype=tf.string)
            return np.asarray(self._encoder(texts_of_batch))

        order: list[int] = []
        vectors: list[NDArray[np.float32]] = []
        for rows in longest_first(
            [*map(len, texts)], batch_size, show_progress_bar=show_progress_bar
        ):
            order += rows
            vectors.append(encode([texts[row] for row in rows]))
        if not texts:
            return encode([])
        return np.concatenate(vectors)[np.argsort(order)]
