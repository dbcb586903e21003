"""Any model that only adds up its words, as `MODEL (own words)`: for every task of mteb."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import mteb
import numpy as np
from datasets import Dataset
from mteb.models.abs_encoder import AbsEncoder

from harness_ext.arrays import Floats, Vectors
from harness_ext.encoders.own_words import own_words
from harness_ext.encoders.vectors import as_vectors
from harness_ext.model_name import ModelName

if TYPE_CHECKING:
    from mteb.abstasks.task_metadata import TaskMetadata
    from mteb.models import EncoderProtocol, ModelMeta
    from mteb.types import BatchedInput, PromptType
    from torch.utils.data import DataLoader

OWN_WORDS = "own words"
"""The option in the name of such a model."""


class OwnWordsEncoder(AbsEncoder):
    """The bags of a model's own words, see `harness_ext.encoders.own_words`.

    A task may send its texts in several calls, and all of them are encoded with one map from words to weights: the
    constants are those of the first call, a word keeps the weight that it was first given, and words that come later
    are fitted beside them. Another task, split or subset starts anew.

    Attributes:
        model: The model with vectors as they are.
        weights: Word -> its weight, of the task at hand.
        constants: As `OwnWords.constants`; None before the first call.
        words_fit: The mean cosine of bags and vectors in each call.
    """

    def __init__(self, model: EncoderProtocol) -> None:
        """Take an mteb model."""
        self.model = model
        self._begin(None)

    def _begin(self, place: tuple[str, str, str] | None) -> None:
        self._place = place
        self.weights: dict[str, float] = {}
        self.constants: Floats | None = None
        self.words_fit: list[float] = []

    @property
    def mteb_model_meta(self) -> ModelMeta:
        """The metadata of the model, with `(own words)` in the name."""
        return _renamed(self.model.mteb_model_meta)

    @mteb_model_meta.setter
    def mteb_model_meta(self, meta: ModelMeta) -> None:
        """Keep the metadata of the model, which mteb has set already."""

    def encode(
        self,
        inputs: DataLoader[BatchedInput],
        *,
        task_metadata: TaskMetadata,
        hf_split: str,
        hf_subset: str,
        prompt_type: PromptType | None = None,
        **kwargs: Any,
    ) -> Vectors:
        """Encode texts as their bags; arguments as of `mteb.models.EncoderProtocol`.

        Words are encoded like the texts of the call: with the same prompt, in batches of the same size.

        Returns:
            Shape (n, d).

        Raises:
            ValueError: No text has a word, or the first call has too few texts to fit a bag.
        """
        from torch.utils.data import DataLoader  # not above: `import mteb` does without torch

        place = task_metadata.name, hf_split, hf_subset
        if place != self._place:
            self._begin(place)

        def encode(texts: list[str]) -> Vectors:
            loader: Any = DataLoader(Dataset.from_dict({"text": texts}), batch_size=inputs.batch_size or 32)
            place = {"task_metadata": task_metadata, "hf_split": hf_split, "hf_subset": hf_subset}
            encoded = self.model.encode(loader, prompt_type=prompt_type, **place, **kwargs)
            return as_vectors(encoded, self.model.mteb_model_meta.embed_dim, kwargs.get("precision"))

        texts = [text for batch in inputs for text in batch["text"]]
        places = {text: number for number, text in enumerate(dict.fromkeys(texts))}
        distinct = list(places)
        found = own_words(distinct, encode(distinct), encode, weights=self.weights, constants=self.constants)
        self.weights |= found.weights
        self.constants = found.constants if self.constants is None else self.constants
        self.words_fit.append(found.words_fit)
        bags: Vectors = found.bags[np.array([places[text] for text in texts])]
        return bags


def own_words_encoder(model_name: str, revision: str | None = None, *, plain: str, **kwargs: Any) -> OwnWordsEncoder:
    """Load the model `plain`, a name or a place as `mteb run -m` takes it; other arguments as in `mteb.get_model`."""
    model: Any = mteb.get_model(plain, revision, **kwargs)
    return OwnWordsEncoder(model)


def own_words_meta(name: str, revision: str | None = None) -> ModelMeta | None:
    """Metadata to load `MODEL (own words)`; None for a name of another form.

    Args:
        name: The name; MODEL is a name or place that `mteb run -m` takes, with other options or without.
        revision: A commit, branch or tag on the Hub.
    """
    named = ModelName.parse(name)
    if OWN_WORDS not in named.options:
        return None
    plain = str(named.but(**{OWN_WORDS: None}))
    meta = _renamed(mteb.get_model_meta(plain, revision, fetch_from_hf=True))
    return meta.model_copy(update={"loader_kwargs": {"plain": plain}})


def _renamed(meta: ModelMeta) -> ModelMeta:
    name = str(ModelName.parse(str(meta.name)).but(**{OWN_WORDS: OWN_WORDS}))
    return meta.model_copy(update={"name": name, "loader": own_words_encoder})
