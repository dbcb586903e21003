"""Commands about a user's own data: needs, check, measure; and the verdict on pairs, of this project or their own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args

import typer

from harness_ext.cli.app import app, fail, print_listings, say
from harness_ext.cli.options import BatchSize, FormatOption, OutputFolder
from harness_ext.cli.results import show
from harness_ext.show.extra import FigureFormat, check_extra

if TYPE_CHECKING:
    from harness_ext.show.papers.merging import MergeVerdict

_MERGED, _PLACE = "MergeOppositesMini", ("test", "default")
_MeasureName = Annotated[str, typer.Argument(metavar="MEASURE", help="A measure, such as idiom_paraphrase.")]
_Files = Annotated[
    list[str],
    typer.Argument(metavar="FILE", help="CSV, TSV, JSON, JSONL, Parquet, Excel; or the name of a dataset on the Hub."),
]
Columns = Annotated[
    list[str] | None, typer.Option("--column", help="A column with another name: entailed=better (repeatable).")
]

QuotingOption = Annotated[
    Literal["minimal", "none"] | None,
    typer.Option(help="Quotation marks of CSV and TSV: around cells where needed, or none but those of the texts."),
]


@app.command()
def needs(
    measure: Annotated[str | None, typer.Argument(help="A measure, such as idiom_paraphrase; all if left out.")] = None,
    template: Annotated[
        Path | None, typer.Option(help="Write a CSV file with the header and two example rows.", dir_okay=False)
    ] = None,
    form: FormatOption = "table",
) -> None:
    """List what a measure needs of the rows of your own data: columns, an example, and how many rows tell something."""
    from harness_ext.own_data.fields import MEASURES, own_measure
    from harness_ext.show.needs import fields_listing, measures_listing, write_template

    measures = [own_measure(measure)] if measure else [*MEASURES.values()]
    if template:
        if not measure:
            raise fail("--template: name the measure too: harness-ext needs idiom_paraphrase --template my.csv")
        write_template(measures[0], template)
        typer.echo(f"{template} has the header and two example rows. Put your own in their place, then check them:")
        typer.echo(f"    harness-ext check {template} {measures[0].name}")
        return
    print_listings([*map(fields_listing, measures)] if measure else [measures_listing(measures)], form)


@app.command()
def check(
    file: Annotated[str, typer.Argument(help="Your rows.")],
    measure: Annotated[
        str | None, typer.Argument(help="By default the measure that needs most of its columns.")
    ] = None,
    column: Columns = None,
    quoting: QuotingOption = None,
) -> None:
    """Name every row of your own data that does not fit, before a model is loaded. The exit status is then 1.

    It is 1 too if units are too few, and 2 if there are no such rows to check, as of a wrong file or column.
    """
    from harness_ext.own_data.fields import own_measure
    from harness_ext.own_data.fitting_measure import guessed_measure, smallest_gain
    from harness_ext.own_data.own_rows import own_rows
    from harness_ext.own_data.own_table import OwnDataError, read_own_table

    table, columns = read_own_table([file], quoting), named_columns(column)
    checked = own_rows(own_measure(measure) if measure else guessed_measure(table, columns), table, columns)
    for message in checked.errors:
        fail(message)
    for message in checked.warnings:
        typer.echo(f"Look at it: {message}")
    of = checked.measure
    typer.echo(f"{len(checked.rows)} rows fit {of.name}, {len(checked.errors)} do not.")
    if checked.errors:
        raise typer.Exit(1)
    try:
        checked.check()
    except OwnDataError as error:
        raise fail(error, status=1) from None
    units = checked.unit_count()
    gain = smallest_gain(of, units)
    typer.echo(f"{of.main} is of {units} units ({of.unit}). The smallest gain that so many show is about {gain:.2f}.")


@app.command("measure")
def measure_own(
    measure: _MeasureName,
    file: _Files,
    model: Annotated[list[str], typer.Option("--model", "-m", help="A model, as for `mteb run` (repeatable).")],
    name: Annotated[str | None, typer.Option(help="Of the task, own/NAME; by default that of the file.")] = None,
    language: Annotated[str, typer.Option(help="Of the rows, such as deu-Latn.")] = "und-Zyyy",
    column: Columns = None,
    quoting: QuotingOption = None,
    output_folder: OutputFolder = Path("results"),
    batch_size: BatchSize = 32,
    form: FormatOption = "table",
) -> None:
    """Measure encoders on your own data: any file with the columns that a measure needs.

    `harness-ext needs` lists the measures and their columns, `harness-ext check FILE` names the rows that do not fit.
    The results are of a task `own/NAME`, which `show`, `compare`, `report` and the other commands take as any other.
    The folder of the results keeps where the file is, and no text of it.
    """
    from harness_ext.own_data.own_task import OwnPlace, declared, measure_models

    place = OwnPlace(measure, tuple(file), named_columns(column), language, quoting)
    rows = place.rows()
    for message in rows.warnings:
        say(f"Look at it: {message}", form)
    task = declared(name or Path(file[0]).stem, rows)
    place.write(output_folder, task.name)
    names = measure_models(task, model, output_folder, batch_size)
    show(output_folder, [task.name], names, form=form)


@app.command("safe-to-merge")
def safe_to_merge(
    model: Annotated[list[str], typer.Option("--model", "-m", help="A model, as for `mteb run` (repeatable).")],
    at_most: Annotated[
        float,
        typer.Option(
            help="The share of opposites that may be merged. The exit status is 1 if all models merge more, 2 if none "
            "was measured.",
            min=0,
            max=1,
        ),
    ] = 0.2,
    threshold: Annotated[
        float | None,
        typer.Option(
            help="The cosine from which you merge. Default: the one that keeps 90 % of the paraphrases together.",
            min=-1,
            max=1,
        ),
    ] = None,
    pairs: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Your own pairs: columns first, second, and kind, which is `same` for pairs that may be merged.",
        ),
    ] = None,
    column: Columns = None,
    quoting: QuotingOption = None,
    curve: Annotated[
        Path | None,
        typer.Option(
            help="Write hit rates and false merges at all thresholds: .csv, or a picture, .svg, .pdf or .png.",
            dir_okay=False,
        ),
    ] = None,
    form: FormatOption = "table",
) -> None:
    """Say whether an encoder may decide which texts are the same: in a semantic cache, deduplication, a memory.

    156 sentences of this project, each with a paraphrase and an opposite in nearly the same words. At the threshold
    that keeps 90 % of the paraphrases together: how many opposites are merged, of which kinds, and which pairs are the
    worst. Needs no download but that of the model. Nothing is written but --curve. With --pairs, the same of your own
    pairs: `harness-ext needs merge_opposites` explains the columns. Of several models, a table, the best first, and
    paired differences. CSV and JSON have the shares that are merged, a record per kind of pair, with their intervals.
    """
    from harness_ext.own_data.own_task import OwnPlace
    from harness_ext.show.papers.merging import model_differences, models, write_curve

    rows: list[dict[str, Any]] | None = None
    if pairs:  # read before a model is loaded
        own = OwnPlace("merge_opposites", (pairs,), named_columns(column), quoting=quoting).rows()
        for message in own.warnings:
            say(f"Look at it: {message}", form)
        own.check()
        rows = own.rows
    if curve and curve.suffix != ".csv":
        if curve.suffix not in (kinds := [f".{form}" for form in get_args(FigureFormat)]):
            raise fail(f"--curve {curve}: a name that ends with .csv, {', '.join(kinds)} expected.")
        check_extra()
    verdicts = [_merge_verdict(name, rows, pairs or _MERGED, at_most, threshold) for name in model]
    if curve:
        write_curve(verdicts, curve)
    if len(verdicts) > 1:
        print_listings([models(verdicts), model_differences(verdicts)], form)
    else:
        (verdict,) = verdicts
        say(" ".join(filter(None, (verdict.verdict(), verdict.alike()))), form)
        print_listings([verdict.kinds(), verdict.worst()], form)
        say(verdict.advice(), form)
    if not any(verdict.is_safe for verdict in verdicts):
        raise typer.Exit(1)


def _merge_verdict(
    model: str, rows: list[dict[str, Any]] | None, data: str, at_most: float, threshold: float | None
) -> MergeVerdict:
    """Measure a model on pairs, by default on those of this project."""
    import mteb
    from mteb.timing import TimingStack

    from harness_ext.harnesses.mteb.registration import load_model
    from harness_ext.harnesses.mteb.task import AbsTaskCompositionality
    from harness_ext.measures.core.undefined import check_main_score
    from harness_ext.show.papers.merging import MergeVerdict
    from harness_ext.tasks.merge_opposites import MERGE_OPPOSITES

    encoder = load_model(model)
    task = mteb.get_task(_MERGED)
    assert isinstance(task, AbsTaskCompositionality)
    if rows is None:
        task.load_data()
        rows = task.rows(*_PLACE)
    seen = task.encoder(encoder, *_PLACE, {"show_progress_bar": False}, TimingStack())
    plan = MERGE_OPPOSITES.planned(rows, "")
    items = MERGE_OPPOSITES.fill(plan, seen)
    check_main_score(MERGE_OPPOSITES, MERGE_OPPOSITES.score(items).flat(), items, data, model)
    return MergeVerdict(str(encoder.mteb_model_meta.name), items, plan, at_most, threshold)


def named_columns(column: Sequence[str] | None) -> dict[str, str]:
    """Field -> its column, of `--column`."""
    pairs = dict(option.partition("=")[::2] for option in column or ())
    if wrong := [field for field, named in pairs.items() if not named]:
        raise fail(f"--column {wrong[0]}: FIELD=COLUMN expected, such as entailed=better.")
    return pairs
