"""Negation importance: does a vector move more for a negation that changes what follows than for
one that does not?

Hartmann et al. 2021: *A Multilingual Benchmark for Probing Negation-Awareness with Minimal Pairs*,
CoNLL.
"""

from harness_ext.measures.kinds.negation_importance import NEGATION_IMPORTANCE
from harness_ext.tasks.task import Task, on_data

# with the cue of each negation
_REVISION = "1defc22b5d26be434c1ba265a0ef149abe4febad-2"

TASKS = (
    Task(
        name="NegationImportance",
        measure=NEGATION_IMPORTANCE,
        description=(
            "Does a sentence's vector move more when it loses a negation that changes what follows "
            "from the sentence than when it loses one that does not? Sentences of XNLI."
        ),
        **on_data("negation_minimal_pairs", _REVISION),
        splits=("test",),
    ),
)
