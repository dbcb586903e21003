"""Runs the jobs of a sweep as tasks of Ray (extra `ray`), on this machine or on a cluster."""

import logging
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import chdir
from pathlib import Path
from typing import Any

import mteb

from harness_ext.common.extras import imported
from harness_ext.sweep.inputs import SweepError
from harness_ext.sweep.job import Job

_PASSED_ON = ("HF_", "HARNESS_EXT_", "PYTHONPATH", "TOKENIZERS_PARALLELISM")
"""How the environment variables begin that the machines of a cluster get."""

_BYTES_BESIDE_WEIGHTS = 2 * 2**30
"""What a job needs beside the weights of its model."""

_Ended = Iterator[tuple[Job, dict[str, str]]]
"""Jobs that have ended, with their outcomes."""


def run_on_ray(
    jobs: Sequence[Job],
    address: str | None = None,
    *,
    cpus: float = 1,
    gpus: float | None = None,
) -> _Ended:
    """Run the jobs, the largest models first, and yield each when it has ended, with the outcomes
    of `Job.measure`.

    A job starts again elsewhere when its machine is lost. Without an address of a cluster, as
    `ray.init` takes it, Ray starts on this machine alone. A model has so many cores and GPUs; by
    default one GPU if there are any.

    Raises:
        MissingExtraError: Ray is not installed.
        SweepError: No cluster has this address, or no machine has so many cores and GPUs.
    """
    ray = imported("ray", "ray", "A sweep needs")
    # Read by Ray: else it starts a model that is too large for the memory again and again.
    os.environ.setdefault("RAY_task_oom_retries", "0")
    # Before the folder changes: paths may be relative to the user's.
    environment = _environment()
    try:
        # Ray's processes import from the current folder, and might find a datasets.py of the user
        with chdir(sys.prefix):
            ray.init(
                address=address or "local",
                runtime_env={"env_vars": environment},
                include_dashboard=False,
                log_to_driver=False,
                logging_level=logging.ERROR,
            )
    except (ConnectionError, ValueError, RuntimeError) as error:
        raise SweepError(
            f"--ray {address}: {error}. If its machines ask for a token, as those of newer "
            "versions of Ray do, set RAY_AUTH_MODE=token, and copy ~/.ray/auth_token of the head "
            "to this machine."
        ) from None
    machines = [node["Resources"] for node in ray.nodes() if node["Alive"]]
    if gpus is None:
        most_gpus = max(machine.get("GPU", 0) for machine in machines)
        gpus = min(1, most_gpus)
    fitting = fitting_machines(machines, cpus, gpus)
    if not fitting:
        raise SweepError(
            f"No machine has {cpus:g} cores and {gpus:g} GPUs for a model: lower --cpus or --gpus."
        )
    most_memory = max(machine.get("memory", 0) for machine in fitting)
    memory = largest_first(jobs, most_memory)
    # A process per job, so that one that fails takes no memory from the next. A job whose machine
    # or process was lost starts again three times; what has a result is not repeated.
    in_process = ray.remote(
        num_cpus=cpus,
        num_gpus=gpus,
        max_calls=1,
        max_retries=3,
    )
    run = in_process(_measure)
    folder = Path.cwd()
    running = {}
    for job, n_bytes in memory.items():
        task = run.options(memory=n_bytes, name=job.name)
        running[task.remote(job, folder)] = job
    return _ended(ray, running)


def fitting_machines(
    machines: Sequence[Mapping[str, float]],
    cpus: float,
    gpus: float,
) -> list[Mapping[str, float]]:
    """The machines that have so many cores and GPUs; a machine is its resources, as Ray names
    them.
    """
    fitting: list[Mapping[str, float]] = []
    for machine in machines:
        has_cpus = machine.get("CPU", 0) >= cpus
        has_gpus = machine.get("GPU", 0) >= gpus
        if has_cpus and has_gpus:
            fitting.append(machine)
    return fitting


def largest_first(jobs: Sequence[Job], most: float) -> dict[Job, float]:
    """Job -> the bytes that its model needs, at most those of the largest machine; the largest
    first.
    """
    memory: dict[Job, float] = {}
    for job in jobs:
        memory[job] = min(memory_of(job.model), most)
    ordered = sorted(jobs, key=memory.__getitem__, reverse=True)
    return {job: memory[job] for job in ordered}


def _environment() -> dict[str, str]:
    """The environment variables for the machines of a cluster."""
    environment: dict[str, str] = {}
    for name, value in os.environ.items():
        if name.startswith(_PASSED_ON):
            environment[name] = value
    folders = environment.get("PYTHONPATH")
    if folders:  # may be relative to the current folder
        absolute = map(os.path.abspath, folders.split(os.pathsep))
        environment["PYTHONPATH"] = os.pathsep.join(absolute)
    return environment


def memory_of(model: str) -> float:
    """Estimate the bytes that a model needs: twice its weights by mteb's figure, as during loading,
    and 2 GB.
    """
    try:
        weights = (mteb.get_model_meta(model).memory_usage_mb or 0) * 2**20
    except KeyError:  # a folder, or a name on the Hub that the registry lacks
        weights = 0
    return 2 * weights + _BYTES_BESIDE_WEIGHTS


def _measure(job: Job, folder: Path) -> dict[str, str]:
    """Measure a job in a process of Ray; relative paths start from the folder."""
    os.chdir(folder)
    return job.measure()


def _ended(ray: Any, running: dict[Any, Job]) -> _Ended:
    try:
        while running:
            (done,), _ = ray.wait(list(running))
            job = running.pop(done)
            try:
                outcomes = ray.get(done)
            # Ray's exceptions have no common base; the message explains them
            except Exception as error:
                first_line = str(error).strip().splitlines()[0]
                reason = f"Ray gave up: {first_line}"
                outcomes = {task.metadata.name: reason for task in job.tasks()}
            yield job, outcomes
    finally:
        ray.shutdown()
