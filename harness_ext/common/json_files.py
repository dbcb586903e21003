"""JSON files of other programs: read as a pydantic model, or refused with file, key, found and
expected.
"""

from __future__ import annotations

import functools
import json
import reprlib
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, PlainValidator, TypeAdapter, ValidationError
from pydantic_core import PydanticCustomError

from harness_ext.common.errors import shown
from harness_ext.common.files import POINTER, is_pointer

_Model = TypeVar("_Model")

_EXPECTED = {
    "string_type": "a text",
    "bool_type": "true or false",
    "list_type": "a list",
    "int_type": "a whole number",
    "float_type": "a number",
    "extra_forbidden": "no such key",
    **dict.fromkeys(
        ("dict_type", "model_type", "dataclass_type", "model_attributes_type"), "an object"
    ),
}
"""Pydantic's type of an error -> its expectation, in our words."""


class DamagedFileError(ValueError):
    """A file is damaged; the message names it. `key` is the place in it, empty for the file as a
    whole.
    """

    def __init__(
        self,
        message: str,
        key: str = "",
    ) -> None:
        super().__init__(message)
        self.key = key


class JsonModel(BaseModel):
    """A JSON object: declared keys have exactly their types, others are let be."""

    model_config = ConfigDict(strict=True, frozen=True, extra="ignore", populate_by_name=True)


# one for each type that is read
_adapter: Callable[[Any], TypeAdapter[Any]] = functools.cache(TypeAdapter)


_LARGEST = 1e300
"""No number of a file is as large."""


def _number(value: Any) -> Any:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not abs(value) < _LARGEST:
        raise PydanticCustomError("number", "a number")
    return value


Number = Annotated[int | float, PlainValidator(_number)]
"""A finite number; integers stay integers."""


def read_json(file: Path) -> Any:
    """The content of a JSON file. Pipes and devices are not opened: they could make a reader wait
    forever.

    Raises:
        DamagedFileError: It cannot be read, or has a key twice, which programs read in two ways.
    """
    try:
        if file.exists() and not file.is_file():
            raise ValueError("it is no plain file")
        if is_pointer(file):
            raise ValueError(POINTER)
        text = file.read_text(encoding="utf-8")
        content = json.loads(text, object_pairs_hook=_unique)
        return _whole_letters(content) if "\\ud" in text.lower() else content
    except (OSError, ValueError, RecursionError) as error:
        raise DamagedFileError(f"{file} cannot be read: {error}") from error


def read_model(
    file: Path,
    kind: type[_Model],
) -> _Model:
    """A JSON file as a model.

    Args:
        file: The file.
        kind: A `JsonModel`, a pydantic dataclass, or a list of either.

    Raises:
        DamagedFileError: It cannot be read, or is not of that kind; names the first key at fault.
    """
    return checked(read_json(file), kind, file)


def checked(
    content: Any,
    kind: type[_Model],
    file: Path,
) -> _Model:
    """The content of a file as a model.

    Raises:
        DamagedFileError: As `read_model`.
    """
    try:
        model: _Model = _adapter(kind).validate_python(content)
    except ValidationError as invalid:
        error = invalid.errors(include_url=False)[0]
        keys = [key for key in error["loc"] if isinstance(key, str)]
        key = keys[-1] if keys else ""
        if error["type"] == "missing":
            raise DamagedFileError(f"{file}: {shown(key)} is missing.", key) from None
        found = reprlib.repr(error["input"])
        in_their_words = error["msg"].removeprefix("Input should be ")
        expected = _EXPECTED.get(error["type"], in_their_words)
        place = shown(key) if key else "it"
        message = f"{file}: {place} is {found}, {expected} expected."
        raise DamagedFileError(message, key) from None
    return model


def _unique(
    pairs: list[tuple[str, Any]],
) -> dict[str, Any]:
    content = dict(pairs)
    if len(content) < len(pairs):
        raise ValueError("a key is there twice")
    return content


def _whole_letters(value: Any) -> Any:
    """Halves of letters, which JSON can have and UTF-8 cannot, become replacement characters."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list):
        return [_whole_letters(part) for part in value]
    if isinstance(value, dict):
        return {_whole_letters(key): _whole_letters(part) for key, part in value.items()}
    return value
