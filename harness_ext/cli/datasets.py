"""Commands about the datasets: list them, export them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from harness_ext.cli.app import app, fail, print_listings

datasets_app = typer.Typer(no_args_is_help=True, help="The datasets: list them, export them as Parquet.")
app.add_typer(datasets_app, name="datasets")


@datasets_app.command("list")
def list_datasets() -> None:
    """List the datasets: configs, splits, licence, source."""
    from harness_ext.documentation.tables import datasets_table

    print_listings([datasets_table()])


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
        raise fail(error) from None
