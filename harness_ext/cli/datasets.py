"""Commands about the datasets: list them, look for their files, export them."""

from pathlib import Path
from typing import Annotated

import typer

from harness_ext.cli.app import app, fail, print_listings
from harness_ext.cli.options import FormatOption, Org
from harness_ext.show.listing import Listing

datasets_app = typer.Typer(
    no_args_is_help=True, help="List the datasets, look for their files, or export them as Parquet."
)
Datasets = Annotated[list[str] | None, typer.Option(help="Only this dataset (repeatable).")]
app.add_typer(datasets_app, name="datasets")


@datasets_app.command("list")
def list_datasets(form: FormatOption = "table") -> None:
    """List the datasets: configs, splits, license, source."""
    from harness_ext.show.catalogue import datasets_table

    print_listings([datasets_table()], form)


@datasets_app.command()
def check(
    dataset: Datasets = None,
    form: FormatOption = "table",
) -> None:
    """List every source file: here, to be downloaded, or refused. Downloads nothing.

    The exit status is 1 if some cannot be had.
    """
    from harness_ext.data.check import check_sources

    states = list(check_sources(dataset))
    rows = tuple(
        (source.dataset, source.config, source.file, source.state, source.detail)
        for source in states
    )
    header = ("dataset", "config", "file", "state", "reason")
    print_listings(
        [
            Listing(
                header,
                rows,
                labels=3,
                prose=1,
            )
        ],
        form,
    )
    unusable = [source for source in states if source.state in {"missing", "refused"}]
    lacking = dict.fromkeys(f"{source.dataset} ({source.config})" for source in unusable)
    if lacking:
        raise fail(
            f"files of {', '.join(lacking)} cannot be had. A task that needs one of them is left "
            "out of a run, which then ends with its name; the others run.",
            status=1,
        )


@datasets_app.command()
def export(
    folder: Annotated[
        Path,
        typer.Argument(
            help="The folder to write; each dataset gets a folder in it.", file_okay=False
        ),
    ],
    dataset: Datasets = None,
    org: Org = "",
) -> None:
    """Write the datasets as Parquet with their cards: repositories that every version of `datasets`
    loads.

    With `--org`, each is a leaderboard on the Hub: `ORG/NAME/` gets an `eval.yaml` with its tasks.
    """
    from harness_ext.data.export import export_datasets
    from harness_ext.leaderboard.hub import export_leaderboards

    written = export_leaderboards(folder, org, dataset) if org else export_datasets(folder, dataset)
    for path in written:
        typer.echo(path)
