"""The command `sweep`, which measures many models."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from harness_ext.__main__ import INTERRUPTED
from harness_ext.cli.app import app, fail
from harness_ext.cli.options import OutputFolder, WithLists
from harness_ext.sweep.job import Job


@app.command(cls=WithLists)
def sweep(
    models: Annotated[
        Path | None, typer.Option(help="A file with one model per line, a name or a folder; # begins a note.")
    ] = None,
    query: Annotated[
        str | None,
        typer.Option(help="Instead: select mteb's models by a pandas query: 'n_parameters < 1e8 and open_weights'."),
    ] = None,
    tasks: Annotated[list[str] | None, typer.Option("--tasks", "-t", help="Names of tasks: `-t A B`.")] = None,
    benchmarks: Annotated[
        list[str] | None, typer.Option("--benchmarks", "-b", help="Names of benchmarks: `-b Compositionality`.")
    ] = None,
    prompts: Annotated[
        Path | None,
        typer.Option(
            help="Measure each model under each instruction in this file. A line has a name and the text to put before "
            'each sentence: `meaning: "Represent the meaning: "`. `none: ""` is no instruction. # begins a note.'
        ),
    ] = None,
    output_folder: OutputFolder = Path("results"),
    batch_size: Annotated[int | None, typer.Option(help="Texts per batch.", min=1)] = None,
    processes: Annotated[
        int | None, typer.Option(help="Models at a time on this machine. Default: one per GPU, or one.", min=1)
    ] = None,
    ray: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help="Run on this Ray cluster; `auto` finds the cluster of this machine."),
    ] = None,
    cpus: Annotated[float, typer.Option(help="With --ray: cores per model.", min=0)] = 1,
    gpus: Annotated[
        float | None, typer.Option(help="With --ray: GPUs per model. Default: one if there are GPUs.", min=0)
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only list models, instructions and tasks.")] = False,
) -> None:
    """Measure many models on many tasks, a process per model.

    Run the command again to continue: existing results are not measured again. A failing model or task does not stop
    the others. The last lines list the missing results with the reasons. `OUTPUT_FOLDER/sweep` has the output and the
    errors of each model. Several such commands may share a folder, as in a job array: each model is measured by one of
    them only.
    """
    from harness_ext.sweep.cluster import run_on_ray
    from harness_ext.sweep.instructions import read_prompts
    from harness_ext.sweep.journal import now
    from harness_ext.sweep.local import run_here
    from harness_ext.sweep.models import check_names, find_models, read_models
    from harness_ext.sweep.summary import summary

    if (models is None) == (query is None):
        raise fail("Which models? Give either --models FILE or --query.")
    names = read_models(models) if models else find_models(str(query))
    if models and ray is None:  # another machine may have other folders
        check_names(names)
    texts = read_prompts(prompts) if prompts else {}
    patience = 10.0 if ray is None else 600.0  # the locks of a lost machine are released late
    wanted = tuple(tasks or ()), tuple(benchmarks or ()), str(output_folder), str(Path.cwd()), batch_size, patience
    jobs = [Job(name, *wanted, *prompt) for name in names for prompt in texts.items() or [()]]
    task_names = [task.metadata.name for task in jobs[0].tasks()]
    if dry_run:
        instructions = [f"{name}: {text!r}" for name, text in texts.items()]
        lists = {"models": names, "instructions": instructions, "tasks": task_names}
        typer.echo("\n\n".join("\n".join([f"{len(rows)} {of}:", *rows]) for of, rows in lists.items() if rows))
        return
    since = now()
    running = run_here(jobs, processes) if ray is None else run_on_ray(jobs, ray, cpus=cpus, gpus=gpus)
    ended = _follow(running, len(jobs), task_names)
    lines, missing = summary(jobs, task_names, since)
    not_ended = [job.name for job in jobs if job not in ended]
    if not_ended:
        lines += ["", f"Interrupted before the end of: {', '.join(not_ended)}."]
    typer.echo("\n".join(lines))
    if missing:
        typer.echo(f"\nThe output of each model is in {output_folder / 'sweep'}. Continue with the same command:")
        typer.echo(f"    {shlex.join(['harness-ext', *sys.argv[1:]])}")
    if missing or not_ended:
        raise typer.Exit(INTERRUPTED if not_ended else 1)


def _follow(running: Iterable[Job], n_jobs: int, tasks: list[str]) -> set[Job]:
    """Show the progress of a sweep, and return the jobs that have ended: all of them, unless Ctrl-C was pressed."""
    from tqdm.auto import tqdm

    from harness_ext.sweep.summary import became

    ended = set()
    with tqdm(total=n_jobs, desc="Models", unit="model") as progress:
        try:
            for job in running:
                ended.add(job)
                there = sum(outcome in {"measured", "there"} for outcome in became(job, tasks).values())
                tqdm.write(f"{job.name}: {there} of {len(tasks)}", file=sys.stderr)
                progress.update()
        except (KeyboardInterrupt, SystemExit):  # the latter is what `harness-ext` makes of Ctrl-C
            pass
    return ended
