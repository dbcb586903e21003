"""Runs a task twice for `MODEL (own words)`, first to collect its texts (mteb 2.26)."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from mteb.abstasks import AbsTask

from harness_ext.harnesses.mteb.task import AbsTaskCompositionality


def in_two_passes(evaluate_task: Callable[..., Any]) -> Callable[..., Any]:
    """Make mteb's `_evaluate_task` show an `OwnWordsEncoder` all texts of a task before it fits its bags.

    Args:
        evaluate_task: That of `mteb.evaluate`.

    Returns:
        The same function, for all other models; scores of bags say how they were fitted. This project's tasks encode
        all texts in one call: one pass will do.
    """

    @functools.wraps(evaluate_task)
    def evaluate_twice(model: Any, task: AbsTask, **options: Any) -> Any:
        collecting = getattr(model, "collecting", None)
        if collecting is None or isinstance(task, AbsTaskCompositionality) or "evaluate" in vars(task):
            return evaluate_task(model, task, **options)
        evaluate = task.evaluate

        def with_all_texts(model: Any, split: str, **named: Any) -> Any:
            with collecting():
                evaluate(model, split, **{**named, "prediction_folder": None})
            scores = evaluate(model, split, **named)
            for subset, values in scores.items():
                values |= model.how_fitted(task.metadata.name, split, subset)
            return scores

        task.evaluate = with_all_texts  # type: ignore[method-assign, assignment]
        try:
            return evaluate_task(model, task, **options)
        finally:
            del task.evaluate

    return evaluate_twice
