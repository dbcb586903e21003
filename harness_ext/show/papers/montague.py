"""The figures of modifier consistency, as Carvalho et al. 2025 draw them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np

from harness_ext.measures.montague.items import TYPES
from harness_ext.show.extra import altair as alt
from harness_ext.show.figures import parts
from harness_ext.show.figures.figure import Figure, Panel
from harness_ext.show.figures.score_figures import score_rows
from harness_ext.show.paper import Paper

_PAPER = "Carvalho et al. 2025, Montague semantics and modifier consistency measurement in neural language models"
_THEORY = "set theory"


def predicted_pair(first: str, second: str) -> float:
    """Predict d(a1 n1, a1 n2) ≤ d(a2 n1, a2 n2) by set theory, from the types of a1 and a2: 0, ½ or 1; NaN for nothing.

    An intersective adjective brings two nouns nearer to each other than any other adjective. Of two adjectives of one
    type, each does so equally often.
    """
    if first == second:
        return 0.5
    if "A" in (first, second) or "S-I" not in (first, second):
        return np.nan
    return float(first == "S-I")


def predicted_intersective(*types: str) -> float:
    """Predict the intersectivity of a phrase by set theory, from the types of its adjectives: 0 or 1; NaN for nothing.

    A phrase is intersective if all its adjectives are. An ambiguous adjective may be.
    """
    if any(kind not in ("S-I", "A") for kind in types):
        return 0.0
    return np.nan if "A" in types else 1.0


def predicted_non_subsective(kind: str) -> float:
    """Predict d(phrase, adjective) ≤ d(phrase, noun) by set theory: 0 or 1; NaN for nothing."""
    return np.nan if kind == "A" else float(kind.startswith("NS"))


_PAIRS: dict[str, tuple[str, Callable[[str, str], float]]] = {
    "pair_{}_{}": ("pairs of nouns (Eq. 5)", predicted_pair),
    "intersective_{}_{}": ("two adjectives (Eq. 3)", predicted_intersective),
    "partition_{}_{}": ("two adjectives, by parts", predicted_intersective),
}
"""Key by the types of two adjectives -> the test, and its prediction."""

_SINGLES: dict[str, tuple[str, Callable[[str], float]]] = {
    "intersective_{}": ("intersective (Eq. 3)", predicted_intersective),
    "non_subsective_{}": ("nearer to the adjective (Eq. 7)", predicted_non_subsective),
    "adjective_weight_{}": ("adjective's share of the distance", lambda kind: np.nan),
}
"""The same of one adjective."""


def _figures(measured: Sequence[Panel]) -> Iterator[Figure]:
    """Draw the figures of a task."""
    yield Figure(
        name="type-pairs",
        title="Tests of two adjectives, by their types",
        caption=(
            "The share of tests of intersectivity that hold, by the types of the first (down) and second (across) "
            "adjective. The upper panels are the predictions of set theory, empty if there are none. Pairs of one type "
            "have ½, because each adjective stands first once. S-I is intersective (a wild dog is wild, and a dog), "
            "S-NI subsective only (a skilful king), NS-Pl plain non-subsective (an alleged king), NS-Pr privative (a "
            "fake dog), A ambiguous (a big dog). A model that respects these sets looks like the upper panels. Follows "
            f"Tables 2 to 4, 6 and 7 of {_PAPER}, and its heat maps."
        ),
        chart=parts.heat_map(
            list(_type_pairs(measured)), ("first adjective", "second adjective"), (0, 1), "share that holds, 0 to 1",
            column="test",
        ),
    )  # fmt: skip
    yield Figure(
        name="types",
        title="Tests of one adjective, by its type",
        caption=(
            "Dots are measured shares, lines are their 95 % intervals, orange marks are the predictions of set theory: "
            "only a phrase with an intersective adjective (S-I) is near both words, and only a phrase with a "
            "non-subsective adjective (NS-Pl, NS-Pr) is nearer to the adjective than to the noun. The right panel has "
            "the adjective's share of the phrase's distances from both words; below ½ the phrase is nearer to its "
            "adjective. There is no prediction for ambiguous adjectives (A). Follows Tables 2 and 8 of "
            f"{_PAPER}."
        ),
        chart=_types(measured),
    )


def _type_pairs(measured: Sequence[Panel]) -> Iterator[dict[str, Any]]:
    """Yield the predictions of tests that any model has, then the shares of each model."""
    types = list(product(TYPES, TYPES))
    shares: dict[tuple[str, str], list[float]] = {}
    for panel in measured:
        for key, (test, _) in _PAIRS.items():
            values = [panel.entry.scores.get(key.format(*both), np.nan) for both in types]
            if not np.isnan(values).all():
                shares[panel.heading(measured), test] = values
    tests = {test for _, test in shares}
    predictions = {
        (_THEORY, test): [predicted(*both) for both in types] for test, predicted in _PAIRS.values() if test in tests
    }
    for (model, test), values in {**predictions, **shares}.items():
        for (first, second), value in zip(types, values, strict=True):
            yield {"model": model, "test": test, "row": first, "column": second, "value": value}


def _types(measured: Sequence[Panel]) -> alt.FacetChart:
    rows = [
        {**row, "test": test, "type": kind, "predicted": predicted(kind)}
        for panel in measured
        for key, (test, predicted) in _SINGLES.items()
        for kind in TYPES
        for row in score_rows(panel, key.format(kind), measured)
    ]
    tooltip: list[Any] = ["type:N", *parts.tooltips("low", "high", value="measured", predicted=_THEORY)]
    dots = parts.interval_layers(
        alt.X("value:Q", title="share, 0 to 1", scale=alt.Scale(domain=(0, 1))),
        alt.Y("type:N", sort=list(TYPES), title=None),
        tooltip,
        parts.tick("predicted", 16, thickness=4, color=parts.ORANGE).encode(tooltip=tooltip),
        colour=alt.value(parts.BLUE),
    )
    return parts.faceted([*parts.reference_lines(0.5), *dots], rows, width=190, height=alt.Step(22), column="test")


PAPER = Paper(figures={"montague": _figures})
