"""Commands that measure: tasks, demo, layers, sweep."""

import shlex
import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from harness_ext.cli.app import app, fail, print_listings
from harness_ext.cli.options import BatchSize, FormatOption, OutputFolder, WithLists
from harness_ext.cli.results import report, show
from harness_ext.common.interrupt import INTERRUPTED, IntendedExit


@app.command()
def tasks(form: FormatOption = "table") -> None:
    """List the tasks: what each asks, its data, main score and source."""
    from harness_ext.show.catalogue import tasks_table

    print_listings([tasks_table()], form)


@app.command()
def demo(
    output_folder: OutputFolder = Path("results"),
    hf_home: Annotated[
        Path, typer.Option(help="The Hugging Face cache to put the encoder into.")
    ] = Path(".cache/huggingface"),
) -> None:
    """Measure a real encoder on the small tasks, offline: a table and a report, in about two
    minutes.

    It takes 127 s of a core, more than half for words and random strings: HARNESS_EXT_ADDITIVE=0
    leaves these out.
    """
    import subprocess

    from harness_ext.cli.demo import next_steps, run_demo

    try:
        run_demo(output_folder, hf_home)
    except subprocess.CalledProcessError as error:
        raise typer.Exit(error.returncode) from None
    show(output_folder)
    for purpose, command in next_steps(output_folder, hf_home).items():
        typer.echo(f"{purpose}:\n    {command}")
    typer.echo("The same as pages, with pictures and every single example, for a browser:")
    report(output_folder, output=output_folder.with_name("report"))


@app.command(cls=WithLists)
def layers(
    model: Annotated[
        str,
        typer.Option("--model", "-m", help="A transformer: its name on the Hub, or its folder."),
    ],
    tasks: Annotated[list[str], typer.Option("--tasks", "-t", help="Tasks, such as `-t A B`.")],
    pooling: Annotated[
        str, typer.Option(help="How to pool the tokens of a layer, such as mean or cls.")
    ] = "mean",
    split: Annotated[list[str] | None, typer.Option(help="Only this split (repeatable).")] = None,
    output_folder: OutputFolder = Path("results"),
    batch_size: BatchSize = 32,
    gain: Annotated[
        bool,
        typer.Option(
            "--gain", help="Also measure the additive baselines of the layers in between."
        ),
    ] = False,
    form: FormatOption = "table",
) -> None:
    """Get the scores of every layer of a transformer, from the embeddings (layer 0) to the output,
    in one pass.

    Results are kept under `MODEL (layer=6)`, with items, as those of `mteb run -m "MODEL (layer=6)"
    -t TASK`. The first and the last layer have their additive baselines beside them. Run the
    command again to go on.
    """
    from harness_ext.sweep.layers import measure_layers

    try:
        names = measure_layers(
            model,
            tasks,
            output_folder,
            pooling=pooling,
            splits=split,
            batch_size=batch_size,
            gain=gain,
        )
    except (KeyError, ValueError, RuntimeError, OSError) as error:
        raise fail(error) from None
    show(output_folder, tasks, names, layers=True, form=form)


@app.command(cls=WithLists)
def sweep(
    models: Annotated[
        Path,
        typer.Option(
            help=(
                "A file with a model per line, a name or a folder, or 'NAME (dtype=bfloat16)', "
                "'NAME (device_map=auto)'. # begins a note."
            )
        ),
    ],
    tasks: Annotated[
        list[str] | None, typer.Option("--tasks", "-t", help="Names of tasks: `-t A B`.")
    ] = None,
    benchmarks: Annotated[
        list[str] | None,
        typer.Option("--benchmarks", "-b", help="Names of benchmarks: `-b Compositionality`."),
    ] = None,
    prompts: Annotated[
        Path | None,
        typer.Option(
            help=(
                "Measure each model under each instruction in this file. A line has a name and the "
                "text to put before "
                'each sentence: `meaning: "Represent the meaning: "`. `none: ""` is no '
                "instruction. # begins a note."
            )
        ),
    ] = None,
    output_folder: OutputFolder = Path("results"),
    batch_size: Annotated[int | None, typer.Option(help="Texts per batch.", min=1)] = None,
    ray: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            envvar="RAY_ADDRESS",
            help=(
                "Run on this Ray cluster; `auto` finds the cluster of this machine. Default: this "
                "machine alone."
            ),
        ),
    ] = None,
    cpus: Annotated[float, typer.Option(help="Cores per model.", min=0)] = 1,
    gpus: Annotated[
        float | None, typer.Option(help="GPUs per model. Default: one if there are GPUs.", min=0)
    ] = None,
) -> None:
    """Get the scores of many models on many tasks, several at a time, on this machine or on a Ray
    cluster.

    Run the command again to continue: existing results are not measured again. A failing model or
    task does not stop the others. The last lines list the missing results with the reasons.
    """
    from tqdm.auto import tqdm

    from harness_ext.encoders.models.registry import check_name
    from harness_ext.sweep.cluster import run_on_ray
    from harness_ext.sweep.inputs import read_models, read_prompts
    from harness_ext.sweep.job import MEASURED, THERE, Job, summary

    names = read_models(models)
    for name in names if ray is None else ():  # another machine may have other folders
        check_name(name)
    texts = read_prompts(prompts) if prompts else {}
    tasks_and_benchmarks = (tuple(tasks or ()), tuple(benchmarks or ()))
    jobs: list[Job] = []
    for name in names:
        job = Job(name, *tasks_and_benchmarks, output_folder, batch_size)
        with_prompts = [
            replace(job, prompt_name=prompt_name, prompt=text)
            for prompt_name, text in texts.items()
        ]
        jobs += with_prompts or [job]
    task_names = [task.metadata.name for task in jobs[0].tasks()]
    ended: dict[Job, dict[str, str]] = {}
    try:
        running = run_on_ray(jobs, ray, cpus=cpus, gpus=gpus)
        for job, outcomes in tqdm(
            running,
            desc="Models",
            total=len(jobs),
            unit="model",
        ):
            ended[job] = outcomes
            here = sum(outcome in {MEASURED, THERE} for outcome in outcomes.values())
            tqdm.write(f"{job.name}: {here} of {len(task_names)}", file=sys.stderr)
    except (KeyboardInterrupt, IntendedExit):  # the latter is what `harness-ext` makes of Ctrl-C
        pass
    lines, missing = summary(jobs, task_names, ended)
    typer.echo("\n".join(lines))
    if missing:
        command = shlex.join(["harness-ext", *sys.argv[1:]])
        typer.echo(f"\nContinue with the same command:\n    {command}")
        raise typer.Exit(2 if len(ended) == len(jobs) else INTERRUPTED)
