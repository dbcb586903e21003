"""Scores of the options of a question, from log-likelihoods.

The score of an option is its domain-conditional pointwise mutual information with the question
(Holtzman, West, Shwartz, Choi, Zettlemoyer 2021: Surface Form Competition, EMNLP, Eq. 4):

    PMI(option) = log p(option | question) − log p(option | frame)

The frame is the question without its sentence or phrase. A model that does not read gives every
option 0.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from harness_ext.common.arrays import Floats
from harness_ext.measures.core.items import Table, column
from harness_ext.measures.core.scores import Axis

PMI = "pmi"
WITHOUT_FRAME = Axis(
    "scoring",
    {
        "per_character": "log-likelihood of an option per character, the blank before it included",
        "raw": "log-likelihood of an option",
    },
)
"""Scores that a model can win by what it finds probable anywhere."""


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
    names: Sequence[str],
    choices: Sequence[str],
    results: Sequence[tuple[float, bool]],
) -> dict[str, Any]:
    """The columns of a document, from the options, their texts, and a `DocumentTask`'s results.

    These are log-likelihoods (and whether each is the most probable), after the question and then
    after the frame.
    """
    after_question = results[: len(choices)]
    after_frame = results[len(choices) :]
    columns: dict[str, Any] = {}
    options = zip(names, choices, after_question, after_frame, strict=False)
    for name, choice, (log_likelihood, _), (log_likelihood_after_frame, _) in options:
        columns[name] = log_likelihood
        columns[f"{name}_frame"] = log_likelihood_after_frame
        columns[f"{name}_characters"] = 1 + len(choice)
    return columns


def pointwise_mutual_information(after_question: Floats, after_frame: Floats) -> Floats:
    """PMI(option) = log p(option | question) − log p(option | frame), in nats.

    Args:
        after_question: log p(option | question), of options of n documents, shape (options, n).
        after_frame: log p(option | frame), of the same.

    Examples:
        >>> pointwise_mutual_information(np.array([[-1.0], [-2.0]]), np.array([[-3.0], [-2.5]]))
        array([[2. ],
               [0.5]])
    """
    return after_question - after_frame


def option_values(
    documents: Table,
    names: Sequence[str],
    scoring: str = PMI,
) -> Floats:
    """The score of each option of n documents, shape (options, n).

    Args:
        documents: A table with the three columns of each option.
        names: The options.
        scoring: `PMI` or a value of `WITHOUT_FRAME`.

    Returns:
        Nats, or nats per character.
    """
    columns = documents.values()
    after_question = np.array([columns[name] for name in names])
    if scoring == "raw":
        return after_question
    if scoring == "per_character":
        return after_question / np.array([columns[f"{name}_characters"] for name in names])
    after_frame = np.array([columns[f"{name}_frame"] for name in names])
    return pointwise_mutual_information(after_question, after_frame)


def chosen(values: Floats) -> Floats:
    """How much of the choice each option gets: 1 for the best, shared between ties.

    Shape (options, n), as the values.

    Examples:
        >>> chosen(np.array([[-1.0, -2.0], [-1.0, -1.0]]))
        array([[0.5, 0. ],
               [0.5, 1. ]])
    """
    best = values == values.max(axis=0)
    return best / best.sum(axis=0)
