"""What every measure is made of: its items, its scores, its resamples."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from harness_ext.evaluators.gain import gain_declarations
from harness_ext.evaluators.items import Items
from harness_ext.evaluators.scores import interval_keys
from harness_ext.evaluators.statistics.bootstrap import percentile_interval

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import numpy as np
    from numpy.typing import NDArray

    from harness_ext.evaluators.scores import Score, Scores

AnyItems = TypeVar("AnyItems", bound=Items)


@dataclass(frozen=True)
class Measure(Generic[AnyItems]):
    """A measure, for all that works on items.

    Attributes:
        name: In signatures and docs.
        version: In signatures; raised whenever a definition changes, so that scores of two definitions never mix.
        main: The key of the main score.
        unit: What is resampled: the column that names it, in the tables that have units.
        items: What its items are.
        scores: What its scores are.
        score: Items -> scores.
        resamples: Items and the key of a resampled score -> that score on resamples of the units, shape (n,), aligned
            between models that are measured on the same units in the same order; NaN where it is not defined.
        units: Items -> the units that enter the main score, in order, shape (k,).
    """

    name: str
    version: int
    main: str
    unit: str
    items: type[AnyItems]
    scores: type[Scores]
    score: Callable[[AnyItems], Scores]
    resamples: Callable[[AnyItems, str], NDArray[np.float64]]
    units: Callable[[AnyItems], NDArray[np.str_]]

    def flat_scores(
        self, items: AnyItems, resampled: Mapping[str, NDArray[np.float64]] | None = None
    ) -> dict[str, float]:
        """Key -> value for a result file: all scores that are defined, with the intervals of those that have one.

        Args:
            items: What they are computed from.
            resampled: Key -> its `resamples`, where they are at hand: resampling is what takes long.
        """
        found, drawn = self.score(items).flat(), resampled or {}
        for key, (score, _) in self.scores.by_key().items():
            if score.interval and key in found:
                interval = percentile_interval(drawn[key] if key in drawn else self.resamples(items, key))
                found |= {name: end for name, end in zip(interval_keys(key), interval, strict=True) if end == end}
        return found

    def declarations(self) -> dict[str, tuple[Score, dict[str, str]]]:
        """Every key that a result file can have -> its declaration and its place on each axis."""
        found: dict[str, Any] = {}
        for key, (score, place) in self.scores.by_key().items():
            found[key] = score, place
            if score.interval:
                found |= dict.fromkeys(interval_keys(key), (score, place))
        return found | {key: (score, {}) for key, score in gain_declarations(self).items()}
