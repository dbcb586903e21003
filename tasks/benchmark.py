"""The benchmarks: named lists of tasks for `mteb run -b`."""

from __future__ import annotations

import mteb
from mteb.benchmarks.benchmark import Benchmark

_OF_PAPERS = (
    "EpsilonCompositionality",
    "NounCompoundAffinity",
    "NounCompoundScaledSimilarity",
    "TypeTokenIdiomaticity",
    "MontagueConsistency",
    "PolaritySensitivity",
    "TreeReconstruction",
)
_OF_CONSTRUCTS = {
    "roles": ("RoleSwapSimilarity", "TransitiveSimilarity", "CaptionSwap"),
    "verbal idioms": ("IdiomParaphrase",),
}

COMPOSITIONALITY = Benchmark(
    name="Compositionality",
    tasks=mteb.get_tasks(tasks=[*_OF_PAPERS, *(name for names in _OF_CONSTRUCTS.values() for name in names)]),
    description=(
        "Is a text encoder's meaning compositional where language is, and holistic where language is not? Noun "
        f"compounds, modifiers, polarity and trees; then {' and '.join(_OF_CONSTRUCTS)}. Of texts alone: mteb's own "
        "Compositionality tasks are of images."
    ),
)

COMPOSITIONALITY_PAPERS = Benchmark(
    name="CompositionalityPapers",
    tasks=[task for task in COMPOSITIONALITY.tasks if task.metadata.name in _OF_PAPERS],
    description=(
        "The measures of five papers, on their published data: what Compositionality was in its first version. The "
        "list stays as it is, for comparisons with published results."
    ),
)

COMPOSITIONALITY_MINI = Benchmark(
    name="CompositionalityMini",
    tasks=mteb.get_tasks(
        tasks=[
            "EpsilonCompositionalityMini",
            "NounCompoundAffinityMini",
            "NounCompoundScaledSimilarityMini",
            "MontagueConsistency",
            "PolaritySensitivityMini",
            "TreeReconstructionMini",
            "RoleSwapSimilarityMini",
            "TransitiveSimilarityMini",
            "CaptionSwapMini",
            "IdiomParaphraseMini",
        ]
    ),
    description=(
        "The tasks of Compositionality that need no download and run in seconds, on small data written for them: a "
        "first look, too small to rank models by."
    ),
)

BENCHMARKS = (COMPOSITIONALITY, COMPOSITIONALITY_PAPERS, COMPOSITIONALITY_MINI)
