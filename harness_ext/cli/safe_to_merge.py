"""The command `safe-to-merge`."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from harness_ext.cli.app import app, fail, print_listings, say
from harness_ext.cli.options import BatchSize, Columns, FormatOption, named_columns

if TYPE_CHECKING:
    from harness_ext.deciding import Decisions
    from harness_ext.show.listing import Format

# the check that stands in every table: it needs no model
_BASELINE = "harness_ext.deciding:jaccard"


@app.command("safe-to-merge")
def safe_to_merge(
    model: Annotated[
        list[str] | None,
        typer.Option("--model", "-m", help="A model, as for `mteb run` (repeatable)."),
    ] = None,
    check: Annotated[
        list[str] | None,
        typer.Option(
            metavar="CHECK",
            help=(
                "Any other decision about two texts: MODULE:FUNCTION, cross-encoder:MODEL or "
                "late-interaction:MODEL (repeatable). With --model, each is also asked after it."
            ),
        ),
    ] = None,
    at_most: Annotated[
        float,
        typer.Option(
            help=(
                "The share of opposites that may be merged, by the upper end of the 95 % interval. "
                "The exit status is 1 if a model may merge more, 2 if one was not measured, or the "
                "pairs are so few that none could be safe."
            ),
            min=0,
            max=1,
        ),
    ] = 0.2,
    threshold: Annotated[
        float | None,
        typer.Option(
            help=(
                "The cosine from which you merge; without --model the number of the checks. "
                "Default: the one that keeps at least 90 % of new paraphrases together, on average."
            ),
        ),
    ] = None,
    require: Annotated[
        Literal["all", "any"], typer.Option(help="Whether all models must be safe, or any will do.")
    ] = "all",
    pairs: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help=(
                "Your own pairs: columns first, second, and kind, which is `same` for pairs that "
                "may be merged; or same, true for these, and perhaps a kind of the others. Names "
                "such as question1 are guessed."
            ),
        ),
    ] = None,
    column: Columns = None,
    curve: Annotated[
        Path | None,
        typer.Option(
            help="Write hit rates and false merges at all thresholds as CSV.", dir_okay=False
        ),
    ] = None,
    log: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help=(
                "In place of all else: the log of a cache, JSONL or a table. A line has the prompt "
                "that came and the prompt whose answer was served (`prompt` and `key`, or the "
                "names that caches give them), and perhaps a cosine and a verdict. Which hits look "
                "like opposites, by kind?"
            ),
        ),
    ] = None,
    sample: Annotated[
        Path | None,
        typer.Option(
            help=(
                "With --log: write hits of each kind as CSV for a person to label. Fill `kind` in, "
                "by `same` or another word, and give the file to --pairs."
            ),
            dir_okay=False,
        ),
    ] = None,
    batch_size: BatchSize = 32,
    form: FormatOption = "table",
) -> None:
    """Say whether an encoder, or any function of two texts, may decide which texts are the same.

    In a semantic cache, deduplication, a memory: 198 sentences of this project, each with a
    paraphrase and an opposite in nearly the same words. At the threshold that keeps 90 % of new
    paraphrases together: how many opposites are merged, their kinds, and the worst pairs. It
    downloads nothing but the model, and writes nothing but --curve. With --pairs, the same of your
    own pairs: `harness-ext needs merge_opposites` explains the columns. Of several, paired
    differences. CSV and JSON have the shares that are merged, a record per kind of pair.

    A check is a function f(a, b) of two texts, in a module in this folder or installed. It returns
    a bool, which has no threshold, or a number, higher for texts that are more alike; if all are 0
    or 1, they mean no and yes. A distance is refused: ten texts are first asked about, each with
    itself and with another one. With `f.batched = True` it takes two lists.

    A log has no paraphrases that the cache missed, and nobody has judged its hits. So --log decides
    nothing: it sorts the hits by their words (other numbers, a negation, the same words in another
    order), and ends with 0. Labels decide: --sample, then --pairs.
    """
    from harness_ext.deciding import TASK, decided, decisions_of, jaccard, plan_of
    from harness_ext.encoders.checks import check_of
    from harness_ext.measures.merging.opposites import MERGE_OPPOSITES
    from harness_ext.own_data.task import OwnPlace
    from harness_ext.show.papers import merging

    if log is not None:
        if model or check or pairs or curve or threshold is not None:
            raise fail("--log stands alone, or with --sample: it asks no model and no check.")
        _look_at(log, sample, form)
        return
    if sample:
        raise fail("--sample draws from the hits of a log: name the log by --log FILE.")
    own = None
    if pairs:
        own = OwnPlace(MERGE_OPPOSITES.name, (pairs,), named_columns(column)).rows()
        for message in own.warnings:
            say(f"Look at it: {message}", form)
    plan = plan_of(own)  # read before a model is loaded
    data = pairs or TASK
    decisions = decisions_of(
        plan, model or (), check or (), at_most, threshold, batch_size=batch_size, data=data
    )
    if curve:
        if not all(decision.of for decision in decisions.final.values()):
            raise fail("--curve: a check that answers yes or no has no threshold, and no curve.")
        merging.write_curve(decisions.final, curve)
    baseline = {}
    if _BASELINE not in decisions.checks:
        baseline[_BASELINE] = decided(plan, check_of(jaccard, _BASELINE), at_most)
    tables = [merging.merged({**decisions.every, **baseline})]
    if decisions.differences:
        tables.append(merging.differences(decisions.differences))
    if len(decisions.final) == 1:
        tables.append(merging.worst(plan, decisions.final[decisions.best]))
    say("\n".join(_conclusions(decisions)), form)
    print_listings(tables, form)
    too_few = decisions.too_few()
    if too_few:
        raise fail(too_few)
    if not decisions.are_safe(require):
        raise typer.Exit(1)


def _look_at(
    file: str,
    sample: Path | None,
    form: Format,
) -> None:
    """Print which hits of a log look like opposites, and write a sample of them."""
    from harness_ext.measures.merging.looks import look_of
    from harness_ext.own_data.hit_log import read_hits
    from harness_ext.show.papers import merging

    log = read_hits(file)
    looks = [look_of(hit.key, hit.prompt) for hit in log.hits]
    say(merging.hits_in_words(log, looks), form)
    print_listings([merging.hits_by_look(log.hits, looks)], form)
    if sample:
        n_without_label = merging.write_sample(log.hits, looks, sample)
        say(
            f"Written: {sample}, with {n_without_label} hits to label. Fill `kind` in, by `same` "
            f"or another word. Then: harness-ext safe-to-merge -m MODEL --pairs {sample}",
            form,
        )


def _conclusions(decisions: Decisions) -> list[str]:
    """What the checks save, which is the best, and of a single one what to do."""
    from harness_ext.show.papers import merging

    best = decisions.final[decisions.best]
    couples = product(decisions.models, decisions.checks)
    conclusions = [merging.saved(decisions.differences, *couple) for couple in couples]
    is_one_of_many = "The best: " if len(decisions.final) > 1 else ""
    conclusions.append(is_one_of_many + merging.conclusion(decisions.best, best))
    if len(decisions.final) == 1:
        conclusions.append(merging.advice(best))
        for decision in decisions.models.values():
            conclusions.append(merging.alike(decisions.plan, decision.items))
    return [sentence for sentence in conclusions if sentence]
