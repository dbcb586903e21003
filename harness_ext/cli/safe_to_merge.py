"""The command `safe-to-merge`."""

import math
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from harness_ext.cli.app import app, fail, print_listings, say
from harness_ext.cli.options import BatchSize, Columns, FormatOption, named

if TYPE_CHECKING:
    from harness_ext.measures.merging.decision import MergeDecision

_BASELINE = "harness_ext.deciding:jaccard"  # the check that stands in every table: it needs no model


@app.command("safe-to-merge")
def safe_to_merge(
    model: Annotated[
        list[str] | None, typer.Option("--model", "-m", help="A model, as for `mteb run` (repeatable).")
    ] = None,
    check: Annotated[
        list[str] | None,
        typer.Option(
            metavar="CHECK",
            help="Any other decision about two texts: MODULE:FUNCTION, cross-encoder:MODEL or late-interaction:MODEL "
            "(repeatable). With --model, each is also asked after it.",
        ),
    ] = None,
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
            help="The cosine from which you merge; without --model the number of the checks. Default: the one that "
            "keeps 90 % of the paraphrases together.",
        ),
    ] = None,
    require: Annotated[
        Literal["all", "any"], typer.Option(help="Whether all models must be safe, or any will do.")
    ] = "all",
    pairs: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Your own pairs: columns first, second, and kind, which is `same` for pairs that may be merged; or "
            "same, true for these, and perhaps a kind of the others. Names such as question1 are guessed.",
        ),
    ] = None,
    column: Columns = None,
    curve: Annotated[
        Path | None,
        typer.Option(help="Write hit rates and false merges at all thresholds as CSV.", dir_okay=False),
    ] = None,
    batch_size: BatchSize = 32,
    form: FormatOption = "table",
) -> None:
    """Say whether an encoder, or any function of two texts, may decide which texts are the same.

    In a semantic cache, deduplication, a memory: 180 sentences of this project, each with a paraphrase and an opposite
    in nearly the same words. At the threshold that keeps 90 % of the paraphrases together: how many opposites are
    merged, their kinds, and the worst pairs. It downloads nothing but the model, and writes nothing but --curve. With
    --pairs, the same of your own pairs: `harness-ext needs merge_opposites` explains the columns. Of
    several, paired differences. CSV and JSON have the shares that are merged, a record per kind of pair.

    A check is a function f(a, b) of two texts, in a module in this folder or installed. It returns a bool, which has no
    threshold, or a number, higher for texts that are more alike; if all are 0 or 1, they mean no
    and yes. A distance is refused: ten texts are first asked about, each with itself and with
    another one. With `f.batched = True` it takes two lists.
    """
    from harness_ext.deciding import TASK, decided, jaccard, plan_of
    from harness_ext.encoders.checks import check_of, named_check
    from harness_ext.harnesses.mteb.registration import load_model
    from harness_ext.measures.merging.decision import paired_differences, ranked
    from harness_ext.measures.merging.opposites import MERGE_OPPOSITES
    from harness_ext.own_data.own_task import OwnPlace
    from harness_ext.show.papers import merging

    if not (model or check):
        raise fail("Name a model by -m, or a function of two texts by --check.")
    if not math.isfinite(threshold or 0):
        raise fail(f"--threshold {threshold}: a finite number expected.")
    if check and len({*check}) < len(check):
        raise fail(f"--check {' --check '.join(check)}: one is there twice.")
    if threshold is not None and model and not -1 <= threshold <= 1:
        raise fail(f"--threshold {threshold}: a cosine is in -1 to 1.")
    own = OwnPlace(MERGE_OPPOSITES.name, (pairs,), named(column)).rows() if pairs else None
    for message in own.warnings if own else ():
        say(f"Look at it: {message}", form)
    plan, data = plan_of(own), pairs or TASK  # read before a model is loaded
    models: dict[str, MergeDecision] = {}
    for name in model or ():
        encoder = load_model(name)
        if (called := str(encoder.mteb_model_meta.name)) in models:
            raise fail(f"-m {' -m '.join(model or ())}: two are called {called}. Name each once; rename a folder.")
        models[called] = decided(plan, encoder, at_most, threshold, batch_size=batch_size, data=data)
    models = {name: models[name] for name in ranked(models)}
    of_checks = None if models else threshold
    checks = {name: decided(plan, named_check(name), at_most, of_checks, data=data) for name in check or ()}
    guarded = {f"{one} then {other}": models[one].then(checks[other]) for one, other in product(models, checks)}
    every, final = {**models, **checks, **guarded}, guarded or models or checks
    if curve:
        if not all(decision.of for decision in final.values()):
            raise fail("--curve: a check that answers yes or no has no threshold, and no curve.")
        merging.write_curve(final, curve)
    pairings = [(name, one) for one in models for name in every if name in checks or name.startswith(f"{one} then ")]
    differences = paired_differences(every, pairings if guarded else None)
    baseline = {} if _BASELINE in checks else {_BASELINE: decided(plan, check_of(jaccard, _BASELINE), at_most)}
    tables = [merging.merged({**every, **baseline}), *([merging.differences(differences)] if differences else [])]
    best = ranked(final)[0]
    conclusions = [merging.saved(differences, *couple) for couple in product(models, checks)]
    conclusions.append(("The best: " if len(final) > 1 else "") + merging.conclusion(best, final[best]))
    if len(final) == 1:
        conclusions += [merging.advice(final[best]), *(merging.alike(plan, of.items) for of in models.values())]
        tables.append(merging.worst(plan, final[best]))
    say("\n".join(filter(None, conclusions)), form)
    print_listings(tables, form)
    if (n := final[best].sources) < (fewest := final[best].fewest):
        needed = f"at least {fewest:,} are needed" if at_most else "no number of them is enough"
        raise fail(f"Opposites of {n} sources are too few: by their interval, a model that merges none may still merge "
                   f"more than {at_most:.0%}. With --at-most {at_most:g}, {needed}.")  # fmt: skip
    if not {"all": all, "any": any}[require](decision.is_safe for decision in final.values()):
        raise typer.Exit(1)
