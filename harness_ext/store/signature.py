"""The signature: one line that identifies a score, so that nobody can misquote it."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from urllib.parse import quote, unquote

_SEPARATOR = "|"
_LEFT_OUT = ("options", "additive", "noise", "recomputed")  # if they are empty


# a board has tens of thousands of signatures with few distinct values
@functools.lru_cache(maxsize=10_000)
def _quoted(value: str) -> str:
    return quote(value, " @:/,.+='()")


@dataclass(frozen=True)
class Signature:
    """Identify a score: the task and data, then the model and its vectors.

    Attributes:
        task: The task's name; in lm-eval with its version, `name-version`.
        dataset: The dataset at its revision, `name@revision`.
        split: Split; in a task with several protocols, the protocol.
        subset: Subset; `default` in a task without subsets.
        measure: The measure with the version of its definition, `name-version`.
        model: The model's name.
        revision: Its revision.
        level: The vectors used: `sentence`, or `sentence+span`; in lm-eval, the task's output type.
        prompt: What the model puts before each text, if anything; `…` stands for the text if
            something follows it.
        dtype: Dtype of the weights if they are accessible, else of the vectors.
        backend: Library that computes: torch, onnx, openvino …; in lm-eval, with its version.
        mteb: Version of mteb; empty if it was not used.
        sentence_transformers: Version of sentence-transformers; empty if it was not used.
        options: Arguments of the model's `encode` that change vectors, such as `truncate_dim=64`;
            left out if empty.
        additive: How the additive baseline was fitted, such as `probes 4, seed 0`; left out if
            empty.
        noise: The definition of matched noise, and which words were one, such as `2, one word
            within 1e-06`; left out if empty, as in results without noise or of version 1.0.
        recomputed: The definition of the measure that the scores had before they were computed
            again from the items, such as `epsilon-7`; left out if empty.

    Examples:
        >>> one = Signature("T", "d@1", "test", "en", "epsilon-1", "a/b", "main", "sentence",
        ...                 "a|b:", "float32", "torch", "2.26", "6.2")
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
    prompt: str = ""
    dtype: str = ""
    backend: str = ""
    mteb: str = ""
    sentence_transformers: str = ""
    options: str = ""
    additive: str = ""
    noise: str = ""
    recomputed: str = ""

    def __str__(self) -> str:
        fields = []
        for name, value in vars(self).items():
            if value or name not in _LEFT_OUT:
                fields.append(f"{name}:{_quoted(value)}")
        return _SEPARATOR.join(fields)

    @property
    def measure_name(self) -> str:
        """The name of the measure, without its version."""
        return self.measure.partition("-")[0]

    @classmethod
    def parse(cls, line: str) -> Signature:
        """Read a signature.

        Raises:
            ValueError: The line is not a signature, or has a field twice; quotes the line.
        """
        fields: dict[str, str] = {}
        parts = line.split(_SEPARATOR)
        for part in parts:
            name, _, value = part.partition(":")
            fields[name] = unquote(value)
        if len(fields) < len(parts) or {*_LEFT_OUT, *fields} != cls.__annotations__.keys():
            raise ValueError(f"not a signature of this project: {line!r}")
        return cls(**fields)


MEASURED = ("task", "dataset", "split", "subset", "measure")
"""Fields of the measurement. All other fields are of the model and its software."""


def differences(one: Signature, other: Signature) -> dict[str, tuple[str, str]]:
    """Compare the `MEASURED` fields: field -> both values, where they differ. Empty if scores may
    be compared.
    """
    differing: dict[str, tuple[str, str]] = {}
    for name in MEASURED:
        values = (getattr(one, name), getattr(other, name))
        if values[0] != values[1]:
            differing[name] = values
    return differing
