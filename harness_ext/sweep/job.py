"""Measures one job of a sweep: the missing results of a model, under one instruction if any; and
sums up all jobs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import mteb
import torch
from mteb import ResultCache
from mteb.abstasks import AbsTask
from mteb.evaluate import evaluate  # unwrapped: `mteb.evaluate` prints advice for whole runs
from mteb.models import ModelMeta

from harness_ext.common.errors import unknown_name
from harness_ext.common.experiments import EXPERIMENT_OF_PROMPT, name_in_experiment
from harness_ext.common.foreign_code import no_exit
from harness_ext.encoders.identity.revision import has_revision, identified
from harness_ext.encoders.models.registry import check_name
from harness_ext.harnesses.mteb.registration import task_named
from harness_ext.own_data.task import add_own_tasks
from harness_ext.store.signature import Signature
from harness_ext.sweep.inputs import SweepError
from harness_ext.sweep.instructions import give_instruction

MEASURED = "measured"
"""The outcome of a task that was measured now."""

THERE = "there"
"""The outcome of a task whose result existed already."""

INTERRUPTED = "Interrupted. What was measured before is kept."
"""The outcome of all tasks of a job that did not end."""


@dataclass(frozen=True)
class Job:
    """A model and its tasks.

    Attributes:
        model: The model's name or folder, as for `mteb run -m`.
        task_names: Names of tasks, as for `mteb run -t`.
        benchmarks: Names of benchmarks, as for `mteb run -b`.
        output: The folder of the results.
        batch_size: Texts per batch; None for mteb's default.
        prompt_name: The name of the instruction; None to leave the instruction to mteb.
        prompt: The instruction; empty for none.
    """

    model: str
    task_names: tuple[str, ...]
    benchmarks: tuple[str, ...]
    output: Path
    batch_size: int | None = None
    prompt_name: str | None = None
    prompt: str = ""

    @property
    def name(self) -> str:
        """The name of the model in its results: with that of the instruction, `MODEL
        [prompt_NAME]`.
        """
        experiment = ""
        if self.prompt_name is not None:
            experiment = f"{EXPERIMENT_OF_PROMPT}_{self.prompt_name}"
        return name_in_experiment(self.model, experiment)

    def tasks(self) -> list[AbsTask]:
        """List each task once; tasks of benchmarks follow tasks named by themselves.

        Raises:
            UnknownNameError: There is no such task or benchmark.
            SweepError: None of both is named.
        """
        if not self.task_names and not self.benchmarks:
            raise SweepError(
                "Which tasks? Name them with -t TASK, or a benchmark with -b Compositionality."
            )
        add_own_tasks(self.output, self.task_names)
        tasks = [task_named(name) for name in self.task_names]
        for name in self.benchmarks:
            try:
                tasks += mteb.get_benchmark(name).tasks
            except KeyError:
                known = [benchmark.name for benchmark in mteb.get_benchmarks()]
                raise unknown_name(
                    "benchmark", name, known, "`mteb available-benchmarks` lists them all."
                ) from None
        by_name = {task.metadata.name: task for task in tasks}
        return list(by_name.values())

    def measure(self) -> dict[str, str]:
        """Measure the missing results: task -> `MEASURED`, `THERE`, or the reason why its result is
        missing.

        The weights are loaded once, and not at all if every result exists.
        """
        tasks = self.tasks()
        cache = ResultCache(self.output)
        outcomes: dict[str, str] = {}
        try:
            check_name(self.model)
            meta = mteb.get_model_meta(self.model, fetch_from_hf=True)
            known = meta
            if self.prompt_name is not None:
                # without a loader, because mteb would load a model without its instruction
                known = self._named(meta).model_copy(update={"loader": None})
            model: Any = known
            if not has_revision(meta):
                model = self._load(meta, tasks)
            for task in tasks:
                try:
                    self._evaluate(model, task, cache, overwrite_strategy="only-cache")
                # mteb raises a general one for a missing result; others recur below
                except Exception:
                    continue
                outcomes[task.metadata.name] = THERE
            missing = [task for task in tasks if task.metadata.name not in outcomes]
            if missing and model is known:
                model = self._load(meta, tasks)
        except Exception as error:  # must not stop the other models
            message = _message(error)
            return {task.metadata.name: message for task in tasks} | outcomes
        options: dict[str, Any] = {}
        if self.batch_size is not None:
            options["batch_size"] = self.batch_size
        for task in missing:
            try:
                self._evaluate(model, task, cache, encode_kwargs=options)
            except Exception as error:  # must not stop the other tasks
                outcomes[task.metadata.name] = _message(error)
            else:
                outcomes[task.metadata.name] = MEASURED
        return outcomes

    def _load(self, meta: ModelMeta, tasks: Sequence[AbsTask]) -> Any:
        """Load the model, and give it the instruction."""
        device = "cuda" if torch.cuda.is_available() else "cpu"
        with no_exit(self.model):
            model: Any = meta.load_model(device=device)
        if self.prompt_name is not None:
            # first: a prompt would change it
            known = identified(model, model.mteb_model_meta) or model.mteb_model_meta
            encoder = give_instruction(model, self.prompt, tasks)
            encoder.mteb_model_meta = self._named(known)
        return model

    def _named(self, meta: ModelMeta) -> ModelMeta:
        """Mark the metadata with the instruction, so that mteb stores its results apart."""
        settings = {**(meta.experiment_kwargs or {}), EXPERIMENT_OF_PROMPT: self.prompt_name}
        return meta.model_copy(update={"experiment_kwargs": settings})

    def _evaluate(
        self,
        model: Any,
        task: AbsTask,
        cache: ResultCache,
        **options: Any,
    ) -> None:
        """Evaluate a task, or find its result; SweepError if that was measured with another
        instruction.
        """
        with no_exit(self.model):
            measured = evaluate(model, task, cache=cache, show_progress_bar=False, **options)
        (result,) = measured.task_results
        if self.prompt_name is None:
            return
        for entry in chain.from_iterable(result.scores.values()):
            prompt = self.prompt
            if "signature" in entry:
                signature = Signature.parse(str(entry["signature"]))
                prompt = signature.prompt
            is_of_another = self.prompt not in prompt if self.prompt else prompt != ""
            if is_of_another:
                raise SweepError(
                    f"The result of {task.metadata.name} in {self.output} was measured with the "
                    f"instruction {prompt!r}. Give {self.prompt!r} another name."
                )


def _message(error: Exception) -> str:
    """The message of an error, with its kind unless it says everything."""
    message = str(error).strip()
    is_ours = type(error).__module__.startswith("harness_ext.")
    says_everything = is_ours or isinstance(error, OSError)
    if message and says_everything:
        return message
    return f"{type(error).__name__}: {message}"


def summary(
    jobs: Sequence[Job],
    tasks: Sequence[str],
    ended: Mapping[Job, Mapping[str, str]],
) -> tuple[list[str], int]:
    """Write the summary of the jobs, from the outcomes of those that have ended, and count the
    missing results.

    Each reason is printed once, with its tasks and models; models with the same tasks are named
    together.
    """
    outcomes: dict[str, Mapping[str, str]] = {}
    for job in jobs:
        outcomes[job.name] = ended.get(job) or dict.fromkeys(tasks, INTERRUPTED)
    counts: Counter[str] = Counter()
    for outcomes_of_job in outcomes.values():
        counts.update(outcomes_of_job.values())
    measured = counts.pop(MEASURED, 0)
    there = counts.pop(THERE, 0)
    missing = counts.total()
    size = _size(jobs, tasks)
    lines = [f"{size}: {measured} measured, {there} there already, {missing} missing."]
    for reason, count in counts.most_common():
        named = _tasks_and_models(reason, tasks, outcomes)
        lines.append("")
        lines.append(f"Missing ({count}): {named}")
        lines += [f"    {line}" for line in reason.splitlines()]
    return lines, missing


def _size(jobs: Sequence[Job], tasks: Sequence[str]) -> str:
    """Say how many models, instructions if any, and tasks there are."""
    models = {job.model for job in jobs}
    prompts = {job.prompt_name for job in jobs}
    instructions = ""
    if prompts != {None}:
        instructions = f"{len(prompts)} instructions × "
    return f"{len(models)} models × {instructions}{len(tasks)} tasks"


def _tasks_and_models(
    reason: str,
    tasks: Sequence[str],
    outcomes: Mapping[str, Mapping[str, str]],
) -> str:
    """Name the tasks that are missing for a reason, each with its models."""
    models_of_tasks: dict[str, list[str]] = {}
    for model, outcomes_of_job in outcomes.items():
        missing = [task for task in tasks if outcomes_of_job[task] == reason]
        if not missing:
            continue
        is_all = len(missing) == len(tasks)
        named = "all tasks" if is_all else ", ".join(missing)
        models_of_tasks.setdefault(named, []).append(model)
    parts = []
    for named, models in models_of_tasks.items():
        parts.append(f"{named} of {', '.join(models)}")
    return "; ".join(parts)
