"""The command `finetune-pss`."""

from pathlib import Path
from typing import Annotated

import typer

from harness_ext.cli.app import app, fail
from harness_ext.cli.options import BatchSize, OutputFolder


@app.command("finetune-pss")
def finetune_pss(
    model: Annotated[
        str,
        typer.Option("--model", "-m", help="A sentence-transformers model: its name or folder."),
    ],
    task: Annotated[
        str, typer.Option(help="PolaritySensitivityMini is the small one.")
    ] = "PolaritySensitivity",
    split: Annotated[
        str | None, typer.Option(help="The eval split, such as reference_trained_on_dev.")
    ] = None,
    output_folder: OutputFolder = Path("results"),
    seeds: Annotated[int, typer.Option(help="Trainings per classifier.", min=1)] = 3,
    max_epochs: Annotated[
        int, typer.Option(help="Training stops earlier if it no longer helps.", min=1)
    ] = 10,
    batch_size: BatchSize = 32,
) -> None:
    """Train an encoder on PolaritySensitivity, and get the `ft_*` scores in the result file.

    An interrupted command goes on when you run it again.
    """
    from harness_ext.harnesses.mteb.registration import load_model
    from harness_ext.training.polarity_finetuning import finetune_pss as finetune

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
                typer.echo(
                    f"{name}  {key}: frozen {scores[f'fb_{key}']:.3f}, fine-tuned "
                    f"{scores[f'ft_{key}']:.3f}"
                )
