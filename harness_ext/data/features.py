"""The features of a dataset, made from the type of its rows."""

from __future__ import annotations

from types import NoneType, UnionType
from typing import Annotated, Any, NotRequired, Union, get_args, get_origin, get_type_hints, is_typeddict

from datasets import ClassLabel, Features, Value

_VALUES = {str: "string", int: "int32", float: "float64", bool: "bool"}


def features_of(row: type) -> Features:
    """Make the features of rows of a `TypedDict`.

    Its columns may be str, int, float, bool, lists of these, and other such rows; each of them or None. A column
    `Annotated[int, ClassLabel(...)]` is a label.

    Raises:
        TypeError: A column has another type; names it.

    Examples:
        >>> from typing import TypedDict
        >>> features_of(TypedDict("Row", {"text": str, "ratings": list[int] | None}))["text"]
        Value('string')
    """
    return Features(_columns(row))


def _columns(row: type) -> dict[str, Any]:
    return {name: _feature(hint, name) for name, hint in get_type_hints(row, include_extras=True).items()}


def _feature(hint: Any, name: str) -> Any:
    arguments = [argument for argument in get_args(hint) if argument is not NoneType]
    origin = get_origin(hint)
    if origin is Annotated:
        labels = [argument for argument in arguments if isinstance(argument, ClassLabel)]
        return labels[0] if labels else _feature(arguments[0], name)
    if origin is NotRequired or (origin in {Union, UnionType} and len(arguments) == 1):
        return _feature(arguments[0], name)
    if origin is list:
        return [_feature(arguments[0], name)]
    if is_typeddict(hint):
        return _columns(hint)
    if hint not in _VALUES:
        raise TypeError(f"column {name!r}: {hint} cannot be a column of a dataset")
    return Value(_VALUES[hint])
