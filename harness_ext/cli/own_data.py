"""Commands about a user's own data: needs, check, measure."""

import shlex
from pathlib import Path
from typing import Annotated

import typer

from harness_ext.cli.app import app, fail, print_listings, say
from harness_ext.cli.options import (
    BatchSize,
    Columns,
    FormatOption,
    OutputFolder,
    named,
    named_columns,
)
from harness_ext.cli.results import show

_Files = Annotated[
    list[str],
    typer.Argument(
        metavar="FILE",
        help="CSV, TSV, JSON, JSONL, Parquet, Excel; or the name of a dataset on the Hub.",
    ),
]


@app.command()
def needs(
    measure: Annotated[
        str | None, typer.Argument(help="A measure, such as triplets; default: all.")
    ] = None,
    template: Annotated[
        Path | None,
        typer.Option(
            help="Write a file with a header and two example rows: .csv, .xlsx.", dir_okay=False
        ),
    ] = None,
    form: FormatOption = "table",
) -> None:
    """List the columns that a measure needs in your own data, an example, and the smallest gain
    that it can find.
    """
    from harness_ext.own_data.fields import MEASURES, measure_named
    from harness_ext.own_data.fitting_measure import examples
    from harness_ext.show.needs import fields_listing, measures_listing, write_rows

    measures = [measure_named(measure)] if measure else [*MEASURES.values()]
    if template:
        if not measure:
            raise fail(
                "--template: name the measure too: harness-ext needs triplets --template my.csv"
            )
        write_rows(examples(measures[0], 2), template)
        typer.echo(
            f"{template} has the header and two example rows. Put your own in their place, then "
            "check them:"
        )
        typer.echo(f"    harness-ext check {template} {measures[0].name}")
        return
    if measure:
        print_listings([fields_listing(measures[0])], form)
    else:
        print_listings([measures_listing(measures)], form)


@app.command()
def check(
    file: Annotated[str, typer.Argument(help="Your rows.")],
    measure: Annotated[
        str | None,
        typer.Argument(help="The measure; default: the one that needs most of the columns."),
    ] = None,
    column: Columns = None,
    value: Annotated[
        list[str] | None,
        typer.Option(help="What a word of the file means: idiomatic=NC (repeatable)."),
    ] = None,
    separator: Annotated[
        str | None, typer.Option(help="The separator of several values in a cell.")
    ] = None,
    decimal_comma: Annotated[
        bool,
        typer.Option("--decimal-comma", help="Numbers have a comma before their decimals: 4,5."),
    ] = False,
    save: Annotated[
        Path | None,
        typer.Option(
            help="Write the rows as they are read, .csv or .xlsx: a file that needs no option."
        ),
    ] = None,
) -> None:
    """List the rows of your own data that do not fit, before a model is loaded. The exit status is
    then 1.

    It is 1 too if units are too few, and 2 if nothing can be checked: the file or a column is
    wrong.
    """
    from harness_ext.own_data.fields import measure_named
    from harness_ext.own_data.fitting_measure import (
        as_read,
        first_lists,
        guessed_measure,
        smallest_gain,
    )
    from harness_ext.own_data.row_errors import grouped
    from harness_ext.own_data.rows import rows_for_measure
    from harness_ext.own_data.table import OwnDataError, table_of_files
    from harness_ext.show.needs import check_new_file, write_rows

    if save:
        check_new_file(save)
    table = table_of_files([file])
    columns = named_columns(column)
    values = named(value, "--value", "idiomatic=NC")
    of = measure_named(measure) if measure else guessed_measure(table, columns)
    checked = rows_for_measure(
        of,
        table,
        columns,
        values=values,
        separator=separator,
        has_decimal_commas=decimal_comma,
    )
    for message in grouped(checked.errors):
        fail(message)
    for message in checked.warnings:
        typer.echo(f"Look at it: {message}")
    typer.echo(f"{len(checked.rows)} rows fit {of.name}, {len(checked.errors)} do not.")
    lists = first_lists(checked)
    if lists:
        typer.echo(f"The first row has {lists}.")
    if checked.errors:
        raise typer.Exit(1)
    try:
        checked.check()
    except OwnDataError as error:
        raise fail(error, status=1) from None
    units = checked.unit_count()
    for tie in checked.ties():
        typer.echo(f"Look at it: {tie}")
    gain = smallest_gain(of, checked.ranked_unit_count())
    typer.echo(
        f"{of.main} is of {units} units ({of.unit}). The smallest gain that so many show is about "
        f"{gain:.2f}."
    )
    lost = checked.left_out()
    if lost:
        typer.echo(f"Left out of some scores: {lost}.")
    if save:
        write_rows(as_read(checked), save)
    options = [f"--column={text}" for text in column or ()]
    options += [f"--value={text}" for text in value or ()]
    if separator:
        options.append(f"--separator={separator}")
    if decimal_comma:
        options.append("--decimal-comma")
    if save:
        line = ["measure", of.name, str(save), "-m", "MODEL"]
    elif value or separator or decimal_comma:  # which `measure` does not take
        line = ["check", file, of.name, *options, "--save", f"{Path(file).stem}_as_read.csv"]
    else:
        line = ["measure", of.name, file, "-m", "MODEL", *options]
    typer.echo(f"Next:\n    {shlex.join(['harness-ext', *line])}")


@app.command("measure")
def measure_own(
    measure: Annotated[str, typer.Argument(help="A measure, such as triplets.")],
    file: _Files,
    model: Annotated[
        list[str], typer.Option("--model", "-m", help="A model, as for `mteb run` (repeatable).")
    ],
    name: Annotated[
        str | None, typer.Option(help="Name of the task, own/NAME; default: the name of the file.")
    ] = None,
    language: Annotated[
        str, typer.Option(help="Language of the rows, such as deu-Latn.")
    ] = "und-Zyyy",
    column: Columns = None,
    output_folder: OutputFolder = Path("results"),
    batch_size: BatchSize = 32,
    form: FormatOption = "table",
) -> None:
    """Get the scores of encoders on your own data: any file with the columns that a measure needs.

    `harness-ext needs` lists the measures and their columns, `harness-ext check FILE` names the
    rows that do not fit. The results are of a task `own/NAME`, which `show`, `compare`, `report`
    and the other commands take as any other. The folder of the results keeps where the file is, and
    no text of it.
    """
    from harness_ext.encoders.models.registry import check_name
    from harness_ext.own_data.task import OwnPlace, declared, measure_models

    for each in model:  # before the first of them is measured
        check_name(each)
    place = OwnPlace(measure, tuple(file), named_columns(column), language)
    rows = place.rows()
    for message in rows.warnings:
        say(f"Look at it: {message}", form)
    task = declared(name or Path(file[0]).stem, rows)
    place.write(output_folder, task.name)
    names = measure_models(task, model, output_folder, batch_size)
    show(output_folder, [task.name], names, form=form)
