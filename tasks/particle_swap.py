"""Particle swap on JSICK-stress."""

from __future__ import annotations

from harness_ext.evaluators.particle_swap import PARTICLE_SWAP
from harness_ext.tasks.task import ROLES, Task, cite

TASKS = (
    Task(
        name="ParticleSwap",
        harness="mteb",
        measure=PARTICLE_SWAP,
        construct=ROLES,
        description="Who did what to whom, in Japanese? The similarity of two sentences should fall when the case "
        "particles of one are exchanged, and stay when its phrases are scrambled.",
        dataset={"path": "jsick_stress", "name": "ja", "revision": "b3034994192fae2f41b5937bcf69544e4282fc39"},
        languages={"default": ("jpn-Jpan",)},
        splits=("test",),
        configs=("ja",),
        about={
            "reference": "https://aclanthology.org/2022.tacl-1.73",
            "date": ("2014-01-01", "2022-11-30"),
            "domains": ["Constructed"],
            "license": "cc-by-sa-4.0",
            "annotations_creators": "human-annotated",
            "sample_creation": "created",
            "bibtex_citation": cite("yanaka-mineshima-2022-compositional"),
        },
    ),
)
