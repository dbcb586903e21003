"""Role swaps on STS3k, transitive sentences of GS2011 and KS2013, and both on pairs written for this project."""

from __future__ import annotations

from dataclasses import replace

from harness_ext.evaluators.pair_similarity import ROLE_SWAP, TRANSITIVE
from harness_ext.tasks.task import ENGLISH, ROLES, Task, cite

_STS3K = "c310abbe8a50f38135a67939d3e71a878ef359bb"

_ROLE_SWAP = Task(
    name="RoleSwapSimilarity",
    harness="mteb",
    measure=ROLE_SWAP,
    construct=ROLES,
    description="Who did what to whom? Cosines of sentence pairs are correlated with people's similarity, where the "
    "same words have other roles (the main score) and where they do not.",
    dataset={"path": "sts3k", "name": "pairs", "revision": _STS3K},
    languages=ENGLISH,
    splits=("test",),
    configs=("pairs",),
    telling_keys=("spearman_adversarial", "spearman_ordinary"),
    about={
        "reference": "https://github.com/bmmlab/compositional-semantics-eval",
        "date": ("2023-01-01", "2025-03-31"),
        "domains": ["Constructed"],
        "license": "not specified",
        "annotations_creators": "human-annotated",
        "sample_creation": "created",
        "bibtex_citation": cite("fodor-etal-2025-compositionality"),
    },
)
_TRANSITIVE = replace(
    _ROLE_SWAP,
    name="TransitiveSimilarity",
    measure=TRANSITIVE,
    description="Do cosines of sentences of subject, verb and object follow people's similarity? GS2011 and KS2013, as "
    "cleaned and averaged in the repository of STS3k.",
    dataset={"path": "transitive_sentences", "revision": _STS3K},
    languages={"gs2011": ("eng-Latn",), "ks2013": ("eng-Latn",)},
    configs=(),
    telling_keys=(),
    about={
        **_ROLE_SWAP.about,
        "date": ("2011-01-01", "2013-12-31"),
        "bibtex_citation": cite(
            "grefenstette-sadrzadeh-2011-experimental",
            "kartsaklis-sadrzadeh-2013-prior",
            "fodor-etal-2025-compositionality",
        ),
    },
)

TASKS = (_ROLE_SWAP, _ROLE_SWAP.on_own_data(), _TRANSITIVE, _TRANSITIVE.on_own_data())
