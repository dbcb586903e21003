"""Compounds and particle verbs with people's ratings, in Chinese, Estonian and English, and uses of particle verbs."""

from __future__ import annotations

from harness_ext.evaluators.pair_similarity import LITERALNESS
from harness_ext.evaluators.type_additivity import HEAD_OR_MODIFIER, TYPE_ADDITIVITY
from harness_ext.tasks.task import NOUN_COMPOUNDS, VERBAL_IDIOMS, Task, cite

_REVISION = "fb94a7a8b265-b18abeeab347-84bce641c923"
_RATED = {"domains": ["Written"], "annotations_creators": "human-annotated", "sample_creation": "found"}
_ESTONIAN = {**_RATED, "date": ("2015-01-01", "2018-06-30"), "license": "not specified"}

TASKS = (
    Task(
        name="TypeAdditivity",
        harness="mteb",
        measure=TYPE_ADDITIVITY,
        construct=NOUN_COMPOUNDS,
        description="Is a compound as near to the sum of its words as people say that it means them? Chinese "
        "compounds, and Estonian particle verbs: those that nobody left unrated, and all.",
        dataset={"path": "rated_compounds", "revision": _REVISION},
        languages={"zh": ("zho-Hans",), "et_157": ("est-Latn",), "et_211": ("est-Latn",)},
        splits=("test",),
        about={
            **_RATED,
            "reference": "https://aclanthology.org/P19-1571",
            "date": ("2015-01-01", "2019-07-31"),
            "license": "not specified",
            "bibtex_citation": cite("qi-etal-2019-modeling", "aedmaa-2017-exploring", "aedmaa-etal-2018-combining"),
        },
    ),
    Task(
        name="HeadOrModifier",
        harness="mteb",
        measure=HEAD_OR_MODIFIER,
        construct=NOUN_COMPOUNDS,
        description="Is a compound nearer to the word in which people find more of its meaning, its head or its "
        "modifier? 200 compounds of scientific English.",
        dataset={"path": "rated_compounds", "name": "en_science", "revision": _REVISION},
        languages={"default": ("eng-Latn",)},
        splits=("test",),
        configs=("en_science",),
        about={
            **_RATED,
            "reference": "https://github.com/uzaberer/Compositionality-Ratings-for-Scientific-Noun-Compounds",
            "date": ("1665-01-01", "2023-12-31"),
            "domains": ["Academic", "Written"],
            "license": "gpl-3.0",
            "bibtex_citation": cite("scientific-noun-compounds"),
        },
    ),
    Task(
        name="ParticleVerbLiteralness",
        harness="mteb",
        measure=LITERALNESS,
        construct=VERBAL_IDIOMS,
        description="Is an Estonian sentence nearer to its particle verb alone if it uses the verb literally? "
        "Lemmatised sentences.",
        dataset={"path": "rated_compounds", "name": "et_uses", "revision": _REVISION},
        languages={"default": ("est-Latn",)},
        splits=("test",),
        configs=("et_uses",),
        about={
            **_ESTONIAN,
            "reference": "https://aclanthology.org/N18-4002",
            "bibtex_citation": cite("aedmaa-2017-exploring", "aedmaa-etal-2018-combining"),
        },
    ),
)
