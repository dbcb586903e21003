"""Commands that measure: tasks, lm-eval-path, demo, finetune-pss."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from harness_ext.cli.app import app, fail, print_listings
from harness_ext.cli.report import report
from harness_ext.cli.results import show


@app.command()
def tasks() -> None:
    """List the tasks: data, main score, source."""
    from harness_ext.documentation.tables import tasks_table

    print_listings([tasks_table()])


@app.command("lm-eval-path")
def lm_eval_path() -> None:
    """Print the folder of the tasks for lm-eval: `lm_eval run --include_path "$(harness-ext lm-eval-path)" …`.

    Only needed where HARNESS_EXT_AUTOLOAD=0 keeps lm-eval from finding them by itself.
    """
    from harness_ext.names import lm_eval_tasks

    typer.echo(lm_eval_tasks())


@app.command()
def demo(
    output_folder: Annotated[Path, typer.Option(help="Where the results go.")] = Path("results"),
    hf_home: Annotated[Path, typer.Option(help="The Hugging Face cache to put the encoder into.")] = Path(
        ".cache/huggingface"
    ),
) -> None:
    """Run the small tasks on a real encoder, offline, show the results, and write a report. Takes about a minute."""
    import subprocess

    from harness_ext.cli.demo import DemoError, next_steps, run_demo

    try:
        run_demo(output_folder, hf_home)
    except DemoError as error:
        raise fail(error) from None
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
    output_folder: Annotated[Path, typer.Option(help="As of `mteb run`.")] = Path("results"),
    classifier: Annotated[list[str] | None, typer.Option(help="linear or dnn (repeatable); both by default.")] = None,
    seeds: Annotated[int, typer.Option(help="Trainings per classifier.", min=1)] = 3,
    max_epochs: Annotated[int, typer.Option(help="Training stops earlier when it no longer helps.", min=1)] = 10,
    batch_size: Annotated[int, typer.Option(help="Sentences per step.", min=1)] = 32,
) -> None:
    """Fine-tune an encoder on the sentences of PolaritySensitivity, and add its `ft_*` scores to the result file.

    An interrupted command goes on when you run it again.
    """
    from harness_ext.data.sources import SourceError
    from harness_ext.harnesses.polarity_finetuning import CLASSIFIERS, FinetuneError, load_model
    from harness_ext.harnesses.polarity_finetuning import finetune_pss as finetune

    if unknown := sorted(set(classifier or ()) - CLASSIFIERS.keys()):
        raise typer.BadParameter(f"{', '.join(unknown)}: there are {' and '.join(CLASSIFIERS)}.")
    try:
        result = finetune(
            load_model(model),
            output_folder,
            task_name=task,
            split=split,
            classifiers=classifier or tuple(CLASSIFIERS),
            seeds=range(seeds),
            max_epochs=max_epochs,
            batch_size=batch_size,
        )
    except (FinetuneError, SourceError, ValueError) as error:
        raise fail(error) from None
    for name, ((scores,)) in result.scores.items():
        for key in ("linear_accuracy", "linear_pss", "dnn_accuracy", "dnn_pss"):
            if f"ft_{key}" in scores:
                typer.echo(f"{name}  {key}: frozen {scores[f'fb_{key}']:.3f}, fine-tuned {scores[f'ft_{key}']:.3f}")
