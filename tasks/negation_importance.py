"""Negation importance, with a subset per language."""

from __future__ import annotations

from harness_ext.evaluators.negation_importance import NEGATION_IMPORTANCE
from harness_ext.tasks.task import Task, cite, languages_of

TASKS = (
    Task(
        name="NegationImportance",
        harness="mteb",
        measure=NEGATION_IMPORTANCE,
        description="Does a sentence's vector move more when it loses a negation that changes what follows from the "
        "sentence than when it loses one that does not? Sentences of XNLI.",
        dataset={"path": "negation_minimal_pairs", "revision": "1defc22b5d26be434c1ba265a0ef149abe4febad"},
        languages=languages_of("negation_minimal_pairs"),
        splits=("test",),
        about={
            "reference": "https://aclanthology.org/2021.conll-1.19",
            "date": ("2018-01-01", "2021-11-11"),
            "domains": ["Fiction", "Non-fiction", "Spoken", "Written"],
            "license": "not specified",
            "annotations_creators": "expert-annotated",
            "sample_creation": "created",
            "bibtex_citation": cite("hartmann-etal-2021-multilingual"),
        },
    ),
)
