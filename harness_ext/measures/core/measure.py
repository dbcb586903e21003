"""What every measure is: a class whose methods are its scores.

A measure turns items into scores. A measure of encoders also plans which texts are compared, and
fills the plan with their distances. It has no state: a module has one instance beside the class,
and a variant is a subclass.
"""

import logging
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from functools import cache, cached_property
from typing import Any, Generic, NotRequired, TypeVar, get_origin, get_type_hints

import numpy as np

from harness_ext.data.normalization import with_normal_texts
from harness_ext.measures.core.baseline_keys import (
    Baseline,
    additive_error_key,
    baseline_declarations,
    p_value_key,
)
from harness_ext.measures.core.class_body import (
    Keyed,
    check_keys,
    check_names,
    check_overrides,
    scores_by_key,
)
from harness_ext.measures.core.fill import Encoder, fill
from harness_ext.measures.core.items import Items
from harness_ext.measures.core.measured_scores import Scores
from harness_ext.measures.core.same_vector import ALONE, N_TEXTS, SAME_VECTOR
from harness_ext.measures.core.scores import COUNT, AxisValues, Score, interval_keys
from harness_ext.measures.core.view import View
from harness_ext.measures.core.wording import CloserLook, Wording
from harness_ext.statistics.confidence_interval import confidence_interval
from harness_ext.statistics.paired_difference import difference_of
from harness_ext.statistics.statistic import DifferenceStatistic, Statistic

AnyItems = TypeVar("AnyItems", bound=Items)
AnyStatistic = TypeVar("AnyStatistic", bound="Statistic")

Row = dict[str, Any]
"""A row of a dataset: a field -> its value."""

Rows = list[Row]
"""The rows of one split of a dataset."""

FEWEST_UNITS = 10
"""Of fewer units, such as compounds, no score is defined that has a value of chance or a better
direction.
"""

_say_once = cache(logging.getLogger(__name__).warning)
"""Rows may be planned several times, as by `check` and by a run."""


class RowError(ValueError):
    """A row lacks what a measure needs; names measure, row and field."""


def unit_count_key(key: str) -> str:
    """The key of how many units a score is of."""
    return f"n_{key}"


class Measure(ABC, Generic[AnyItems]):
    """A measure: from items to scores.

    A subclass that sets `name` is a measure; one that does not is a kind of measure. Its scores are
    its methods under `@score` and `@number`, see `harness_ext.measures.core.scores`, and those that
    it inherits. `some_score = None` takes an inherited one away.

    Attributes:
        name: In signatures and docs.
        version: In signatures; raised whenever a definition changes, so that scores of two
            definitions never mix.
        question: What it asks, in plain words.
        items: What its items are.
        unit: What is resampled: the column that names it, in the tables that have units.
        main: The key of the main score.
        adjusted: The key of the main score under a control, see docs/validity.md; empty if there is
            none.
        further_compared: The keys of further scores that baselines are measured of, beside the main
            one.
        headline: The key of the score that its paper argues for, where that is not the main score.
        package: The package of its paper's measures; `harness_ext.show.papers` has a module of that
            name.
        published: The file in `package` with what its paper printed; empty if there is none.
        exploratory: Why models should not be ranked by it; empty if they may.
        additive: Whether an encoder's additive baseline can be measured too, see
            docs/additive_baseline.md.
        fewest_units: Of how many units a score must be; of the smallest group, if it compares
            groups.
        order: Its scores by the names of their methods, in the order of result files. Where it is
            not given, inherited scores stand first, and inherited counts of what is left out stand
            last.
    """

    name: str
    version: int = 1
    question: str
    items: type[AnyItems]
    unit: str
    main: str
    adjusted: str = ""
    headline: str = ""
    further_compared: tuple[str, ...] = ()
    package: str = ""
    published: str = ""
    exploratory: str = ""
    additive: bool = False
    fewest_units: int = FEWEST_UNITS
    order: tuple[str, ...] = ()

    _keyed: Mapping[str, Keyed]

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Refuse what is no declaration, and fill the declarations of the scores.

        Raises:
            TypeError: The class has a public name that no base has and that is no score, a score
                without a declaration, no question of its own, two scores of one key, or a main,
                adjusted or headline score that is none of its scores; or lower values of the main
                score are better.
        """
        super().__init_subclass__(**kwargs)
        check_overrides(cls)
        if hasattr(cls, "name"):
            check_names(cls)
            cls._keyed = scores_by_key(cls)
            check_keys(cls, cls._keyed)

    @property
    def definition(self) -> str:
        """The name with the version, as in signatures: `name-version`."""
        return f"{self.name}-{self.version}"

    @property
    def main_is_ours(self) -> bool:
        """Whether the main score is no measure of the paper whose tables are `published`."""
        return bool(self.published) and self.main_declaration.source.startswith("this project")

    def wording(self) -> Wording:
        """Say what it asks, and what its main score means to readers."""
        return Wording(self.question)

    def view(self, items: AnyItems) -> View | None:
        """View items, where scores do not tell which unit is wrong, see
        `harness_ext.results.unit_views`; else None.
        """
        return None

    def closer_look(self) -> CloserLook | None:
        """Say what a board shows beside the main scores; None for nothing."""
        return None

    def statistic(self, items: AnyItems, key: str) -> Statistic:
        """The statistic of a resampled score: its units, value and resamples; of no units if there
        are too few.
        """
        score = self._keyed[key].score
        statistic = self.of_all_units(items, key)
        says_nothing_of_models = score.chance is None and score.better == "neither"
        return statistic if says_nothing_of_models else self.of_enough_units(statistic)

    def of_enough_units(self, statistic: AnyStatistic) -> AnyStatistic:
        """The statistic, if it has `fewest_units`; else of no units, so that its value is NaN."""
        enough = statistic.fewest_units >= self.fewest_units
        return statistic if enough else statistic.restrict(statistic.units[:0])

    def of_all_units(self, items: AnyItems, key: str) -> Statistic:
        """The statistic of a resampled score, also of few units."""
        keyed = self._keyed[key]
        assert keyed.score.resampled, f"{key} is declared without units"
        known = items.kept_statistics
        # value, interval, unit count and gain: its units are resampled once
        if (type(self), key) not in known:
            known[type(self), key] = keyed.method(self, items, *keyed.arguments)
        return known[type(self), key]

    def unit_counts(self) -> dict[str, str]:
        """The keys of unit counts in result files -> the score of which they count the units."""
        return {unit_count_key(key): key for key in (self.main, self.adjusted) if key}

    def unit_count(self, items: AnyItems, key: str) -> int:
        """How many units a score is of, also if they are too few."""
        return len(self.of_all_units(items, key).units)

    def shortage(self, items: AnyItems) -> str:
        """Say what the main score lacks beside units; empty if nothing."""
        return ""

    def score(self, items: AnyItems) -> Scores:
        """All scores of the items."""
        values: dict[str, Any] = {}
        for key, keyed in self._keyed.items():
            if keyed.score.resampled:
                values[key] = self.statistic(items, key).value()
            else:
                values[key] = np.asarray(keyed.method(self, items, *keyed.arguments)).item()
        return Scores(self, values)

    def interval(
        self,
        items: AnyItems,
        key: str,
    ) -> tuple[float, float]:
        """The 95 % interval of a score; NaN where it is not defined."""
        return confidence_interval(self.statistic(items, key))

    def flat_scores(self, items: AnyItems) -> dict[str, float]:
        """Key -> value for a result file: all scores that are defined, with their intervals and
        unit counts.
        """
        scores = self.score(items).flat()
        for key, keyed in self._keyed.items():
            if keyed.score.interval and key in scores:
                ends = zip(interval_keys(key), self.interval(items, key), strict=True)
                scores |= {name: end for name, end in ends if not np.isnan(end)}
        counts = {name: self.unit_count(items, key) for name, key in self.unit_counts().items()}
        return scores | {name: count for name, count in counts.items() if count}

    @property
    def compared_keys(self) -> tuple[str, ...]:
        """The keys of all scores that baselines are measured of, the main one first."""
        return self.main, *self.further_compared

    def difference_statistic(
        self, items: AnyItems, of_baseline: AnyItems, error: float, key: str = ""
    ) -> DifferenceStatistic:
        """A score minus that of a baseline, over the units that both have; `error` and `key` as in
        `baseline_scores`.
        """
        key = key or self.main
        score = self.statistic(items, key)
        score_of_baseline = self.statistic(of_baseline, key)
        return self.of_enough_units(DifferenceStatistic.of(score, score_of_baseline, error))

    def baseline_scores(
        self,
        baseline: Baseline,
        items: AnyItems,
        of_baseline: AnyItems,
        error: float,
        key: str = "",
    ) -> dict[str, float]:
        """A baseline's score, and the difference from it with interval and p-value, by their keys,
        if defined.

        Args:
            baseline: The baseline.
            items: Of the encoder.
            of_baseline: Of the baseline.
            error: A standard error of the baseline's score that its items do not show.
            key: Which of `compared_keys`; by default the main score.
        """
        key = key or self.main
        statistic = self.difference_statistic(items, of_baseline, error, key)
        difference = difference_of(statistic)
        over = baseline.difference_key(key)
        scores = {
            baseline.score_key(key): statistic.other.value(),
            over: difference.value,
            **dict(zip(interval_keys(over), (difference.low, difference.high), strict=True)),
            p_value_key(over): difference.p_value,
        }
        return {key: value for key, value in scores.items() if not np.isnan(value)}

    @property
    def main_declaration(self) -> Score:
        """The declaration of the main score."""
        return self._keyed[self.main].score

    @cached_property
    def declared_scores(self) -> tuple[Score, ...]:
        """The declaration of every score, in the order of result files."""
        by_template = {keyed.score.key: keyed.score for keyed in self._keyed.values()}
        return tuple(by_template.values())

    @cached_property
    def by_key(self) -> Mapping[str, tuple[Score, AxisValues]]:
        """The key of every score -> its declaration and its value on each axis."""
        return {key: (keyed.score, keyed.axes) for key, keyed in self._keyed.items()}

    def keys_of_method(self, name: str) -> list[str]:
        """The keys of the score that a method of this name computes; none if there is no such
        score.
        """
        return [key for key, keyed in self._keyed.items() if keyed.method.__name__ == name]

    @cached_property
    def declarations(self) -> Mapping[str, tuple[Score, AxisValues]]:
        """Every key that a result file can have -> its declaration and its value on each axis."""
        declarations: dict[str, Any] = {}
        for key, (score, axes) in self.by_key.items():
            declarations[key] = score, axes
            if score.interval:
                declarations |= dict.fromkeys(interval_keys(key), (score, axes))
        return declarations | {key: (score, {}) for key, score in self._more_declarations().items()}

    def _more_declarations(self) -> dict[str, Score]:
        """The keys that a run adds to the scores -> their declarations."""
        return {name: _unit_count(name, key, self.unit) for name, key in self.unit_counts().items()}


class EncoderMeasure(Measure[AnyItems]):
    """A measure of encoders: from rows to a plan, to items, to scores.

    Attributes:
        row: The fields that a row of the data must have, as a `TypedDict`.
        labels: Fields that, like `id`, may differ between copies of a row, such as the unit.
        symmetric: Two fields whose values a copy may swap.
        examples: Two rows of a user's own table, where this project has no data of its own to take
            them from. A measure with neither is not for own data.
        line: What a line of a user's own table holds, as a `TypedDict`, where the lines are not
            rows, such as words of a vocabulary; `rows_of` makes the rows. None where each line is a
            row.
    """

    additive = True
    row: type[Any]
    labels: tuple[str, ...] = ()
    symmetric: tuple[str, ...] = ()
    examples: tuple[Mapping[str, str], ...] = ()
    line: type[Any] | None = None

    @abstractmethod
    def plan(self, rows: Rows, split: str) -> AnyItems:
        """Say which texts of the rows are compared: the items before an encoder has seen them."""

    def fill(self, plan: AnyItems, encode: Encoder) -> AnyItems:
        """Encode each distinct text of a plan once, and compare the vectors."""
        return fill(plan, encode)

    def learned(self, row: Row) -> bool:
        """Whether a row is only learned from; its copies stay."""
        return False

    def rows_of(
        self,
        lines: Iterable[Any],
        file: str,
    ) -> Iterable[Mapping[str, Any]]:
        """Make rows of the lines of a user's own table, where a line is no row."""
        return lines

    def planned(self, rows: Rows, split: str) -> AnyItems:
        """The items of rows before an encoder has seen them. Texts are compared in NFC, and copies
        of a row are one.

        Some measures read the name of the split as a protocol.

        Raises:
            RowError: A row lacks a field that the measure needs, or there are no rows.
        """
        if not rows:
            raise RowError(f"{self.name}: there are no rows.")
        # not __required_keys__, which takes every annotation that is text for required
        fields = get_type_hints(self.row, include_extras=True)
        needed = {name for name, hint in fields.items() if get_origin(hint) is not NotRequired}
        for place, row in enumerate(rows):
            missing = needed - row.keys()
            if missing:
                raise RowError(
                    f"{self.name}: row {place + 1} ({row.get('id', 'without an id')}) has no field "
                    f"{', '.join(map(repr, sorted(missing)))}. A row needs "
                    f"{', '.join(sorted(needed))}."
                )
        return self.plan(self._distinct([with_normal_texts(row) for row in rows], fields), split)

    def _distinct(self, rows: Rows, fields: Iterable[str]) -> Rows:
        """The rows without copies of earlier ones; says how many there are."""
        same_in_copies = [
            name for name in fields if name not in {"id", *self.labels, *self.symmetric}
        ]
        first_with: dict[tuple[str, ...], int] = {}
        copies: dict[int, int] = {}  # its number -> that of the earlier row
        for number, row in enumerate(rows):
            if row.get("removed_by") or self.learned(row):
                continue
            pair = sorted(
                " ".join(str(row[name]).split()) for name in self.symmetric if name in row
            )
            rest = " ".join(repr([*map(row.get, same_in_copies)]).split())
            content = (rest, *pair)
            earlier = first_with.setdefault(content, number)
            if earlier != number:
                copies[number] = earlier
        if not copies:
            return rows
        copy, earlier = next(iter(copies.items()))
        _say_once(
            f"{self.name}: {len(copies)} of {len(rows)} rows are copies of earlier rows, and count "
            f"once with them. The first: {_place(rows, copy)} is {_place(rows, earlier)}."
        )
        return [row for number, row in enumerate(rows) if number not in copies]

    def _more_declarations(self) -> dict[str, Score]:
        more = super()._more_declarations()
        for score in (SAME_VECTOR, N_TEXTS, ALONE):
            more[score.key] = score
        if self.additive:
            for key in self.compared_keys:
                error_key = additive_error_key(key, self.main)
                more |= baseline_declarations(key, self._keyed[key].score, error_key)
        return more


def _place(rows: Rows, number: int) -> str:
    return f"row {number + 1} ({rows[number].get('id', 'without an id')})"


def _unit_count(name: str, key: str, unit: str) -> Score:
    formula = f"values of `{unit}` that enter {key}, which is not defined where they are too few"
    return Score(name, f"units of {key}", formula, COUNT)
