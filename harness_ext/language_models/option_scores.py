"""Scores of the options of a question, from log-likelihoods.

The score of an option is its domain-conditional pointwise mutual information with the question (Holtzman, West,
Shwartz, Choi, Zettlemoyer 2021: Surface Form Competition, EMNLP, Eq. 4): log p(option | question) − log p(option |
frame), the frame being the question without its sentence or phrase. A model that does not read gives every option 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field, replace
from typing import Any

import numpy as np

from harness_ext.arrays import Floats
from harness_ext.evaluators.items import Table, column
from harness_ext.evaluators.scores import Axis

PMI = "pmi"
WITHOUT_FRAME = Axis(
    "scoring",
    {
        "per_character": "log-likelihood of an option per character, the blank before it included",
        "raw": "log-likelihood of an option",
    },
)
"""Scores that a model can win by what it finds probable anywhere."""


def without_frame(score: Any) -> Any:
    """A field of a `Scores`: another field's score, by log-likelihoods in the place of PMI.

    Args:
        score: The other field, with a `key`. Its statistic reads the place on `WITHOUT_FRAME`.
    """
    about = score.metadata["score"]
    changed = replace(
        about,
        key=f"{{scoring}}_{about.key}",
        title=f"{about.title}, by probability alone",
        formula=f"{about.formula}; from log-likelihoods in the place of PMI",
        axes=(WITHOUT_FRAME, *about.axes),
        interval=False,
    )
    return field(metadata={"score": changed})


def log_p_of(option: str) -> Any:
    """The column of the log-likelihood of an option after the question."""
    return column(f"log p of {option}, in nats.")


def framed_log_p_of(option: str) -> Any:
    """The column of its log-likelihood after the frame."""
    return column(f"log p of {option} after the frame, in nats.")


def characters_of(option: str) -> Any:
    """The column of its length."""
    return column(f"Characters of {option}, with the blank before it.")


def option_columns(
    names: Sequence[str], choices: Sequence[str], results: Sequence[tuple[float, bool]]
) -> dict[str, Any]:
    """The columns of a document, from what a `FramedTask` gets for it.

    Args:
        names: The options.
        choices: Their texts.
        results: Log-likelihoods (and whether each is the most probable), after the question and then after the frame.
    """
    found: dict[str, Any] = {}
    framed = results[len(choices) :]
    for name, choice, (log_p, _), (framed_log_p, _) in zip(names, choices, results, framed, strict=False):
        found |= {name: log_p, f"{name}_frame": framed_log_p, f"{name}_characters": 1 + len(choice)}
    return found


def option_values(documents: Table, names: Sequence[str], scoring: str = PMI) -> Floats:
    """The score of each option.

    Args:
        documents: A table with the columns of `option_columns`.
        names: The options.
        scoring: `PMI`, or a value of `WITHOUT_FRAME`.

    Returns:
        In nats, or nats per character; shape (options, n).
    """
    log_p, framed, characters = (
        np.array([getattr(documents, f"{name}{ending}") for name in names]) for ending in ("", "_frame", "_characters")
    )
    values: Floats = {PMI: log_p - framed, "per_character": log_p / characters, "raw": log_p}[scoring]
    return values


def chosen(values: Floats) -> Floats:
    """How much of the choice each option gets: 1 for the best, shared between ties; shape (options, n).

    Examples:
        >>> chosen(np.array([[-1.0, -2.0], [-1.0, -1.0]]))
        array([[0.5, 0. ],
               [0.5, 1. ]])
    """
    best = values == values.max(axis=0)
    shares: Floats = best / best.sum(axis=0)
    return shares
