"""The command `safe-to-merge`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal, get_args

import typer

from harness_ext.cli.app import app, fail, print_listings, say
from harness_ext.cli.options import BatchSize, Columns, FormatOption, QuotingOption, named
from harness_ext.show.extra import FigureFormat, check_extra

_TASK, _PLACE = "MergeOppositesMini", ("test", "default")


@app.command("safe-to-merge")
def safe_to_merge(
    model: Annotated[list[str], typer.Option("--model", "-m", help="A model, as for `mteb run` (repeatable).")],
    at_most: Annotated[
        float,
        typer.Option(
            help="The share of opposites that may be merged, by the upper end of the 95 % interval. The exit status is "
            "1 if a model may merge more, 2 if one was not measured, or the pairs are so few that none could be safe.",
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
    require: Annotated[
        Literal["all", "any"], typer.Option(help="Whether all models must be safe, or any will do.")
    ] = "all",
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
    batch_size: BatchSize = 32,
    form: FormatOption = "table",
) -> None:
    """Say whether an encoder may decide which texts are the same: in a semantic cache, deduplication, a memory.

    156 sentences of this project, each with a paraphrase and an opposite in nearly the same words. At the threshold
    that keeps 90 % of the paraphrases together: how many opposites are merged, of which kinds, and which pairs are the
    worst. Needs no download but that of the model. Nothing is written but --curve. With --pairs, the same of your own
    pairs: `harness-ext needs merge_opposites` explains the columns. Of several models, a table, the best first, and
    paired differences. CSV and JSON have the shares that are merged, a record per kind of pair, with their intervals.
    """
    from harness_ext.measures.merging.decision import MergeDecision
    from harness_ext.measures.merging.opposites import MERGE_OPPOSITES
    from harness_ext.own_data.own_task import OwnPlace
    from harness_ext.show.papers import merging

    rows = None
    if pairs:  # read before a model is loaded
        own = OwnPlace(MERGE_OPPOSITES.name, (pairs,), named(column), quoting=quoting).rows()
        for message in own.warnings:
            say(f"Look at it: {message}", form)
        own.check()
        rows = own.rows
    if curve and curve.suffix != ".csv":
        if curve.suffix not in (endings := [f".{form}" for form in get_args(FigureFormat)]):
            raise fail(f"--curve {curve}: a name that ends with .csv, {', '.join(endings)} expected.")
        check_extra()
    plan, measured = _measured(model, rows, pairs or _TASK, batch_size)
    decisions = {name: MergeDecision(items, at_most, threshold) for name, items in measured.items()}
    decision = next(iter(decisions.values()))
    if curve:
        merging.write_curve(decisions, curve)
    if len(decisions) > 1:
        print_listings([merging.models(decisions), merging.model_differences(decisions)], form)
    else:
        (name,) = decisions
        said = merging.verdict(name, decision), merging.alike(plan, decision.items)
        say(" ".join(filter(None, said)), form)
        print_listings([merging.kinds(name, decision), merging.worst(plan, decision.items)], form)
        say(merging.advice(decision), form)
    if (n := decision.sources) < (fewest := decision.fewest):
        raise fail(f"Opposites of {n} sources are too few: by their interval, a model that merges none may still merge "
                   f"more than {at_most:.0%}. With --at-most {at_most:g}, at least {fewest:,} are needed.")  # fmt: skip
    if not {"all": all, "any": any}[require](decision.is_safe for decision in decisions.values()):
        raise typer.Exit(1)


def _measured(
    models: list[str], rows: list[dict[str, Any]] | None, data: str, batch_size: int
) -> tuple[Any, dict[str, Any]]:
    """The plan of rows, by default of this project's, and the items of each model by its name."""
    import mteb
    from mteb.timing import TimingStack

    from harness_ext.harnesses.mteb.registration import load_model
    from harness_ext.harnesses.mteb.task import AbsTaskCompositionality
    from harness_ext.measures.core.undefined import check_main_score
    from harness_ext.measures.merging.opposites import MERGE_OPPOSITES

    task = mteb.get_task(_TASK)
    assert isinstance(task, AbsTaskCompositionality)
    if rows is None:
        task.load_data()
        rows = task.rows(*_PLACE)
    plan, measured = MERGE_OPPOSITES.planned(rows, ""), {}
    for model in models:
        encoder = load_model(model)
        seen = task.encoder(encoder, *_PLACE, {"batch_size": batch_size, "show_progress_bar": False}, TimingStack())
        items = MERGE_OPPOSITES.fill(plan, seen)
        task.alone_scores(plan, seen)  # which warns
        check_main_score(MERGE_OPPOSITES, MERGE_OPPOSITES.score(items).flat(), items, data, model)
        measured[str(encoder.mteb_model_meta.name)] = items
    return plan, measured
