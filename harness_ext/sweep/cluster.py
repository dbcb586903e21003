"""Runs the jobs of a sweep on a Ray cluster (extra `ray`) whose machines share the folder of the results."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from harness_ext.sweep.job import Job
from harness_ext.sweep.models import SweepError

RETRIES = 10
"""Number of times a job is started again after its machine was lost. Finished tasks are not measured again."""

PASSED_ON = ("HF_", "HARNESS_EXT_", "PYTHONPATH", "TOKENIZERS_PARALLELISM")
"""Environment variables with these beginnings are passed to the machines of the cluster."""

_GIGABYTE = 2**30


@dataclass(frozen=True)
class Needs:
    """The resources of one machine that a job occupies while it runs.

    Attributes:
        cpus: Cores.
        gpus: GPUs.
        memory: Bytes.
    """

    cpus: float
    gpus: float
    memory: int

    def lacking(self, machines: Sequence[dict[str, float]]) -> str:
        """Explain in a sentence that no machine has these resources; empty if one has them."""
        wanted = {"CPU": self.cpus, "GPU": self.gpus, "memory": self.memory}
        if any(all(machine.get(name, 0) >= amount for name, amount in wanted.items()) for machine in machines):
            return ""
        amounts = f"{self.cpus:g} cores, {self.gpus:g} GPUs and {self.memory / _GIGABYTE:.1f} GB of memory"
        return f"It needs {amounts} on one machine, and no machine of the cluster has them."


def needs_of(model: str, cpus: float, gpus: float) -> Needs:
    """Estimate the resources of a model: twice the memory of its weights, as needed during loading, plus 2 GB.

    The size of the weights is mteb's figure.

    Args:
        model: The model's name.
        cpus: Cores.
        gpus: GPUs.
    """
    import mteb

    try:
        weights = (mteb.get_model_meta(model).memory_usage_mb or 0) * 2**20
    except KeyError:  # a folder, or a name on the Hub that the registry lacks
        weights = 0
    return Needs(cpus, gpus, int(2 * weights + 2 * _GIGABYTE))


def run_on_ray(jobs: Sequence[Job], address: str, *, cpus: float = 1, gpus: float | None = None) -> Iterator[Job]:
    """Run the jobs on a cluster, the largest models first; start a job again elsewhere when its machine is lost.

    Args:
        jobs: The jobs.
        address: The cluster's address, as `ray.init` takes it.
        cpus: Cores per model.
        gpus: GPUs per model; None for one if the cluster has GPUs, else none.

    Yields:
        Each job when it has ended.

    Raises:
        SweepError: Ray is not installed, or no cluster has this address.
    """
    try:
        import ray
    except ImportError:
        raise SweepError("--ray needs Ray: pip install ray") from None
    try:
        ray.init(address=address, log_to_driver=False, logging_level=logging.WARNING)
    except (ConnectionError, ValueError, RuntimeError) as error:
        raise SweepError(
            f"--ray {address}: {error}. If its machines ask for a token, as those of newer versions of Ray do, set "
            "RAY_AUTH_MODE=token, and copy ~/.ray/auth_token of the head to this machine."
        ) from None
    try:
        yield from _run(ray, jobs, cpus, gpus)
    finally:
        ray.shutdown()


def _run(ray: Any, jobs: Sequence[Job], cpus: float, gpus: float | None) -> Iterator[Job]:
    machines = [node["Resources"] for node in ray.nodes() if node["Alive"]]
    if gpus is None:
        gpus = min(1, max(machine.get("GPU", 0) for machine in machines))
    environment = {name: value for name, value in os.environ.items() if name.startswith(PASSED_ON)}
    # Each process of Ray runs a single job. Every machine has this package, so that the function is found there.
    run = ray.remote(max_calls=1, max_retries=RETRIES)(run_job)
    running: dict[Any, Job] = {}
    needs = {job: needs_of(job.model, cpus, gpus) for job in jobs}
    for job in sorted(jobs, key=lambda job: -needs[job].memory):
        if lacking := needs[job].lacking(machines):
            job.journal.add("failed", reason=lacking)
            yield job
            continue
        wanted = needs[job]
        placed = run.options(num_cpus=wanted.cpus, num_gpus=wanted.gpus, memory=wanted.memory, name=job.name)
        running[placed.remote(job, environment)] = job
    while running:
        (done,), _ = ray.wait(list(running), num_returns=1)
        job = running.pop(done)
        try:
            ray.get(done)
        except Exception as error:  # Ray's exceptions have no common base; the message explains them
            job.journal.add("failed", reason=f"Ray gave up: {str(error).strip().splitlines()[0]}")
        yield job


def run_job(job: Job, environment: dict[str, str]) -> None:
    """Run a job to its end, in a process of Ray."""
    with job.start(environment) as process:
        job.end(process.wait())
