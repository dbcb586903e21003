"""The command itself, and what its commands share."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.console import Console, RenderableType

import harness_ext

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
    help=(
        "Is a text encoder's meaning compositional where language is, and holistic where language is not?\n\n"
        "The tasks themselves run through mteb: `mteb run -m MODEL -t EpsilonCompositionality`. "
        "This command shows their results and handles their datasets."
    ),
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"compositionality-harness {harness_ext.__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_print_version, help="Print the version, and exit.")
    ] = False,
) -> None:
    """Options of the command itself; its help is that of `app`."""


def fail(error: Exception | str) -> typer.Exit:
    """Say what is wrong without a traceback."""
    message = error.args[0] if isinstance(error, KeyError) and error.args else error  # whose text is in quotes
    Console(stderr=True, soft_wrap=True, highlight=False, markup=False).print(f"Error: {message}")
    return typer.Exit(1)


def print_wide(console: Console, *parts: RenderableType) -> None:
    """Print tables whole, wider than the terminal if need be: a folded name or figure cannot be read or copied."""
    unlimited = console.options.update(max_width=10_000)
    width = max(console.measure(part, options=unlimited).maximum for part in parts)
    Console(width=max(width, console.width)).print(*parts, highlight=False)
