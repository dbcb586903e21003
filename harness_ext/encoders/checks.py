"""Checks: any decision about two texts, a bool or a number that is higher for texts that are more alike.

A user's function is `f(a, b)`; with `f.batched = True` it takes two lists. Models of sentence-transformers that compare
two texts, and give no vector of each, are checks too.
"""

import inspect
import pkgutil
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from harness_ext.common.arrays import Floats
from harness_ext.common.errors import UnknownNameError
from harness_ext.common.foreign_code import ForeignExitError, no_exit

_CLASSES = {
    "cross-encoder": "sentence_transformers:CrossEncoder",
    "late-interaction": "sentence_transformers:MultiVectorEncoder",
}
"""How the name of a check begins -> what loads the model that it goes on with."""


class CheckError(ValueError):
    """A check failed, or returned no decision; names the pair."""


class Answers(NamedTuple):
    """How alike the texts of pairs are, in [-1, 1]; the check's own number of 1; whether it answers by bools."""

    alike: Floats
    unit: float
    are_bools: bool


@dataclass(frozen=True)
class Check:
    """A decision about two texts: its name, and a function of two texts, or of two lists of texts if it is batched."""

    name: str
    function: Callable[..., Any]
    batched: bool = False

    def __call__(self, pairs: Sequence[tuple[str, str]]) -> Answers:
        """Ask about pairs; a CheckError if the function fails, or an answer is neither a bool nor a finite number."""
        calls: Any = [(*map(list, zip(*pairs, strict=True)),)] if self.batched else pairs
        answers: list[Any] = []
        for first, second in calls:
            try:
                with no_exit("it"):
                    answer = self.function(first, second)
                    answers += answer if self.batched else [answer]
            except ForeignExitError as error:
                raise self._error(first, second, f": {error}") from error
            except Exception as error:
                raise self._error(first, second, f": {type(error).__name__}: {error}") from error
        if len(answers) != len(pairs):
            raise CheckError(
                f"{self.name} returned {len(answers)} answers to {len(pairs)} pairs. One each is expected."
            )
        for answer, pair in zip(answers, pairs, strict=True):
            if not hasattr(answer, "__float__") or not np.isfinite(float(answer)):
                raise self._error(*pair, f" is {answer!r}: a bool or a number expected.")
        numbers = np.array([*map(float, answers)])
        unit = max(1.0, float(np.abs(numbers).max()))
        return Answers(numbers / unit, unit, all(isinstance(answer, bool | np.bool_) for answer in answers))

    def _error(self, first: Any, second: Any, says: str) -> CheckError:
        return CheckError(f"{self.name} of {first!r:.80} and {second!r:.80}{says}")


def check_of(given: Any, name: str = "") -> Check | None:
    """The check of this name that a function of two texts is, or a model that compares them; None for anything else."""
    name = name or getattr(given, "__name__", type(given).__name__)
    if type(given).__name__ == "MultiVectorEncoder":  # not isinstance: the import takes seconds
        return Check(name, lambda *two: [*given.similarity_pairwise(*map(given.encode, two))], batched=True)
    if hasattr(given, "encode") or isinstance(given, type):
        return None
    if type(given).__name__ == "CrossEncoder":
        return Check(name, lambda *two: _predicted(given, [*zip(*two, strict=True)]), batched=True)
    batched = bool(getattr(given, "batched", False))
    return Check(name, given, batched) if batched or (_takes(given, 2) and not _takes(given, 1)) else None


def named_check(name: str) -> Check:
    """The check `MODULE:FUNCTION`, also of the current folder, or `cross-encoder:MODEL` or `late-interaction:MODEL`.

    Raises:
        UnknownNameError: It cannot be loaded, or is no function of two texts; says why.
    """
    kind, _, rest = name.partition(":")
    if "" not in sys.path:
        sys.path.insert(0, "")
    try:
        with no_exit("it"):
            given = pkgutil.resolve_name(_CLASSES.get(kind, name))
            check = check_of(given(rest) if kind in _CLASSES else given, name)
    except (ImportError, AttributeError, ValueError, KeyError, OSError, ForeignExitError) as error:
        forms = "MODULE:FUNCTION, cross-encoder:MODEL or late-interaction:MODEL (sentence-transformers 6) expected."
        raise UnknownNameError(f"--check {name} cannot be loaded: {error}. {forms}") from None
    if check is None:
        raise UnknownNameError(f"--check {name} is no function of two texts: f(a, b), or of two lists with f.batched.")
    return check


def _takes(function: Any, n: int) -> bool:
    """Whether a function can be called with so many values."""
    try:
        inspect.signature(function).bind(*range(n))
    except (TypeError, ValueError):  # ValueError: of a function without a signature
        return False
    return True


def _predicted(model: Any, pairs: list[tuple[str, str]]) -> list[float]:
    """The score of a cross-encoder; of one with classes, the probability of that which is called entailment."""
    scores = np.asarray(model.predict(pairs, apply_softmax=True), dtype=np.float64)
    if scores.ndim > 1:
        entailed = [place for place, label in model.config.id2label.items() if label.lower().startswith("entail")]
        if not entailed:
            raise ValueError(f"it has {scores.shape[1]} classes, none called entailment. Write a function.")
        scores = scores[:, entailed[0]]
    return scores.tolist()
