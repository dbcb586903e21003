"""The command that writes a report."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from harness_ext.cli.app import app, fail
from harness_ext.cli.results import Models, ResultsDir, Tasks


@app.command()
def report(
    results_dir: ResultsDir,
    output: Annotated[Path, typer.Option("--output", "-o", help="The folder to write; made if need be.")] = Path(
        "report"
    ),
    task: Tasks = None,
    model: Models = None,
    figures: Annotated[
        Literal["pdf", "svg", "png"] | None,
        typer.Option(help="Also write every picture in this format, with its caption, into the subfolder figures."),
    ] = None,
    sentences: Annotated[
        bool,
        typer.Option(help="Show sentences of the datasets that are at hand. Check their licences before you publish."),
    ] = True,
    force: Annotated[bool, typer.Option("--force", help="Write into the folder whatever is in it.")] = False,
) -> None:
    """Write a report: a folder of pages with the results in words, pictures, tables and single examples.

    It opens from the disk (index.html), and asks nothing of a network. Results without items, or files that cannot be
    read, are listed on a page of their own, and the exit status is then 1.
    """
    from harness_ext.results.load import load_results
    from harness_ext.show.report import ReportError, write_report

    try:
        problems = write_report(
            load_results(results_dir, task, model), output, sentences=sentences, figures=figures, force=force
        )
    except (FileNotFoundError, ReportError) as error:
        raise fail(error) from None
    typer.echo(f"Written: {(output / 'index.html').absolute()}")
    for problem in problems:
        fail(f"{problem} It is not in the report.")
    if problems:
        raise typer.Exit(1)
