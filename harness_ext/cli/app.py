"""The command `harness-ext`, and the parts that its commands share."""

import os
import sys
import traceback
from collections.abc import Collection, Iterable
from itertools import chain
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.text import Text
from typer.core import TyperGroup

import harness_ext
from harness_ext.common.files import DISK_ERRORS, FULL
from harness_ext.common.foreign_code import no_exit
from harness_ext.common.interrupt import IntendedExit
from harness_ext.show.listing import Format, Listing, printable, render

GROUPS = {
    "Measure": ("demo", "tasks", "measure", "sweep", "layers", "finetune-pss"),
    "Read": ("show", "explain", "compare", "report"),
    "Decide": ("needs", "check", "safe-to-merge"),
    "Share": ("submit", "verify", "publish", "datasets", "leaderboard"),
}
"""What a user wants -> the commands for it, in the order of the help."""

_PIPE_CLOSED = 141  # the status of a program that SIGPIPE ends, 128 + 13


class _Console(Console):
    """Leaves a closed pipe to `_Commands`; rich would end with 1, the status of checks that
    fail.
    """

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


class _Commands(TyperGroup):
    """Prints on a terminal of any encoding; errors that say everything come without a traceback.

    Those are this project's own, missing files, a full disk. A command whose reader ends first,
    such as `head`, ends without a word.
    """

    def list_commands(self, ctx: Any) -> list[str]:
        return [*chain.from_iterable(GROUPS.values())]

    def get_command(
        self,
        ctx: Any,
        cmd_name: str,
    ) -> Any:
        command: Any = super().get_command(ctx, cmd_name)
        if command is not None:
            groups = [group for group, names in GROUPS.items() if cmd_name in names]
            command.rich_help_panel = groups[0]
        return command

    def main(
        self,
        *args: Any,
        **kwargs: Any,
    ) -> Any:
        for stream in (sys.stdout, sys.stderr):
            # a notebook's stream has none, and needs none
            reconfigure = getattr(stream, "reconfigure", None)
            if reconfigure:
                reconfigure(errors="backslashreplace")
        return super().main(*args, **kwargs)

    def invoke(self, ctx: Any) -> Any:
        try:
            with no_exit("A module or a library that was called"):
                return super().invoke(ctx)
        except BrokenPipeError:
            # for what Python writes out at its end
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, sys.stdout.fileno())
            raise typer.Exit(_PIPE_CLOSED) from None
        except (KeyboardInterrupt, IntendedExit):
            raise
        except BaseException as error:  # else a Rust panic, which is no Exception, would end with 1
            if isinstance(error, OSError) and error.errno in DISK_ERRORS:
                place = f"{error.filename}: " if error.filename else ""
                remedy = "Make room there, or name" if error.errno in FULL else "Name"
                raise fail(f"{place}{error.strerror}. {remedy} another file or folder.") from None
            is_ours = type(error).__module__.startswith("harness_ext.")
            if is_ours or isinstance(error, FileNotFoundError | FileExistsError):
                raise fail(error) from None
            if isinstance(error, typer.Abort) or hasattr(error, "exit_code"):  # of typer
                raise
            traceback.print_exc()
            raise fail(f"{type(error).__name__}: {error}") from None


app = typer.Typer(
    cls=_Commands,
    no_args_is_help=True,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
    help=(
        "Read and compare the results of compositionality tasks, measure your own data, and make "
        "boards.\n\nThe tasks run through mteb: `mteb run -m MODEL -t TASK`. `harness-ext tasks` "
        "lists them."
    ),
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"compositionality-harness {harness_ext.__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool,
        typer.Option(
            "--version", is_eager=True, callback=_print_version, help="Print the version, and exit."
        ),
    ] = False,
) -> None:
    """Options of the command itself. Its help text stands at `app`."""


def fail(
    error: BaseException | str,
    status: int = 2,
) -> typer.Exit:
    """Print the error without a traceback. The status 1 is for failed checks alone: somebody's CI
    reads it.
    """
    # whose text is in quotes
    message = error.args[0] if isinstance(error, KeyError) and error.args else error
    tell(f"Error: {message}")
    return typer.Exit(status)


def tell(message: str) -> None:
    """Print a message to the terminal's errors. A stranger's key or name may be in it: what cannot
    be printed, or moves the cursor, is replaced, and further lines are indented, so that none looks
    like a message of ours.
    """
    lines = [printable(line) for line in message.splitlines()]
    console = Console(stderr=True, soft_wrap=True, highlight=False, markup=False)
    console.print("\n  ".join(lines))


def fail_for(
    problems: Collection[str],
    consequence: str,
    *,
    status: int = 2,
) -> None:
    """Print each problem with its consequence; if there are any, exit with the status, unless that
    is 0.
    """
    for problem in problems:
        fail(f"{problem} {consequence}")
    if problems and status:
        raise typer.Exit(status)


def say(text: str, form: Format) -> None:
    """Print a sentence beside tables; to the terminal's errors where the output is data for a
    program.
    """
    if form == "table":
        _Console(width=width()).print(Text(text))
    else:
        typer.echo(text, err=form in {"csv", "json"})


def width() -> int:
    """The characters in a line: of the terminal, or as COLUMNS says, or 100."""
    console = _Console()
    return console.width if console.is_terminal or "COLUMNS" in os.environ else 100


def print_listings(
    listings: Iterable[Listing],
    form: Format = "table",
) -> None:
    """To the terminal as tables, else as the text of that format.

    No name and no figure is folded. A table that is too wide comes in parts.
    """
    if form != "table":
        typer.echo(render(list(listings), form))
        return
    console = _Console(width=width())
    for whole in listings:
        listing = whole.fitting(console.width)
        if listing.title:
            console.print(Text(listing.title, style="bold"))
        for part in listing.rich(console.width):
            needed = console.measure(part, options=console.options.update(max_width=10_000)).minimum
            _Console(width=max(console.width, needed)).print(part, highlight=False)
        if listing.note:
            console.print(Text(listing.note))
