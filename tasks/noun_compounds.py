"""What the metadata of all tasks on noun compounds say, by dataset."""

from __future__ import annotations

from typing import Any

from harness_ext.abstask import PROMPT

NCIMP_CITATION = r"""@article{he-etal-2025-investigating,
  author = {He, Wei and Kramer Vieira, Tiago and Garcia, Marcos and Scarton, Carolina
    and Idiart, Marco and Villavicencio, Aline},
  doi = {10.1162/coli_a_00546},
  journal = {Computational Linguistics},
  number = {2},
  title = {Investigating Idiomaticity in Word Representations},
  volume = {51},
  year = {2025},
}"""

NCIMP: dict[str, Any] = {
    "type": "Compositionality",
    "category": "t2t",
    "modalities": ["text"],
    "prompt": PROMPT,
    "reference": "https://doi.org/10.1162/coli_a_00546",
    "dataset": {"path": "ncimp", "revision": "9f2dc4e58473f0a314c8a570dca26fa57f987917"},
    "eval_splits": ["naturalistic", "neutral"],
    "eval_langs": {"en": ["eng-Latn"], "pt": ["por-Latn"]},
    "date": ("2016-01-01", "2025-06-30"),
    "domains": ["Web", "Written"],
    "task_subtypes": [],
    "license": "not specified",
    "annotations_creators": "human-annotated",
    "dialect": [],
    "sample_creation": "found",
    "bibtex_citation": NCIMP_CITATION,
}
"""A task on the published data."""

COMPOUND_MINI: dict[str, Any] = {
    **NCIMP,
    "dataset": {"path": "compound_mini", "revision": "1"},
    "eval_splits": ["naturalistic"],
    "eval_langs": ["eng-Latn"],
    "date": ("2026-11-01", "2026-11-30"),
    "domains": ["Written"],
    "license": "cc0-1.0",
    "annotations_creators": "expert-annotated",
    "sample_creation": "created",
}
"""The same task on this project's own small data."""

ON_COMPOUND_MINI = (
    "On 60 English compounds, 20 per class, in three sentences each, written for this project. Needs no download and "
    "runs in seconds; too small to rank models by."
)
"""What to add to its description."""
