"""Summarises a sweep: numbers of results, and the missing ones with their reasons."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from harness_ext.sweep.job import Job

NOT_BEGUN = "It was not begun, or was interrupted."
_NAMED = 5


def became(job: Job, tasks: Sequence[str], since: str = "") -> dict[str, str]:
    """Find the outcome of each task: `measured`, `there`, or the reason why its result is missing.

    Results that another sweep has written into the same folder count too.

    Args:
        job: The job.
        tasks: The names of the tasks.
        since: The start of the sweep, in the form of `Event.at`; an earlier result is `there`.
    """
    events, failure = job.journal.last_run()
    kept = job.journal.kept(since)
    outcomes = {}
    for task in tasks:
        event = events.get(task)
        if event and event.state == "failed":
            outcomes[task] = event.reason or "It failed."
        else:
            outcomes[task] = kept.get(task) or (event.state if event else failure or NOT_BEGUN)
    return outcomes


def summary(jobs: Sequence[Job], tasks: Sequence[str], since: str = "") -> tuple[list[str], int]:
    """Write the summary, and count the missing results; arguments as for `became`.

    Each reason is printed once, with its models and tasks.
    """
    outcomes = {job.name: became(job, tasks, since) for job in jobs}
    counts = Counter(outcome for of_job in outcomes.values() for outcome in of_job.values())
    measured, there = counts.pop("measured", 0), counts.pop("there", 0)
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
