"""Checks: any decision about two texts, a bool or a number that is higher for texts that are more
    alike.

A user's function is `f(a, b)`; with `f.batched = True` it takes two lists. Models of
sentence-transformers that compare two texts, and give no vector of each, are checks too.
"""

from __future__ import annotations

import inspect
import math
import pkgutil
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple, NoReturn

import numpy as np
from tqdm.auto import tqdm

from harness_ext.common.arrays import Floats
from harness_ext.common.errors import UnknownNameError
from harness_ext.common.foreign_code import ForeignExitError, no_exit

_TWO_TEXTS = "It takes two arguments: it is called with two texts. An encoder takes one list."
_TWO_LISTS = "It has batched = True: it is called with two lists of texts."

_N_FIRST = 10
"""Of so many texts a check is asked how like they are to themselves."""

_SECONDS_WITHOUT_BAR = 2
"""A check that has answered by then shows no bar."""

_CLASSES = {
    "cross-encoder": "sentence_transformers:CrossEncoder",
    "late-interaction": "sentence_transformers:MultiVectorEncoder",
}
"""How the name of a check begins -> what loads the model that it goes on with."""


class CheckError(ValueError):
    """A check failed, or returned no decision; names the pair."""


class Answers(NamedTuple):
    """What a check says of pairs of texts.

    Attributes:
        alike: How alike the texts are, in [-1, 1], shape (n,).
        unit: The check's own number where `alike` is 1.
        are_bools: Whether the check says yes or no: by bools, or by 0 and 1 alone.
        seconds: How long it took.
    """

    alike: Floats
    unit: float
    are_bools: bool
    seconds: float


@dataclass(frozen=True)
class Check:
    """A decision about two texts.

    Attributes:
        name: For messages and tables.
        function: A function of two texts, or of two lists of texts.
        batched: Whether it takes lists.
        taken_as: Why a function was taken for a check, for messages; empty where that was said.
    """

    name: str
    function: Callable[..., Any]
    batched: bool = False
    taken_as: str = ""

    def __call__(
        self,
        pairs: Sequence[tuple[str, str]],
    ) -> Answers:
        """Ask about pairs, and before that about ten texts, each with itself and with another one.

        Raises:
            CheckError: The function fails, ends the program, or looks like a distance; or an answer
                is neither a bool nor a finite number.
        """
        texts = _spread(pairs)
        n_first = 2 * len(texts)
        with tqdm(
            total=n_first + len(pairs),
            desc=self.name,
            unit=" pairs",
            delay=_SECONDS_WITHOUT_BAR,
        ) as bar:
            self._refuse_distance(texts, bar)
            bar.update(n_first - bar.n)
            started = perf_counter()
            numbers = self._numbers(pairs, bar)
            seconds = perf_counter() - started
        largest = float(np.abs(numbers).max())
        unit = max(1.0, largest)
        are_bools = bool(np.isin(numbers, (0, 1)).all())
        return Answers(numbers / unit, unit, are_bools, seconds)

    def _refuse_distance(
        self,
        texts: Sequence[str],
        bar: tqdm[NoReturn],
    ) -> None:
        """Refuse a check to which texts are less like themselves than like others."""
        others = [*texts[1:], *texts[:1]]
        same = [*zip(texts, texts, strict=True)]
        different = [*zip(texts, others, strict=True)]
        try:
            with_itself = self._numbers(same, bar)
            with_another = self._numbers(different, bar)
        except CheckError:  # a check need not know what to say of a text and itself
            return
        most = with_itself.max()
        median = np.median(with_another)
        if most < median and not np.isclose(most, median):
            raise CheckError(
                f"{self.name} looks like a distance: it gives at most {most:.3g} to a text and "
                f"itself, and {median:.3g} (the median) to two different texts. Return a higher "
                "number for texts that are more alike, such as the distance times -1, or True for "
                "texts that are the same."
            )

    def _numbers(
        self,
        pairs: Sequence[tuple[str, str]],
        bar: tqdm[NoReturn],
    ) -> Floats:
        """The answers to pairs as numbers, shape (n,)."""
        answers: list[Any] = []
        for first, second in self._calls(pairs):
            try:
                with no_exit("it"):
                    answer = self.function(first, second)
                    answers += answer if self.batched else [answer]
            except ForeignExitError as error:
                raise self._error(first, second, f": {error}") from error
            except Exception as error:
                raise self._error(first, second, f": {type(error).__name__}: {error}") from error
            bar.update(len(pairs) if self.batched else 1)
        if len(answers) != len(pairs):
            raise CheckError(
                f"{self.name} returned {len(answers)} answers to {len(pairs)} pairs. One each is "
                f"expected.{self._how_taken}"
            )
        numbers = np.array([*map(_number, answers)])
        for pair, answer, number in zip(pairs, answers, numbers, strict=True):
            if not np.isfinite(number):
                raise self._error(*pair, f" is {answer!r}: a bool or a number expected.")
        return numbers

    def _calls(
        self,
        pairs: Sequence[tuple[str, str]],
    ) -> Sequence[tuple[Any, Any]]:
        """What the function is called with: two texts at a time, or two lists."""
        if not self.batched:
            return pairs
        firsts = [first for first, _ in pairs]
        seconds = [second for _, second in pairs]
        return [(firsts, seconds)]

    def _error(
        self,
        first: Any,
        second: Any,
        says: str,
    ) -> CheckError:
        return CheckError(f"{self.name} of {first!r:.80} and {second!r:.80}{says}{self._how_taken}")

    @property
    def _how_taken(self) -> str:
        return f" {self.taken_as}" if self.taken_as else ""


def check_of(given: Any, name: str = "") -> Check | None:
    """The check that a function of two texts is, or a model of them; None for anything else.

    Args:
        given: What may be a check.
        name: What the check is called, if a user says that it is one. Without it, a function that
            can be called with one argument too is none.
    """
    called = name or getattr(given, "__name__", type(given).__name__)
    if type(given).__name__ == "MultiVectorEncoder":  # not isinstance: the import takes seconds

        def by_tokens(*two: list[str]) -> list[Any]:
            return [*given.similarity_pairwise(*map(given.encode, two))]

        return Check(called, by_tokens, batched=True)
    if hasattr(given, "encode") or isinstance(given, type):
        return None
    if type(given).__name__ == "CrossEncoder":

        def predicted(
            first: list[str],
            second: list[str],
        ) -> list[float]:
            return _predicted(given, [*zip(first, second, strict=True)])

        return Check(called, predicted, batched=True)
    if getattr(given, "batched", False):
        return Check(
            called,
            given,
            batched=True,
            taken_as=_TWO_LISTS,
        )
    if not takes(given, 2):
        return None
    if name:
        return Check(called, given)
    if takes(given, 1):
        return None
    return Check(
        called,
        given,
        taken_as=_TWO_TEXTS,
    )


def named_check(name: str) -> Check:
    """The check `MODULE:FUNCTION`, also of the current folder, or `cross-encoder:MODEL` or
    `late-interaction:MODEL`.

    Raises:
        UnknownNameError: It cannot be loaded, or is no function of two texts; says why.
    """
    kind, _, model = name.partition(":")
    try:
        with no_exit("it"):
            check = _model_check(kind, model, name) if kind in _CLASSES else _function_check(name)
    except UnknownNameError:
        raise
    except (ImportError, AttributeError, ValueError, KeyError, OSError, ForeignExitError) as error:
        forms = (
            "MODULE:FUNCTION, cross-encoder:MODEL or late-interaction:MODEL (sentence-transformers "
            "6) expected."
        )
        reason = str(error).rstrip(".")
        raise UnknownNameError(f"--check {name} cannot be loaded: {reason}. {forms}") from None
    return check


def _model_check(kind: str, model: str, name: str) -> Check:
    """The check that a model is. No module of the current folder is imported."""
    load = pkgutil.resolve_name(_CLASSES[kind])
    check = check_of(load(model), name)
    assert check is not None, kind
    return check


def _function_check(name: str) -> Check:
    """The check that a function of a module is."""
    folder = str(Path.cwd())
    with _importing_from(folder, 0):
        given = pkgutil.resolve_name(name)
        check = check_of(given, name)
    if check is None:
        found = arguments(given)
        it_takes = f" It takes {found}." if found else ""
        expected = f"f(a, b), or of two lists with f.batched.{it_takes}"
        raise UnknownNameError(f"--check {name} is no function of two texts: {expected}")

    def function(*texts: Any) -> Any:
        # last, so that a library finds no file of the user in place of another library
        with _importing_from(folder, len(sys.path)):
            return check.function(*texts)

    return replace(check, function=function)


@contextmanager
def _importing_from(folder: str, place: int) -> Iterator[None]:
    """Let modules be found in a folder too, at this place of `sys.path`."""
    if folder in sys.path or "" in sys.path:
        yield
        return
    sys.path.insert(place, folder)
    try:
        yield
    finally:
        with suppress(ValueError):
            sys.path.remove(folder)


def takes(function: Any, n: int) -> bool:
    """Whether a function can be called with so many values; False where that is not known."""
    try:
        inspect.signature(function).bind(*range(n))
    except (TypeError, ValueError):  # ValueError: of a function without a signature
        return False
    return True


def arguments(function: Any) -> str:
    """The arguments of a function, such as `(a, b)`; empty where they are not known."""
    try:
        return str(inspect.signature(function))
    except (TypeError, ValueError):
        return ""


def _spread(pairs: Sequence[tuple[str, str]]) -> list[str]:
    """At most ten different texts from all over the pairs; none if all are the same."""
    texts = [*dict.fromkeys(chain.from_iterable(pairs))]
    if len(texts) < 2:
        return []
    n_places = min(_N_FIRST, len(texts))
    places = np.linspace(0, len(texts) - 1, n_places).astype(int)
    return [texts[place] for place in places]


def _number(answer: Any) -> float:
    """An answer as a number; NaN for what is none."""
    try:
        return float(answer) if hasattr(answer, "__float__") else math.nan
    except Exception:  # of whatever a stranger's check returns
        return math.nan


def _predicted(
    model: Any,
    pairs: list[tuple[str, str]],
) -> list[float]:
    """The score of a cross-encoder; of one with classes, the probability of that which is called
    entailment.
    """
    predicted = model.predict(pairs, apply_softmax=True)
    scores = np.asarray(predicted, dtype=np.float64)
    if scores.ndim > 1:
        entailed = [
            place
            for place, label in model.config.id2label.items()
            if label.lower().startswith("entail")
        ]
        if not entailed:
            raise ValueError(
                f"it has {scores.shape[1]} classes, none called entailment. Write a function."
            )
        scores = scores[:, entailed[0]]
    return scores.tolist()
