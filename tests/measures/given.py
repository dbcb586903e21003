"""Encoders whose vectors a test gives, rows of compounds, and trees."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from harness_ext.data.compounds import NOT_SCORED, filled_probe

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from harness_ext.measures.core.inputs import Span


def at(degrees: float) -> np.ndarray:
    """A unit vector in the plane; two of them an angle θ apart have d = 1 - cos θ."""
    angle = np.radians(degrees)
    return np.array([np.cos(angle), np.sin(angle)])


def cos(degrees: float) -> float:
    return float(np.cos(np.radians(degrees)))


def chosen(scores: Mapping[str, Any], expected: Mapping[str, Any]) -> dict[str, Any]:
    """The scores with the keys of `expected`, to compare with it."""
    return {key: scores[key] for key in expected}


def share_of_wins(above: Any, below: Any) -> float:
    """Of all pairs of a value above and one below, with ties counted half: an AUC by hand."""
    signs = np.sign(np.subtract.outer(above, below))
    wins = (signs + 1) / 2
    return wins.mean()


def angles(texts: list[str]) -> np.ndarray:
    """Encode texts that are angles in degrees."""
    return np.array([at(float(text)) for text in texts])


@dataclass(frozen=True)
class Given:
    """An encoder that has a vector for each text, and for each span if anything says which."""

    vector: Callable[[str], Any]
    of_span: Callable[[Span], Any] | None = None

    @property
    def has_spans(self) -> bool:
        return self.of_span is not None

    def __call__(self, texts: list[str]) -> np.ndarray:
        return np.array([self.vector(text) for text in texts])

    def with_spans(
        self,
        texts: list[str],
        spans: list[Span],
        **_: Any,
    ) -> tuple[np.ndarray, np.ndarray]:
        assert self.of_span is not None
        span_vectors = [self.of_span(span) for span in spans]
        return self(texts), np.array(span_vectors)


def compound_row(
    compound: str,
    frame: str = "this is {}",
    *,
    syn: str = "a synonym",
    words_syn: Iterable[str] = ("its synonyms",),
    rand: Iterable[str] = ("red pen",),
    **people: Any,
) -> dict[str, Any]:
    """A row of a compound in the place of `{}`, with what replaces it there; what nobody has said
    of it is None.
    """
    probe = partial(filled_probe, frame)
    words = compound.split()
    return {
        "id": compound,
        "compound": compound,
        "surface": compound,
        **probe(compound),
        **NOT_SCORED,
        "syn": probe(syn),
        "words_syn": [*map(probe, words_syn)],
        "modifier": probe(words[0]),
        "head": probe(words[-1]),
        "rand": [*map(probe, rand)],
        **people,
    }


def drawn_tree(rng: np.random.Generator, words: Sequence[Any]) -> str:
    """A tree of these words as the treebank writes it, with labels and branches drawn at random."""
    label = rng.integers(5)
    if len(words) == 1:
        return f"({label} {words[0]})"
    place = rng.integers(1, len(words))
    left = drawn_tree(rng, words[:place])
    right = drawn_tree(rng, words[place:])
    return f"({label} {left} {right})"
