"""Negation importance: does a vector move more for a negation that changes what follows than for one that does not?

Hartmann et al. 2021: *A Multilingual Benchmark for Probing Negation-Awareness with Minimal Pairs*, CoNLL.
"""

from dataclasses import dataclass

from harness_ext.common.arrays import Flags, Integers, Names
from harness_ext.data.rows import NegationRow
from harness_ext.measures.core.items import column
from harness_ext.measures.core.old_scores import AxisValues, count, proportion
from harness_ext.measures.kinds.kind import KindItems, LeftOut
from harness_ext.measures.kinds.pair_classes import PairClasses, PairTable
from harness_ext.statistics.statistic import Statistic
from harness_ext.statistics.threshold import probability_nearer
from harness_ext.tasks.task import Task, on_data


@dataclass(frozen=True)
class Negations(PairTable):
    """One row per sentence before and after it lost a negation."""

    pair: Names = column("The pair of premise and hypothesis that it is of; what is resampled.")
    important: Flags = column("Whether the label of the pair changed.")
    n_removed: Integers = column("How many tokens it lost.")

    @property
    def is_same(self) -> Flags:
        """Those whose negation does not matter."""
        return ~self.important


@dataclass(frozen=True)
class NegationItems(KindItems[Negations]):
    """The negations, and the rows that are left out."""

    negations: Negations
    removed: LeftOut


def _nearer_adjusted(items: NegationItems, _: AxisValues) -> Statistic:
    rows = items.negations
    return probability_nearer(rows.pair, rows.similarity, rows.is_same, ~rows.is_same, rows.n_removed)


class NegationImportance(PairClasses[NegationItems]):
    """Does a negation count for more where it changes what follows from the text?"""

    name = "negation_importance"
    version = 5
    near = "a sentence and itself without a negation that does not matter"
    other = "a sentence and itself without one that does"
    needs = NegationRow
    items = NegationItems
    texts = symmetric = ("before", "after")
    unit = "pair"
    labels = ("pair",)
    main = auc = "importance_auc"
    controlled = "importance_auc_adjusted"
    examples = (
        {"before": "The shop is not open today.", "after": "The shop is open today.", "important": "true"},
        {
            "before": "The shop is not only old, it is cheap.",
            "after": "The shop is old, it is cheap.",
            "important": "false",
        },
    )

    importance_auc_adjusted = proportion(
        "the same where both could move it as much",
        "the same over pairs of equal n_removed alone",
        direction="higher",
        chance=0.5,
        interval=True,
        compute=_nearer_adjusted,
    )
    n_excluded_changed_twice = count(
        "rows in which premise and hypothesis were changed",
        "rows in which premise and hypothesis were changed; they are left out",
        value=lambda items, _: len(items.removed),
    )


NEGATION_IMPORTANCE = NegationImportance().measure()

TASKS = (
    Task(
        name="NegationImportance",
        measure=NEGATION_IMPORTANCE,
        description="Does a sentence's vector move more when it loses a negation that changes what follows from the "
        "sentence than when it loses one that does not? Sentences of XNLI.",
        **on_data("negation_minimal_pairs", "1defc22b5d26be434c1ba265a0ef149abe4febad"),
        splits=("test",),
    ),
)
