"""The features of a dataset, made from the type of its rows."""

from __future__ import annotations

from types import NoneType
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

from datasets import ClassLabel, Features, Value
from typing_extensions import is_typeddict

from harness_ext.data.rows import Labels

_VALUES = {str: "string", int: "int32", float: "float64", bool: "bool"}


def features_of(row: type) -> Features:
    """Make the features of rows of a `TypedDict`.

    Its columns may be str, int, float, bool, literals and lists of these, and other such rows; each of them or None. A
    column `Annotated[int, Labels(...)]` is a label; of several types the first is stored.

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
    if is_typeddict(hint):
        return _columns(hint)
    origin, arguments = get_origin(hint), [argument for argument in get_args(hint) if argument is not NoneType]
    if origin is Annotated and (labels := [one for one in arguments if isinstance(one, Labels)]):
        return ClassLabel(names=list(labels[0].names))
    if origin is Literal:
        return Value(_VALUES[type(arguments[0])])
    if origin is list:
        return [_feature(arguments[0], name)]
    if arguments and origin is not dict:  # of a union, or annotated, or not required
        return _feature(arguments[0], name)
    if hint not in _VALUES:
        raise TypeError(f"column {name!r}: {hint} cannot be a column of a dataset")
    return Value(_VALUES[hint])
