"""Encoders whose vectors a test gives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from harness_ext.framework.texts import Span


def at(degrees: float) -> np.ndarray:
    """A unit vector in the plane; two of them an angle θ apart have d = 1 - cos θ."""
    return np.array([np.cos(np.radians(degrees)), np.sin(np.radians(degrees))])


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

    def with_spans(self, texts: list[str], spans: list[Span], **_: Any) -> tuple[np.ndarray, np.ndarray]:
        assert self.of_span is not None
        return self(texts), np.array([self.of_span(span) for span in spans])
