"""Figures of Montague modifier consistency."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any

import altair as alt
import numpy as np

from harness_ext.evaluators.montague import MONTAGUE, MontagueScores
from harness_ext.evaluators.montague_items import TYPES
from harness_ext.show.figures.chart import (
    BLUE,
    ORANGE,
    RULE,
    Figure,
    Panel,
    faceted,
    heading,
    interval_layers,
    tick,
)
from harness_ext.show.figures.heat import heat_map

if TYPE_CHECKING:
    from harness_ext.results.entry import Entry

_PAPER = "Carvalho et al. 2025, Montague semantics and modifier consistency measurement in neural language models"
_THEORY = "set theory"
_TESTS = {
    "pair_{first_type}_{second_type}": "pairs of nouns (Eq. 5)",
    "intersective_{first_type}_{second_type}": "two adjectives (Eq. 3)",
    "partition_{first_type}_{second_type}": "two adjectives, by parts",
}
_SINGLES = {
    "intersective_{type}": "intersective (Eq. 3)",
    "non_subsective_{type}": "nearer to the adjective (Eq. 7)",
    "adjective_weight_{type}": "adjective's share of the distance",
}


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


def figures(measured: Sequence[Panel], first: Entry) -> Iterator[Figure]:
    """Draw the figures of a task."""
    task = first.task
    scores = [MONTAGUE.score(panel.items).flat() for panel in measured]
    yield Figure(
        name=f"{task}-type-pairs",
        title="Tests of two adjectives, by their types",
        caption=(
            "The share of tests of intersectivity that hold, by the types of the first (down) and second (across) "
            "adjective. The upper panels are the predictions of set theory, empty if there are none. Pairs of one type "
            "have ½, because each adjective stands first once. S-I is intersective (a wild dog is wild, and a dog), "
            "S-NI subsective only (a skilful king), NS-Pl plain non-subsective (an alleged king), NS-Pr privative (a "
            "fake dog), A ambiguous (a big dog). A model that respects these sets looks like the upper panels. Follows "
            f"Tables 2 to 4, 6 and 7 of {_PAPER}, and its heat maps."
        ),
        chart=heat_map(
            [*_predicted(scores), *_type_pairs(measured, scores)], ("first adjective", "second adjective"), (0, 1),
            "share that holds, 0 to 1", column="test",
        ),
    )  # fmt: skip
    yield Figure(
        name=f"{task}-types",
        title="Tests of one adjective, by its type",
        caption=(
            "Dots are measured shares, lines are their 95 % intervals, orange marks are the predictions of set theory: "
            "only a phrase with an intersective adjective (S-I) is near both of its words, and only a phrase with a "
            "non-subsective adjective (NS-Pl, NS-Pr) is nearer to the adjective than to the noun. The right panel has "
            "the adjective's share of the phrase's distances from its words; below ½ the phrase is nearer to its "
            "adjective. There is no prediction for ambiguous adjectives (A). Follows Tables 2 and 8 of "
            f"{_PAPER}."
        ),
        chart=_types(measured, scores),
    )


def _predicted(scores: Sequence[dict[str, float]]) -> Iterator[dict[str, Any]]:
    predictions: list[Callable[[str, str], float]] = [predicted_pair, predicted_intersective, predicted_intersective]
    for (key, test), predicted in zip(_TESTS.items(), predictions, strict=True):
        if any(_at(one, key) for one in scores):
            for first, second in product(TYPES, TYPES):
                value = predicted(first, second)
                yield {"model": _THEORY, "test": test, "row": first, "column": second, "value": value}


def _type_pairs(measured: Sequence[Panel], scores: Sequence[dict[str, float]]) -> Iterator[dict[str, Any]]:
    for panel, of_panel in zip(measured, scores, strict=True):
        for key, test in _TESTS.items():
            for (first, second), value in _at(of_panel, key).items():
                yield {"model": heading(panel, measured), "test": test, "row": first, "column": second, "value": value}


def _at(scores: dict[str, float], declared: str) -> dict[tuple[str, ...], float]:
    """Types -> a score broken down by types; empty if it is not defined at all."""
    places = next(score.places() for score in MontagueScores.declarations() if score.key == declared)
    found = {tuple(place.values()): scores.get(key, np.nan) for key, place in places.items()}
    return {} if np.isnan(list(found.values())).all() else found


def _types(measured: Sequence[Panel], scores: Sequence[dict[str, float]]) -> alt.FacetChart:
    rows: list[dict[str, Any]] = []
    predictions: list[Callable[[str], float]] = [
        predicted_intersective,
        predicted_non_subsective,
        lambda kind: np.nan,
    ]
    for panel, of_panel in zip(measured, scores, strict=True):
        for (key, test), predicted in zip(_SINGLES.items(), predictions, strict=True):
            for (kind,), value in _at(of_panel, key).items():
                low, high = MONTAGUE.interval(panel.items, key.format(type=kind))
                rows.append(
                    {"model": heading(panel, measured), "test": test, "type": kind, "value": value, "low": low,
                     "high": high, "predicted": predicted(kind)}
                )  # fmt: skip
    y = alt.Y("type:N", sort=list(TYPES), title=None)
    x = alt.X("value:Q", title="share, 0 to 1", scale=alt.Scale(domain=(0, 1)))
    labelled = (("value", "measured"), ("low", "low"), ("high", "high"), ("predicted", _THEORY))
    tooltip: list[Any] = ["type:N", *(alt.Tooltip(f"{name}:Q", title=title, format=".3f") for name, title in labelled)]
    theory = tick("predicted", 16, thickness=4, color=ORANGE).encode(tooltip=tooltip)
    layers = [
        alt.Chart().mark_rule(strokeDash=[4, 4], color=RULE).encode(x=alt.datum(0.5)),
        *interval_layers(x, y, tooltip, theory, colour=alt.value(BLUE)),
    ]
    return faceted(layers, rows, width=190, height=alt.Step(22), column="test")
