"""The signature: one line that says what a score is of, so that nobody can misquote it."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from urllib.parse import quote, unquote

_SEPARATOR = "|"


@functools.lru_cache(maxsize=10_000)  # a board has tens of thousands of signatures, in which little is new
def _quoted(value: str) -> str:
    return quote(value, " @:/,.+='()")


@dataclass(frozen=True)
class Signature:
    """What was measured, then of which vectors.

    Attributes:
        task: The task's name; of a language model with its version, `name-version`.
        dataset: The dataset at its revision, `name@revision`.
        split: Split, which is the protocol where a task has several.
        subset: Subset, `default` where there are none.
        measure: The measure with the version of its definition, `name-version`.
        model: The model's name.
        revision: Its revision.
        level: Which vectors were asked for: `sentence`, or `sentence+span`; of a language model, its output type.
        prompt: The instruction that was put before each text, if any.
        dtype: Of the weights if they can be reached, else of the vectors.
        backend: What computes: torch, onnx, openvino …, and whether the beginnings that texts share were computed once
            (`torch, shared prefixes`); of a language model, with the version of lm-eval.
        mteb: Its version; empty where it took no part.
        sentence_transformers: Its version; empty where it took no part.

    Examples:
        >>> one = Signature("T", "d@1", "test", "en", "epsilon-1", "a/b", "main", "sentence", "a|b:", "float32",
        ...                 "torch", "2.26", "6.2")
        >>> str(one)[:60]
        'task:T|dataset:d@1|split:test|subset:en|measure:epsilon-1|mo'
        >>> Signature.parse(str(one)) == one
        True
    """

    task: str
    dataset: str
    split: str
    subset: str
    measure: str
    model: str
    revision: str
    level: str
    prompt: str
    dtype: str
    backend: str
    mteb: str
    sentence_transformers: str

    def __str__(self) -> str:
        return _SEPARATOR.join(f"{name}:{_quoted(value)}" for name, value in vars(self).items())

    @classmethod
    def parse(cls, line: str) -> Signature:
        """Read a signature.

        Raises:
            ValueError: It is none; quotes it.
        """
        parts = dict(part.partition(":")[::2] for part in line.split(_SEPARATOR))
        if parts.keys() != cls.__annotations__.keys():
            raise ValueError(f"not a signature of this project: {line!r}")
        return cls(**{name: unquote(value) for name, value in parts.items()})


MEASURED = ("task", "dataset", "split", "subset", "measure")
"""What was measured. All else is the model's part: what it was asked with, and by what."""


def differences(one: Signature, other: Signature) -> dict[str, tuple[str, str]]:
    """Where two signatures differ in what was measured: field -> both values. Empty if scores may be compared."""
    return {
        name: (getattr(one, name), getattr(other, name))
        for name in MEASURED
        if getattr(one, name) != getattr(other, name)
    }
