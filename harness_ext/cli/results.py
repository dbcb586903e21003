"""Commands about results: show, compare, report, explain."""

from __future__ import annotations

from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from harness_ext.cli.app import app, fail, fail_for, print_listings, say
from harness_ext.cli.options import Force, FormatOption, Models, ResultsDir, ResultsDirIfAny, Tasks
from harness_ext.show.listing import Format, record_text

if TYPE_CHECKING:
    from harness_ext.results.gate import Gate


@app.command()
def show(
    results_dir: ResultsDirIfAny = None,
    task: Tasks = None,
    model: Models = None,
    details: Annotated[
        bool, typer.Option("--details", help="Show every score, not only the main scores.")
    ] = False,
    signature: Annotated[
        bool, typer.Option("--signature", help="Print the signature of each score.")
    ] = False,
    controls: Annotated[
        bool, typer.Option("--controls", help="Show control encoders, which have no meaning, too.")
    ] = False,
    layers: Annotated[
        bool,
        typer.Option(
            "--layers", help="Show the layers of models that `harness-ext layers` measured."
        ),
    ] = False,
    published: Annotated[
        str | None,
        typer.Option(
            metavar="TASK", help="Show all tables of the papers for this task instead of results."
        ),
    ] = None,
    form: FormatOption = "table",
) -> None:
    """Print results as tables: main scores, intervals, gains, comparisons with references, and the
    papers' figures.

    A file that cannot be read is named and left out, and the exit status is then 2. CSV and JSON
    have a record per result, with numbers; with --details one per score. `harness-ext explain KEY`
    says what a score means.

    The papers' figures have the digits that were printed, moved to the range of our scores. The
    mark † stands at a cell that other cells of its paper contradict, or of a model that was
    fine-tuned on the data; the mark * at a cell that is not the same quantity as a score of ours.
    A cell is empty where the paper has none, mostly because it was not significant.
    """
    if published:
        from harness_ext.show.published_tables import published_tables, select_cells

        cells = select_cells(published, model or [])
        print_listings(published_tables(published, cells), form)
        return
    if results_dir is None:
        raise typer.BadParameter(
            "a folder of results is missing, or --published TASK.", param_hint="RESULTS_DIR"
        )
    from harness_ext.results.entry import of_other_definitions
    from harness_ext.results.load import load_results
    from harness_ext.show.result_tables import details as all_scores
    from harness_ext.show.result_tables import layer_tables, result_records, summary

    results = load_results(results_dir, task, model)
    entries = results.entries
    earlier = of_other_definitions(entries)
    if earlier:
        say(earlier, "json" if signature else form)
    if signature:
        for entry in entries:
            typer.echo(
                entry.signature or f"{entry.file}: no signature; it was made by another program"
            )
    elif form in {"csv", "json"}:
        records = results.records(all_scores=True) if details else result_records(entries)
        typer.echo(record_text([*records], form))
    elif layers:
        tables = list(layer_tables(entries))
        if not tables:
            raise fail(
                f"{results_dir}: no results of single layers. Measure them: harness-ext layers -m "
                "MODEL -t TASK"
            )
        print_listings(tables, form)
    elif details:
        print_listings(chain.from_iterable(map(all_scores, entries)), form)
    else:
        print_listings(summary(entries, controls=controls) if entries else [], form)
    fail_for(results.problems, "It is left out.")


@app.command()
def compare(
    results_dir: ResultsDir,
    model: Annotated[
        list[str] | None,
        typer.Option(
            "--model",
            "-m",
            help="Two models or more, or clear parts of names (repeatable); default: all.",
        ),
    ] = None,
    task: Tasks = None,
    by: Annotated[
        str | None,
        typer.Option(help="Compare slices: class, type, direction …, not the main scores."),
    ] = None,
    score: Annotated[
        str | None,
        typer.Option(
            help=(
                'Compare the score with this key, not the main scores; "gain": the gains over '
                "additive baselines."
            )
        ),
    ] = None,
    beside: Annotated[
        Path | None,
        typer.Option(
            "--with",
            help="Also compare with the models in this folder, such as CHECKOUT/leaderboard.",
        ),
    ] = None,
    all_pairs: Annotated[
        bool, typer.Option("--pairs", help="Print a line for every pair of models.")
    ] = False,
    fail_if_worse: Annotated[
        str | None,
        typer.Option(
            metavar="MODEL",
            help=(
                "A gate for CI: compare this model, such as the one before a fine-tuning, with "
                "each other one. The exit status is 1 if another one is significantly worse, 0 if "
                "none is, 2 if nothing could be compared or read. MODEL@REVISION names one of "
                "several revisions."
            ),
        ),
    ] = None,
    form: FormatOption = "table",
) -> None:
    """Print which models differ significantly: differences, intervals and p-values on the same
    compounds or pairs.

    p-values are two-sided, and corrected by Holm's method over all that is shown. CSV and JSON have
    a record per pair, under the names of `harness_ext.results.compare.Comparison`. Nothing is run:
    the items beside the results hold all that is needed.

    With --fail-if-worse all that is shown are the pairs with this model: columns × other models.
    Status 0 says that no loss was seen, not that there is none: the intervals say how large a loss
    may still be.
    """
    from harness_ext.results.compare import compare as compare_all
    from harness_ext.results.entry import of_other_definitions
    from harness_ext.results.gate import Gate, model_at
    from harness_ext.results.load import load_beside, load_results, model_in
    from harness_ext.show.comparison_tables import matrix, overall_tables, pairs, records

    reference_name, _, reference_revision = (fail_if_worse or "").partition("@")
    chosen = [*model, reference_name] if model and reference_name else model
    results = (
        load_beside(results_dir, beside, task, chosen)
        if beside
        else load_results(results_dir, task, chosen)
    )
    reference = None
    if fail_if_worse is not None:
        name = model_in(results, reference_name, results_dir)
        reference = model_at(name, reference_revision, results.entries)
    models = {(entry.model, entry.revision) for entry in results.entries}
    if len(models) < 2:
        names = [name for name, _ in models]
        there = f"only one model has results, {names[0]}" if names else "no model has results"
        raise fail(
            f"{results_dir}: {there}. At least two are needed. `harness-ext show` prints those of "
            "one."
        )
    earlier = of_other_definitions(results.entries)
    if earlier:
        say(earlier, form)
    comparisons = compare_all(results.entries, by, score=score)
    if not comparisons:
        raise fail(f"{results_dir}: nothing in it that two of these models were both measured on.")
    if reference is not None:
        gate = Gate.of(reference, results.entries, comparisons)
        _print_gate(gate, form)
        fail_for(results.problems, "It is left out.", status=0 if gate.n_losses else 2)
        if gate.n_losses:
            raise typer.Exit(1)
    elif form in {"csv", "json"}:
        typer.echo(record_text([*records(comparisons)], form))
    elif by or all_pairs or len(models) == 2:
        print_listings([pairs(comparisons)], form)
    else:
        overall = () if score else overall_tables(results.entries)
        print_listings([*matrix(results.entries, comparisons), *overall], form)


def _print_gate(gate: Gate, form: Format) -> None:
    """Print the comparisons of a gate, and what follows from them."""
    from harness_ext.show.comparison_tables import gate_conclusion, pairs, records

    if form in {"csv", "json"}:
        typer.echo(record_text([*records(gate.comparisons)], form))
    else:
        print_listings([pairs(gate.comparisons)], form)
    say(gate_conclusion(gate), form)


@app.command()
def report(
    results_dir: ResultsDir,
    output: Annotated[Path, typer.Option("--output", "-o", help="The folder to write.")] = Path(
        "report"
    ),
    task: Tasks = None,
    model: Models = None,
    sentences: Annotated[
        bool,
        typer.Option(
            help=(
                "Show sentences of the datasets that are at hand. Check their licenses before you "
                "publish."
            )
        ),
    ] = True,
    force: Force = False,
) -> None:
    """Write a report: a folder of pages with the results in sentences, pictures, tables and single
    examples.

    It opens from the disk (index.html), and asks nothing of a network. Results without items, or
    files that cannot be read, are listed on a page of their own, and the exit status is then 2.
    """
    from harness_ext.results.load import load_results
    from harness_ext.show.report import write_report

    results = load_results(results_dir, task, model)
    problems = write_report(results, output, sentences=sentences, force=force)
    typer.echo(f"Written: {(output / 'index.html').absolute()}")
    fail_for(problems, "It is not in the report.")


@app.command()
def explain(
    words: Annotated[
        list[str],
        typer.Argument(
            help=(
                "A key of a result file, such as rank_share_head_NC; a task; or words, such as "
                "gain."
            )
        ),
    ],
    task: Annotated[
        str | None, typer.Option("--task", "-t", help="Its meaning in this task alone.")
    ] = None,
) -> None:
    """Print the meaning of a score (formula, range, chance, source), of a task, or of a term.

    `harness-ext explain terms` lists the terms of the tables, such as gain and inconclusive.

    Words of the papers, such as PSS, 'tree impurity' or ε, are sought in keys, titles, formulas,
    measures and papers.
    """
    from harness_ext.show.explain import explain as text_of

    say(text_of(" ".join(words), task), "table")
