"""Wraps `mteb.evaluate` and its `_evaluate_task`.

A run continues after a task that fails or has no data, and ends with a list. `MODEL (additive)`
runs a task twice, first to collect its texts.
"""

import logging
import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

from mteb import ResultCache
from mteb.abstasks import AbsTask
from mteb.models import ModelMeta
from mteb.results import ModelResult, TaskResult
from mteb.results.task_result import TaskError

from harness_ext.common.foreign_code import ForeignExitError, no_exit
from harness_ext.common.interrupt import IntendedExit
from harness_ext.common.wraps import find
from harness_ext.data.sources import SourceError
from harness_ext.encoders.wrappers import unwrapped
from harness_ext.harnesses.mteb.task import AbsTaskCompositionality
from harness_ext.tasks import ENCODER_TASKS

logger = logging.getLogger(__name__)

_NO_MODEL = """model is a {}, and mteb needs its name: a subclass of \
mteb.models.abs_encoder.AbsEncoder with

    mteb_model_meta = mteb.models.ModelMeta.create_empty({{"name": "me/mine", "revision": "1"}})

    def encode(self, inputs, **_):  # -> a vector for each of these texts
        texts = [text for batch in inputs for text in batch["text"]]

For a function from texts to vectors there is harness_ext.measure(encode, TASK)."""


AfterRun = Callable[[Path, Sequence[Path]], None]
"""Takes the output folder of a run, and its result files of this project's tasks."""

_after_runs: list[AfterRun] = []


def call_after_runs(function: AfterRun) -> None:
    """Have a function called at the end of each `mteb run` of this process; what it raises fails no
    run.
    """
    _after_runs.append(function)


def continue_after_failures(evaluate: Callable[..., ModelResult]) -> Callable[..., ModelResult]:
    """Make `mteb.evaluate` keep the errors of this project's tasks for the end.

    Errors of other tasks end a run as usual, and `raise_error=False` works as usual. If a task is
    this project's, the tasks are evaluated one by one, as mteb itself does.
    """
    wrapped = find("mteb.evaluate:_sanitize_model")
    if wrapped is None:
        return evaluate

    def evaluate_each(model: Any, tasks: Any, **options: Any) -> ModelResult:
        listed = [tasks] if isinstance(tasks, AbsTask) else list(tasks)
        ours = any(isinstance(task, AbsTaskCompositionality) for task in listed)
        if not ours or options.get("raise_error") is False:
            return evaluate(model, tasks, **options)
        given = model
        # once: tasks with the same sentences share the vectors of one object
        model, meta, *_ = wrapped(given)
        # mteb would look for a model without a name
        if isinstance(model, ModelMeta) and model is not given:
            raise TypeError(_NO_MODEL.format(type(given).__name__))
        results: list[ModelResult] = []
        missing: dict[str, Exception] = {}
        for task in listed:
            try:
                keeping_vectors = _keeping_vectors(model, task, options.get("cache"))
                with no_exit(str(meta.name)), keeping_vectors:
                    results.append(evaluate(model, [task], **options))
            except Exception as error:
                if not isinstance(task, AbsTaskCompositionality):
                    raise
                says_everything = isinstance(error, SourceError | ValueError | ForeignExitError)
                if not says_everything:
                    logger.exception("%s failed.", task.metadata.name)
                missing[task.metadata.name] = error
        task_results: list[TaskResult] = []
        exceptions: list[TaskError] = []
        for result in results:
            task_results += result.task_results
            exceptions += result.exceptions or ()
        measured = [task_result.task_name for task_result in task_results]
        _say_results(model, measured, options)
        if missing:
            raise _ending(missing) from None
        return ModelResult(
            model_name=results[-1].model_name,
            model_revision=results[-1].model_revision,
            task_results=task_results,
            exceptions=exceptions,
        )

    return evaluate_each


def _keeping_vectors(
    model: Any, task: AbsTask, cache: ResultCache | None
) -> AbstractContextManager[None]:
    """Keep the vectors of an endpoint in the folder of the results, until that of the task is
    written.
    """
    if not cache:
        return nullcontext()
    folder = Path(cache.cache_path)
    for inside in unwrapped(model):
        if hasattr(inside, "keeping_vectors"):
            keeping: AbstractContextManager[None] = inside.keeping_vectors(
                folder, task.metadata.name
            )
            return keeping
    return nullcontext()


def _say_results(
    model: Any,
    measured: Sequence[str],
    options: Mapping[str, Any],
) -> None:
    """Have the results of this project's tasks shown at the end of `mteb run`; what fails here
    fails no run.
    """
    meta = getattr(model, "mteb_model_meta", model)
    cache = options.get("cache")
    if not (cache and command_line()):
        return
    try:
        files = [
            cache.get_task_result_path(task, meta) for task in measured if task in ENCODER_TASKS
        ]
        for after_run in _after_runs:
            after_run(Path(cache.cache_path), files)
    except Exception:
        logger.debug("No summary of the run.", exc_info=True)


def _ending(missing: Mapping[str, Exception]) -> BaseException:
    """The error at the end of a run: each reason once, and how to continue. On mteb's command line
    it is all output.
    """
    command = command_line()
    unavailable: dict[str, str] = {}
    failed: dict[str, Exception] = {}
    for name, error in missing.items():
        if isinstance(error, SourceError):
            unavailable[name] = str(error)
        else:
            failed[name] = error
    if len(missing) == 1 and failed and not command:
        return failed.popitem()[1]
    reasons = [
        f"Not measured: {name}. {error or type(error).__name__}" for name, error in failed.items()
    ]
    if unavailable:
        go_on = (
            f"run the same command again:\n    {command}"
            if command
            else "call mteb.evaluate again."
        )
        reasons += [
            f"Not measured, because the data is not available: {', '.join(unavailable)}.",
            *dict.fromkeys(unavailable.values()),
            "`harness-ext datasets check` lists the available data. All results are kept. With "
            f"the data, {go_on}",
        ]
    message = "\n\n".join(reasons)
    if command:
        return IntendedExit(message)
    return SourceError(message) if unavailable else RuntimeError(message)


def command_line() -> str:
    """The command `mteb run …` of this process; empty if it is another program."""
    program = Path(sys.argv[0])
    is_mteb = program.stem == "mteb" or program.parts[-2:] == ("mteb", "__main__.py")
    is_run = sys.argv[1:2] == ["run"]
    if not is_mteb or not is_run:
        return ""
    return shlex.join(["mteb", *sys.argv[1:]])


def collect_texts_first(evaluate_task: Callable[..., Any]) -> Callable[..., Any]:
    """Make mteb's `_evaluate_task` show an `AdditiveEncoder` all texts of a task before it fits its
    bags.

    Scores of bags say how they were fitted. This project's tasks know all their texts: one pass
    will do.
    """

    def evaluate_twice(model: Any, task: AbsTask, **options: Any) -> Any:
        collecting = getattr(model, "collecting", None)
        if (
            collecting is None
            or isinstance(task, AbsTaskCompositionality)
            or "evaluate" in vars(task)
        ):
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
