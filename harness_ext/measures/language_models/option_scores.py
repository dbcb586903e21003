"""Scores of the options of a question, from log-likelihoods.

The score of an option is its domain-conditional pointwise mutual information with the question (Holtzman, West,
Shwartz, Choi, Zettlemoyer 2021: Surface Form Competition, EMNLP, Eq. 4): log p(option | question) − log p(option |
frame), the frame being the question without its sentence or phrase. A model that does not read gives every option 0.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from harness_ext.common.arrays import Floats
from harness_ext.measures.core.items import Table, column
from harness_ext.measures.core.old_scores import Axis, like

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
    """A field of a `Scores`: another field's score, by log-likelihoods in the place of PMI."""
    return like(
        score,
        f"{score.title}, by probability alone",
        f"{score.formula}; from log-likelihoods in the place of PMI",
        key=f"{{scoring}}_{score.key}",
        axes=(WITHOUT_FRAME, *score.axes),
        interval=False,
    )


def log_p(option: str) -> Any:
    """The column `<option>`: the option's log-likelihood after the question."""
    return column(f"log p of {option}, in nats.")


def log_p_after_frame(option: str) -> Any:
    """The column `<option>_frame`: the option's log-likelihood after the frame."""
    return column(f"log p of {option} after the frame, in nats.")


def characters(option: str) -> Any:
    """The column `<option>_characters`: the length of the option's text."""
    return column(f"Characters of {option}, with the blank before it.")


def option_columns(
    names: Sequence[str], choices: Sequence[str], results: Sequence[tuple[float, bool]]
) -> dict[str, Any]:
    """The columns of a document, from the options, their texts, and what a `DocumentTask` gets for them.

    These are log-likelihoods (and whether each is the most probable), after the question and then after the frame.
    """
    columns: dict[str, Any] = {}
    framed = results[len(choices) :]
    for name, choice, (log_p, _), (framed_log_p, _) in zip(names, choices, results, framed, strict=False):
        columns |= {name: log_p, f"{name}_frame": framed_log_p, f"{name}_characters": 1 + len(choice)}
    return columns


def option_values(documents: Table, names: Sequence[str], scoring: str = PMI) -> Floats:
    """The score of each option of n documents, in nats, or in nats per character, shape (options, n).

    `scoring` is `PMI` or a value of `WITHOUT_FRAME`.
    """
    columns = documents.values()
    asked, framed, lengths = (
        np.array([columns[f"{name}{ending}"] for name in names]) for ending in ("", "_frame", "_characters")
    )
    return {PMI: asked - framed, "per_character": asked / lengths, "raw": asked}[scoring]


def chosen(values: Floats) -> Floats:
    """How much of the choice each option gets: 1 for the best, shared between ties; shape (options, n).

    Examples:
        >>> chosen(np.array([[-1.0, -2.0], [-1.0, -1.0]]))
        array([[0.5, 0. ],
               [0.5, 1. ]])
    """
    best = values == values.max(axis=0)
    return best / best.sum(axis=0)
