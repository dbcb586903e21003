"""Negation importance: does a vector move more for a negation that changes what follows?

Hartmann et al. 2021: *A Multilingual Benchmark for Probing Negation-Awareness with Minimal Pairs*,
CoNLL.
"""

from dataclasses import dataclass

from harness_ext.common.arrays import Flags, Integers, Names
from harness_ext.data.rows import OwnNegationRow
from harness_ext.measures.core.items import column
from harness_ext.measures.core.measure import Row
from harness_ext.measures.core.scores import COUNT, number, score
from harness_ext.measures.kinds.kind import KindItems, LeftOut
from harness_ext.measures.kinds.pair_classes import PairClasses, PairTable
from harness_ext.statistics.statistic import Statistic
from harness_ext.statistics.threshold import probability_nearer


@dataclass(frozen=True)
class Negations(PairTable):
    """One row per sentence before and after it lost a negation."""

    pair: Names = column("The pair of premise and hypothesis that it is of.")
    cue: Names = column(
        "The words that the sentence lost, or its pair where the data names no cue; negations of "
        "one cue are resampled together."
    )
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


class NegationImportance(PairClasses[NegationItems]):
    """Negation importance, on the data of Hartmann et al.

    Sentences that lose the same cue, such as *never*, move alike, and intervals over pairs of
    sentences were too narrow (docs/designs.csv). So negations of one cue are resampled together.
    """

    name = "negation_importance"
    version = 6
    question = "Does a negation count for more where it changes what follows from the text?"
    near = "a sentence and itself without a negation that does not matter"
    other = "a sentence and itself without one that does"
    row = OwnNegationRow
    items = NegationItems
    texts = ("before", "after")
    symmetric = texts
    unit = "cue"
    labels = ("pair",)
    auc = "importance_auc"
    main = auc
    adjusted = "importance_auc_adjusted"
    examples = (
        {
            "before": "The shop is not open today.",
            "after": "The shop is open today.",
            "important": "true",
        },
        {
            "before": "The shop is not only old, it is cheap.",
            "after": "The shop is old, it is cheap.",
            "important": "false",
        },
    )

    def prepare(self, row: Row) -> Row:
        """Negations without a cue are those of their pair."""
        return {**row, "cue": row.get("cue") or row["pair"]}

    @score(
        like=PairClasses.nearer,
        title="the same where both could move it as much",
        formula="the same over pairs of equal n_removed alone",
    )
    def importance_auc_adjusted(self, items: NegationItems) -> Statistic:
        pairs = items.negations
        return probability_nearer(
            pairs.cue,
            pairs.similarity,
            accepted=pairs.is_same,
            tested=~pairs.is_same,
            within=pairs.n_removed,
        )

    @number(
        title="rows in which premise and hypothesis were changed",
        formula="rows in which premise and hypothesis were changed; they are left out",
        range=COUNT,
    )
    def n_excluded_changed_twice(self, items: NegationItems) -> int:
        return len(items.removed)


NEGATION_IMPORTANCE = NegationImportance()
