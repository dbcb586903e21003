"""What the body of a measure's class says: its scores by key, and what in it is no declaration."""

import inspect
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from harness_ext.measures.core.scores import AxisValues, Score, declaration_of, is_score

_EXCLUDED = "n_excluded"
"""How the names of counts of what is left out begin."""

_REQUIRED = ("items", "unit", "main")
"""Attributes that a measure has no default of."""

Method = Callable[..., Any]


class Keyed(NamedTuple):
    """What stands behind a key.

    Attributes:
        score: Its declaration.
        axes: Its value on each axis of the declaration.
        method: What computes it.
        arguments: A value on each axis of the method, which follow the items.
    """

    score: Score
    axes: AxisValues
    method: Method
    arguments: tuple[str, ...]


def _score_methods(cls: type) -> dict[str, Method]:
    """The methods of a class that are scores, by name, in the order of result files."""
    inherited: dict[str, Method] = {}
    for base in reversed(cls.__mro__[1:]):
        inherited = _with_scores_of(base, inherited)
    methods = _with_scores_of(cls, inherited)
    order = getattr(cls, "order", ())
    unknown = [name for name in order if name not in methods]
    if unknown:
        raise TypeError(f"{cls.__name__}.order names what is no score of it: {', '.join(unknown)}.")
    return {name: methods[name] for name in dict.fromkeys((*order, *methods))}


def _with_scores_of(cls: type, inherited: Mapping[str, Method]) -> dict[str, Method]:
    """The inherited scores and those in the body of a class; inherited counts of what is left out
    stand last.
    """
    body = vars(cls)
    taken_away = {name for name in inherited if name in body and body[name] is None}
    scores = {name: method for name, method in body.items() if is_score(method)}
    methods = {
        name: method for name, method in inherited.items() if not name.startswith(_EXCLUDED)
    } | scores
    for name, method in inherited.items():
        methods.setdefault(name, method)
    return {name: method for name, method in methods.items() if name not in taken_away}


def scores_by_key(cls: type) -> dict[str, Keyed]:
    """The key of every score of a class -> what stands behind it, in the order of result files.

    Raises:
        TypeError: Two scores have one key.
    """
    by_key: dict[str, Keyed] = {}
    for name, method in _score_methods(cls).items():
        declaration = declaration_of(method)
        for score, fixed in declaration.of_class(cls, name):
            axes = declaration.axes_of(cls) or []
            for key, free in score.by_axes().items():
                if key in by_key:
                    raise TypeError(f"{cls.__name__} has two scores with the key {key}.")
                values = {**fixed, **free}
                by_key[key] = Keyed(score, free, method, tuple(values[axis.name] for axis in axes))
    return by_key


def check_overrides(cls: type) -> None:
    """Refuse a score that is overridden by what has no declaration: its own would be lost without a
    word.
    """
    for name, member in vars(cls).items():
        overrides_score = any(is_score(getattr(base, name, None)) for base in cls.__bases__)
        if overrides_score and member is not None and not is_score(member):
            raise TypeError(
                f"{cls.__name__}.{name} overrides a score, and is none: put @score or @number "
                "above it, or set it to None to take the score away."
            )
        overrides_other = any(hasattr(base, name) for base in cls.__bases__) and not overrides_score
        if is_score(member) and overrides_other:
            raise TypeError(
                f"{cls.__name__}.{name} is a score with the name of an attribute of a measure: "
                "rename it."
            )


def check_names(cls: type) -> None:
    """Refuse public names that are no scores and that no base has, which are mostly misspelt.

    Raises:
        TypeError: There is such a name, or the class sets `name` and has no question of its own.
    """
    known = {"__doc__"}
    for base in cls.__mro__[1:]:
        known |= {*vars(base), *inspect.get_annotations(base)}
    for name, member in vars(cls).items():
        if not (name.startswith("_") or name in known or is_score(member)):
            raise TypeError(
                f"{cls.__name__}.{name} is neither a score nor an attribute of "
                f"{cls.__mro__[1].__name__}. Is it misspelt? Helpers begin with an underscore."
            )
    missing = [name for name in _REQUIRED if not hasattr(cls, name)]
    if missing:
        raise TypeError(
            f"{cls.__name__} is a measure without {', '.join(missing)}: set what is missing."
        )
    if "name" in vars(cls) and "question" not in vars(cls):
        raise TypeError(
            f"{cls.__name__} sets `name`, so it is a measure, and needs a `question` of its own."
        )


def check_keys(cls: Any, by_key: Mapping[str, Keyed]) -> None:
    """Refuse keys that `Scores` cannot have, and a main, adjusted or headline score that is none of
    the scores.

    Raises:
        TypeError: There is such a key, or lower values of the main score are better.
    """
    for key in by_key:
        if hasattr(Mapping, key):
            raise TypeError(
                f"{cls.__name__} has a score with the key {key}, which is a method of a mapping: "
                "rename it."
            )
    named = [(name, getattr(cls, name)) for name in ("main", "adjusted", "headline")]
    named += [("further_compared", key) for key in cls.further_compared]
    for name, key in named:
        if (key or name == "main") and key not in by_key:
            raise TypeError(
                f"{cls.__name__}.{name} is {key!r}, which is none of its scores: "
                f"{', '.join(by_key)}."
            )
    better = by_key[cls.main].score.better
    if better != "higher":
        raise TypeError(
            f"{cls.__name__}: the main score {cls.main} has better={better!r}. Ranks, gains and "
            "checks need a main score that is better when higher: declare its negative, or "
            "another main score."
        )
