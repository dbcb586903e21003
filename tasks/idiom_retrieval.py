"""Idiom retrieval on IdioLink."""

from __future__ import annotations

from harness_ext.evaluators.idiom_retrieval import IDIOM_RETRIEVAL
from harness_ext.tasks.task import ENGLISH, VERBAL_IDIOMS, Task, cite

TASKS = (
    Task(
        name="IdiomRetrieval",
        harness="mteb",
        measure=IDIOM_RETRIEVAL,
        construct=VERBAL_IDIOMS,
        description="Does a sentence with an expression find others in which the expression is used as in it, "
        "literally or idiomatically, and those that say its idiomatic sense in other words?",
        dataset={
            "path": "idiolink",
            "name": "idiolink",
            "revision": "5685658a6725479fbd0186d4ede521586d3472cd",
        },
        languages=ENGLISH,
        splits=("test",),
        configs=("idiolink",),
        telling_keys=("r_precision", "ndcg_10"),
        about={
            "reference": "https://arxiv.org/abs/2605.22247",
            "date": ("2025-01-01", "2026-05-31"),
            "domains": ["Written"],
            "license": "apache-2.0",
            "annotations_creators": "LM-generated and reviewed",
            "sample_creation": "LM-generated and verified",
            "bibtex_citation": cite("hashiloni-etal-2026-idiolink"),
        },
    ),
)
