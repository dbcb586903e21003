"""Affinity and Scaled Similarity of noun compounds, on NCIMP and on this project's own small
dataset.
"""

from dataclasses import replace
from typing import Any

from harness_ext.measures.noun_compounds.affinity import AFFINITY
from harness_ext.measures.noun_compounds.scaled_similarity import SCALED_SIMILARITY
from harness_ext.tasks.task import NOUN_COMPOUNDS, TOO_SMALL, WRITTEN_HERE, Task, on_data

NCIMP = on_data("ncimp", "9f2dc4e58473f0a314c8a570dca26fa57f987917")


def on_compound_mini(task: Task, **changed: Any) -> Task:
    """The same task on `compound_mini`, which has no human scores to correlate with; with other
    fields changed.
    """
    of_measure = task.metadata["bibtex_citation"].removesuffix(
        f"\n\n{NCIMP['metadata']['bibtex_citation']}"
    )
    fields: dict[str, Any] = {
        "description": (
            f"{task.description} On 120 English compounds (45 NC, 30 PC, 45 C), in three sentences "
            f"each, written for this project. {TOO_SMALL}"
        ),
        "dataset": {"path": "compound_mini", "revision": "3"},
        "splits": ("naturalistic",),
        "configs": (),
        "metadata": {**task.metadata, **WRITTEN_HERE, "bibtex_citation": of_measure},
    }
    return task.on_own_data(**{**fields, **changed})


AFFINITY_TASK = Task(
    name="NounCompoundAffinity",
    measure=AFFINITY,
    category=NOUN_COMPOUNDS,
    description=(
        "In the sentence of an idiom, which replacement is nearer to the original: a synonym of "
        "the whole compound, or word-by-word synonyms? Main score: the share of idioms for which "
        "it is the synonym of the whole (0.5 by chance)."
    ),
    **NCIMP,
    splits=("naturalistic", "neutral"),
    telling_keys=(
        "sentence_sim_syn_spearman",
        "sentence_sim_words_syn_spearman",
        "span_affinity_syn_words_syn_spearman",
    ),
)
_SCALED_SIMILARITY = replace(
    AFFINITY_TASK,
    name="NounCompoundScaledSimilarity",
    measure=SCALED_SIMILARITY,
    description=(
        "Does a synonym of a noun compound keep its sentence nearer to the original than unrelated "
        "expressions do? Main score: from −1 to 1, where 0 is chance. The paper's Scaled "
        "Similarity stands beside it."
    ),
    telling_keys=("span_scaled_sim_syn_mean", "span_scaled_sim_syn_spearman"),
)

TASKS = (
    AFFINITY_TASK,
    on_compound_mini(AFFINITY_TASK),
    _SCALED_SIMILARITY,
    on_compound_mini(_SCALED_SIMILARITY),
)
