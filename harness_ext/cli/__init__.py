"""The command `harness-ext`."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode="markdown",
    help=(
        "Is a text encoder's meaning compositional where language is, and holistic where language is not?\n\n"
        "The tasks themselves run through mteb: `mteb run -m MODEL -t EpsilonCompositionality`. "
        "This command shows their results and handles their datasets."
    ),
)
datasets_app = typer.Typer(no_args_is_help=True, help="The datasets: list them, export them as Parquet.")
app.add_typer(datasets_app, name="datasets")


def _fail(error: Exception) -> typer.Exit:
    """Say what is wrong without a traceback."""
    Console(stderr=True, soft_wrap=True, highlight=False, markup=False).print(f"Error: {error}")
    return typer.Exit(1)


@app.command()
def show(
    results_dir: Annotated[Path, typer.Argument(help="The --output-folder of `mteb run`.")],
    task: Annotated[list[str] | None, typer.Option(help="Only this task (repeatable).")] = None,
    model: Annotated[list[str] | None, typer.Option(help="Only this model (repeatable).")] = None,
) -> None:
    """Show results as tables: measured next to what the papers published, model by model."""
    from harness_ext.results.show import result_tables

    console = Console()
    try:
        for title, table in result_tables(results_dir, task, model):
            console.print(Text(title, style="bold"), table)
    except FileNotFoundError as error:
        raise _fail(error) from None


class TableFormat(StrEnum):
    """How `published` writes its cells."""

    TABLE = "table"
    CSV = "csv"
    MARKDOWN = "markdown"
    JSON = "json"


@app.command()
def published(
    task: Annotated[str, typer.Argument(help="Such as EpsilonCompositionality.")],
    model: Annotated[str | None, typer.Option(help="Only this model, by the name in the tables.")] = None,
    subset: Annotated[str | None, typer.Option(help="Only this subset, such as en.")] = None,
    format_: Annotated[
        TableFormat, typer.Option("--format", help="csv and json have one entry per cell, with the key in full.")
    ] = TableFormat.TABLE,
) -> None:
    """Show what the papers published for a task: their tables, under the names of our scores.

    Figures in their natural range, with the digits that were printed. Empty where the paper has none, mostly because
    it was not significant. † marks a cell that other cells of its paper contradict, * one that is not the same quantity
    as a score of ours.
    """
    from harness_ext.results.published_tables import cells_as_csv, cells_as_json, published_tables, select_cells

    try:
        cells = select_cells(task, model, subset)
    except LookupError as error:
        raise _fail(error) from None
    if format_ is TableFormat.CSV:
        typer.echo(cells_as_csv(cells), nl=False)
    elif format_ is TableFormat.JSON:
        typer.echo(cells_as_json(cells), nl=False)
    elif format_ is TableFormat.MARKDOWN:
        typer.echo("\n".join(table.markdown() for table in published_tables(cells)), nl=False)
    else:
        console = Console()
        for table in published_tables(cells):
            console.print(Text(table.title, style="bold"), *table.rich(console.width))


@app.command()
def tasks() -> None:
    """List the tasks: data, main score, source."""
    from harness_ext.documentation.tables import tasks_table

    Console().print(tasks_table().rich())


@app.command()
def demo(
    output_folder: Annotated[Path, typer.Option(help="Where the results go.")] = Path("results"),
    hf_home: Annotated[Path, typer.Option(help="The Hugging Face cache to put the encoder into.")] = Path(
        ".cache/huggingface"
    ),
) -> None:
    """Run the small tasks on a real encoder, offline, and show the results. Takes about a minute."""
    import subprocess

    from harness_ext.cli.demo import MODEL, DemoError, run_demo

    try:
        run_demo(output_folder, hf_home)
    except DemoError as error:
        raise _fail(error) from None
    except subprocess.CalledProcessError as error:
        raise typer.Exit(error.returncode) from None
    show(output_folder)
    Console(soft_wrap=True, highlight=False).print(
        "All 44 652 phrases of the Montague test, still offline (a few minutes):\n"
        f"    HF_HOME={hf_home} mteb run -m {MODEL} -t MontagueConsistency --output-folder {output_folder}\n"
        "The measures on the papers' own data (needs a network once):\n"
        f"    mteb run -m {MODEL} -b Compositionality --output-folder {output_folder}\n"
        "Your own model, by its name on the Hub:\n"
        f"    mteb run -m MODEL -t EpsilonCompositionality --output-folder {output_folder}\n"
        "All results so far:\n"
        f"    harness-ext show {output_folder}"
    )


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

    Run it again to go on with what was interrupted.
    """
    from harness_ext.tasks.polarity_finetuning import CLASSIFIERS, FinetuneError, load_model
    from harness_ext.tasks.polarity_finetuning import finetune_pss as finetune
    from harness_ext.data.sources import SourceError

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
        raise _fail(error) from None
    for name, ((scores,)) in result.scores.items():
        for key in ("linear_accuracy", "linear_pss", "dnn_accuracy", "dnn_pss"):
            if f"ft_{key}" in scores:
                typer.echo(f"{name}  {key}: frozen {scores[f'fb_{key}']:.3f}, fine-tuned {scores[f'ft_{key}']:.3f}")


@datasets_app.command("list")
def list_datasets() -> None:
    """List the datasets: configs, splits, licence, source."""
    from harness_ext.documentation.tables import datasets_table

    Console().print(datasets_table().rich())


@datasets_app.command()
def export(
    folder: Annotated[Path, typer.Argument(help="Where to write; each dataset gets a folder in it.")],
    dataset: Annotated[list[str] | None, typer.Option(help="Only this dataset (repeatable).")] = None,
) -> None:
    """Write the datasets as Parquet with their cards: repositories that every version of `datasets` loads."""
    from harness_ext.data.export import export_datasets
    from harness_ext.data.sources import SourceError

    try:
        for path in export_datasets(folder, dataset):
            typer.echo(path)
    except (SourceError, KeyError) as error:
        raise _fail(error) from None
