"""What a score is, declared once, beside the formula that computes it.

The result of a measure is a frozen dataclass. The default of a field is its declaration, made by `declared`. Its value
is a number, or an array with one dimension per axis; `flat` gives the keys and values of a result file. Tables, docs,
schemas, reports and boards read the declarations: none of them takes a key apart.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, make_dataclass, replace
from itertools import product
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from harness_ext.common.arrays import Floats
from harness_ext.measures.core.scores import CLASS, COUNT, LEVEL, Axis, AxisValues, Direction, chance_key, interval_keys  # noqa: F401

if TYPE_CHECKING:
    import pandas

    from harness_ext.statistics.statistic import Statistic


@dataclass(frozen=True)
class Score:
    """The declaration of a score.

    Attributes:
        key: Its key in result files, with a `{name}` for each axis.
        title: What it is, in a few words.
        formula: How it is computed, in a line.
        range: The least and the greatest value it can have.
        direction: Which direction is better.
        chance: What guessing gets; None where that has no meaning. Where it depends on the answers, this is the most
            that it can be, and `chance_<key>` is measured.
        source: Paper, and equation or table; a score that is in no paper is this project's.
        axes: What it is broken down by.
        interval: Whether result files have its 95 % interval, as `<key>_ci_low` and `<key>_ci_high`.
        compute: Items and its value on each axis -> the statistic that has its units, value and resamples; None if it
            has no units.
        value: The same -> its value, NaN where it is not defined; for a score without units.
        not_in_interval: What else moves the score, but not its interval; empty if nothing is known.
        ceiling: How well people agree with each other on the published data; None where that is not known.
        smallest_effect: The smallest effect of interest: a smaller difference from a reference is too small to matter.
    """

    key: str
    title: str
    formula: str
    range: tuple[float, float]
    direction: Direction = "neither"
    chance: float | None = None
    source: str = "this project"
    axes: tuple[Axis, ...] = ()
    interval: bool = False
    compute: Callable[[Any, AxisValues], Statistic] | None = None
    value: Callable[[Any, AxisValues], Any] | None = None
    not_in_interval: str = ""
    ceiling: float | None = None
    smallest_effect: float = 0.10

    @property
    def sign(self) -> int:
        """1, or -1 where lower is better."""
        return -1 if self.direction == "lower" else 1

    @property
    def resampled(self) -> bool:
        """Whether its measure can resample it."""
        return self.compute is not None

    def by_axes(self) -> dict[str, AxisValues]:
        """Key -> axis -> its value there, for all values of all axes.

        Examples:
            >>> slot = Axis("slot", {"modifier": "the first word", "head": "the second"})
            >>> Score("share_{slot}", "", "", (0, 1), "higher", 0.5, "", (slot,)).by_axes()
            {'share_modifier': {'slot': 'modifier'}, 'share_head': {'slot': 'head'}}
        """
        names = [axis.name for axis in self.axes]
        cells: list[AxisValues] = [
            dict(zip(names, values, strict=True)) for values in product(*(axis.values for axis in self.axes))
        ]
        return {self.key.format_map(axes): axes for axes in cells}


def declared(
    title: str,
    formula: str,
    *,
    range: tuple[float, float],  # noqa: A002 - the field's name
    key: str = "",
    **attributes: Any,
) -> Any:
    """The declaration of a field of a `Scores`: see `Score`; the key is the field's name unless it is given."""
    return Score(key, title, formula, range, **attributes)


def proportion(title: str, formula: str, **attributes: Any) -> Any:
    """A score from 0 to 1, such as a share, a probability or an AUC, as `declared`."""
    return declared(title, formula, range=(0, 1), **attributes)


def correlation(title: str, formula: str, **attributes: Any) -> Any:
    """A score from -1 to 1, of which chance is 0, as `declared`."""
    return declared(title, formula, range=(-1, 1), chance=0, **attributes)


def count(title: str, formula: str, **attributes: Any) -> Any:
    """A number of things, as `declared`."""
    return declared(title, formula, range=COUNT, **attributes)


def zero_vectors(things: str, numbers: Callable[[Any], Floats]) -> Any:
    """The count of things, such as pairs, that are left out: their `numbers` are NaN, because a vector is zero."""
    return count(
        f"{things} with a zero vector",
        f"{things} that are left out because a vector has no direction",
        value=lambda items, _: np.isnan(numbers(items)).sum(),
    )


def like(score: Any, title: str, formula: str, *, key: str = "", **changes: Any) -> Any:
    """A field that is declared as an earlier one of the class, but for its title, its formula and these changes."""
    return replace(score, key=key, title=title, formula=formula, **changes)


@dataclass(frozen=True)
class Scores:
    """What a measure returns. A subclass is a frozen dataclass whose fields are made by `declared`.

    A number that is not defined is NaN, and absent from `flat`.
    """

    @classmethod
    def of(cls, name: str, declared: Mapping[str, Score]) -> type[Self]:
        """Make the subclass with this name and these fields, for a measure that computes its declarations."""
        typed = [(field, Floats if score.axes else float, score) for field, score in declared.items()]
        return make_dataclass(name, typed, bases=(cls,), frozen=True)

    @classmethod
    @functools.cache
    def declarations(cls) -> tuple[Score, ...]:
        """The declaration of every field."""
        declared: dict[str, Score] = {one.name: getattr(cls, one.name) for one in fields(cls)}
        return tuple(replace(score, key=score.key or name) for name, score in declared.items())

    @classmethod
    @functools.cache
    def by_key(cls) -> Mapping[str, tuple[Score, AxisValues]]:
        """Every key -> its declaration and its value on each axis."""
        return {key: (score, axes) for score in cls.declarations() for key, axes in score.by_axes().items()}

    def flat(self) -> dict[str, float]:
        """Key -> value, without those that are not defined; counts are integers.

        Raises:
            ValueError: A field has not one dimension per axis.
        """
        flat: dict[str, float] = {}
        for one, score in zip(fields(self), self.declarations(), strict=True):
            values = np.asarray(getattr(self, one.name))
            shape = tuple(len(axis.values) for axis in score.axes)
            if values.shape != shape:
                raise ValueError(f"{type(self).__name__}.{one.name} has shape {values.shape}, {shape} expected")
            flat |= zip(score.by_axes(), values.ravel().tolist(), strict=True)
        return {key: value for key, value in flat.items() if not math.isnan(value)}

    def to_pandas(self) -> pandas.DataFrame:
        """The defined scores as a DataFrame: by key the value, chance, better direction, range, title and source."""
        import pandas

        values, declared = self.flat(), self.by_key()
        return pandas.DataFrame(
            {
                "value": list(values.values()),
                "chance": [declared[key][0].chance for key in values],
                "better": [declared[key][0].direction for key in values],
                "range": [declared[key][0].range for key in values],
                "title": [declared[key][0].title for key in values],
                "source": [declared[key][0].source for key in values],
            },
            index=pandas.Index(values, name="score"),
        ).astype({"value": float, "chance": float})

    def _repr_html_(self) -> str:
        return self.to_pandas()._repr_html_()
