"""Whether texts may be merged by any decision about two of them: an encoder, a check, or one after the other."""

from __future__ import annotations

import re
from time import perf_counter
from typing import TYPE_CHECKING, Any, cast

from harness_ext.encoders.checks import Check, check_of
from harness_ext.measures.core.fill import compared_pairs, fill_pairs
from harness_ext.measures.core.undefined import check_main_score
from harness_ext.measures.merging.decision import MergeDecision
from harness_ext.measures.merging.opposites import MERGE_OPPOSITES, OppositeItems
from harness_ext.measuring import FunctionModel, our_task, telling_how_taken
from harness_ext.own_data.own_rows import OwnRows, own_rows
from harness_ext.own_data.own_table import any_table
from harness_ext.tasks import TASKS
from harness_ext.tasks.data import load_rows

if TYPE_CHECKING:
    from collections.abc import Callable

    from harness_ext.measuring import Encode
    from harness_ext.measuring import OwnRows as AnyRows

    Decide = Encode | Callable[[str, str], float]

TASK, _PLACE = "MergeOppositesMini", ("test", "default")  # this project's own pairs


def jaccard(first: str, second: str) -> float:
    """The share of the words of two texts that both have, in [0, 1]: what a check is worth that needs no model.

    Examples:
        >>> jaccard("The shop is open.", "The shop is not open")
        0.8
    """
    one, other = ({*re.findall(r"\w+", text.casefold())} for text in (first, second))
    return len(one & other) / max(len(one | other), 1)


def safe_to_merge(
    decide: Decide,
    pairs: AnyRows | None = None,
    *,
    check: Decide | None = None,
    at_most: float = 0.2,
    threshold: float | None = None,
) -> MergeDecision:
    """Say what a decision about two texts merges, as `harness-ext safe-to-merge` does.

    Args:
        decide: A function of two texts -> a bool, or a number, higher for texts that are more alike; of two lists with
            `decide.batched = True`. If all numbers are 0 or 1, they mean no and yes. Or a
            `CrossEncoder`, or an encoder as `harness_ext.measure` takes it.
        pairs: Your own: a DataFrame, a `Dataset`, a list of dicts, the path of a file. By default 180 sentences of this
            project, each with a paraphrase and an opposite.
        check: A second decision, which is asked where the first one merges.
        at_most: The share of opposites that may be merged.
        threshold: The number from which `decide` merges; by default the one that keeps 90 % of the paraphrases, as for
            a `check` of numbers.

    Raises:
        CheckError: A function failed, called `sys.exit()`, or returned no decision; names the pair.
            Or it looks like a distance: a text is less like itself than like others.
        ForeignExitError: An encoder called `sys.exit()`; says where.
        OwnDataError: Your own pairs do not fit; names the rows and what to do.
        UndefinedMainScoreError: Too few pairs have a number; says why.

    Examples:
        >>> decision = safe_to_merge(lambda one, other: jaccard(one, other) >= 0.7)
        >>> decision.is_safe, decision.shares["same"].merged < 0.1
        (False, True)
    """
    plan = plan_of(None if pairs is None else own_rows(MERGE_OPPOSITES, any_table(pairs)))
    decision = _decided_by(decide, plan, at_most, threshold)
    return decision if check is None else decision.then(_decided_by(check, plan, at_most, None))


def _decided_by(
    decide: Decide,
    plan: OppositeItems,
    at_most: float,
    threshold: float | None,
) -> MergeDecision:
    model = check_of(decide) or FunctionModel(cast("Encode", decide))
    with telling_how_taken(model):
        return decided(plan, model, at_most, threshold)


def plan_of(own: OwnRows | None = None) -> OppositeItems:
    """The plan of own rows, which are checked; by default of this project's pairs."""
    if own:
        own.check()
    rows = own.rows if own else load_rows(TASKS[TASK], *_PLACE).to_list()
    plan: OppositeItems = MERGE_OPPOSITES.planned(rows, "")
    return plan


def decided(
    plan: OppositeItems,
    model: Any,
    at_most: float,
    threshold: float | None = None,
    *,
    batch_size: int = 32,
    data: str = TASK,
) -> MergeDecision:
    """What a check or a model of mteb merges of the pairs of a plan; `data` is their name for messages."""
    of = "cos"
    unit = 1.0
    costs: dict[str, float] = {}
    started = perf_counter()
    if isinstance(model, Check):
        answers = model(compared_pairs(plan))
        name = model.name
        costs["seconds_per_1000_pairs"] = 1000 * answers.seconds / len(answers.alike)
        items, unit = fill_pairs(plan, answers.alike), answers.unit
        of, threshold = ("", None) if answers.are_bools else ("score", threshold)
    else:
        from mteb.timing import TimingStack

        options = {"batch_size": batch_size, "show_progress_bar": False}
        task, meta = our_task(TASK), model.mteb_model_meta
        encoder, name = task.encoder(model, *_PLACE, options, TimingStack()), str(meta.name)
        items = MERGE_OPPOSITES.fill(plan, encoder)
        task.alone_scores(plan, encoder)  # which warns
        costs["seconds_per_1000_texts"] = 1000 * (perf_counter() - started) / len(plan.texts())
        sizes = {"dimensions": meta.embed_dim, "parameters": meta.n_parameters}
        costs |= {what: size for what, size in sizes.items() if isinstance(size, int)}  # a list: it has several
    check_main_score(MERGE_OPPOSITES, MERGE_OPPOSITES.score(items).flat(), items, data, name)
    return MergeDecision(items, at_most, threshold, of, unit, costs)
