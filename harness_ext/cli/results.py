"""Commands about results: show, compare, relate, report, published, explain, power, schema."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Literal

import typer

from harness_ext.cli.app import app, fail, fail_for, print_listings
from harness_ext.cli.options import Force, FormatOption, Models, ResultsDir, Tasks
from harness_ext.show.listing import record_text


@app.command()
def show(
    results_dir: ResultsDir,
    task: Tasks = None,
    model: Models = None,
    details: Annotated[bool, typer.Option("--details", help="Show every score, not only the main scores.")] = False,
    signature: Annotated[bool, typer.Option("--signature", help="The signature of each score, a line each.")] = False,
    layers: Annotated[
        bool, typer.Option("--layers", help="The layers of each model that has results of `harness-ext layers`.")
    ] = False,
    form: FormatOption = "table",
) -> None:
    """Show results: main scores with their intervals, chance, and the papers' published figures.

    Of other tasks of mteb, shows each model that was also run as `MODEL (own words)`, and its gain over them.
    A file that cannot be read is named and left out, and the exit status is then 1. CSV and JSON have a record per
    result, with numbers; with --details one per score. `harness-ext explain KEY` says what a score means.
    """
    from harness_ext.results.entry import Results
    from harness_ext.results.load import named_models, no_result, read_folder
    from harness_ext.results.other_tasks import other_tasks
    from harness_ext.show.result_tables import details as all_scores
    from harness_ext.show.result_tables import layer_tables, of_other_tasks, result_records, summary

    results = read_folder(results_dir, task)
    others = [] if task or signature or layers or details else other_tasks(results_dir)
    if not (results.entries or results.problems or others):
        raise no_result(results_dir, task)
    there = {entry.model for entry in results.entries} | {other.model for other in others}
    models = named_models(model, there, results_dir, results.problems) if model else there
    entries = [entry for entry in results.entries if entry.model in models]
    others = [other for other in others if other.model in models]
    if signature:
        for entry in entries:
            typer.echo(entry.signature or f"{entry.file}: no signature; it was made by another program")
    elif form in {"csv", "json"}:
        records = Results(tuple(entries), ()).records(all_scores=True) if details else result_records(entries, others)
        typer.echo(record_text([*records], form))
    elif layers:
        if not (tables := list(layer_tables(entries))):
            raise fail(f"{results_dir}: no results of single layers. Measure them: harness-ext layers -m MODEL -t TASK")
        print_listings(tables, form)
    elif details:
        print_listings([listing for entry in entries for listing in all_scores(entry)], form)
    else:
        print_listings([*(summary(entries) if entries else ()), *([of_other_tasks(others)] if others else ())], form)
    fail_for(results.problems, "It is left out.")


@app.command()
def compare(
    results_dir: ResultsDir,
    model: Annotated[
        list[str] | None,
        typer.Option("--model", "-m", help="At least two (repeatable), or clear parts of their names; by default all."),
    ] = None,
    task: Tasks = None,
    by: Annotated[
        str | None, typer.Option(help="Compare slices: class, type, direction …, not the main scores.")
    ] = None,
    score: Annotated[
        str | None,
        typer.Option(help='Compare the score with this key, not the main scores; "gain": the gains over own words.'),
    ] = None,
    common_units: Annotated[
        bool, typer.Option("--common-units", help="Compare also models with few units in common.")
    ] = False,
    all_pairs: Annotated[bool, typer.Option("--pairs", help="A line per pair, also of more than two models.")] = False,
    only_ranks: Annotated[bool, typer.Option("--ranks", help="The ranks of each model, also overall.")] = False,
    form: FormatOption = "table",
) -> None:
    """Compare models on the same compounds, phrases, pairs or trees: differences, intervals, p-values.

    p-values are two-sided, and corrected by Holm's method over all that is shown. CSV and JSON have a record per pair,
    under the names of `harness_ext.results.compare.Comparison`; with --ranks one per model and score, under the names
    of a board's data. Nothing is run: the items beside the results hold all that is needed. A single model is shown
    beside its own words and encoders that know nothing.
    """
    from harness_ext.results.compare import GAIN, overall
    from harness_ext.results.compare import compare as compare_all
    from harness_ext.results.load import load_results
    from harness_ext.show.comparison_tables import matrix, overall_table, pairs, rank_records, records

    results = load_results(results_dir, task, model)
    models = {(entry.model, entry.revision) for entry in results.entries}
    if len(models) == 1 and not (by or score or only_ranks):
        typer.echo("Only one model has results. It is held against its own words, and encoders that know nothing.")
        show(results_dir, task, model, form=form)
        return
    if len(models) < 2:
        names = [name for name, _ in models]
        there = f"only one model has results, {names[0]}" if names else "no model has results"
        raise fail(f"{results_dir}: {there}. At least two are needed.")
    if only_ranks and by:
        raise fail("--ranks are of one score in each task, not of the slices of --by. Leave one out.")
    comparisons = compare_all(results.entries, by, score=score, common_units=common_units)
    if not comparisons:
        raise fail(f"{results_dir}: nothing in it that two of these models were both measured on.")
    wanted = not by and score in {None, GAIN}
    over, of_all = overall(results.entries, "gain" if score else "score") if wanted else ({}, {})
    if form in {"csv", "json"}:
        lines = list(rank_records(results.entries, comparisons, over, of_all) if only_ranks else records(comparisons))
        typer.echo(record_text(lines, form))
    elif by or all_pairs or (len(models) == 2 and not only_ranks):
        print_listings([pairs(comparisons)], form)
    else:
        compared, scores, wins = matrix(results.entries, comparisons)
        ranked = [overall_table(results.entries, over, of_all)] if of_all else []
        print_listings([compared, scores, *ranked, *([] if only_ranks else [wins])], form)


@app.command()
def relate(
    results_dir: ResultsDir,
    task: Tasks = None,
    model: Models = None,
    own: Annotated[
        Path | None, typer.Option("--with", help="An --output-folder of `mteb run` with scores of other tasks.")
    ] = None,
    published: Annotated[
        bool,
        typer.Option("--published", help="Count the models of the papers' tables too, where nobody measured them."),
    ] = False,
    each: Annotated[bool, typer.Option("--each", help="Relate to every task, not to the mean of each type.")] = False,
    form: FormatOption = "table",
) -> None:
    """Relate main scores and gains to scores of other tasks: rank correlations over the models that have both.

    The other scores are public ones of mteb, 349 models on 30 English tasks, which come with this package. Intervals
    are of resampled families of models. Fewer than 8 models are refused.
    """
    from harness_ext.results.load import load_results
    from harness_ext.results.relate import relate as relations_of
    from harness_ext.show.comparison_tables import relation_table

    results = load_results(results_dir, task, model)
    relations = relations_of(results.entries, own=own, published=published, each=each)
    print_listings([relation_table(relations)], form)


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
    force: Force = False,
) -> None:
    """Write a report: a folder of pages with the results in words, pictures, tables and single examples.

    It opens from the disk (index.html), and asks nothing of a network. Results without items, or files that cannot be
    read, are listed on a page of their own, and the exit status is then 1.
    """
    from harness_ext.results.load import load_results
    from harness_ext.show.report import write_report

    results = load_results(results_dir, task, model)
    problems = write_report(results, output, sentences=sentences, figures=figures, force=force)
    typer.echo(f"Written: {(output / 'index.html').absolute()}")
    fail_for(problems, "It is not in the report.")


@app.command()
def published(
    task: Annotated[str, typer.Argument(help="Such as EpsilonCompositionality.")],
    model: Annotated[str | None, typer.Option(help="Only this model, by the name in the tables.")] = None,
    subset: Annotated[str | None, typer.Option(help="Only this subset, such as en.")] = None,
    write: Annotated[
        Path | None,
        typer.Option(
            "--write-results",
            help="Write results with items to this folder instead, for `compare`; of RoleSwapSimilarity alone.",
        ),
    ] = None,
    form: FormatOption = "table",
) -> None:
    """Show the papers' tables for a task, under the names of our scores.

    Figures in their natural range, with the digits that were printed. Empty where the paper has none, mostly because
    it was not significant. † marks a cell that other cells of its paper contradict, * a cell that is not the same
    quantity as a score of ours.
    """
    from harness_ext.show.published_tables import cells_as_csv, cells_as_json, published_tables, select_cells

    if write is not None:
        _write_published(task, write, model)
        return
    cells = select_cells(task, model, subset)
    if form == "csv":
        typer.echo(cells_as_csv(cells), nl=False)
    elif form == "json":
        typer.echo(cells_as_json(cells), nl=False)
    else:
        print_listings(published_tables(cells), form)


def _write_published(task: str, folder: Path, model: str | None) -> None:
    from harness_ext.results.published_items import TASK, write_published

    if task != TASK:
        raise fail(f"{task}: only {TASK} has published similarities of every pair.")
    try:
        written = write_published(folder, model)
    except (OSError, ValueError) as error:
        raise fail(error) from None
    typer.echo(
        f"{len(written)} results written to {folder}. Compare them: harness-ext compare {folder} -m MODEL -m MODEL"
    )


@app.command()
def explain(
    key: Annotated[str, typer.Argument(help="A key of a result file, such as rank_share_head_NC; or a task.")],
    task: Annotated[str | None, typer.Option("--task", "-t", help="Only as this task means it.")] = None,
) -> None:
    """Explain a score: formula, range, whether more is better, chance, source. Explain a task: what it can tell."""
    from harness_ext.documentation.explain import explain as text_of

    typer.echo(text_of(key, task))


@app.command()
def power(
    task: Annotated[str, typer.Argument(help="A task, such as IdiomParaphrase.")],
    units: Annotated[
        int | None, typer.Option("--units", "-n", min=2, help="How many; by default those of the task.")
    ] = None,
    form: FormatOption = "table",
) -> None:
    """Show the smallest score above chance, and the smallest gain, that so many units find in 80 % of all samples.

    From the errors of the models on this project's board, for the task or another task with its measure. The last
    column is the number of units that find the smallest effect of interest.
    """
    from harness_ext.documentation.power import power_listing
    from harness_ext.names import ALL_TASKS, unknown_name
    from harness_ext.tasks import TASKS

    if task not in TASKS:
        raise unknown_name("task", task, TASKS, ALL_TASKS)
    print_listings([power_listing(TASKS[task], units)], form)


@app.command()
def schema(task: Annotated[str, typer.Argument(help="A task, such as EpsilonCompositionality.")]) -> None:
    """Print the JSON Schema of the result file that mteb writes for a task."""
    from harness_ext.names import ALL_TASKS, unknown_name
    from harness_ext.results.schema import result_schema
    from harness_ext.tasks import ENCODER_TASKS

    if task not in ENCODER_TASKS:
        raise unknown_name("task", task, ENCODER_TASKS, ALL_TASKS)
    typer.echo(json.dumps(result_schema(ENCODER_TASKS[task]), indent=2, ensure_ascii=False))
