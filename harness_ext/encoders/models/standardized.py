"""Any model with standardised dimensions, as `MODEL (standardized)`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

import mteb
from mteb.models.abs_encoder import AbsEncoder

from harness_ext.model_name import ModelName

if TYPE_CHECKING:
    from mteb.models import EncoderProtocol, ModelMeta


class StandardizedEncoder(AbsEncoder):
    """A model whose vectors a task standardises over its texts, see `harness_ext.encoders.standardization`.

    Attributes:
        model: The model with vectors as they are.
        is_standardized: Tells a task to standardise.
    """

    is_standardized = True

    def __init__(self, model: EncoderProtocol) -> None:
        """Take an mteb model."""
        self.model = model

    @property
    def mteb_model_meta(self) -> ModelMeta:
        """The metadata of the model, with `(standardized)` in the name."""
        return _renamed(self.model.mteb_model_meta)

    @mteb_model_meta.setter
    def mteb_model_meta(self, meta: ModelMeta) -> None:
        """Keep the metadata of the model, which mteb has set already."""

    def encode(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Refuse: one call may have only some of the texts of a task.

        Raises:
            ValueError: Always; names the model.
        """
        raise ValueError(
            f"{self.mteb_model_meta.name}: dimensions are standardised over all texts of a task. Only tasks of this "
            "project do that."
        )


def standardized_encoder(
    model_name: str, revision: str | None = None, *, plain: str, **kwargs: Any
) -> StandardizedEncoder:
    """Load the model `plain`, a name or a place as `mteb run -m` takes it; other arguments as in `mteb.get_model`."""
    model: Any = mteb.get_model(plain, revision, **kwargs)
    return StandardizedEncoder(model)


def standardized_meta(name: str, revision: str | None = None) -> ModelMeta | None:
    """Metadata to load `MODEL (standardized)`; None for a name of another form.

    Args:
        name: The name; MODEL is a name or place that `mteb run -m` takes, with other options or without.
        revision: A commit, branch or tag on the Hub.
    """
    named = ModelName.parse(name)
    if "standardized" not in named.options:
        return None
    plain = str(named.but(standardized=None))
    meta = _renamed(mteb.get_model_meta(plain, revision, fetch_from_hf=True))
    return meta.model_copy(update={"loader_kwargs": {"plain": plain}})


def _renamed(meta: ModelMeta) -> ModelMeta:
    name = str(ModelName.parse(str(meta.name)).but(standardized="standardized"))
    return meta.model_copy(update={"name": name, "loader": standardized_encoder})
