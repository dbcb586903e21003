"""Measures one job of a sweep in a process: `python -m harness_ext.sweep.worker JOB`, with a pipe as its input."""

from __future__ import annotations

import logging
import os
import sys
import threading
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from filelock import FileLock, Timeout

from harness_ext.sweep.job import BUSY, Job
from harness_ext.sweep.models import SweepError

if TYPE_CHECKING:
    from mteb import ResultCache
    from mteb.abstasks import AbsTask
    from mteb.models import ModelMeta


def measure(job: Job) -> int:
    """Measure the missing results of a job, and record the outcome of each task in its journal.

    The weights are loaded once, and not at all if every result exists.

    Returns:
        `BUSY` if another process still measures the model after the job's patience, else 0.
    """
    job.journal.path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with FileLock(job.journal.path.with_suffix(".lock"), timeout=job.patience):
            job.journal.add("started")
            try:
                _measure(job)
            except Exception as error:  # must not stop the other models
                job.journal.add("failed", reason=_said(error))
    except Timeout:
        return BUSY
    return 0


def _measure(job: Job) -> None:
    import mteb

    from harness_ext.encoders.identity.revision import has_revision

    cache = mteb.ResultCache(job.output_folder)
    meta = mteb.get_model_meta(job.model, fetch_from_hf=True)
    tasks = job.tasks()
    # mteb would load a model without its instruction
    known = _named(meta, job).model_copy(update={"loader": None}) if job.experiment else meta
    model: Any = known if has_revision(meta) else _load(meta, job, tasks)
    missing = []
    for task in tasks:
        try:
            file = _evaluate(job, model, task, cache, overwrite_strategy="only-cache")
        except Exception:  # mteb raises a general one for a missing result; others recur below
            missing.append(task)
        else:
            job.journal.add("there", task.metadata.name, file=file)
    if missing and model is known:
        model = _load(meta, job, tasks)
    for task in missing:
        try:
            file = _evaluate(job, model, task, cache, encode_kwargs=job.encode_kwargs)
        except Exception as error:  # must not stop the other tasks
            job.journal.add("failed", task.metadata.name, _said(error))
        else:
            job.journal.add("measured", task.metadata.name, file=file)


def _load(meta: ModelMeta, job: Job, tasks: Sequence[AbsTask]) -> Any:
    """Load the model, and give it the job's instruction."""
    import torch

    from harness_ext.encoders.identity.revision import identified
    from harness_ext.sweep.instructions import give_instruction

    model: Any = meta.load_model(device="cuda" if torch.cuda.is_available() else "cpu")
    if job.experiment:
        known = identified(model, model.mteb_model_meta) or model.mteb_model_meta  # first: a prompt would change it
        encoder = give_instruction(model, job.prompt, tasks)
        encoder.mteb_model_meta = _named(known, job)
    return model


def _named(meta: ModelMeta, job: Job) -> ModelMeta:
    """Mark the metadata with the instruction, so that mteb stores its results apart."""
    return meta.model_copy(update={"experiment_kwargs": {**(meta.experiment_kwargs or {}), **job.experiment}})


def _evaluate(job: Job, model: Any, task: AbsTask, cache: ResultCache, **options: Any) -> str | None:
    """Evaluate a task.

    Returns:
        The result file, relative to the cache's folder; None if the model's results are not kept.

    Raises:
        SweepError: The result in the folder was measured with another instruction.
    """
    from mteb.evaluate import evaluate  # unwrapped: `mteb.evaluate` prints advice for whole runs
    from mteb.models import ModelMeta

    from harness_ext.results.load import read_result

    result = evaluate(model, task, cache=cache, show_progress_bar=False, **options)
    if not result.model_revision:
        return None
    place = task.metadata.name, result.model_name, result.model_revision
    meta = model if isinstance(model, ModelMeta) else model.mteb_model_meta
    file = cache.get_task_result_path(*place, experiment_name=meta.experiment_name)
    if not file.is_file():
        return None
    for entry in read_result(file) if job.experiment else ():
        prompt = entry.signature.prompt if entry.signature else ""
        if job.prompt not in prompt if job.prompt else prompt:
            raise SweepError(f"{file} was measured with the instruction {prompt!r}. Give {job.prompt!r} another name.")
    return str(file.relative_to(cache.cache_path))


def _said(error: Exception) -> str:
    """Print the traceback into the log, and return the message for the journal."""
    traceback.print_exception(error)
    message = str(error).strip()
    ours = type(error).__module__.startswith("harness_ext.")
    return message if message and (ours or isinstance(error, OSError)) else f"{type(error).__name__}: {message}"


def _end_with_parent() -> None:
    """End this process when its parent has ended, however that ended: the pipe between them closes."""

    def wait() -> None:
        os.read(0, 1)  # returns when the pipe closes, as nothing is ever written
        os._exit(1)  # safe, because results are written completely or not at all

    threading.Thread(target=wait, daemon=True).start()


if __name__ == "__main__":
    _end_with_parent()
    logging.basicConfig(format="%(asctime)s %(name)s: %(message)s")
    logging.getLogger("mteb").setLevel(logging.WARNING)
    job = Job.from_json(sys.argv[1])
    os.chdir(Path(job.working_folder))
    sys.exit(measure(job))
