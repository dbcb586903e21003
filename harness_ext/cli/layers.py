"""The command that measures every layer of a model: layers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from harness_ext.cli.app import app, fail
from harness_ext.cli.results import show
from harness_ext.cli.sweep import WithLists


@app.command(cls=WithLists)
def layers(
    model: Annotated[str, typer.Option("--model", "-m", help="A transformer: its name on the Hub, or its folder.")],
    tasks: Annotated[list[str], typer.Option("--tasks", "-t", help="Tasks, such as `-t A B`.")],
    pooling: Annotated[str, typer.Option(help="How to pool the tokens of a layer, such as mean or cls.")] = "mean",
    split: Annotated[list[str] | None, typer.Option(help="Only this split (repeatable).")] = None,
    output_folder: Annotated[Path, typer.Option(help="As of `mteb run`.")] = Path("results"),
    batch_size: Annotated[int, typer.Option(help="Texts per batch.", min=1)] = 32,
) -> None:
    """Measure every layer of a transformer, from the embeddings (layer 0) to the output, in one pass.

    Results are kept under `MODEL (layer=6)`, with items and own words, as those of
    `mteb run -m "MODEL (layer=6)" -t TASK`. Run the command again to go on.
    """
    from harness_ext.data.sources import SourceError
    from harness_ext.sweep.layer_run import measure_layers

    try:
        names = measure_layers(model, tasks, output_folder, pooling=pooling, splits=split, batch_size=batch_size)
    except (KeyError, ValueError, RuntimeError, SourceError, OSError) as error:
        raise fail(error) from None
    show(output_folder, tasks, names, layers=True)
