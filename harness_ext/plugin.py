"""Makes `datasets`, `mteb` and `lm_eval` know what this project brings.

None has an extension point for it. So this adds to mteb's registries of tasks, benchmarks and models (as of mteb 2.26),
wraps the one function by which `datasets` turns a name into a builder (the same in datasets 3.6 and 5.2), and the
constructor of lm-eval's `TaskManager` (lm-eval 0.4.9 to 0.4.13). What was there before stays as it was.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import logging
import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import harness_ext

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from harness_ext.abstask import AbsTaskCompositionality
    from harness_ext.evaluators.items import Items

DATASETS = ("ncimp", "nctti", "compound_mini", "modifier_phrases", "polarity_pairs", "sentiment_trees")
"""Every dataset of this project, by the name under which `load_dataset` knows it."""

PINNED = "pinned"
"""As a `revision`: the dataset of this project, whatever folder of its name there is."""

logger = logging.getLogger(__name__)


def register_datasets() -> None:
    """Make `load_dataset(name)` find the builders of this project, also where `datasets` refuses scripts.

    A folder of that name with somebody's own data comes first, as ever, unless a revision is asked for, as the tasks
    do: they are never measured on other rows.
    """
    import datasets.inspect
    import datasets.load

    find = datasets.load.dataset_module_factory

    @functools.wraps(find)
    def dataset_module_factory(path: str, revision: Any = None, *args: Any, **kwargs: Any) -> Any:
        if path not in DATASETS:
            return find(path, revision, *args, **kwargs)
        if revision is None and Path(path).is_dir() and not Path(path, f"{path}.py").is_file():
            logger.warning(
                "%r is your own folder %s, not the dataset of compositionality-harness. For that one, pass "
                "revision=%r or load from elsewhere.", path, Path(path).absolute(), PINNED,
            )  # fmt: skip
            return find(path, revision, *args, **kwargs)
        # No hash: the builder makes its own, see PinnedBuilder.
        return datasets.load.DatasetModule(f"harness_ext.datasets_scripts.{path}.{path}", "", {"dataset_name": path})

    datasets.load.dataset_module_factory = dataset_module_factory
    datasets.inspect.dataset_module_factory = dataset_module_factory


def import_tasks() -> None:
    """Import `harness_ext.tasks`, which registers its tasks with mteb when it has been imported.

    That way round because either may be imported first, and each imports the other.
    """
    importlib.import_module("harness_ext.tasks")


def register_tasks(tasks: Sequence[type[AbsTaskCompositionality]]) -> None:
    """Make mteb know the tasks and the benchmarks, and keep their results whole and apart."""
    from harness_ext.results.cache import keep_results_apart

    registry: Any = importlib.import_module("mteb.get_tasks")  # `mteb.get_tasks` itself is a function
    ours = {task.metadata.name: task for task in tasks}
    if taken := sorted(ours.keys() & registry._TASKS_REGISTRY.keys()):
        warnings.warn(
            f"This mteb has tasks named {', '.join(taken)} of its own; those are used, not compositionality-harness's.",
            stacklevel=2,
        )
    new = {name: task for name, task in ours.items() if name not in taken}
    registry._TASKS_REGISTRY.update(new)
    registry.TASK_LIST = (*registry.TASK_LIST, *new.values())
    _write_results_with_items({name: task.measure.items for name, task in new.items()})
    keep_results_apart(new)
    _run_all_that_can_be_run()

    benchmarks = importlib.import_module("mteb.benchmarks.benchmarks")
    from mteb.benchmarks.get_benchmark import _build_registry

    from harness_ext.tasks.benchmark import BENCHMARKS

    for benchmark in BENCHMARKS:
        setattr(benchmarks, benchmark.name, benchmark)
    _build_registry.cache_clear()
    register_models()


def register_models() -> None:
    """Make mteb know the encoders of the papers, and every checkpoint as `name (pooling=…)` or `name (lm_states=…)`.

    And the sentence-transformers model in a folder, by the name of the folder.
    A model that mteb has metadata of stays as mteb has it.
    """
    from mteb.models.model_implementations import MODEL_REGISTRY
    from mteb.models.model_meta import ModelMeta

    from harness_ext.encoders.registry import MODELS, local_meta, pooled_meta

    for meta in MODELS:
        if meta.name:
            MODEL_REGISTRY.setdefault(meta.name, meta)

    from_hub = ModelMeta.from_hub  # what mteb asks about a name that is not in its registry

    @functools.wraps(from_hub)
    def from_name(model: str, revision: str | None = None, **kwargs: Any) -> ModelMeta:
        from harness_ext.encoders.lm_states import lm_states_meta  # not above: `import mteb` does without torch

        ours = pooled_meta(model, revision) or lm_states_meta(model, revision) or local_meta(model)
        return ours or from_hub(model, revision, **kwargs)

    ModelMeta.from_hub = staticmethod(from_name)  # type: ignore[assignment, method-assign]


def _write_results_with_items(items_types: Mapping[str, type[Items]]) -> None:
    """Mteb opens a result file and then writes it; our tasks' are there whole or not at all, and with their items."""
    from mteb.results import TaskResult

    from harness_ext.results.store import write_result

    write = TaskResult.to_disk

    @functools.wraps(write)
    def to_disk(self: TaskResult, path: Path) -> None:
        if self.task_name in items_types:
            write_result(self, path, items_types[self.task_name])
        else:
            write(self, path)

    TaskResult.to_disk = to_disk  # type: ignore[method-assign]


def lm_eval_tasks() -> Path:
    """The folder of the tasks for lm-eval: what `--include_path` takes."""
    # Not importlib.resources: that imports the package around the folder, and with it mteb.
    folders = (Path(part, "tasks", "lm_eval") for part in harness_ext.__path__)
    return next(folder for folder in folders if folder.is_dir())


def register_lm_eval_tasks() -> None:
    """Make every `TaskManager` search this project's folder: after lm-eval's own, before the user's `include_path`."""
    from lm_eval.tasks import TaskManager

    construct = TaskManager.__init__
    signature = inspect.signature(construct)
    ours = str(lm_eval_tasks())
    names = (*signature.parameters, *vars(TaskManager), *vars(sys.modules[TaskManager.__module__]))
    has_plugins = any("plugin" in name.lower() for name in names)

    @functools.wraps(construct)
    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807
        call = signature.bind(self, *args, **kwargs)
        call.apply_defaults()
        given = call.arguments["include_path"]
        folders = list(given) if isinstance(given, (list, tuple)) else [given] if given else []
        if call.arguments["include_defaults"] and Path(ours) not in map(Path, folders):
            if has_plugins:  # a later lm-eval, which may have found the folder by itself
                construct(*call.args, **call.kwargs)
                if "compositionality" in self.all_tasks:
                    return
            call.arguments["include_path"] = [ours, *folders]
        construct(*call.args, **call.kwargs)
        self.include_path = given

    TaskManager.__init__ = __init__


def _run_all_that_can_be_run() -> None:
    """Mteb ends a run with the first task whose data cannot be had; ours leave the others running."""
    import mteb

    from harness_ext.running import leaving_others_running

    mteb.evaluate = leaving_others_running(mteb.evaluate)


REGISTER = {"datasets": register_datasets, "mteb": import_tasks, "lm_eval.tasks": register_lm_eval_tasks}
"""What to call once a module has been imported."""
