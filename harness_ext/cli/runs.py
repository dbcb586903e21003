"""Commands that measure: tasks, demo, finetune-pss, layers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from harness_ext.cli.app import app, fail, print_listings
from harness_ext.cli.options import BatchSize, OutputFolder, WithLists
from harness_ext.cli.results import report, show


@app.command()
def tasks() -> None:
    """List the tasks: data, main score, source."""
    from harness_ext.show.catalogue import tasks_table

    print_listings([tasks_table()])


@app.command()
def demo(
    output_folder: OutputFolder = Path("results"),
    hf_home: Annotated[Path, typer.Option(help="The Hugging Face cache to put the encoder into.")] = Path(
        ".cache/huggingface"
    ),
) -> None:
    """Run the small tasks on a real encoder, offline, show the results, and write a report. Takes about a minute."""
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


@app.command("finetune-pss")
def finetune_pss(
    model: Annotated[str, typer.Option("--model", "-m", help="A sentence-transformers model: its name or folder.")],
    task: Annotated[str, typer.Option(help="Or PolaritySensitivityMini.")] = "PolaritySensitivity",
    split: Annotated[str | None, typer.Option(help="Its eval split, such as reference_trained_on_dev.")] = None,
    output_folder: OutputFolder = Path("results"),
    seeds: Annotated[int, typer.Option(help="Trainings per classifier.", min=1)] = 3,
    max_epochs: Annotated[int, typer.Option(help="Training stops earlier when it no longer helps.", min=1)] = 10,
    batch_size: BatchSize = 32,
) -> None:
    """Fine-tune an encoder on the sentences of PolaritySensitivity, and add its `ft_*` scores to the result file.

    An interrupted command goes on when you run it again.
    """
    from harness_ext.harnesses.mteb.registration import load_model
    from harness_ext.harnesses.polarity_finetuning import finetune_pss as finetune

    try:
        result = finetune(
            load_model(model),
            output_folder,
            task_name=task,
            split=split,
            seeds=range(seeds),
            max_epochs=max_epochs,
            batch_size=batch_size,
        )
    except ValueError as error:
        raise fail(error) from None
    for name, ((scores,)) in result.scores.items():
        for key in ("linear_accuracy", "linear_pss", "dnn_accuracy", "dnn_pss"):
            if f"ft_{key}" in scores:
                typer.echo(f"{name}  {key}: frozen {scores[f'fb_{key}']:.3f}, fine-tuned {scores[f'ft_{key}']:.3f}")


@app.command(cls=WithLists)
def layers(
    model: Annotated[str, typer.Option("--model", "-m", help="A transformer: its name on the Hub, or its folder.")],
    tasks: Annotated[list[str], typer.Option("--tasks", "-t", help="Tasks, such as `-t A B`.")],
    pooling: Annotated[str, typer.Option(help="How to pool the tokens of a layer, such as mean or cls.")] = "mean",
    split: Annotated[list[str] | None, typer.Option(help="Only this split (repeatable).")] = None,
    output_folder: OutputFolder = Path("results"),
    batch_size: BatchSize = 32,
) -> None:
    """Measure every layer of a transformer, from the embeddings (layer 0) to the output, in one pass.

    Results are kept under `MODEL (layer=6)`, with items and own words, as those of
    `mteb run -m "MODEL (layer=6)" -t TASK`. Run the command again to go on.
    """
    from harness_ext.sweep.layer_run import measure_layers

    try:
        names = measure_layers(model, tasks, output_folder, pooling=pooling, splits=split, batch_size=batch_size)
    except (KeyError, ValueError, RuntimeError, OSError) as error:
        raise fail(error) from None
    show(output_folder, tasks, names, layers=True)
