"""The command that builds a board."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from harness_ext.cli.app import fail, leaderboard_app


@leaderboard_app.command()
def build(
    results: Annotated[
        list[Path],
        typer.Argument(
            help="Folders of results: each the --output-folder of `mteb run`, the --output_path of `lm-eval run`, or a "
            "board's own."
        ),
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="The folder of the site; made if need be.")] = Path(
        "site"
    ),
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 1 if anything is not on the board.")] = False,
    records: Annotated[
        Path | None,
        typer.Option(help="The folder with reruns/ and declined.json; by default the first folder of results."),
    ] = None,
    title: Annotated[str | None, typer.Option(help="The title of the board.")] = None,
    reports: Annotated[
        bool,
        typer.Option(
            "--reports",
            help="Also a report of every model, as of `harness-ext report`, without sentences; see docs/leaderboard.md "
            "for what that takes.",
        ),
    ] = False,
    about: Annotated[str, typer.Option(help="A sentence or two below the title.")] = "",
    allow_unverified: Annotated[
        bool,
        typer.Option(
            "--allow-unverified",
            help="Also show results on data that is not the pinned, hatched and named, each version in its own column.",
        ),
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Write into the folder whatever is in it.")] = False,
) -> None:
    """Build a board: a folder of pages with models × tasks, intervals, and ranks with ties.

    It opens from the disk (index.html), and any web server can serve it. It asks nothing of a network. What cannot be
    read or is refused is left out, and listed on a page of its own.
    """
    from harness_ext.leaderboard.build import TITLE
    from harness_ext.leaderboard.build import build as build_board
    from harness_ext.leaderboard.checks.records import RecordError
    from harness_ext.show.report import ReportError

    try:
        problems = build_board(
            results,
            output,
            records=records,
            title=title or TITLE,
            about=about,
            reports=reports,
            allow_unverified=allow_unverified,
            force=force,
        )
    except (FileNotFoundError, RecordError, ReportError) as error:
        raise fail(error) from None
    typer.echo(f"Written: {(output / 'index.html').absolute()}")
    for problem in problems:
        fail(f"{problem} It is not on the board.")
    if problems and strict:
        raise typer.Exit(1)
