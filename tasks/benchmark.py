"""The benchmarks: named lists of tasks for `mteb run -b`."""

from __future__ import annotations

import importlib

import mteb
from mteb.benchmarks.benchmark import Benchmark

_known = importlib.import_module("mteb.get_tasks")._TASKS_REGISTRY  # until all are converted to items


def _get_tasks(tasks):
    return mteb.get_tasks(tasks=[name for name in tasks if name in _known])


COMPOSITIONALITY = Benchmark(
    name="Compositionality",
    tasks=_get_tasks(
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
    tasks=_get_tasks(
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
