"""Every name of mteb, `datasets` and lm-eval that is wrapped or changed, or that is private and
used.

None of the three has an extension point for all that this project adds. Each name stands here
with the versions that it was tried with. Where a name is gone, one line says what no longer works,
and all else does. `harness_ext/harnesses/` has the wraps.
"""

import atexit
import functools
import importlib.metadata
import inspect
import logging
import pkgutil
import re
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

logger = logging.getLogger(__name__)


class Tried(NamedTuple):
    """The oldest and the newest version of a harness that a name was tried with."""

    harness: str
    oldest: str
    newest: str


MTEB = Tried("mteb", "2.26", "2.26")
DATASETS = Tried("datasets", "3.0", "5.2")
LM_EVAL = Tried("lm_eval", "0.4.12", "0.4.13")

NAMES = {
    "mteb.get_tasks:_TASKS_REGISTRY": (MTEB, "mteb does not know the tasks"),
    "mteb.get_tasks:TASK_LIST": (MTEB, "mteb.get_tasks and the benchmarks do without the tasks"),
    "mteb.benchmarks.get_benchmark:_build_registry": (MTEB, "mteb does not know the benchmarks"),
    "mteb.models.model_implementations:MODEL_REGISTRY": (
        MTEB,
        "mteb does not list the papers' encoders",
    ),
    "mteb.models.model_meta:ModelMeta.from_hub": (
        MTEB,
        "names with options, endpoints and folders are no models",
    ),
    "mteb.models.model_meta:ModelMeta._resolve_loader": (MTEB, "folders are no models"),
    "mteb.models.get_model_meta:get_model_meta": (
        MTEB,
        "mteb run takes no revision of the papers' encoders",
    ),
    "mteb:get_model_meta": (MTEB, "mteb.get_model_meta takes no revision of the papers' encoders"),
    "mteb.models.openai_wrappers:OpenAIBaseWrapper._verify_server": (
        MTEB,
        "endpoints are no models",
    ),
    "mteb.models.openai_wrappers:OpenAIAPIEncodeWrapper._detect_max_length": (
        MTEB,
        "endpoints are no models",
    ),
    "mteb.models.openai_wrappers:OpenAIAPIEncodeWrapper._get_embeddings": (
        MTEB,
        "endpoints are no models",
    ),
    "mteb.models.cache_wrappers:CachedEmbeddingWrapper._model": (
        MTEB,
        "the weights, prompts and words of a model in a CachedEmbeddingWrapper are not found",
    ),
    "mteb:get_model": (MTEB, "a model that cannot be loaded ends mteb run with a traceback"),
    "mteb:evaluate": (MTEB, "a task that fails ends the run"),
    "mteb.evaluate:_sanitize_model": (MTEB, "a task that fails ends the run"),
    "mteb.evaluate:_evaluate_resolved": (MTEB, "models without a revision share their results"),
    "mteb.evaluate:_evaluate_task": (
        MTEB,
        "a model with (additive) is not fitted on mteb's own tasks",
    ),
    "mteb.cache:ResultCache.load_task_result": (
        MTEB,
        "earlier results count, also those on other data",
    ),
    "mteb.results:TaskResult.to_disk": (MTEB, "results are written without items"),
    "mteb.abstasks:AbsTask._create_task_hf_config": (MTEB, "exported datasets have no eval.yaml"),
    "datasets:Dataset._fingerprint": (
        DATASETS,
        "all rows are compared to see whether they were changed",
    ),
    "datasets.load:dataset_module_factory": (DATASETS, "load_dataset does not find the datasets"),
    "datasets.inspect:dataset_module_factory": (
        DATASETS,
        "get_dataset_config_names does not find the datasets",
    ),
    "lm_eval.tasks:TaskManager.__init__": (
        LM_EVAL,
        "lm-eval needs --include_path to find the tasks",
    ),
    "lm_eval.api.group:Group.aggregate": (
        Tried("lm_eval", "0.4.13", "0.4.13"),
        "the average of a group is NaN where a task has no main score",
    ),
}
"""Where each name stands, as an entry point is written -> the versions of its harness, and what no
longer works where it is gone."""


@functools.cache
def find(place: str) -> Any:
    """Find what stands in a place of `NAMES`; None, after a line that says what is lost, where the
    name is gone.
    """
    try:
        return pkgutil.resolve_name(place)
    except (ImportError, AttributeError):
        _say_gone(place)
        return None


def attribute(owner: object, place: str) -> Any:
    """Find what an object has under the last name of a place of `NAMES`; None as for `find`.

    For what only objects have, and not their class.
    """
    name = place.rpartition(".")[2]
    try:
        return getattr(owner, name)
    except AttributeError:
        _say_gone(place)
        return None


@functools.cache  # once
def _say_gone(place: str) -> None:
    """Say that a name is gone; nothing to users of a version that never had it."""
    (harness, oldest, newest), lost = NAMES[place]
    installed = importlib.metadata.version(harness)
    if _parts(installed) >= _parts(oldest):
        logger.warning(
            "compositionality-harness: %s %s has no %s any more, so %s. All else works. Tried "
            "with: %s to %s.",
            *(harness, installed, place.replace(":", "."), lost, oldest, newest),
        )


def wrap(
    place: str,
    around: Callable[[Any], Any],
) -> None:
    """Replace what stands in a place of `NAMES`: `around` makes ours of theirs; a class method of
    theirs is bound.
    """
    theirs = find(place)
    if theirs is None:
        return
    ours = around(theirs)
    if callable(theirs) and ours is not theirs:
        functools.update_wrapper(ours, theirs)
    module, _, path = place.partition(":")
    owner, _, name = path.rpartition(".")
    setattr(
        pkgutil.resolve_name(f"{module}:{owner}"),
        name,
        staticmethod(ours) if inspect.ismethod(theirs) else ours,
    )


@functools.cache
def is_used() -> None:
    """Note that something of ours runs: at its end, the process says which harnesses are newer than
    those tried.
    """
    atexit.register(_say_newer)


def _say_newer() -> None:
    newer = []
    for harness, _, newest in (MTEB, DATASETS, LM_EVAL):
        if harness in sys.modules:
            installed, tried = importlib.metadata.version(harness), _parts(newest)
            if _parts(installed)[: len(tried)] > tried:
                newer.append(f"{harness} {newest} (this is {installed})")
    if newer:
        print(
            f"compositionality-harness was tried with versions up to {', '.join(newer)}.",
            file=sys.stderr,
        )


def _parts(version: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", version)]
