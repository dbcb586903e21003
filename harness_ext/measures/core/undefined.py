"""A result without its main score is refused, with the reason."""

from collections.abc import Mapping
from typing import Any

from harness_ext.measures.core.items import Items
from harness_ext.measures.core.measure import Measure


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
            what was left out, and where to look.
    """
    if measure.main in scores:
        return
    raise UndefinedMainScoreError(
        f"{place}: the main score {measure.main} of {model} is not defined. It is of "
        f"{measure.unit_count(items, measure.main)} values of `{measure.unit}`, and at least "
        f"{measure.fewest_units} are needed. Left out: {left_out(measure, scores) or 'nothing'}. A "
        "vector of zeros has no direction, and equal vectors have no distance: look at the "
        "vectors that the encoder returns."
    )


def left_out(measure: Measure[Any], scores: Mapping[str, float]) -> str:
    """What a measure left out of its rows, with numbers and reasons; empty if nothing."""
    declared = measure.by_key
    return ", ".join(
        f"{key} = {count} ({declared[key][0].title})"
        for key, count in scores.items()
        if key.startswith("n_excluded_") and count and key in declared
    )
