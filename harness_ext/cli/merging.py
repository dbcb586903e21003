"""The command `safe-to-merge`: a verdict for caches, deduplication and memories, in under a minute."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from harness_ext.cli.app import app, print_listings
from harness_ext.cli.own_data import Columns, named_columns

_TASK, _PLACE = "MergeOppositesMini", ("test", "default")


@app.command("safe-to-merge")
def safe_to_merge(
    model: Annotated[str, typer.Option("--model", "-m", help="A model: its name as for `mteb run`, or its folder.")],
    at_most: Annotated[
        float,
        typer.Option(help="The share of opposites that may be merged; above it the exit status is 1.", min=0, max=1),
    ] = 0.2,
    pairs: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Your own pairs: columns first, second, and kind, which is `same` for pairs that may be merged.",
        ),
    ] = None,
    column: Columns = None,
) -> None:
    """Say whether an encoder may decide which texts are the same: in a semantic cache, deduplication, a memory.

    120 sentences of this project, each with a paraphrase and an opposite in nearly the same words. At the threshold
    that keeps 90 % of the paraphrases together: how many opposites are merged, of which kinds, and which pairs are the
    worst. Needs no download but that of the model. Nothing is written. With --pairs, the same of your own pairs:
    `harness-ext needs merge_opposites` explains the columns.
    """
    rows = _own_pairs(pairs, named_columns(column)) if pairs else None
    import mteb
    from mteb.timing import TimingStack

    from harness_ext.harnesses.mteb.registration import load_model
    from harness_ext.harnesses.mteb.task import AbsTaskCompositionality
    from harness_ext.show.merging import MergeVerdict

    encoder = load_model(model)
    task = mteb.get_task(_TASK)
    assert isinstance(task, AbsTaskCompositionality)
    if rows is None:
        task.load_data()
        rows = task.rows(*_PLACE)
    seen = task.encoder(encoder, *_PLACE, {"show_progress_bar": False}, TimingStack())
    items: Any = task.compare(rows, seen)
    texts = {row["id"]: (row["first"], row["second"]) for row in rows}
    verdict = MergeVerdict(str(encoder.mteb_model_meta.name), items, texts, at_most)
    typer.echo(verdict.verdict())
    print_listings([verdict.kinds(), verdict.worst()])
    typer.echo(verdict.advice())
    if not verdict.is_safe:
        raise typer.Exit(1)


def _own_pairs(file: str, columns: dict[str, str]) -> list[dict[str, Any]]:
    """The rows of a user's own pairs, checked before a model is loaded."""
    from harness_ext.own_data.own_rows import own_rows
    from harness_ext.own_data.own_table import read_own_table
    from harness_ext.tasks.merge_opposites import MERGE_OPPOSITES

    checked = own_rows(MERGE_OPPOSITES, read_own_table([file]), columns)
    checked.check()
    return checked.rows
