"""Base class of our mteb models: the call from mteb, and the model's identity."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from huggingface_hub import try_to_load_from_cache
from mteb.models import ModelMeta
from mteb.models.abs_encoder import AbsEncoder
from numpy.typing import NDArray

from harness_ext.encoders.models.local_files import files_hash

if TYPE_CHECKING:
    from mteb.abstasks.task_metadata import TaskMetadata
    from mteb.types import BatchedInput, EncodeKwargs, PromptType
    from torch.utils.data import DataLoader
    from typing_extensions import Unpack


class KeepsIdentity:
    """Keeps what was found when the model was loaded, even if mteb replaces its metadata."""

    _loaded: Mapping[str, Any] = MappingProxyType({})

    @property
    def mteb_model_meta(self) -> ModelMeta:
        """The metadata; the revision is the loaded one."""
        return self._meta

    @mteb_model_meta.setter
    def mteb_model_meta(self, meta: ModelMeta) -> None:
        self._meta = meta.model_copy(update=dict(self._loaded))


class TextEncoder(KeepsIdentity, AbsEncoder):  # type: ignore[misc]  # a property in place of an attribute
    """An mteb model that needs only the texts, without a prompt."""

    def __init__(
        self,
        name: str,
        revision: str | None,
        **facts: Any,
    ) -> None:
        """Set the identity, see `loaded_revision`; `facts` are further metadata of mteb's
        `ModelMeta`.
        """
        identity = {"name": name}
        if revision:
            identity["revision"] = revision
        self._loaded = identity
        self.mteb_model_meta = ModelMeta.create_empty({"loader": type(self), **facts})

    def encode(
        self,
        inputs: DataLoader[BatchedInput],
        *,
        task_metadata: TaskMetadata,
        hf_split: str,
        hf_subset: str,
        prompt_type: PromptType | None = None,
        **kwargs: Unpack[EncodeKwargs],
    ) -> NDArray[np.float32]:
        """Encode texts for mteb; see `encode_sentences`."""
        return self.encode_sentences(
            texts_of(inputs),
            batch_size=kwargs.get("batch_size", 32),
            show_progress_bar=kwargs.get("show_progress_bar", True),
        )

    @abstractmethod
    def encode_sentences(
        self,
        texts: Sequence[str],
        *,
        batch_size: int = 32,
        show_progress_bar: bool = True,
    ) -> NDArray[np.float32]:
        """Encode each text as one vector; in the order of the texts, shape (n, d)."""


def texts_of(inputs: DataLoader[BatchedInput]) -> list[str]:
    """The texts of mteb's batches, in their order."""
    texts: list[str] = []
    for batch in inputs:
        texts += batch["text"]
    return texts


def loaded_revision(checkpoint: str, revision: str | None) -> str | None:
    """Find the commit of a checkpoint loaded from the Hub, or hash the files of a folder."""
    folder = Path(checkpoint)
    if folder.is_dir():  # two folders of the same name must not share cached results
        return files_hash([folder])
    config = try_to_load_from_cache(checkpoint, "config.json", revision=revision)
    return Path(config).parent.name if isinstance(config, str) else revision
