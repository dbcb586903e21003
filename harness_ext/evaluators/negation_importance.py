"""Negation importance: does a vector move more for a negation that changes what follows than for one that does not?

The pairs are those of Hartmann et al. 2021: *A Multilingual Benchmark for Probing Negation-Awareness with Minimal
Pairs*, CoNLL.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from harness_ext.arrays import Flags, Floats, Integers, Names, Texts
from harness_ext.data.rows import NegationRow
from harness_ext.framework.items import Items, Table, column, cosine, text
from harness_ext.framework.measure import Measure, Rows
from harness_ext.framework.scores import Place, Scores, count, like, proportion, zero_vectors
from harness_ext.framework.wording import Consequences, Wording
from harness_ext.statistics.statistic import Statistic
from harness_ext.statistics.threshold import probability_nearer


@dataclass(frozen=True)
class Negations(Table):
    """One row per sentence that lost its negation."""

    row: Names = column("Id of the dataset's row.")
    pair: Names = column("The pair of premise and hypothesis that it is of; what is resampled.")
    important: Flags = column("Whether the label of the pair changed.")
    n_removed: Integers = column("How many tokens it lost.")
    before: Texts = text("The sentence with its negation.")
    after: Texts = text("The sentence without it.")
    similarity: Floats = cosine("Cosine of the two, in [-1, 1]; none for a zero vector.", "before", "after")


@dataclass(frozen=True)
class RemovedNegations(Table):
    """One row per row of the dataset that is left out."""

    row: Names = column("Id of the dataset's row.")


@dataclass(frozen=True)
class NegationItems(Items):
    """The sentences, and the rows that are left out."""

    negations: Negations
    removed: RemovedNegations


def _auc(*, within_lengths: bool) -> Callable[[NegationItems, Place], Statistic]:
    def statistic(items: NegationItems, _: Place) -> Statistic:
        rows = items.negations
        within = rows.n_removed if within_lengths else None
        return probability_nearer(rows.pair, rows.similarity, ~rows.important, rows.important, within)

    return statistic


@dataclass(frozen=True)
class NegationScores(Scores):
    """The scores."""

    importance_auc: float = proportion(
        "how often an important negation moves the vector more than an unimportant one",
        "P(d of a sentence and itself without a negation that changes the label > d without one that does not), ties ½",
        direction="higher",
        chance=0.5,
        interval=True,
        statistic=_auc(within_lengths=False),
    )
    importance_auc_given_length: float = like(
        importance_auc,
        "the same where as many tokens were removed",
        "the same over those pairs of rows alone that lost equal numbers of tokens",
        statistic=_auc(within_lengths=True),
    )
    n_excluded_changed_twice: int = count(
        "rows that are left out",
        "rows in which premise and hypothesis were changed, so that the label is of both",
        value=lambda items, _: len(items.removed),
    )
    n_excluded_zero_vector: int = zero_vectors("sentences", lambda items: items.negations.similarity)


def negation_plan(rows: Rows, _: str = "") -> NegationItems:
    """Compare each sentence with itself without its negation; rows are `NegationRow`s."""
    names = ("id", "pair", "important", "n_removed", "before", "after")
    return NegationItems(
        Negations.of_rows(tuple(row[name] for name in names) for row in rows if not row["removed_by"]),
        RemovedNegations.of_rows((row["id"],) for row in rows if row["removed_by"]),
    )


_WORDING = Wording(
    question="Does a negation count for more where it changes what follows from the text?",
    score="In {value} of all cases, a negation that matters moves the sentence's vector more than one that does not.",
    chance=Consequences(
        "Tossing a coin",
        above="The vector moves more where a negation matters than where it does not.",
        below="The vector moves less where a negation matters than where it does not.",
    ),
    right="A sentence should be farther from itself without its negation if the negation matters.",
)

NEGATION_IMPORTANCE = Measure(
    name="negation_importance",
    version=3,
    question="Does a vector move more for a negation that changes what follows than for one that does not?",
    needs=NegationRow,
    plan=negation_plan,
    main="importance_auc",
    controlled="importance_auc_given_length",
    unit="pair",
    items=NegationItems,
    scores=NegationScores,
    wording=_WORDING,
    examples=(
        {"before": "The shop is not open today.", "after": "The shop is open today.", "important": "true"},
        {
            "before": "The shop is not only old, it is cheap.",
            "after": "The shop is old, it is cheap.",
            "important": "false",
        },
    ),
)
