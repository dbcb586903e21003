"""What every measure is made of: its items and its scores."""

import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from functools import cache, cached_property
from typing import Any, Generic, NotRequired, TypeVar, get_origin, get_type_hints

import numpy as np

from harness_ext.data.normalization import compared
from harness_ext.measures.core.baseline_keys import Baseline, baseline_declarations, p_value_key
from harness_ext.measures.core.fill import fill
from harness_ext.measures.core.items import Items
from harness_ext.measures.core.same_vector import ALONE, SAME_VECTOR
from harness_ext.measures.core.scores import COUNT, AxisValues, Score, Scores, interval_keys
from harness_ext.measures.core.view import View
from harness_ext.measures.core.wording import CloserLook, Wording
from harness_ext.statistics.confidence_interval import confidence_interval
from harness_ext.statistics.paired_difference import difference_of
from harness_ext.statistics.statistic import DifferenceStatistic, Statistic

AnyItems = TypeVar("AnyItems", bound=Items)
AnyStatistic = TypeVar("AnyStatistic", bound="Statistic")

Rows = list[dict[str, Any]]
"""The rows of one split of a dataset, each a field -> its value."""

FEWEST_UNITS = 10
"""Of fewer units, such as compounds, no score is defined that has a value of chance or a better direction."""


_say_once = cache(logging.getLogger(__name__).warning)
"""Rows may be planned several times, as by `check` and by a run."""


class RowError(ValueError):
    """A row lacks what a measure needs; names measure, row and field."""


def unit_count_key(key: str) -> str:
    """The key of how many units a score is of."""
    return f"n_{key}"


@dataclass(frozen=True)
class Measure(Generic[AnyItems]):
    """A measure, for all that works on items.

    Attributes:
        name: In signatures and docs.
        version: In signatures; raised whenever a definition changes, so that scores of two definitions never mix.
        main: The key of the main score.
        needs: The fields that a row of the data must have, as a `TypedDict`.
        plan: Rows and the name of their split -> the items before an encoder has seen them.
        unit: What is resampled: the column that names it, in the tables that have units.
        items: What its items are.
        fill: The plan and an encoder -> the items; encodes every distinct text once.
        scores: Declares its scores, and how each is computed.
        adjusted: The key of the main score under a control, see docs/validity.md; empty if there is none.
        exploratory: Why models should not be ranked by it; empty if they may.
        additive: Whether an encoder's additive baseline can be measured too, see docs/additive_baseline.md.
        fewest_units: Of how many units a score must be; of the smallest group, if they are drawn in groups.
        wording: What it asks, and what it says to readers.
        view: Its items -> its view, where its scores do not tell which unit is wrong, see `harness_ext.results.views`.
        package: The package of its paper's measures; `harness_ext.show.papers` has a module of that name.
        headline: The key of the score that its paper argues for, where that is not the main score.
        published: The file in `package` with what its paper printed; empty if there is none.
        closer_look: What a board shows beside the main scores; None for nothing.
        labels: Fields that, like `id`, may differ between copies of a row, such as the unit.
        symmetric: Two fields whose values a copy may swap.
        learned: Whether a row is only learned from; its copies stay.
        examples: Two rows of a user's own table, where this project has no data of its own to take them from. A measure
            with neither is not for own data.
        made_of: For own tables whose lines are not rows, such as words of a vocabulary: the type of a line, and the
            function (lines, name of the table) -> rows. None where each line is a row.
    """

    name: str
    version: int
    main: str
    unit: str
    items: type[AnyItems]
    scores: type[Scores]
    needs: type[Any] | None = None
    plan: Callable[[Rows, str], AnyItems] | None = None
    fill: Callable[[AnyItems, Any], AnyItems] = fill
    adjusted: str = ""
    exploratory: str = ""
    additive: bool = True
    fewest_units: int = FEWEST_UNITS
    wording: Wording = Wording()
    view: Callable[[AnyItems], View] | None = None
    package: str = ""
    headline: str = ""
    published: str = ""
    closer_look: CloserLook | None = None
    labels: tuple[str, ...] = ()
    symmetric: tuple[str, ...] = ()
    learned: Callable[[Mapping[str, Any]], bool] = lambda row: False
    examples: tuple[Mapping[str, str], ...] = field(default=(), compare=False)
    made_of: tuple[type[Any], Callable[..., Iterable[Mapping[str, Any]]]] | None = None

    def __post_init__(self) -> None:
        """Refuse a main score that is better when lower.

        Raises:
            ValueError: It is; names measure and score.
        """
        score, _ = self.scores.by_key()[self.main]
        if score.direction == "lower":
            raise ValueError(
                f"{self.name}: the main score {self.main} is better when lower. Boards and checks "
                "take the higher main score for the better one. Declare its negative, or 1 minus "
                "it, as the main score, and this one beside it."
            )

    @property
    def definition(self) -> str:
        """The name with the version, as in signatures: `name-version`."""
        return f"{self.name}-{self.version}"

    @property
    def main_is_ours(self) -> bool:
        """Whether the main score is no measure of the paper whose tables are `published`."""
        return bool(self.published) and self.main_declaration.source.startswith("this project")

    def planned(self, rows: Rows, split: str) -> AnyItems:
        """The items of rows before an encoder has seen them. Texts are compared in NFC, and copies of a row are one.

        Some measures read the name of the split as a protocol.

        Raises:
            RowError: A row lacks a field that the measure needs, or there are no rows.
        """
        assert self.plan is not None, f"{self.name} is no measure of encoders"
        if not rows:
            raise RowError(f"{self.name}: there are no rows.")
        # not __required_keys__, which takes every annotation that is text for required
        hints = get_type_hints(self.needs, include_extras=True) if self.needs else {}
        needed = {name for name, hint in hints.items() if get_origin(hint) is not NotRequired}
        for place, row in enumerate(rows):
            if missing := needed - row.keys():
                raise RowError(
                    f"{self.name}: row {place + 1} ({row.get('id', 'without an id')}) has no field "
                    f"{', '.join(map(repr, sorted(missing)))}. A row needs {', '.join(sorted(needed))}."
                )
        return self.plan(self._distinct([*map(compared, rows)], hints), split)

    def _distinct(self, rows: Rows, hints: Mapping[str, Any]) -> Rows:
        """The rows without copies of earlier ones; says how many there are."""
        fields = [name for name in hints if name not in {"id", *self.labels, *self.symmetric}]
        first: dict[str, int] = {}
        copies: dict[int, int] = {}  # its number -> that of the earlier row
        for number, row in enumerate(rows if hints else ()):
            if not (row.get("removed_by") or self.learned(row)):
                pair = sorted(" ".join(str(row[name]).split()) for name in self.symmetric)
                key = " ".join(repr([*map(row.get, fields), *pair]).split())
                if first.setdefault(key, number) != number:
                    copies[number] = first[key]
        if copies:
            copy, earlier = (f"row {n + 1} ({rows[n].get('id', 'without an id')})" for n in next(iter(copies.items())))
            _say_once(f"{self.name}: {len(copies)} of {len(rows)} rows are copies of earlier rows, and count once with "
                      f"them. The first: {copy} is {earlier}.")  # fmt: skip
        return [row for number, row in enumerate(rows) if number not in copies] if copies else rows

    def statistic(self, items: AnyItems, key: str) -> Statistic:
        """The statistic of a resampled score: its units, value and resamples; of no units if there are too few."""
        score, _ = self.scores.by_key()[key]
        statistic = self.of_all_units(items, key)
        return statistic if score.chance is None and score.direction == "neither" else self.of_enough_units(statistic)

    def of_enough_units(self, statistic: AnyStatistic) -> AnyStatistic:
        """The statistic, if it has `fewest_units`; else of no units, so that its value is NaN."""
        enough = statistic.fewest_units >= self.fewest_units
        return statistic if enough else statistic.restrict(statistic.units[:0])

    def of_all_units(self, items: AnyItems, key: str) -> Statistic:
        """The statistic of a resampled score, also of few units."""
        score, axes = self.scores.by_key()[key]
        assert score.compute is not None, f"{key} is declared without units"
        kept = items.kept_statistics
        if (self.scores, key) not in kept:  # value, interval, unit count and gain: its units are resampled once
            kept[self.scores, key] = score.compute(items, axes)
        return kept[self.scores, key]

    def unit_counts(self) -> dict[str, str]:
        """The keys of unit counts in result files -> the score of which they count the units."""
        return {unit_count_key(key): key for key in (self.main, self.adjusted) if key}

    def unit_count(self, items: AnyItems, key: str) -> int:
        """How many units a score is of, also if they are too few."""
        return len(self.of_all_units(items, key).units)

    def score(self, items: AnyItems) -> Scores:
        """All scores of the items."""
        scores: dict[str, Any] = {}
        for attribute, score in zip(fields(self.scores), self.scores.declarations(), strict=True):
            values = [
                np.asarray(score.value(items, axes)).item() if score.value else self.statistic(items, key).value()
                for key, axes in score.by_axes().items()
            ]
            # counts stay integers where one of them is not defined
            dtype = object if len({*map(type, values)}) > 1 else None
            shape = [len(axis.values) for axis in score.axes]
            scores[attribute.name] = np.array(values, dtype).reshape(shape) if shape else values[0]
        return self.scores(**scores)

    def interval(self, items: AnyItems, key: str) -> tuple[float, float]:
        """The 95 % interval of a score; NaN where it is not defined."""
        return confidence_interval(self.statistic(items, key))

    def flat_scores(self, items: AnyItems) -> dict[str, float]:
        """Key -> value for a result file: all scores that are defined, with their intervals and unit counts."""
        scores = self.score(items).flat()
        for key, (score, _) in self.scores.by_key().items():
            if score.interval and key in scores:
                interval = self.interval(items, key)
                scores |= {name: end for name, end in zip(interval_keys(key), interval, strict=True) if end == end}
        counts = {name: self.unit_count(items, key) for name, key in self.unit_counts().items()}
        return scores | {name: count for name, count in counts.items() if count}

    def difference_statistic(self, items: AnyItems, of_baseline: AnyItems, error: float) -> DifferenceStatistic:
        """The main score minus that of a baseline, over the units that both have; `error` as in `baseline_scores`."""
        one, other = (self.statistic(compared, self.main) for compared in (items, of_baseline))
        return self.of_enough_units(DifferenceStatistic.of(one, other, error))

    def baseline_scores(
        self, baseline: Baseline, items: AnyItems, of_baseline: AnyItems, error: float
    ) -> dict[str, float]:
        """A baseline's main score, and the difference from it with interval and p-value, by their keys, if defined.

        `error` is a standard error of the baseline's score that its items do not show.
        """
        statistic = self.difference_statistic(items, of_baseline, error)
        difference, key = difference_of(statistic), baseline.difference_key(self.main)
        scores = {
            baseline.score_key(self.main): statistic.other.value(),
            key: difference.value,
            **dict(zip(interval_keys(key), (difference.low, difference.high), strict=True)),
            p_value_key(key): difference.p_value,
        }
        return {key: value for key, value in scores.items() if not np.isnan(value)}

    @property
    def main_declaration(self) -> Score:
        """The declaration of the main score."""
        return self.declarations[self.main][0]

    @cached_property
    def declarations(self) -> Mapping[str, tuple[Score, AxisValues]]:
        """Every key that a result file can have -> its declaration and its value on each axis."""
        declarations: dict[str, Any] = {}
        for key, (score, axes) in self.scores.by_key().items():
            declarations[key] = score, axes
            if score.interval:
                declarations |= dict.fromkeys(interval_keys(key), (score, axes))
        more = {name: _unit_count(name, key, self.unit) for name, key in self.unit_counts().items()}
        if self.plan is not None:
            more |= {SAME_VECTOR.key: SAME_VECTOR, ALONE.key: ALONE}
        if self.additive:
            more |= baseline_declarations(self.main, declarations[self.main][0])
        return declarations | {key: (score, {}) for key, score in more.items()}


def _unit_count(name: str, key: str, unit: str) -> Score:
    formula = f"values of `{unit}` that enter {key}, which is not defined where they are too few"
    return Score(name, f"units of {key}", formula, COUNT)
