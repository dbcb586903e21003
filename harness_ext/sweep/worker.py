"""The process that measures one model of a sweep. `python -m harness_ext.sweep.worker JOB` with a pipe as its input."""

from __future__ import annotations

import logging
import os
import sys
import threading
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Any

from filelock import FileLock, Timeout

from harness_ext.sweep.job import BUSY, Job

if TYPE_CHECKING:
    from mteb import ResultCache
    from mteb.abstasks import AbsTask


def measure(job: Job) -> int:
    """Measure what is missing of a job, and say in its journal what became of each task.

    The weights are loaded once, and not at all if every result is there.

    Returns:
        `BUSY` if another process has not let go of the model in time, else 0.
    """
    job.journal.path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with FileLock(job.journal.path.with_suffix(".lock"), timeout=job.patience):
            job.journal.add("started")
            try:
                _measure(job)
            except Exception as error:  # whatever it is, it is this model's, and the others go on
                job.journal.add("failed", reason=_said(error))
    except Timeout:
        return BUSY
    return 0


def _measure(job: Job) -> None:
    import mteb
    import torch

    from harness_ext.encoders.identity.revision import has_revision

    cache = mteb.ResultCache(job.output_folder)
    meta = mteb.get_model_meta(job.model, fetch_from_hf=True)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    model: Any = meta if has_revision(meta) else meta.load_model(device=device)
    missing = []
    for task in job.tasks():
        try:
            found = _evaluate(model, task, cache, overwrite_strategy="only-cache")
        except Exception:  # mteb's own for a missing result is of a common kind; measuring will tell of any other
            missing.append(task)
        else:
            job.journal.add("there", task.metadata.name, file=found)
    if missing and model is meta:
        model = meta.load_model(device=device)
    for task in missing:
        try:
            found = _evaluate(model, task, cache, encode_kwargs=job.encode_kwargs)
        except Exception as error:  # as above: of this task
            job.journal.add("failed", task.metadata.name, _said(error))
        else:
            job.journal.add("measured", task.metadata.name, file=found)


def _evaluate(model: Any, task: AbsTask, cache: ResultCache, **options: Any) -> str | None:
    """Evaluate; gives the result file from the cache's folder on, None where no result of the model is kept."""
    from mteb.evaluate import evaluate  # itself: `mteb.evaluate` ends with what to do about a run of several tasks

    result = evaluate(model, task, cache=cache, show_progress_bar=False, **options)
    if not result.model_revision:
        return None
    file = cache.get_task_result_path(task.metadata.name, result.model_name, result.model_revision)
    return str(file.relative_to(cache.cache_path)) if file.is_file() else None


def _said(error: Exception) -> str:
    """What the journal keeps of an error; the log has its traceback."""
    traceback.print_exception(error)
    message = str(error).strip()
    ours = type(error).__module__.startswith("harness_ext.")
    return message if message and (ours or isinstance(error, OSError)) else f"{type(error).__name__}: {message}"


def _end_with_parent() -> None:
    """When the process that started this one is gone, however it ended, its end of the pipe is closed."""

    def wait() -> None:
        os.read(0, 1)  # nothing is ever written to it
        os._exit(1)  # results are written whole or not at all

    threading.Thread(target=wait, daemon=True).start()


if __name__ == "__main__":
    _end_with_parent()
    logging.basicConfig(format="%(asctime)s %(name)s: %(message)s")
    logging.getLogger("mteb").setLevel(logging.WARNING)
    job = Job.from_json(sys.argv[1])
    os.chdir(Path(job.working_folder))
    sys.exit(measure(job))
