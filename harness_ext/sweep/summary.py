"""Summarises a sweep: numbers of results, and the missing ones with their reasons."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from harness_ext.sweep.job import MEASURED, THERE, Job

INTERRUPTED = "Interrupted. What was measured before is kept."


def summary(jobs: Sequence[Job], tasks: Sequence[str], ended: Mapping[Job, Mapping[str, str]]) -> tuple[list[str], int]:
    """Write the summary, and count the missing results.

    Each reason is printed once, with its tasks and models; models with the same tasks are named together.

    Args:
        jobs: All jobs.
        tasks: The names of the tasks.
        ended: The jobs that have ended, with their outcomes as of `Job.measure`.
    """
    outcomes = {job.name: ended.get(job) or dict.fromkeys(tasks, INTERRUPTED) for job in jobs}
    counts = Counter(outcome for of_job in outcomes.values() for outcome in of_job.values())
    measured, there = counts.pop(MEASURED, 0), counts.pop(THERE, 0)
    models, prompts = ({getattr(job, attribute) for job in jobs} for attribute in ("model", "prompt_name"))
    size = f"{len(models)} models × {f'{len(prompts)} instructions × ' if prompts != {None} else ''}{len(tasks)} tasks"
    lines = [f"{size}: {measured} measured, {there} there already, {counts.total()} missing."]
    for reason, count in counts.most_common():
        models_of: dict[str, list[str]] = {}
        for model, of_job in outcomes.items():
            if missing := [task for task in tasks if of_job[task] == reason]:
                of_all = len(missing) == len(tasks)
                models_of.setdefault("all tasks" if of_all else ", ".join(missing), []).append(model)
        named = "; ".join(f"{missing} of {', '.join(models)}" for missing, models in models_of.items())
        lines += ["", f"Missing ({count}): {named}", *(f"    {line}" for line in reason.splitlines())]
    return lines, counts.total()
