"""Whether texts may be merged by any decision about two of them: an encoder, a check, or one after
the other.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from time import perf_counter
from typing import TYPE_CHECKING, Any, Literal, cast

from harness_ext.encoders.checks import Check, check_of, named_check
from harness_ext.encoders.models.registry import check_name
from harness_ext.harnesses.mteb.registration import load_model
from harness_ext.measures.core.fill import compared_pairs, fill_pairs
from harness_ext.measures.core.undefined import check_main_score
from harness_ext.measures.merging.decision import MergeDecision, paired_differences, ranked
from harness_ext.measures.merging.opposites import MERGE_OPPOSITES, OppositeItems
from harness_ext.measuring import FunctionModel, our_task, telling_how_taken
from harness_ext.own_data.fields import split_name
from harness_ext.own_data.rows import OwnRows, rows_for_measure
from harness_ext.own_data.table import any_table
from harness_ext.tasks import TASKS
from harness_ext.tasks.data import load_rows

if TYPE_CHECKING:
    from collections.abc import Callable

    from harness_ext.measuring import Encode
    from harness_ext.measuring import OwnRows as AnyRows

    Decide = Encode | Callable[[str, str], float]

TASK = "MergeOppositesMini"
"""The task on this project's own pairs."""

_PLACE = ("test", "default")
"""Their split and subset."""

_N_TEXTS = 1000
"""Costs are of so many texts, or pairs."""


class ArgumentsError(ValueError):
    """Models, checks and a threshold do not go together; says why, in the words of the command."""


def jaccard(first: str, second: str) -> float:
    """The share of the words of two texts that both have, in [0, 1]: what a check is worth that
    needs no model.

    Examples:
        >>> jaccard("The shop is open.", "The shop is not open")
        0.8
    """
    words_of_first = _words(first)
    words_of_second = _words(second)
    shared = words_of_first & words_of_second
    distinct = words_of_first | words_of_second
    return len(shared) / max(len(distinct), 1)


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.casefold()))


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
        decide: A function of two texts -> a bool, or a number, higher for texts that are more
            alike; of two lists with `decide.batched = True`. If all numbers are 0 or 1, they mean
            no and yes. Or a `CrossEncoder`, or an encoder as `harness_ext.measure` takes it.
        pairs: Your own: a DataFrame, a `Dataset`, a list of dicts, the path of a file. By default
            198 sentences of this project, each with a paraphrase and an opposite.
        check: A second decision, which is asked where the first one merges.
        at_most: The share of opposites that may be merged.
        threshold: The number from which `decide` merges; by default the one that keeps at least
            90 % of new paraphrases on average, as for a `check` of numbers. It is found among the
            paraphrases; nine are needed.

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
    own = None
    if pairs is not None:
        own = rows_for_measure(MERGE_OPPOSITES, any_table(pairs))
    plan = plan_of(own)
    decision = _decided_by(decide, plan, at_most, threshold)
    if check is None:
        return decision
    return decision.then(_decided_by(check, plan, at_most, None))


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
        return cast("OppositeItems", own.planned(own.complete, split_name(own.measure)))
    rows = load_rows(TASKS[TASK], *_PLACE).to_list()
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
    """What a check or a model of mteb merges of the pairs of a plan; `data` is their name for
    messages.
    """
    of = "cos"
    unit = 1.0
    costs: dict[str, float] = {}
    started = perf_counter()
    if isinstance(model, Check):
        answers = model(compared_pairs(plan))
        name = model.name
        costs["seconds_per_1000_pairs"] = _N_TEXTS * answers.seconds / len(answers.alike)
        items = fill_pairs(plan, answers.alike)
        unit = answers.unit
        of = "score"
        if answers.are_bools:
            of = ""
            threshold = None
    else:
        from mteb.timing import TimingStack

        options = {"batch_size": batch_size, "show_progress_bar": False}
        task = our_task(TASK)
        meta = model.mteb_model_meta
        name = str(meta.name)
        encoder = task.encoder(model, *_PLACE, options, TimingStack())
        items = MERGE_OPPOSITES.fill(plan, encoder)
        task.alone_scores(plan, encoder)  # which warns
        seconds = perf_counter() - started
        costs["seconds_per_1000_texts"] = _N_TEXTS * seconds / len(plan.texts())
        sizes = {"dimensions": meta.embed_dim, "parameters": meta.n_parameters}
        for what, size in sizes.items():
            if isinstance(size, int):  # not a list: it has several
                costs[what] = size
    scores = MERGE_OPPOSITES.score(items).flat()
    check_main_score(MERGE_OPPOSITES, scores, items, data, name)
    return MergeDecision(items, at_most, threshold, of, unit, costs)


@dataclass(frozen=True)
class Decisions:
    """What several models and checks merge of the same pairs.

    Attributes:
        plan: The pairs.
        models: Name -> the decision of a model, the best first.
        checks: Name -> that of a check.
    """

    plan: OppositeItems
    models: Mapping[str, MergeDecision]
    checks: Mapping[str, MergeDecision]

    @cached_property
    def guarded(self) -> dict[str, MergeDecision]:
        """Each model, then each check: the check is asked where the model merges."""
        guarded: dict[str, MergeDecision] = {}
        for model, check in product(self.models, self.checks):
            guarded[f"{model} then {check}"] = self.models[model].then(self.checks[check])
        return guarded

    @property
    def every(self) -> dict[str, MergeDecision]:
        """All of them by name."""
        return {**self.models, **self.checks, **self.guarded}

    @property
    def final(self) -> Mapping[str, MergeDecision]:
        """The decisions that are asked for: of models with checks both together, else of models or
        of checks.
        """
        return self.guarded or self.models or self.checks

    @cached_property
    def best(self) -> str:
        """The name of the best of `final`."""
        return ranked(self.final)[0]

    @cached_property
    def differences(self) -> list[dict[str, Any]]:
        """The paired differences: of every two; with checks, of each model from the checks and from
        both together.
        """
        if not self.guarded:
            return paired_differences(self.every)
        couples: list[tuple[str, str]] = []
        for model, name in product(self.models, self.every):
            if name in self.checks or name.startswith(f"{model} then "):
                couples.append((name, model))
        return paired_differences(self.every, couples)

    def too_few(self) -> str:
        """Say that the pairs are so few that no model could be safe; empty if they are enough."""
        decision = self.final[self.best]
        if decision.sources >= decision.fewest:
            return ""
        needed = "no number of them is enough"
        if decision.at_most:
            needed = f"at least {decision.fewest:,} are needed"
        return (
            f"Opposites of {decision.sources} sources are too few: by their interval, a model that "
            f"merges none may still merge more than {decision.at_most:.0%}. With --at-most "
            f"{decision.at_most:g}, {needed}."
        )

    def are_safe(
        self,
        require: Literal["all", "any"] = "all",
    ) -> bool:
        """Whether all of `final` are safe, or any is."""
        safe = [decision.is_safe for decision in self.final.values()]
        return all(safe) if require == "all" else any(safe)


def decisions_of(
    plan: OppositeItems,
    models: Sequence[str],
    checks: Sequence[str],
    at_most: float,
    threshold: float | None = None,
    *,
    batch_size: int = 32,
    data: str = TASK,
) -> Decisions:
    """What models and checks merge of the pairs of a plan.

    Args:
        plan: The pairs.
        models: Names of models, as for `mteb run`.
        checks: Checks by name, see `harness_ext.encoders.checks.named_check`.
        at_most: The share of opposites that may be merged.
        threshold: The cosine from which the models merge; without models, the number of the checks.
            None for the one that keeps 90 % of new paraphrases.
        batch_size: Texts of a batch.
        data: The name of the pairs, for messages.

    Raises:
        ArgumentsError: There is no model and no check, one is there twice, or the threshold is no
            cosine; says so in the words of the command. Else what `safe_to_merge` raises.
    """
    _check_arguments(models, checks, threshold)
    by_model: dict[str, MergeDecision] = {}
    for name in models:
        encoder = load_model(name)
        called = str(encoder.mteb_model_meta.name)
        if called in by_model:
            raise ArgumentsError(
                f"-m {' -m '.join(models)}: two are called {called}. Name each once; rename a "
                "folder."
            )
        by_model[called] = decided(
            plan,
            encoder,
            at_most,
            threshold,
            batch_size=batch_size,
            data=data,
        )
    threshold_of_checks = None if by_model else threshold
    by_check: dict[str, MergeDecision] = {}
    for name in checks:
        check = named_check(name)
        by_check[name] = decided(plan, check, at_most, threshold_of_checks, data=data)
    best_first = {name: by_model[name] for name in ranked(by_model)}
    return Decisions(plan, best_first, by_check)


def _check_arguments(
    models: Sequence[str],
    checks: Sequence[str],
    threshold: float | None,
) -> None:
    if not (models or checks):
        raise ArgumentsError("Name a model by -m, or a function of two texts by --check.")
    if not math.isfinite(threshold or 0):
        raise ArgumentsError(f"--threshold {threshold}: a finite number expected.")
    if len({*checks}) < len(checks):
        raise ArgumentsError(f"--check {' --check '.join(checks)}: one is there twice.")
    if threshold is not None and models and not -1 <= threshold <= 1:
        raise ArgumentsError(f"--threshold {threshold}: a cosine is in -1 to 1.")
    for name in models:  # before the first of them is measured
        check_name(name)
