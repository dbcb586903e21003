"""A result without its main score is refused, with the reason."""

import logging
from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np

from harness_ext.measures.core.items import Items
from harness_ext.measures.core.measure import Measure

_say_once = cache(logging.getLogger(__name__).warning)
"""A score is computed several times, as of resumed runs."""

_DECIMALS = 9
"""Cosines that differ less are the same: of texts that are the same, they differ by rounding."""


class UndefinedMainScoreError(ValueError):
    """The main score of a measure is not defined for an encoder."""


def check_main_score(
    measure: Measure[Any],
    scores: Mapping[str, float],
    items: Items,
    place: str,
    model: str,
) -> None:
    """Refuse scores without the main score; the message names the place (task, subset and split)
    and the model.

    Raises:
        UndefinedMainScoreError: The main score is not among them; says how many units are left,
            or which rows are too few, what was left out, and where to look.
    """
    if measure.main in scores:
        tied = tied_values(measure, items)
        if tied:
            _say_once(f"{place}, {measure.main} of {model}: {tied}")
        return
    shortage = measure.shortage(items)
    if shortage:
        raise UndefinedMainScoreError(
            f"{place}: the main score {measure.main} of {model} is not defined. {shortage} Left "
            f"out: {left_out(measure, scores) or 'nothing'}."
        )
    raise UndefinedMainScoreError(
        f"{place}: the main score {measure.main} of {model} is not defined. It is of "
        f"{measure.unit_count(items, measure.main)} values of `{measure.unit}`, and at least "
        f"{measure.fewest_units} are needed. Left out: {left_out(measure, scores) or 'nothing'}. A "
        "vector of zeros has no direction, and equal vectors have no distance: look at the "
        "vectors that the encoder returns."
    )


def tied_values(measure: Measure[Any], items: Items) -> str:
    """Say that more than half of the values that a rank correlation ranks are the same; empty if
    they are not, or if the main score is no correlation of a number of each unit.
    """
    values: tuple[Any, ...] = ()
    if measure.main_declaration.range[0] < 0:
        values = getattr(measure.of_all_units(items, measure.main), "values", ())
    for column in values:
        numbers = np.asarray(column)
        if numbers.dtype != np.float64 or not len(numbers):
            continue
        distinct, counts = np.unique(numbers.round(_DECIMALS), return_counts=True)
        if 2 * counts.max() > len(numbers):
            value = distinct[counts.argmax()]
            return (
                f"{counts.max()} of {len(numbers)} values that are ranked are {value:.3g}: there "
                "is little to rank."
            )
    return ""


def left_out(measure: Measure[Any], scores: Mapping[str, float]) -> str:
    """What a measure left out of its rows, with numbers and reasons; empty if nothing."""
    declared = measure.by_key
    return ", ".join(
        f"{key} = {count} ({declared[key][0].title})"
        for key, count in scores.items()
        if key.startswith("n_excluded_") and count and key in declared
    )
