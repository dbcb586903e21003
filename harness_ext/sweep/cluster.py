"""Runs the jobs of a sweep as tasks of Ray (extra `ray`), on this machine or on a cluster."""

import logging
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import chdir
from pathlib import Path
from typing import Any

import mteb

from harness_ext.common.extras import imported
from harness_ext.sweep.inputs import SweepError
from harness_ext.sweep.job import Job


def run_on_ray(
    jobs: Sequence[Job], address: str | None = None, *, cpus: float = 1, gpus: float | None = None
) -> Iterator[tuple[Job, dict[str, str]]]:
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
    # to the machines of a cluster
    passed_on = ("HF_", "HARNESS_EXT_", "PYTHONPATH", "TOKENIZERS_PARALLELISM")
    environment = {name: value for name, value in os.environ.items() if name.startswith(passed_on)}
    if folders := environment.get("PYTHONPATH"):  # may be relative to the current folder
        environment["PYTHONPATH"] = os.pathsep.join(map(os.path.abspath, folders.split(os.pathsep)))
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
        gpus = min(1, max(machine.get("GPU", 0) for machine in machines))
    fitting = [
        machine
        for machine in machines
        if machine.get("CPU", 0) >= cpus and machine.get("GPU", 0) >= gpus
    ]
    if not fitting:
        raise SweepError(
            f"No machine has {cpus:g} cores and {gpus:g} GPUs for a model: lower --cpus or --gpus."
        )
    most = max(machine.get("memory", 0) for machine in fitting)
    memory = {job: min(memory_of(job.model), most) for job in jobs}
    # A process per job, so that one that fails takes no memory from the next. A job whose machine
    # or process was lost
    # starts again three times; what has a result is not repeated.
    run = ray.remote(num_cpus=cpus, num_gpus=gpus, max_calls=1, max_retries=3)(_measure)
    running = {
        run.options(memory=memory[job], name=job.name).remote(job, Path.cwd()): job
        for job in sorted(jobs, key=lambda job: -memory[job])
    }
    return _ended(ray, running)


def memory_of(model: str) -> float:
    """Estimate the bytes that a model needs: twice its weights by mteb's figure, as during loading,
    and 2 GB.
    """
    try:
        weights = (mteb.get_model_meta(model).memory_usage_mb or 0) * 2**20
    except KeyError:  # a folder, or a name on the Hub that the registry lacks
        weights = 0
    return 2 * weights + 2 * 2**30


def _measure(job: Job, folder: Path) -> dict[str, str]:
    """Measure a job in a process of Ray; relative paths start from the folder."""
    os.chdir(folder)
    return job.measure()


def _ended(ray: Any, running: dict[Any, Job]) -> Iterator[tuple[Job, dict[str, str]]]:
    try:
        while running:
            (done,), _ = ray.wait(list(running))
            job = running.pop(done)
            try:
                outcomes = ray.get(done)
            # Ray's exceptions have no common base; the message explains them
            except Exception as error:
                reason = f"Ray gave up: {str(error).strip().splitlines()[0]}"
                outcomes = {task.metadata.name: reason for task in job.tasks()}
            yield job, outcomes
    finally:
        ray.shutdown()
