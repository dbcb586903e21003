"""The files that mteb writes for each model, as models: `model_meta.json` and `<Task>.json`."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BeforeValidator, Field, ValidationError

from harness_ext.json_files import JsonModel
from harness_ext.store.signature import Signature

_AtLeastZero = Annotated[float, Field(ge=0)]


class ModelMetaFile(JsonModel):
    """The keys of `model_meta.json` that a board knows; None where nobody says.

    Attributes:
        name: The model's name.
        revision: Its revision.
        n_parameters: How many.
        open_weights: Whether the weights can be had.
        use_instructions: Whether it takes instructions or prompts.
        training_datasets: Names of tasks that it was trained on.
        languages: Such as `eng-Latn`.
        embed_dim: Of a vector, or of each of its shorter forms.
        max_tokens: The longest input; may be infinite.
        license: Of the weights.
        reference: A page about it on the web.
    """

    name: str | None = None
    revision: str | None = None
    n_parameters: _AtLeastZero | None = None
    open_weights: bool | None = None
    use_instructions: bool | None = None
    training_datasets: list[str] | set[str] | None = None
    languages: list[str] | None = None
    embed_dim: _AtLeastZero | list[_AtLeastZero] | None = None
    max_tokens: _AtLeastZero | None = None
    license: str | None = None
    reference: str | None = None

    @classmethod
    def known(cls, content: Any) -> ModelMetaFile:
        """Whatever is sound in somebody's metadata; the rest is not known."""
        try:
            return cls.model_validate(content)
        except ValidationError as error:
            wrong = {one["loc"][0] for one in error.errors() if one["loc"]}
            return cls.known({key: content[key] for key in content.keys() - wrong}) if wrong else cls()


def _signature(value: Any) -> Any:
    return Signature.parse(value) if isinstance(value, str) else value


class ScoresRecord(JsonModel, extra="allow"):
    """The scores of one subset; the scores themselves are further keys.

    Attributes:
        hf_subset: The subset.
        signature: What the scores are of.
        items: The digest of the items.
        words_items: The digest of the items of the encoder's own words.
    """

    hf_subset: str
    signature: Annotated[Signature, BeforeValidator(_signature)] | None = None
    items: str | None = None
    words_items: str | None = None

    @property
    def values(self) -> dict[str, Any]:
        """The further keys."""
        return self.__pydantic_extra__ or {}


class ResultFile(JsonModel):
    """`<Task>.json`.

    Attributes:
        task_name: The task.
        dataset_revision: Of the data.
        scores: Split -> a record per subset.
    """

    task_name: str
    dataset_revision: str
    scores: dict[str, list[ScoresRecord]]
