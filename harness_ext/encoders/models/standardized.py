"""Any model with standardised dimensions, as `MODEL (standardized)`; and what wrapped
models share.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

import mteb
from mteb.models.abs_encoder import AbsEncoder

from harness_ext.encoders.models.loaders import wrapped_meta

if TYPE_CHECKING:
    from mteb.models import EncoderProtocol, ModelMeta


class WrappedModel(AbsEncoder):
    """A model with an option after its name.

    Attributes:
        option: The option.
        model: The model with vectors as they are.
    """

    option: ClassVar[str]

    def __init__(self, model: EncoderProtocol) -> None:
        """Take an mteb model."""
        self.model = model

    @classmethod
    def load(
        cls,
        model_name: str,
        revision: str | None = None,
        *,
        plain: str,
        **kwargs: Any,
    ) -> WrappedModel:
        """Load the model `plain`, a name or a place as `mteb run -m` takes it."""
        model: Any = mteb.get_model(plain, revision, **kwargs)
        return cls(model)

    @property
    def mteb_model_meta(self) -> ModelMeta:
        """The metadata of the model, with the option in the name."""
        return wrapped_meta(self.model.mteb_model_meta, self.option)

    @mteb_model_meta.setter
    def mteb_model_meta(self, meta: ModelMeta) -> None:
        """Keep the metadata of the model, which mteb has set already."""


class StandardizedEncoder(WrappedModel):
    """A model whose vectors a task standardises over its texts, see
    `harness_ext.statistics.standardization`.

    Attributes:
        is_standardized: Tells a task to standardise.
    """

    option = "standardized"
    is_standardized = True

    def encode(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Refuse, by a ValueError: one call may have only some of the texts of a task."""
        raise ValueError(
            f"{self.mteb_model_meta.name}: dimensions are standardised over all texts of a task. "
            "Only tasks of this project do that."
        )
