"""Different texts with the same vector, and texts whose vectors depend on what else is encoded."""

import numpy as np

from harness_ext.measures.core.items import DISTANCE, Items
from harness_ext.measures.core.scores import COUNT, Score
from harness_ext.statistics.distance import NO_DISTANCE

SAME_VECTOR = Score(
    "n_same_vector",
    "pairs of different texts with the same vector",
    "distinct pairs of different texts that are compared, at a cosine distance of at most "
    f"{NO_DISTANCE:g}: the model cuts them, or sees no difference",
    COUNT,
)

ENOUGH = 0.99
"""A cosine that rounding does not bring below, in half precision either."""

ALONE = Score(
    "cosine_alone",
    "cosine of a text's vector with that of the same text alone",
    "the least of three texts, the shortest, the middle and the longest; there only where it is "
    f"below {ENOUGH}",
    (-1, 1),
)

_SHOWN = 30
"""Characters of an example before and after the first difference."""


def same_vectors(plan: Items, items: Items) -> set[tuple[str, str]] | None:
    """Find the pairs of different whole texts of a plan whose vectors are the same; None if no two
    are compared.
    """
    plan = plan if len(plan) == len(items) else plan.without_spans()
    compared = [
        (
            getattr(table, one),
            getattr(table, other),
            items.tables()[name].values()[column],
            declared.range == DISTANCE,
        )
        for name, table in plan.tables().items()
        for column, declared in table.measured().items()
        for one, other in (declared.pairs if len(declared.pairs) == 1 else ())
    ]
    pairs: set[tuple[str, str]] = set()
    for first, second, measured, is_distance in compared:
        rows = np.flatnonzero((measured if is_distance else 1 - measured) <= NO_DISTANCE)
        for one, other in zip(first[rows].tolist(), second[rows].tolist(), strict=True):
            if isinstance(one, str) and isinstance(other, str) and one != other:
                pairs.add((min(one, other), max(one, other)))
    return pairs if compared else None


def same_vectors_message(pairs: set[tuple[str, str]]) -> str:
    """Say how many pairs have the same vector, with an example."""
    one, other = min(pairs)
    differing = (place for place, (a, b) in enumerate(zip(one, other, strict=False)) if a != b)
    start = next(differing, min(len(one), len(other)))
    example = f"{_excerpt(one, start)} and {_excerpt(other, start)}"
    n = (
        f"{len(pairs):,} pairs of different texts have"
        if len(pairs) > 1
        else "1 pair of different texts has"
    )
    return (
        f"{n} the same vector, such as {example}. The model cuts longer texts, or does not see "
        "what differs."
    )


def _excerpt(text: str, place: int) -> str:
    before, after = max(0, place - _SHOWN), place + _SHOWN
    return f"{'…' * (before > 0)}{text[before:after]!r}{'…' * (after < len(text))}"
