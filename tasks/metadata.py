"""Metadata shared by several tasks."""

from __future__ import annotations

from typing import Any

from harness_ext.tasks.abstask import PROMPT

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

PSS_CITATION = r"""@inproceedings{bhathena-etal-2020-evaluating,
  author = {Bhathena, Hanoz and Willis, Angelica and Dass, Nathan},
  booktitle = {Proceedings of the 5th Workshop on Representation Learning for {NLP}},
  pages = {185--193},
  title = {Evaluating Compositionality of Sentence Representation Models},
  url = {https://aclanthology.org/2020.repl4nlp-1.22},
  year = {2020},
}"""

PSS_REFERENCE = "https://aclanthology.org/2020.repl4nlp-1.22"

COMMON: dict[str, Any] = {
    "type": "Compositionality",
    "category": "t2t",
    "modalities": ["text"],
    "prompt": PROMPT,
    "task_subtypes": [],
    "dialect": [],
}
"""All tasks."""

SENTIMENT: dict[str, Any] = {
    **COMMON,
    "task_subtypes": ["Sentiment/Hate speech"],
    "reference": PSS_REFERENCE,
    "eval_langs": ["eng-Latn"],
    "domains": ["Reviews", "Written"],
    "sample_creation": "found",
}
"""Tasks on the sentiment of reviews, as in the PSS paper."""

WRITTEN_HERE: dict[str, Any] = {
    "date": ("2026-11-01", "2026-11-30"),
    "domains": ["Written"],
    "license": "cc0-1.0",
    "annotations_creators": "expert-annotated",
    "sample_creation": "created",
}
"""Tasks on data written for this project."""

NCIMP: dict[str, Any] = {
    **COMMON,
    "reference": "https://doi.org/10.1162/coli_a_00546",
    "dataset": {"path": "ncimp", "revision": "9f2dc4e58473f0a314c8a570dca26fa57f987917"},
    "eval_splits": ["naturalistic", "neutral"],
    "eval_langs": {"en": ["eng-Latn"], "pt": ["por-Latn"]},
    "date": ("2016-01-01", "2025-06-30"),
    "domains": ["Web", "Written"],
    "license": "not specified",
    "annotations_creators": "human-annotated",
    "sample_creation": "found",
    "bibtex_citation": NCIMP_CITATION,
}
"""Tasks on the published noun compounds."""

COMPOUND_MINI: dict[str, Any] = {
    **NCIMP,
    **WRITTEN_HERE,
    "dataset": {"path": "compound_mini", "revision": "1"},
    "eval_splits": ["naturalistic"],
    "eval_langs": ["eng-Latn"],
}
"""The same tasks on this project's own small data."""

ON_COMPOUND_MINI = (
    "On 60 English compounds, 20 per class, in three sentences each, written for this project. Needs no download and "
    "runs in seconds; too small to rank models by."
)
"""Addition to the descriptions of tasks on `compound_mini`."""
