"""Adds tasks and models to mteb's registries, and wraps how mteb runs tasks, finds models and keeps
results.

mteb has no extension point for tasks, benchmarks and models. Its own entries keep precedence over
ours of one name.
"""

import signal
import sys
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import mteb
from mteb.abstasks import AbsTask
from mteb.models.model_meta import ModelMeta
from mteb.results import TaskResult

from harness_ext.common.errors import ALL_TASKS, UnknownNameError, did_you_mean, unknown_name
from harness_ext.common.foreign_code import ForeignExitError, no_exit
from harness_ext.common.interrupt import IntendedExit, end_in_one_line
from harness_ext.common.random_states import random_states_kept
from harness_ext.common.wraps import find, wrap
from harness_ext.encoders.models import registry as models
from harness_ext.harnesses.mteb.results import keep_by_data, keep_by_model
from harness_ext.harnesses.mteb.run import (
    collect_texts_first,
    command_line,
    continue_after_failures,
)
from harness_ext.harnesses.mteb.task import AbsTaskCompositionality, task_class
from harness_ext.store.result_files import write_result
from harness_ext.tasks import ENCODER_TASKS
from harness_ext.tasks.task import Task

_OURS: dict[str, type[AbsTaskCompositionality]] = {}  # the tasks that are registered, by name


def register() -> None:
    """Register the tasks and models with mteb, and wrap how it runs tasks and keeps results."""
    if _runs_ours():
        signal.signal(signal.SIGINT, end_in_one_line)
    registry = _tasks_of_mteb()
    taken = sorted(ENCODER_TASKS.keys() & registry.keys())
    if taken:
        warnings.warn(
            f"This mteb has tasks named {', '.join(taken)} of its own; those are used, not "
            "compositionality-harness's.",
            stacklevel=2,
        )
    for name, task in ENCODER_TASKS.items():
        if name not in taken:
            _OURS[name] = task_class(task)
    registry.update(_OURS)

    def with_ours(listed: Sequence[type[AbsTask]]) -> Sequence[type[AbsTask]]:
        return (*listed, *_OURS.values())

    wrap("mteb.get_tasks:TASK_LIST", with_ours)
    wrap("mteb.results:TaskResult.to_disk", _with_items)
    wrap("mteb.evaluate:_evaluate_resolved", keep_by_model)
    wrap("mteb.cache:ResultCache.load_task_result", partial(keep_by_data, _OURS))
    wrap("mteb.evaluate:_evaluate_task", collect_texts_first)
    wrap("mteb:evaluate", continue_after_failures)
    wrap("mteb:get_model", _or_one_line)
    wrap("mteb.models.model_meta:ModelMeta.from_hub", _from_name)
    for module in ("mteb.models.get_model_meta", "mteb"):
        wrap(f"{module}:get_model_meta", _at_any_revision)
    _register_models()


def _tasks_of_mteb() -> dict[str, type[AbsTask]]:
    return find("mteb.get_tasks:_TASKS_REGISTRY") or {}


def _models_of_mteb() -> dict[str, ModelMeta]:
    return find("mteb.models.model_implementations:MODEL_REGISTRY") or {}


def _register_models() -> None:
    """Register the encoders of the papers; mteb's own metadata keep precedence."""
    registry = _models_of_mteb()
    for meta in models.MODELS:
        registry.setdefault(str(meta.name), meta)


def _at_any_revision(get_model_meta: Callable[..., ModelMeta]) -> Callable[..., ModelMeta]:
    """Make `get_model_meta` take any revision of our models whose metadata name none.

    mteb takes only the revision in the metadata, and refuses all where there is none.
    """

    def get(
        model_name: str,
        revision: str | None = None,
        *args: Any,
        **kwargs: Any,
    ) -> ModelMeta:
        ours = models.MOVING.get(model_name)
        is_ours = ours is not None and _models_of_mteb().get(model_name) is ours
        if revision is None or not is_ours:
            return get_model_meta(model_name, revision, *args, **kwargs)
        meta = get_model_meta(model_name, None, *args, **kwargs)
        return meta.model_copy(update={"revision": revision})

    return get


def _from_name(from_hub: Callable[..., ModelMeta]) -> Callable[..., ModelMeta]:
    """Make `from_hub`, which mteb calls for a name that is not in its registry, know the names of
    `meta_of`.
    """

    def from_name(
        model: str,
        revision: str | None = None,
        **kwargs: Any,
    ) -> ModelMeta:
        return models.meta_of(model, revision) or from_hub(model, revision, **kwargs)

    return from_name


def _runs_ours() -> bool:
    """Whether this process is the command `mteb run` with tasks or benchmarks of this project."""
    ours = (word in ENCODER_TASKS or word.startswith("Compositionality") for word in sys.argv)
    return bool(command_line()) and any(ours)


def add_task(task: Task) -> None:
    """Register a task on a user's own data, in place of an earlier one of its name."""
    made = task_class(task)
    _OURS[task.name] = made
    _tasks_of_mteb()[task.name] = made


@random_states_kept()  # mteb seeds everything when it makes a task
def task_named(name: str, **options: Any) -> AbsTask:
    """A task of mteb, of this project or another, as `mteb.get_task` gives it.

    Global random states stay as they are.

    Raises:
        UnknownNameError: There is no such task.
    """
    try:
        return mteb.get_task(name, **options)
    except KeyError:
        raise unknown_name("task", name, _tasks_of_mteb(), ALL_TASKS) from None


_NOT_LOADED = (
    KeyError,
    ValueError,
    OSError,
    ImportError,
    NotImplementedError,
    ForeignExitError,
)
"""What mteb, sentence-transformers and transformers raise for models that cannot be loaded, such as
of a wrong name, and what becomes of a checkpoint's code that ends the program.
"""

_CLIENTS = {"httpx", "httpx2", "httpcore", "huggingface_hub", "requests"}
"""Packages that ask a hub, whose errors say that it cannot be reached, or has no such model."""


def _is_not_loaded(error: Exception) -> bool:
    """Whether an error says that a model cannot be loaded; others are faults of code, and need
    their traceback.
    """
    package, _, _ = type(error).__module__.partition(".")
    return isinstance(error, _NOT_LOADED) or package in _CLIENTS


def load_model(name: str) -> Any:
    """Load the model that mteb knows by this name, or the one in this folder.

    Raises:
        UnknownNameError: It cannot be loaded; says why.
    """
    models.check_name(name)
    try:
        with no_exit("it"):
            return mteb.get_model(name)
    except Exception as error:
        if not _is_not_loaded(error):
            raise
        raise not_loaded(name, error) from None


def _or_one_line(get_model: Callable[..., Any]) -> Callable[..., Any]:
    """Make `mteb.get_model` end `mteb run` with one line where a model cannot be loaded."""

    def get(
        model_name: str,
        *args: Any,
        **kwargs: Any,
    ) -> Any:
        try:
            if _runs_ours():
                models.check_name(model_name)
            with no_exit("it"):
                return get_model(model_name, *args, **kwargs)
        except Exception as error:
            if not (_runs_ours() and _is_not_loaded(error)):
                raise
            print(f"Error: {not_loaded(model_name, error)}", file=sys.stderr)
            raise IntendedExit(2) from None  # as `harness-ext` does for a wrong name

    return get


def not_loaded(name: str, error: Exception) -> UnknownNameError:
    """The error for a model that cannot be loaded: says why, and which of the models that mteb
    knows may be meant.
    """
    if isinstance(error, UnknownNameError):
        return error
    known = [str(meta.name) for meta in mteb.get_model_metas()]
    said = error.args[0] if error.args else error
    reason = " ".join(str(said).split())  # in one line
    # mteb has metadata without a loader
    if isinstance(error, NotImplementedError) and name not in known:
        reason = "the Hub has no such model, or none that is public."
    meant = "" if name in known else did_you_mean(name, known)
    message = f"{name} cannot be loaded: {reason} {meant}"
    return UnknownNameError(message.rstrip())


def _with_items(write: Callable[..., None]) -> Callable[..., None]:
    """Make `to_disk` write our results completely or not at all, with items; mteb itself opens the
    file first.
    """

    def to_disk(self: TaskResult, path: Path) -> None:
        if self.task_name in _OURS:
            write_result(self, path, _OURS[self.task_name].measure)
        else:
            write(self, path)

    return to_disk
