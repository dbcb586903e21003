"""Wraps `lm_eval.tasks.TaskManager.__init__`: every manager searches our folder of tasks.

lm-eval 0.4 has no extension point for tasks other than `--include_path`. It also wraps
`lm_eval.api.group.Group.aggregate`: the average of our groups is left out where a task has no main
score, and not NaN.
"""

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

from harness_ext.common.folders import lm_eval_tasks
from harness_ext.common.wraps import wrap


def register() -> None:
    """Make every `TaskManager` search this project's folder: after lm-eval's own, before the user's
    `include_path`.
    """
    wrap("lm_eval.tasks:TaskManager.__init__", _searching_ours)
    wrap("lm_eval.api.group:Group.aggregate", _of_defined)


def _searching_ours(construct: Callable[..., None]) -> Callable[..., None]:
    signature = inspect.signature(construct)
    ours = str(lm_eval_tasks())

    def __init__(  # noqa: N807
        self: Any,
        *args: Any,
        **kwargs: Any,
    ) -> None:
        call = signature.bind(self, *args, **kwargs)
        call.apply_defaults()
        given = call.arguments["include_path"]
        folders = list(given) if isinstance(given, (list, tuple)) else [given] if given else []
        if call.arguments["include_defaults"] and Path(ours) not in map(Path, folders):
            call.arguments["include_path"] = [ours, *folders]
        construct(*call.args, **call.kwargs)
        self.include_path = given

    return __init__


def _of_defined(aggregate: Callable[..., Any]) -> Callable[..., Any]:
    def of_defined(
        self: Any,
        *args: Any,
        **kwargs: Any,
    ) -> Any:
        averages = aggregate(self, *args, **kwargs)
        return {
            key: value
            for key, value in averages.items()
            if not key.startswith("main_score") or value == value
        }

    return of_defined
