"""Commands about boards and the Hub: submit, publish, verify, leaderboard init, leaderboard
build.
"""

import shlex
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Literal

import typer

from harness_ext.cli.app import app, fail, fail_for, print_listings, say, tell
from harness_ext.cli.options import Force, FormatOption, ResultsDir, Revision, Tasks

leaderboard_app = typer.Typer(
    no_args_is_help=True,
    help="Make your own board: results, checked and ranked, as pages to publish.",
)
app.add_typer(leaderboard_app, name="leaderboard")


@app.command()
def submit(
    results_dir: ResultsDir,
    model: Annotated[
        str, typer.Option("--model", "-m", help="The model whose results are submitted.")
    ],
    output: Annotated[
        Path,
        typer.Option("--output", "-o", help="The folder to write; must not exist or be empty."),
    ] = Path("submission"),
    revision: Revision = None,
    task: Tasks = None,
    form: FormatOption = "table",
) -> None:
    """Write a pull request to a board: the folder of a model's results and the text, after the
    checks of a board.

    Nothing is sent anywhere. The exit status is 1 if a board would refuse the results; each reason
    is listed.
    """
    from harness_ext.common.model_name import LOCAL
    from harness_ext.leaderboard.checks.declared import NOT_RERUN
    from harness_ext.leaderboard.submission import SubmissionError
    from harness_ext.leaderboard.submission import submit as write_submission
    from harness_ext.leaderboard.verification_tables import cells_table, findings_table

    try:
        verification = write_submission(results_dir, model, output, revision=revision, tasks=task)
    except SubmissionError as error:
        if error.findings:
            print_listings([findings_table(error.findings, results_dir)], form)
        raise fail(error, status=1 if error.findings else 2) from None
    print_listings([cells_table(verification.cells)], form)
    if verification.cells[0].entry.model.startswith(LOCAL):
        say(NOT_RERUN, form)
    branch = shlex.quote(next((output / "results").iterdir()).name)
    for line in (
        f"Written: {output / 'results'}, and the text of the pull request: "
        f"{output / 'PULL_REQUEST.md'}",
        "In a checkout of the board's repository:",
        f"    git switch -c {branch} && cp -r {shlex.quote(str(output.absolute() / 'results'))} .",
        f'    git add results && git commit -m "Results of {model}" && git push -u origin {branch}',
    ):
        say(line, form)


@app.command()
def publish(
    results_dir: ResultsDir,
    model: Annotated[
        str | None,
        typer.Option(
            "--model",
            "-m",
            help="The model whose results are published; with every-eval-ever, default: all.",
        ),
    ] = None,
    form: Annotated[
        Literal["hub", "every-eval-ever"],
        typer.Option(
            "--format",
            help=(
                "Files for the Hub, or for Every Eval Ever: all scores with their intervals, and "
                "the items as samples."
            ),
        ),
    ] = "hub",
    org: Annotated[
        str | None,
        typer.Option(
            help=(
                "The organization or user of the Hub to whom the datasets belong; with "
                "every-eval-ever, who publishes the results."
            )
        ),
    ] = None,
    to: Annotated[Path, typer.Option("--to", help="The folder to write.", file_okay=False)] = Path(
        "published"
    ),
    items: Annotated[
        str | None,
        typer.Option(
            metavar="URL", help="The published `results` folder of a board: scores link to it."
        ),
    ] = None,
    revision: Revision = None,
    task: Tasks = None,
) -> None:
    """Write results for others: the files that show a model's main scores on its page of the Hub
    and on leaderboards (`.eval_results/`), or files in the schema of Every Eval Ever.

    Nothing is sent anywhere. The Hub's files need -m and --org. Results of other data or another
    version of a measure than today's are named and left out of them. `datasets export --org` writes
    the leaderboards.

    With --format every-eval-ever, each result file becomes `data/…/UUID.json` (schema 0.3.0: every
    score that has an interval, with level and method) and `UUID_samples.jsonl`: a line per
    compound, pair or other unit, with its value in the main score. No sentence is in them.
    """
    if form == "every-eval-ever":
        from harness_ext.leaderboard.every_eval_ever import publish as write_logs

        files, problems = write_logs(
            results_dir,
            to,
            model=model,
            revision=revision,
            organization=org or "unknown",
            tasks=task,
        )
    else:
        from harness_ext.leaderboard.hub import publish as write_all

        if model is None or org is None:
            missing = "--model" if model is None else "--org"
            raise typer.BadParameter("the files for the Hub need it.", param_hint=missing)
        try:
            files, problems = write_all(
                results_dir, model, to, org, items=items, revision=revision, tasks=task
            )
        except ValueError as error:
            raise fail(error) from None
    for file in files:
        typer.echo(f"Written: {file}")
    fail_for(problems, "It is left out.")


@app.command()
def verify(
    folder: Annotated[Path, typer.Argument(help="A submission: a folder with `results/` in it.")],
    against: Annotated[
        Path | None,
        typer.Option(
            help="The board to submit to. Only files that differ from it are checked and compared."
        ),
    ] = None,
    is_board: Annotated[
        bool, typer.Option("--board", help="The folder is a board itself: its reruns count.")
    ] = False,
    rerun: Annotated[
        bool,
        typer.Option(
            "--rerun",
            help="Also run the models, through mteb; needs --by, and --against or --board.",
        ),
    ] = False,
    by: Annotated[str, typer.Option(help="The name of the person who signs the reruns.")] = "",
    task: Tasks = None,
    allow_changes: Annotated[
        bool,
        typer.Option(
            "--allow-changes",
            help="Allow the submission to replace results and metadata of the board.",
        ),
    ] = False,
    form: FormatOption = "table",
) -> None:
    """List what is wrong in a submission, as a maintainer would. A finding names file, key, value
    found and expected.

    Scores are recomputed from the items, and the rows of the items compared with the pinned
    datasets, by shipped digests or the data themselves. Nothing in the folder is executed,
    unpickled or followed. `--rerun` runs the models that mteb knows by the submitted names and
    revisions, which is code of others: do it where you would run them anyway. Its records go to
    `reruns/` of the board (`--against`, `--board`), and are read there alone.

    Exit status: 0 nothing is wrong; 1 something is, and the submission is to be refused, or rows
    could not be compared; 2 the command line is wrong; 3 nothing is wrong, but a rerun gave other
    scores or was not possible.
    """
    import pyarrow

    from harness_ext.leaderboard.checks.verify import verify as verified
    from harness_ext.leaderboard.verification_tables import cells_table, findings_table
    from harness_ext.results.load import check_tasks

    # which the arrays share: Arrow's own keeps what it frees
    pyarrow.set_memory_pool(pyarrow.system_memory_pool())
    check_tasks(task or ())
    if rerun and not by:
        raise typer.BadParameter("--rerun needs --by, the name that stands in its records.")
    board = folder if is_board else against
    if rerun and board is None:
        raise typer.BadParameter(
            "--rerun needs the board, to which its records go: --against BOARD, or --board."
        )
    check = partial(
        verified, folder, against, is_board=is_board, allow_changes=allow_changes, tasks=task
    )
    verification = check()
    if rerun and board and not verification.is_refused:
        from harness_ext.leaderboard.checks.rerun import rerun as run_again

        unconfirmed = []
        for record, differing in run_again([cell.entry for cell in verification.cells], by):
            if record:
                typer.echo(f"Written: {record.write(board)}", err=True)
            unconfirmed += differing
        verification = replace(check(), unconfirmed=tuple(unconfirmed))  # with the records
    quoted = form == "markdown"
    tables = (
        cells_table(verification.cells, quoted=quoted),
        findings_table([*verification.findings, *verification.unconfirmed], folder, quoted=quoted),
    )
    print_listings([table for table in tables if table.rows], form)
    for cell in verification.uncompared:
        fail(
            f"{cell.entry.file}: the rows of {cell.entry.data} could not be compared with the "
            "pinned ones."
        )
    if form in {"table", "markdown"}:
        typer.echo(f"\n{verification.conclusion}")
    if verification.exit_status:
        raise typer.Exit(verification.exit_status)


@leaderboard_app.command()
def init(
    folder: Annotated[
        Path, typer.Argument(help="The repository to make; must not exist or be empty.")
    ],
    install: Annotated[
        str,
        typer.Option(
            metavar="SPEC",
            help=(
                "What the board installs: `compositionality-harness @ git+URL@COMMIT`, or `… @ "
                "URL#sha256=HASH`."
            ),
        ),
    ] = "",
    title: Annotated[
        str, typer.Option(help="The title of the board.")
    ] = "Compositionality leaderboard",
) -> None:
    """Make a repository for your own board: a folder for results, workflows that check them and
    publish the pages.

    One workflow verifies every pull request and answers it with what it found, another builds and
    publishes the site, a CONTRIBUTING text and a note on licenses. It can be public, or inside a
    company. The workflows install a commit or a file with a hash. Before a release on the package
    index, take the commit that you have read.
    """
    from harness_ext.leaderboard.repository import init as make

    try:
        written = make(folder, title, install)
    except ValueError as error:
        raise fail(error) from None
    for path in written:
        typer.echo(path)
    if not install:
        tell(
            "Still to do: name a commit or a hash in the step Install of the workflows, which fail "
            "until then. --install does it for you."
        )


@leaderboard_app.command()
def build(
    results: Annotated[
        list[Path],
        typer.Argument(
            help=(
                "Folders of results: each the --output-folder of `mteb run`, the --output_path of "
                "`lm-eval run`, or a board's own; the first may have reruns/."
            )
        ),
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="The folder of the site.")] = Path(
        "site"
    ),
    strict: Annotated[
        bool,
        typer.Option(
            "--strict",
            help="Exit with 1 if anything is not on the board, or rows could not be compared.",
        ),
    ] = False,
    title: Annotated[
        str, typer.Option(help="The title of the board.")
    ] = "Compositionality leaderboard",
    about: Annotated[str, typer.Option(help="A sentence or two below the title.")] = "",
    force: Force = False,
) -> None:
    """Build a board: a folder of pages with models × tasks, intervals, and ranks with ties.

    It opens from the disk (index.html), and any web server can serve it. It asks nothing of a
    network. What cannot be read or is refused is left out, and listed on a page of its own.
    """
    from harness_ext.leaderboard.build import build as build_board

    problems = build_board(results, output, title=title, about=about, force=force, strict=strict)
    typer.echo(f"Written: {(output / 'index.html').absolute()}")
    fail_for(problems, "", status=int(strict))
