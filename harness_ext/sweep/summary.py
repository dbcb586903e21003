"""What a sweep ends with: how much there is, and what is missing and why."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness_ext.sweep.job import Job

NOT_BEGUN = "It was not begun."
_NAMED = 5


def became(job: Job, tasks: Sequence[str], since: str = "") -> dict[str, str]:
    """Task -> `measured`, `there`, or why it is missing.

    Another sweep may have measured the model into the same folder, so the folder is asked and not this sweep alone.

    Args:
        job: The model.
        tasks: The names of the tasks.
        since: When the sweep began, as the journal has it; a result from before was there already.
    """
    events, failure = job.journal.last_run()
    kept = job.journal.kept(since)
    found = {}
    for task in tasks:
        event = events.get(task)
        if event and event.state == "failed":
            found[task] = event.reason or "It failed."
        else:
            found[task] = kept.get(task) or (event.state if event else failure or NOT_BEGUN)
    return found


def summary(jobs: Sequence[Job], tasks: Sequence[str], since: str = "") -> tuple[list[str], int]:
    """The lines, and how many results are missing; arguments as for `became`.

    Each reason stands once, with the models and the tasks that it holds for.
    """
    outcomes = {job.model: became(job, tasks, since) for job in jobs}
    counts = Counter(outcome for found in outcomes.values() for outcome in found.values())
    measured, there = counts.pop("measured", 0), counts.pop("there", 0)
    missing = counts.total()
    lines = [
        f"{len(jobs)} models × {len(tasks)} tasks: {measured} measured, {there} there already, {missing} missing.",
    ]
    for reason, count in counts.most_common():
        tasks_of = {
            model: tuple(task for task in tasks if found[task] == reason)
            for model, found in outcomes.items()
            if reason in found.values()
        }
        lines += ["", f"Missing ({count}): {_shared(tasks_of, len(tasks))}"]
        lines += [f"    {line}" for line in reason.splitlines()]
    return lines, missing


def _shared(tasks_of: dict[str, tuple[str, ...]], n_tasks: int) -> str:
    """Models with the same tasks stand together."""
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
