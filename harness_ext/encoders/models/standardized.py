"""Any model with standardised dimensions, as `MODEL (standardized)`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

import mteb
from mteb.models.abs_encoder import AbsEncoder

from harness_ext.encoders.models.loaders import wrapped_meta

if TYPE_CHECKING:
    from mteb.models import EncoderProtocol, ModelMeta


class StandardizedEncoder(AbsEncoder):
    """A model whose vectors a task standardises over its texts, see `harness_ext.statistics.standardization`.

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
        return wrapped_meta(self.model.mteb_model_meta, "standardized")

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


def load(model_name: str, revision: str | None = None, *, plain: str, **kwargs: Any) -> StandardizedEncoder:
    """Load the model `plain`, a name or a place as `mteb run -m` takes it, with standardised dimensions."""
    model: Any = mteb.get_model(plain, revision, **kwargs)
    return StandardizedEncoder(model)
