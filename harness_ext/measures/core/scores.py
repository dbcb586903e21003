"""What a score is, declared where it is computed: a method of a measure under `@score` or
`@number`.

A method takes the items and then, in the order of `axes`, one value on each axis. `@score` returns
a `Statistic`, which knows its units and has resamples. `@number` returns a plain number, such as a
count or a p-value. A declaration may depend on the class that inherits it: its texts are templates,
and its numbers may name a class attribute. They are filled when the class is made. Tables, docs,
schemas, reports and boards read the declarations: none of them takes a key apart.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any, Literal, TypedDict, TypeVar, Unpack

if TYPE_CHECKING:
    from harness_ext.statistics.statistic import Statistic

AxisValues = Mapping[str, str]
"""Name of an axis -> a value of it."""

Direction = Literal["higher", "lower", "neither"]
"""Whether more is better."""

COUNT = (0, math.inf)
"""The range of a count."""


@dataclass(frozen=True)
class Axis:
    """What a score is broken down by.

    Attributes:
        name: As it stands in the key: `{name}`.
        values: What stands there in turn -> what that means.
    """

    name: str
    values: Mapping[str, str]

    def index(self, value: str) -> int:
        """The index of a value on the axis."""
        return list(self.values).index(value)


CLASS = Axis(
    "class",
    {
        "C": "compositional",
        "PC": "partly compositional",
        "NC": "non-compositional, that is idiomatic",
    },
)
LEVEL = Axis(
    "level",
    {
        "sentence": "the encoder's own vector of the sentence",
        "span": (
            "the vector of the compound's words inside the sentence, where the encoder gives one"
        ),
    },
)


@dataclass(frozen=True)
class Score:
    """The declaration of a score, as a class of measures has it.

    Attributes:
        key: Its key in result files, with a `{name}` for each axis.
        title: What it is, in a few words.
        formula: How it is computed, in a line.
        range: The least and the greatest value it can have.
        better: Which direction is better.
        chance: What guessing gets; None where that has no meaning. Where it depends on the answers,
            this is the most that it can be, and `chance_<key>` is measured.
        source: Paper, and equation or table; a score that is in no paper is this project's.
        axes: What it is broken down by.
        interval: Whether result files have its 95 % interval, as `<key>_ci_low` and
            `<key>_ci_high`.
        resampled: Whether it has units, so that its measure can resample it.
        not_in_interval: What else moves the score, but not its interval; empty if nothing is known.
        ceiling: How well people agree with each other on the published data; None where that is not
            known.
        smallest_effect: The smallest effect of interest: a smaller difference from a reference is
            too small to matter.
        expected: What its paper predicts of a model that does what is asked, which is not what is
            better: `positive`, `negative` or `none`, for every key or key -> prediction; empty if
            it predicts nothing.
    """

    key: str
    title: str
    formula: str
    range: tuple[float, float]
    better: Direction = "neither"
    chance: float | None = None
    source: str = "this project"
    axes: tuple[Axis, ...] = ()
    interval: bool = False
    resampled: bool = False
    not_in_interval: str = ""
    ceiling: float | None = None
    smallest_effect: float = 0.10
    expected: str | Mapping[str, str] = ""

    def prediction(self, key: str) -> str:
        """What its paper predicts of one of its keys; empty if it predicts nothing.

        Examples:
            >>> score = Score("rho_{probe}", "", "", (-1, 1), expected={"rho_syn": "none"})
            >>> score.prediction("rho_syn"), score.prediction("rho_rand")
            ('none', '')
        """
        if isinstance(self.expected, str):
            return self.expected
        return self.expected.get(key, "")

    def by_axes(self) -> dict[str, AxisValues]:
        """Key -> axis -> its value there, for all values of all axes.

        Examples:
            >>> slot = Axis("slot", {"modifier": "the first word", "head": "the second"})
            >>> Score("share_{slot}", "", "", (0, 1), axes=(slot,)).by_axes()
            {'share_modifier': {'slot': 'modifier'}, 'share_head': {'slot': 'head'}}
        """
        names = [axis.name for axis in self.axes]
        cells: list[AxisValues] = [
            dict(zip(names, values, strict=True))
            for values in product(*(axis.values for axis in self.axes))
        ]
        return {self.key.format_map(axes): axes for axes in cells}


class ScoreFields(TypedDict, total=False):
    """What `@score` and `@number` take: see `Score`.

    `key`, `title`, `formula` and `source` are templates: `{cls.near}` is an attribute of the class.
    In `title`, `formula` and `source`, the name of an axis in braces stands for its value; such a
    score has a declaration of its own for each value. The key is the method's name unless it is
    given. `range`, `chance` and `ceiling` may be the name of a class attribute, or a function of
    the values that stand in the texts. An axis may be the name of a class attribute too; where that
    is None, the score is not there.
    """

    key: str
    title: str
    formula: str
    range: tuple[float, float] | str | Callable[..., tuple[float, float]]
    better: Direction
    chance: float | str | Callable[..., float] | None
    source: str
    axes: Sequence[Axis | str]
    interval: bool
    not_in_interval: str
    ceiling: float | str | Callable[..., float] | None
    smallest_effect: float
    expected: str | Mapping[str, str]


@dataclass(frozen=True)
class Declaration:
    """A declaration before a class fills it; for the fields see `ScoreFields`."""

    resampled: bool
    fields: ScoreFields

    def axes_of(self, cls: type) -> list[Axis] | None:
        """The axes of the method in a class, in the order of its arguments; None if the class has
        no such score.
        """
        axes = [getattr(cls, axis) if isinstance(axis, str) else axis for axis in self._axes]
        return None if None in axes else axes

    def of_class(
        self,
        cls: type,
        method: str,
    ) -> Iterator[tuple[Score, AxisValues]]:
        """Fill the declaration of a method of a class.

        Yields:
            One score, or one for each value that stands in its texts; and these values, by axis.
        """
        axes = self.axes_of(cls)
        if axes is None:
            return
        in_texts = [axis for axis in axes if self._stands_in_texts(axis)]
        for values in product(*(axis.values for axis in in_texts)):
            fixed = dict(zip((axis.name for axis in in_texts), values, strict=True))
            yield self._filled(cls, method, axes, fixed), fixed

    @property
    def _axes(self) -> Sequence[Axis | str]:
        return self.fields.get("axes", ())

    def _stands_in_texts(self, axis: Axis) -> bool:
        texts = (
            self.fields.get("title", ""),
            self.fields.get("formula", ""),
            self.fields.get("source", ""),
        )
        return any(f"{{{axis.name}}}" in text for text in texts)

    def _filled(
        self,
        cls: type,
        method: str,
        axes: Sequence[Axis],
        fixed: AxisValues,
    ) -> Score:
        in_braces: dict[str, Any] = {"cls": cls}
        for given, axis in zip(self._axes, axes, strict=True):
            in_braces[axis.name] = fixed.get(axis.name, f"{{{axis.name}}}")
            if isinstance(given, str):
                in_braces[given] = in_braces[axis.name]
        filled: dict[str, Any] = {"key": method, **self.fields}
        missing = [name for name in ("title", "formula", "range") if name not in filled]
        if missing:
            raise TypeError(f"{cls.__name__}.{method}: the declaration lacks {', '.join(missing)}.")
        for name in _TEXTS & filled.keys():
            filled[name] = filled[name].format_map(in_braces)
        for name in _NUMBERS & filled.keys():
            filled[name] = _number_of(filled[name], cls, fixed)
        filled["axes"] = tuple(axis for axis in axes if axis.name not in fixed)
        return Score(**filled, resampled=self.resampled)


_TEXTS = {"key", "title", "formula", "source"}
_NUMBERS = {"range", "chance", "ceiling"}


def _number_of(given: Any, cls: type, fixed: AxisValues) -> Any:
    if isinstance(given, str):
        return getattr(cls, given)
    return given(*fixed.values()) if callable(given) else given


ScoreMethod = TypeVar("ScoreMethod", bound="Callable[..., Statistic]")
NumberMethod = TypeVar("NumberMethod", bound=Callable[..., Any])


def score(
    *, like: Any = None, **fields: Unpack[ScoreFields]
) -> Callable[[ScoreMethod], ScoreMethod]:
    """Declare a method of a measure as a score: it returns a `Statistic`.

    Args:
        like: A score whose declaration this one has, but for its key and what is given here; of
            another class too.
        fields: See `ScoreFields` and `Score`.
    """
    return _declaring(True, like, fields)


def number(
    *, like: Any = None, **fields: Unpack[ScoreFields]
) -> Callable[[NumberMethod], NumberMethod]:
    """Declare a method of a measure as a number without units: it returns the number, NaN where it
    is not defined.

    Takes what `score` does.
    """
    return _declaring(False, like, fields)


def _declaring(
    resampled: bool,
    like: Any,
    fields: ScoreFields,
) -> Callable[[Any], Any]:
    inherited: dict[str, Any] = {}
    if like is not None:
        inherited = dict(declaration_of(like).fields)
        inherited.pop("key", None)
    declaration = Declaration(resampled, {**inherited, **fields})  # type: ignore[typeddict-item]

    def declared(method: Any) -> Any:
        method.declaration = declaration
        return method

    return declared


def is_score(member: Any) -> bool:
    """Whether a member of a class is a method under `@score` or `@number`."""
    return isinstance(getattr(member, "declaration", None), Declaration)


def declaration_of(method: Any) -> Declaration:
    """The declaration of a method under `@score` or `@number`.

    Raises:
        TypeError: The method is no score.
    """
    if not is_score(method):
        raise TypeError(
            f"{getattr(method, '__qualname__', method)} is no score: it has neither @score nor "
            "@number."
        )
    declaration: Declaration = method.declaration
    return declaration


def interval_keys(key: str) -> tuple[str, str]:
    """The keys of the ends of a score's 95 % interval."""
    return f"{key}_ci_low", f"{key}_ci_high"


def chance_key(key: str) -> str:
    """The key of what guessing gets, for scores whose chance is measured."""
    return f"chance_{key}"
