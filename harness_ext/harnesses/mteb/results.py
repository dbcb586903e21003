"""Wraps `mteb.evaluate._evaluate_resolved` and `ResultCache.load_task_result`.

Only results of the same model, asked with the same options, on the same data are then read from the
cache. mteb itself keeps a result under the name and the revision of the model, even if it knows
neither, and reads it again whatever the arguments of `encode` and the data were. Only the tasks of
this project are affected.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from itertools import product
from typing import TYPE_CHECKING, Any

from mteb.cache import ResultCache
from mteb.evaluate import OverwriteStrategy
from mteb.models.model_meta import ModelMeta

from harness_ext.common.model_name import ENDPOINT
from harness_ext.common.revisions import OWN_ROWS
from harness_ext.common.wraps import is_used
from harness_ext.encoders.identity.facts import options_of
from harness_ext.encoders.identity.revision import has_revision, identified
from harness_ext.harnesses.mteb.task import AbsTaskCompositionality, task_class
from harness_ext.store.result_files import unusable
from harness_ext.tasks.data import data_revision
from harness_ext.tasks.task import Task

if TYPE_CHECKING:
    from mteb.models import MTEBModels
    from mteb.results import ModelResult, TaskResult

logger = logging.getLogger(__name__)


def keep_by_model(evaluate: Callable[..., ModelResult]) -> Callable[..., ModelResult]:
    """Make `_evaluate_resolved` keep a model's results under its identity, and none of a model
    without an identity.
    """

    def evaluate_resolved(
        model: MTEBModels | ModelMeta,
        meta: ModelMeta,
        model_name: str,
        model_revision: str,
        task: Any,
        *,
        cache: ResultCache | None,
        **kwargs: Any,
    ) -> ModelResult:
        if not isinstance(task, AbsTaskCompositionality):  # it may be a list of tasks
            return evaluate(model, meta, model_name, model_revision, task, cache=cache, **kwargs)
        is_used()
        if isinstance(model, ModelMeta) and model.loader and not has_revision(meta):
            model = model.load_model()  # its revision is known only when it is loaded
            meta = model.mteb_model_meta.model_copy(
                update={"experiment_kwargs": meta.experiment_kwargs}
            )
        if not isinstance(model, ModelMeta):
            known = identified(model, meta)
            if known is None and cache:
                logger.warning(
                    "%s: nothing distinguishes %s from other models (it has no name with a "
                    "revision, and no accessible weights), so no cached result is read or "
                    "written. Give its mteb_model_meta a name and a revision.",
                    task.metadata.name,
                    type(model).__name__,
                )
                cache = None
            meta = known or meta
        options = options_of(kwargs.get("encode_kwargs") or {})
        if options:
            # mteb keeps settings apart as experiments
            settings = {**(meta.experiment_kwargs or {}), **options}
            meta = meta.model_copy(update={"experiment_kwargs": settings})
        task.model_meta = meta
        revision = _data_revision(task.declared)
        if revision is not None:
            # mteb compares it with earlier results before it loads the data
            task.set_revision(revision)
        # perhaps with other rows
        if task.data_loaded or type(task) is not task_class(task.declared):
            task.load_data()
            for split, subset in product(task.eval_splits, task.hf_subsets):
                task.mark_changed_rows(task.data(split, subset), split, subset)
            if OWN_ROWS in task.metadata.revision:  # no earlier result is of these rows
                kwargs["overwrite_strategy"] = OverwriteStrategy.ALWAYS
        try:
            return evaluate(
                model, meta, str(meta.name), str(meta.revision), task, cache=cache, **kwargs
            )
        finally:
            task.model_meta = None

    return evaluate_resolved


def keep_by_data(
    tasks: Mapping[str, type[AbsTaskCompositionality]],
    load: Callable[..., TaskResult | None],
) -> Callable[..., TaskResult | None]:
    """Make `load_task_result` read none of an endpoint, and none of these tasks that is damaged or
    on other data.
    """

    def load_task_result(
        self: ResultCache,
        task_name: str,
        model_name: str | ModelMeta,
        model_revision: str | None = None,
        raise_if_not_found: bool = False,
        prioritize_remote: bool = False,
        experiment_name: str | None = None,
    ) -> TaskResult | None:
        # another model may answer today
        if str(getattr(model_name, "name", model_name)).startswith(ENDPOINT):
            if raise_if_not_found:
                raise FileNotFoundError(f"{task_name}: a result of an endpoint is not read again.")
            return None
        if task_name in tasks:
            path = self.get_task_result_path(
                task_name,
                model_name,
                model_revision,
                experiment_name=experiment_name,
            )
            task = tasks[task_name]
            reason = unusable(path, task.measure, _data_revision(task.declared))
            if reason:
                if raise_if_not_found:
                    raise FileNotFoundError(reason)
                logger.warning("%s %s is measured again.", reason, task_name)
                return None
        return load(
            self,
            task_name,
            model_name,
            model_revision,
            raise_if_not_found,
            prioritize_remote,
            experiment_name,
        )

    return load_task_result


def _data_revision(task: Task) -> str | None:
    """The revision of the data; None if it cannot be read, which mteb will report when it loads the
    data.
    """
    try:
        return data_revision(task)
    except OSError:
        return None
