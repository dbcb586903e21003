"""The Universal Sentence Encoder as an mteb model, through TensorFlow Hub.

Cer, Yang, Kong, Hua, Limtiaco, St. John, Constant, Guajardo-Cespedes, Yuan, Tar, Sung, Strope, Kurzweil 2018:
*Universal Sentence Encoder for English*, EMNLP (demonstrations).
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from huggingface_hub.constants import HF_HUB_OFFLINE
from numpy.typing import NDArray

from harness_ext.common.model_name import local_name
from harness_ext.encoders.batches import longest_first
from harness_ext.encoders.models.local_files import files_hash, first_found, folders_of
from harness_ext.encoders.models.tensorflow import import_with_tensorflow
from harness_ext.encoders.models.text_encoder import TextEncoder

FOLDERS_VARIABLE = "HARNESS_EXT_USE"
"""The environment variable with the folders of the models, separated by `os.pathsep`."""


class UniversalSentenceEncoder(TextEncoder):
    """A SavedModel that maps a batch of texts to one vector per text. Sentence level only; no truncation."""

    backend = "tensorflow"

    def __init__(
        self,
        model_name: str,
        revision: str | None = None,
        *,
        source: str | None = None,
        **kwargs: Any,
    ) -> None:
        """Load the model from a folder, else from TensorFlow Hub's cache, else download it there.

        Args:
            model_name: The folder of a SavedModel, or only a name if `source` is given.
            revision: Kept for the metadata.
            source: The model's address on TensorFlow Hub. The folders of `HARNESS_EXT_USE` are searched first, for a
                folder with the last part of `model_name` as its name.
            **kwargs: Ignored, such as mteb's `device`.

        Raises:
            FileNotFoundError: The model is missing and cannot be downloaded; tells how to get it.
            MissingExtraError: TensorFlow or TensorFlow Hub is not installed; says how to install it.
            ValueError: The files are not such a SavedModel; names the folder.
        """
        hub = import_with_tensorflow("tensorflow_hub", "use")
        if source is None:
            folder = Path(model_name)
            if not folder.is_dir():
                raise FileNotFoundError(f"There is no folder {folder} of a SavedModel.")
            location, name = str(folder), local_name(folder)
            revision = revision or files_hash([folder])
        else:
            location, name = _location(model_name, source), model_name
        try:
            self._encoder = hub.load(location)
        except OSError as error:
            if location != source:
                raise ValueError(f"{name}: {location} is no SavedModel that can be loaded: {error}") from error
            raise FileNotFoundError(_how_to_get(model_name, source, str(error))) from error
        except ValueError as error:
            raise ValueError(f"{name}: {location} is no SavedModel that can be loaded: {error}") from error
        if not callable(self._encoder):
            raise ValueError(f"{name}: {location} is no SavedModel that can be called with texts.")
        super().__init__(name, revision)

    def encode_sentences(
        self, texts: Sequence[str], *, batch_size: int = 32, show_progress_bar: bool = True
    ) -> NDArray[np.float32]:
        """Encode each text as one vector; in the order of the texts, shape (n, d)."""
        import tensorflow as tf

        def encode(batch: list[str]) -> NDArray[np.float32]:
            return np.asarray(self._encoder(tf.constant(batch, dtype=tf.string)))

        order, vectors = [], []
        for rows in longest_first(texts, batch_size, description="Encoding", show_progress_bar=show_progress_bar):
            order += rows
            vectors.append(encode([texts[row] for row in rows]))
        return np.concatenate(vectors)[np.argsort(order)] if texts else encode([])


def _location(model_name: str, source: str) -> str:
    """Find the user's folder; else return the source, if TensorFlow Hub has the model or may download it."""
    if path := first_found([model_name.rpartition("/")[2]], folders_of(FOLDERS_VARIABLE)):
        return str(path)
    if HF_HUB_OFFLINE and not _is_cached(source):
        raise FileNotFoundError(_how_to_get(model_name, source, "HF_HUB_OFFLINE is set"))
    return source


def _is_cached(source: str) -> bool:
    """Whether TensorFlow Hub has unpacked the model, into a folder named by the SHA-1 of the source."""
    from tensorflow_hub.resolver import tfhub_cache_dir

    return Path(tfhub_cache_dir(use_temp=True), hashlib.sha1(source.encode()).hexdigest()).is_dir()


def _how_to_get(model_name: str, source: str, why: str) -> str:
    folder = model_name.rpartition("/")[2]
    where = os.environ.get(FOLDERS_VARIABLE) or f"{FOLDERS_VARIABLE}, which is not set,"
    return (
        f"{model_name} is neither in {where} nor in TensorFlow Hub's cache (TFHUB_CACHE_DIR), and was not downloaded: "
        f"{why}. Download it from {source}, unpack it into a folder named {folder}, and set the environment variable "
        f"{FOLDERS_VARIABLE} to the folder that this one lies in."
    )
