"""ε-compositionality of noun compounds, on NCIMP as in the paper, and on this project's own small
dataset.
"""

from harness_ext.data.citations import cite
from harness_ext.measures.epsilon.compositionality import EPSILON
from harness_ext.tasks.noun_compound_similarity import NCIMP, on_compound_mini
from harness_ext.tasks.task import NOUN_COMPOUNDS, Task

_PAPERS = ("wold-epsilon-compositionality", "he-etal-2025-investigating")

_EPSILON = Task(
    name="EpsilonCompositionality",
    measure=EPSILON,
    category=NOUN_COMPOUNDS,
    description=(
        "Does a noun compound change its sentence more than the single words explain? For each "
        "word of it, the effect of replacing it by a synonym, in the sentence against alone (ε), "
        "is compared with the effect of replacing one synonym by another. Idiomatic compounds "
        "should stand out, literal ones should not."
    ),
    dataset=NCIMP["dataset"],
    languages={"en": ("eng-Latn",)},
    splits=("naturalistic",),
    telling_keys=(
        "rank_share_C",
        "rank_share_PC",
        "rank_share_NC",
        "p_value_C",
        "p_value_PC",
        "p_value_NC",
    ),
    metadata={**NCIMP["metadata"], "bibtex_citation": cite(*_PAPERS)},
)

TASKS = (_EPSILON, on_compound_mini(_EPSILON, in_demo=True))
