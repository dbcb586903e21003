"""Summarises a sweep: numbers of results, and the missing ones with their reasons."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from harness_ext.sweep.job import MEASURED, THERE, Job

INTERRUPTED = "Interrupted. What was measured before is kept."
_NAMED = 5


def summary(jobs: Sequence[Job], tasks: Sequence[str], ended: Mapping[Job, Mapping[str, str]]) -> tuple[list[str], int]:
    """Write the summary, and count the missing results.

    Each reason is printed once, with its models and tasks.

    Args:
        jobs: All jobs.
        tasks: The names of the tasks.
        ended: The jobs that have ended, with their outcomes as of `Job.measure`.
    """
    outcomes = {job.name: ended.get(job) or dict.fromkeys(tasks, INTERRUPTED) for job in jobs}
    counts = Counter(outcome for of_job in outcomes.values() for outcome in of_job.values())
    measured, there = counts.pop(MEASURED, 0), counts.pop(THERE, 0)
    missing = counts.total()
    models, prompts = ({getattr(job, attribute) for job in jobs} for attribute in ("model", "prompt_name"))
    size = f"{len(models)} models × {f'{len(prompts)} instructions × ' if prompts != {None} else ''}{len(tasks)} tasks"
    lines = [f"{size}: {measured} measured, {there} there already, {missing} missing."]
    for reason, count in counts.most_common():
        tasks_of = {
            model: tuple(task for task in tasks if of_job[task] == reason)
            for model, of_job in outcomes.items()
            if reason in of_job.values()
        }
        lines += ["", f"Missing ({count}): {_shared(tasks_of, len(tasks))}"]
        lines += [f"    {line}" for line in reason.splitlines()]
    return lines, missing


def _shared(tasks_of: dict[str, tuple[str, ...]], n_tasks: int) -> str:
    """Name tasks and models; models with the same tasks are named together."""
    models_of: dict[tuple[str, ...], list[str]] = {}
    for model, tasks in tasks_of.items():
        models_of.setdefault(tasks, []).append(model)
    return "; ".join(
        f"{'all tasks' if len(tasks) == n_tasks else ', '.join(tasks)} of {_listed(models)}"
        for tasks, models in models_of.items()
    )


def _listed(names: Sequence[str]) -> str:
    more = len(names) - _NAMED
    return ", ".join(names) if more <= 1 else f"{', '.join(names[:_NAMED])} and {more} more"
