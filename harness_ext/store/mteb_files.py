"""Pydantic models of the files that mteb writes for each model: `model_meta.json` and
`<Task>.json`.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, PlainValidator, ValidationError
from pydantic_core import PydanticCustomError

from harness_ext.common.json_files import (
    DamagedFileError,
    JsonModel,
    Number,
    checked,
    read_json,
    read_model,
)
from harness_ext.common.names import OWN
from harness_ext.measures.core.measure import Measure
from harness_ext.store.item_files import DIGESTS
from harness_ext.store.signature import Signature

ROUNDING = 1e-5
"""The most that other programs change a score by."""

MOST = {"n_parameters": 1e15, "embed_dim": 1e6}
"""Key of a model's metadata -> the most that a board takes for possible."""


class ModelMetaFile(JsonModel):
    """The keys of `model_meta.json` that a board knows; None if unknown.

    Attributes:
        name: The model's name.
        n_parameters: The number of parameters.
        embed_dim: The number of dimensions.
    """

    name: str | None = None
    n_parameters: Annotated[float, Field(ge=0, le=MOST["n_parameters"])] | None = None
    embed_dim: Annotated[int, Field(ge=0, le=MOST["embed_dim"])] | None = None

    @classmethod
    def beside(cls, file: Path) -> ModelMetaFile:
        """Read the metadata beside a result file; nothing is known if they cannot be read."""
        try:
            content = read_json(file.with_name("model_meta.json"))
        except DamagedFileError:
            return cls()
        return cls.known(content)

    @classmethod
    def known(cls, content: Any) -> ModelMetaFile:
        """Read the sound keys of somebody's metadata; damaged keys count as unknown."""
        try:
            return cls.model_validate(content)
        except ValidationError as error:
            places = [fault["loc"] for fault in error.errors()]
        damaged = {place[0] for place in places if place}
        if not damaged:
            return cls()
        sound = content.keys() - damaged
        return cls.known({key: content[key] for key in sound})


def _signature(value: Any) -> Signature:
    try:
        return Signature.parse(value)
    except (ValueError, AttributeError):
        raise PydanticCustomError("signature", "a signature of this project") from None


class ScoresRecord(JsonModel, extra="allow"):
    """The scores of one subset; the scores themselves are further keys.

    Attributes:
        hf_subset: The subset.
        signature: Identifies the scores; None in results of other programs.
        items: The digest of the items; None if there are none.
        additive_items: The digest of the items of its additive baseline; None if there are none.
        noise_items: The same of matched noise.
    """

    hf_subset: str
    signature: Annotated[Signature, PlainValidator(_signature)] | None = None
    items: str | None = None
    additive_items: str | None = None
    noise_items: str | None = None

    @property
    def digests(self) -> dict[str, str]:
        """The digests that there are, by their keys."""
        digests = {key: getattr(self, key) for key in DIGESTS}
        return {key: digest for key, digest in digests.items() if digest}

    @property
    def values(self) -> dict[str, Any]:
        """The further keys."""
        return self.__pydantic_extra__ or {}


class ResultFile(JsonModel):
    """`<Task>.json`.

    Attributes:
        task_name: The task.
        dataset_revision: The revision of the data.
        scores: Split -> a record per subset.
    """

    task_name: str
    dataset_revision: str
    scores: dict[str, list[ScoresRecord]]


def task_of_file(file: Path) -> str:
    """The name of the task whose result file it is: `own/NAME` for a file in a folder `own`."""
    is_own = file.parent.name == OWN.rstrip("/")
    return f"{OWN}{file.stem}" if is_own else file.stem


def read_result_file(file: Path) -> ResultFile:
    """Read `<Task>.json`.

    Raises:
        DamagedFileError: It cannot be read, or is not as mteb writes it; names the file and the
            first key at fault.
    """
    result = read_model(file, ResultFile)
    expected = task_of_file(file)
    if result.task_name != expected:
        raise DamagedFileError(
            f"{file}: task_name is {result.task_name!r}, {expected!r} expected.", "task_name"
        )
    for split, records in result.scores.items():
        subsets = {record.hf_subset for record in records}
        if len(subsets) < len(records):
            raise DamagedFileError(f"{file}: the split {split!r} has a subset twice.", split)
    return result


def checked_scores(
    values: Mapping[str, Any], measure: Measure[Any], file: Path
) -> tuple[float, dict[str, float]]:
    """Check the scores of a record, with `main_score`, and return this, and key -> value of all
    declared scores.

    Raises:
        DamagedFileError: A score is no number, or the main score is outside of its range or differs
            from its own key.
    """
    declarations = measure.declarations
    known: dict[str, Any] = {"main_score": values.get("main_score")}
    for key in declarations:
        if key in values:
            known[key] = values[key]
    scores = checked(known, dict[str, Number], file)
    main = scores.pop("main_score")
    low, high = declarations[measure.main][0].range
    if not low - ROUNDING <= main <= high + ROUNDING:
        raise DamagedFileError(
            f"{file}: main_score is {main}, outside of {low:g} to {high:g}.", "main_score"
        )
    if abs(main - scores.get(measure.main, main)) > ROUNDING:
        differs = f"{file}: main_score is {main}, but {measure.main} is {scores[measure.main]}."
        raise DamagedFileError(differs, "main_score")
    return main, scores
