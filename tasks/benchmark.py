"""The benchmarks: named lists of tasks for `mteb run -b`."""

from __future__ import annotations

import mteb
from mteb.benchmarks.benchmark import Benchmark

COMPOSITIONALITY = Benchmark(
    name="Compositionality",
    tasks=mteb.get_tasks(
        tasks=[
            "EpsilonCompositionality",
            "NounCompoundAffinity",
            "NounCompoundScaledSimilarity",
            "TypeTokenIdiomaticity",
            "MontagueConsistency",
            "PolaritySensitivity",
            "TreeReconstruction",
        ]
    ),
    description=(
        "Is a text encoder's meaning compositional where language is, and holistic where language is not? "
        "The measures of five papers, on their published data."
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
        ]
    ),
    description=(
        "The tasks of Compositionality that need no download and run in seconds, on small data written for them: a "
        "first look, too small to rank models by."
    ),
)

BENCHMARKS = (COMPOSITIONALITY, COMPOSITIONALITY_MINI)
