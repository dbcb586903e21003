"""The scores that a measure returns: a mapping from keys to numbers."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from harness_ext.measures.core.scores import AxisValues, Score

if TYPE_CHECKING:
    import pandas

_RENAMED = {"by": "kept_apart_of_kind"}
"""A name of 1.0 -> the method whose values it has."""


class Declares(Protocol):
    """What scores know of their measure, see `harness_ext.measures.core.measure.Measure`."""

    name: str

    @property
    def by_key(self) -> Mapping[str, tuple[Score, AxisValues]]:
        """The key of every score -> its declaration and its value on each axis."""
        ...

    def keys_of_method(self, name: str) -> list[str]:
        """The keys of the score that a method of this name computes."""
        ...


class Scores(Mapping[str, float]):
    """Key -> value of every score that is defined, in the order of result files; counts are
    integers.
    """

    def __init__(
        self,
        measure: Declares,
        values: Mapping[str, float],
    ) -> None:
        """Keep the scores of a measure.

        Args:
            measure: The measure that declares them.
            values: The key of every declared score -> its value, NaN where it is not defined.
        """
        self._measure = measure
        self._values = dict(values)
        self._defined = {key: value for key, value in values.items() if not math.isnan(value)}

    def __getitem__(self, key: str) -> float:
        if key in self._defined:
            return self._defined[key]
        if key in self._values:
            raise KeyError(
                f"{key} is declared by {self._measure.name}, but has no value on these data."
            )
        raise KeyError(
            f"{self._measure.name} declares no score {key!r}. It has: {', '.join(self._values)}."
        )

    def __iter__(self) -> Iterator[str]:
        return iter(self._defined)

    def __len__(self) -> int:
        return len(self._defined)

    def __repr__(self) -> str:
        return f"Scores({self._defined!r})"

    def flat(self) -> dict[str, float]:
        """The same as a dictionary."""
        return dict(self._defined)

    def to_pandas(self) -> pandas.DataFrame:
        """The defined scores as a DataFrame: by key the value, chance, better direction, range,
        title and source.
        """
        import pandas  # not above: a measure is imported without it

        declared = [self._measure.by_key[key][0] for key in self]
        return pandas.DataFrame(
            {
                "value": list(self.values()),
                "chance": [score.chance for score in declared],
                "better": [score.better for score in declared],
                "range": [score.range for score in declared],
                "title": [score.title for score in declared],
                "source": [score.source for score in declared],
            },
            index=pandas.Index(self, name="score"),
        ).astype({"value": float, "chance": float})

    def _repr_html_(self) -> str:
        return self.to_pandas()._repr_html_()

    def __getattr__(self, name: str) -> Any:
        """Answer the names of 1.0, until 1.2: keys, and names of scores over axes, whose values are
        arrays.
        """
        if name.startswith("_"):  # not there yet, as while an object is copied
            raise AttributeError(name)
        if name in self._values:
            _warn(name, f"scores[{name!r}]")
            return self._values[name]
        keys = self._measure.keys_of_method(_RENAMED.get(name, name))
        if not keys:
            raise AttributeError(
                f"{self._measure.name} has no score {name!r}. Its keys: {', '.join(self._values)}."
            )
        _warn(name, " or ".join(f"scores[{key!r}]" for key in keys[:3]))
        shape = [len(axis.values) for axis in self._measure.by_key[keys[0]][0].axes]
        values = [self._values[key] for key in keys]
        # counts stay integers where one of them is not defined
        dtype = object if len({type(value) for value in values}) > 1 else None
        return np.array(values, dtype).reshape(shape)


def _warn(name: str, instead: str) -> None:
    message = f"scores.{name} is a name of 1.0, which 1.2 does not have: write {instead}."
    warnings.warn(message, DeprecationWarning, stacklevel=3)
