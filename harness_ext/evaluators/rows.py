"""The fields that a measure needs of every row of its data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NotRequired, get_origin, get_type_hints


class RowError(ValueError):
    """A row lacks what a measure needs; names measure, row and field."""


def check_needs(rows: Sequence[Mapping[str, Any]], needs: type[Any] | None, measure: str) -> None:
    """Refuse rows without the fields that a measure needs.

    Args:
        rows: The rows.
        needs: A `TypedDict` of the fields.
        measure: The name of the measure.

    Raises:
        RowError: A row lacks a field, or there are no rows.
    """
    if not rows:
        raise RowError(f"{measure}: there are no rows.")
    # not __required_keys__, which takes every annotation that is text for required
    hints = get_type_hints(needs, include_extras=True) if needs else {}
    fields = {name for name, hint in hints.items() if get_origin(hint) is not NotRequired}
    for place, row in enumerate(rows):
        if missing := fields - row.keys():
            raise RowError(
                f"{measure}: row {place + 1} ({row.get('id', 'without an id')}) has no field "
                f"{', '.join(map(repr, sorted(missing)))}. A row needs {', '.join(sorted(fields))}."
            )
