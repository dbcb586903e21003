"""Wraps `lm_eval.tasks.TaskManager.__init__` (lm-eval 0.4.12 and 0.4.13): every manager searches our folder of tasks.

lm-eval 0.4 has no extension point for tasks other than `--include_path`. It also wraps
`lm_eval.api.group.Group.aggregate`, where there is one: the average of our groups is left out where a task has no main
score, and not NaN.
"""

from __future__ import annotations

import functools
import inspect
from pathlib import Path
from typing import Any

from harness_ext.common.folders import lm_eval_tasks


def register() -> None:
    """Make every `TaskManager` search this project's folder: after lm-eval's own, before the user's `include_path`."""
    from lm_eval.tasks import TaskManager

    construct = TaskManager.__init__
    signature = inspect.signature(construct)
    ours = str(lm_eval_tasks())

    @functools.wraps(construct)
    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807
        call = signature.bind(self, *args, **kwargs)
        call.apply_defaults()
        given = call.arguments["include_path"]
        folders = list(given) if isinstance(given, (list, tuple)) else [given] if given else []
        if call.arguments["include_defaults"] and Path(ours) not in map(Path, folders):
            call.arguments["include_path"] = [ours, *folders]
        construct(*call.args, **call.kwargs)
        self.include_path = given

    TaskManager.__init__ = __init__
    _leave_out_undefined_averages()


def _leave_out_undefined_averages() -> None:
    try:
        from lm_eval.api.group import Group
    except ImportError:  # an earlier lm-eval
        return
    aggregate = Group.aggregate

    @functools.wraps(aggregate)
    def of_defined(self: Any, *args: Any, **kwargs: Any) -> Any:
        averages = aggregate(self, *args, **kwargs)
        return {key: value for key, value in averages.items() if not key.startswith("main_score") or value == value}

    Group.aggregate = of_defined
