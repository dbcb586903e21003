"""Arguments and options that several commands of `harness-ext` have."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from harness_ext.cli.app import fail
from harness_ext.show.listing import Format

_RESULTS_DIR = typer.Argument(
    help=(
        "The --output-folder of `mteb run`, the --output_path of `lm-eval run`, or a folder with "
        "both."
    )
)
ResultsDir = Annotated[Path, _RESULTS_DIR]
ResultsDirIfAny = Annotated[Path | None, _RESULTS_DIR]
Tasks = Annotated[
    list[str] | None, typer.Option("--task", "-t", help="Only this task (repeatable).")
]
Models = Annotated[
    list[str] | None,
    typer.Option(
        "--model", "-m", help="Only this model, or a clear part of its name (repeatable)."
    ),
]
Revision = Annotated[
    str | None, typer.Option(help="The revision, if there are results of several.")
]
OutputFolder = Annotated[Path, typer.Option(help="Folder of the results, as for `mteb run`.")]
BatchSize = Annotated[int, typer.Option(help="Texts per batch.", min=1)]
Org = Annotated[
    str, typer.Option(help="The organization or user of the Hub to whom the datasets belong.")
]
FormatOption = Annotated[Format, typer.Option("--format", help="Format of the output.")]
Columns = Annotated[
    list[str] | None,
    typer.Option(
        "--column",
        help="A column with another name: entailed=better (repeatable). Several columns of one "
        "field make a row each.",
    ),
]
Force = Annotated[
    bool, typer.Option("--force", help="Write into the folder even if it is not empty.")
]

_LISTS = {"--tasks", "-t", "--benchmarks", "-b"}


class WithLists(TyperCommand):
    """A command that accepts `-t A B`, as `mteb run` does; click alone accepts only `-t A -t B`."""

    def parse_args(
        self,
        ctx: Any,
        args: list[str],
    ) -> list[str]:
        """Repeat the option before each of its values."""
        return super().parse_args(ctx, list(_repeated(args)))


def _repeated(args: list[str]) -> Iterator[str]:
    """Rewrite `-t A B` as `-t A -t B`."""
    option = None
    for before, arg in zip(["", *args], args, strict=False):
        if arg.startswith("-"):
            option = arg if arg in _LISTS else None
        elif option and before != option:
            yield option
        yield arg


def named_columns(options: Sequence[str] | None) -> dict[str, str | list[str]]:
    """Field -> its column, of `--column`; or its columns, where it is given several times."""
    columns: dict[str, str | list[str]] = {}
    for text in options or ():
        ((field, column),) = named([text]).items()
        earlier = columns.get(field, [])
        listed = [earlier] if isinstance(earlier, str) else earlier
        columns[field] = [*listed, column] if listed else column
    return columns


def named(
    options: Sequence[str] | None,
    option: str = "--column",
    example: str = "entailed=better",
) -> dict[str, str]:
    """Two words of each: field -> its column, of `--column`; word of the file -> the value that it
    means.
    """
    pairs: dict[str, str] = {}
    for text in options or ():
        word, _, other = text.partition("=")
        pairs[word] = other
    wrong = [word for word, other in pairs.items() if not other]
    if wrong:
        raise fail(f"{option} {wrong[0]}: two words with = between expected, such as {example}.")
    return pairs
