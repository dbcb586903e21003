"""Negation importance: does a vector move more for a negation that changes what follows than for one that does not?

Hartmann et al. 2021: *A Multilingual Benchmark for Probing Negation-Awareness with Minimal Pairs*, CoNLL.
"""

from __future__ import annotations

from harness_ext.data.rows import NegationRow
from harness_ext.measures.kinds.kind import Fact
from harness_ext.measures.kinds.pair_classes import pair_classes
from harness_ext.tasks.task import Task, on_data

NEGATION_IMPORTANCE = pair_classes(
    "negation_importance",
    "Does a negation count for more where it changes what follows from the text?",
    "a sentence and itself without a negation that does not matter",
    "a sentence and itself without one that does",
    version=4,
    needs=NegationRow,
    table="negations",
    texts=("before", "after"),
    facts={
        "pair": Fact(str, "The pair of premise and hypothesis that it is of; what is resampled."),
        "important": Fact(bool, "Whether the label of the pair changed."),
        "n_removed": Fact(int, "How many tokens it lost."),
    },
    unit="pair",
    is_same=lambda negations: ~negations.important,
    main="importance_auc",
    auc="importance_auc",
    within=("n_removed", "importance_auc_given_length"),
    left_out=("removed", "n_excluded_changed_twice", "rows in which premise and hypothesis were changed"),
    examples=(
        {"before": "The shop is not open today.", "after": "The shop is open today.", "important": "true"},
        {
            "before": "The shop is not only old, it is cheap.",
            "after": "The shop is old, it is cheap.",
            "important": "false",
        },
    ),
)

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
