"""Runs the jobs of a sweep on this machine, several processes at a time."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator, Sequence

from harness_ext.sweep.job import Job


def run_here(jobs: Sequence[Job], processes: int | None = None) -> Iterator[Job]:
    """Run each job in a process; one that fails does not stop the others.

    Args:
        jobs: The jobs.
        processes: Number of processes at a time; None for one per GPU, or a single one without a GPU. The GPUs are
            dealt out in turn, and the cores are divided equally.

    Yields:
        Each job when it has ended.
    """
    gpus = visible_gpus()
    waiting = list(reversed(jobs))
    running: dict[int, tuple[Job, subprocess.Popen[bytes]]] = {}
    processes = min(processes or max(1, len(gpus)), len(jobs))
    try:
        while waiting or running:
            for place in range(processes):
                if place not in running and waiting:
                    job = waiting.pop()
                    running[place] = job, job.start(_share(place, processes, gpus))
            for place, (job, process) in list(running.items()):
                if (code := process.poll()) is not None:
                    del running[place]
                    job.end(code)
                    yield job
            time.sleep(0.1)
    finally:  # interrupted
        for job, process in running.values():
            process.kill()
            if process.wait():
                job.journal.add("failed", reason="It was interrupted.")


def visible_gpus() -> list[str]:
    """List the GPUs that this process may use, in the notation of CUDA_VISIBLE_DEVICES."""
    if (named := os.environ.get("CUDA_VISIBLE_DEVICES")) is not None:
        return [name for name in named.split(",") if name]
    import torch

    return [str(number) for number in range(torch.cuda.device_count())]


def _share(place: int, processes: int, gpus: list[str]) -> dict[str, str]:
    """Environment variables that limit a process to its share of the machine."""
    share = {"CUDA_VISIBLE_DEVICES": gpus[place % len(gpus)]} if gpus else {}
    if processes > 1 and "OMP_NUM_THREADS" not in os.environ:
        share["OMP_NUM_THREADS"] = str(max(1, (os.cpu_count() or 1) // processes))
    return share
