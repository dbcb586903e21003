"""The command that measures many models: sweep."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand

from harness_ext.cli.app import app, fail

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from harness_ext.sweep.job import Job

_LISTS = {"--tasks", "-t", "--benchmarks", "-b"}


class WithLists(TyperCommand):
    """Takes `-t A B` as `mteb run` does; click by itself knows `-t A -t B` alone."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Repeat the option before each of its values."""
        return super().parse_args(ctx, list(_repeated(args)))


def _repeated(args: list[str]) -> Iterator[str]:
    """`-t A B` as `-t A -t B`."""
    option = None
    for before, arg in zip(["", *args], args, strict=False):
        if arg.startswith("-"):
            option = arg if arg in _LISTS else None
        elif option and before != option:
            yield option
        yield arg


@app.command(cls=WithLists)
def sweep(
    models: Annotated[Path | None, typer.Option(help="A file with a name or folder per line; # begins a note.")] = None,
    query: Annotated[
        str | None,
        typer.Option(help="Or: which of mteb's models, as pandas' query: 'n_parameters < 1e8 and open_weights'."),
    ] = None,
    tasks: Annotated[list[str] | None, typer.Option("--tasks", "-t", help="Tasks, such as `-t A B`.")] = None,
    benchmarks: Annotated[
        list[str] | None, typer.Option("--benchmarks", "-b", help="Benchmarks, such as Compositionality.")
    ] = None,
    output_folder: Annotated[Path, typer.Option(help="As of `mteb run`.")] = Path("results"),
    batch_size: Annotated[int | None, typer.Option(help="Texts per batch.", min=1)] = None,
    processes: Annotated[
        int | None, typer.Option(help="Models at a time on this machine; one per GPU, or one, by default.", min=1)
    ] = None,
    ray: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Run on this Ray cluster; `auto` for the one of this machine.")
    ] = None,
    cpus: Annotated[float, typer.Option(help="With --ray: cores per model.", min=0)] = 1,
    gpus: Annotated[
        float | None, typer.Option(help="With --ray: GPUs per model; one where there are any, by default.", min=0)
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only print the models and the tasks.")] = False,
) -> None:
    """Measure many models on many tasks, a process per model.

    Run it again to go on: results that are there are not measured again. A model or a task that fails does not stop the
    others. The last lines name missing results and the reasons. Errors and the output of each model are kept in
    `OUTPUT_FOLDER/sweep`. Several of these commands may run with the same folder at once, as in a job array: each model
    is measured by one command only.
    """
    from harness_ext.sweep.cluster import run_on_ray
    from harness_ext.sweep.job import Job
    from harness_ext.sweep.journal import now
    from harness_ext.sweep.local import run_here
    from harness_ext.sweep.models import SweepError, find_models, read_models
    from harness_ext.sweep.summary import summary

    try:
        if (models is None) == (query is None):
            raise SweepError("Which models? Give either --models FILE or --query.")
        names = read_models(models) if models else find_models(str(query))
        since = now()
        patience = 10.0 if ray is None else 600.0  # a machine that is lost lets go of its locks after a while
        folder = str(Path.cwd())
        jobs = [
            Job(name, tuple(tasks or ()), tuple(benchmarks or ()), str(output_folder), folder, batch_size, patience)
            for name in names
        ]
        task_names = [task.metadata.name for task in jobs[0].tasks()]
        if dry_run:
            typer.echo("\n".join([f"{len(names)} models:", *names, "", f"{len(task_names)} tasks:", *task_names]))
            return
        ended = run_here(jobs, processes) if ray is None else run_on_ray(jobs, ray, cpus=cpus, gpus=gpus)
        ended_jobs = _follow(ended, len(jobs), task_names)
    except SweepError as error:
        raise fail(error) from None
    lines, missing = summary(jobs, task_names, since)
    if not_ended := [job.model for job in jobs if job not in ended_jobs]:
        lines += ["", f"Interrupted; not ended: {', '.join(not_ended)}."]
    typer.echo("\n".join(lines))
    if missing:
        typer.echo(f"\nWhat each model said is in {output_folder / 'sweep'}. The same command goes on:")
        typer.echo(f"    {shlex.join(['harness-ext', *sys.argv[1:]])}")
        raise typer.Exit(1)


def _follow(ended: Iterable[Job], n_jobs: int, tasks: list[str]) -> set[Job]:
    """Show how far a sweep is. Those that have ended; not all of them if Ctrl-C was pressed."""
    from tqdm.auto import tqdm

    from harness_ext.sweep.summary import became

    begun = set()
    with tqdm(total=n_jobs, desc="Models", unit="model") as progress:
        try:
            for job in ended:
                begun.add(job)
                there = sum(outcome in {"measured", "there"} for outcome in became(job, tasks).values())
                tqdm.write(f"{job.model}: {there} of {len(tasks)}", file=sys.stderr)
                progress.update()
        except KeyboardInterrupt:
            tqdm.write("Interrupted.", file=sys.stderr)
    return begun
