"""Literal and idiomatic uses of German, Italian and Turkish expressions."""

from __future__ import annotations

from harness_ext.evaluators.token_idiomaticity import TOKEN_IDIOMATICITY
from harness_ext.tasks.task import VERBAL_IDIOMS, Task, cite, languages_of

TASKS = (
    Task(
        name="TokenIdiomaticity",
        harness="mteb",
        measure=TOKEN_IDIOMATICITY,
        construct=VERBAL_IDIOMS,
        description="Are two uses of an expression nearer if both are literal or both are idiomatic? German verbal "
        "idioms in newspapers, and uses of Italian and Turkish idioms that players wrote.",
        dataset={"path": "idiom_uses", "revision": "3022ece96352-1c47e49a3b90"},
        languages=languages_of("idiom_uses"),
        splits=("test",),
        about={
            "reference": "https://doi.org/10.1017/S1351324921000401",
            "date": ("1988-01-01", "2022-12-31"),
            "domains": ["News", "Written"],
            "license": "not specified",
            "annotations_creators": "human-annotated",
            "sample_creation": "found",
            "bibtex_citation": cite("ehren-etal-2020-supervised", "eryigit-etal-2022-gamified"),
        },
    ),
)
