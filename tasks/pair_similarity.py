"""Role swaps on STS3k, transitive sentences of GS2011 and KS2013, and both on pairs written for this project.

Fodor, De Deyne, Suzuki 2025: *Compositionality and Sentence Meaning*, Computational Linguistics 51(1) (STS3k);
Grefenstette and Sadrzadeh 2011, EMNLP (GS2011); Kartsaklis and Sadrzadeh 2013, EMNLP (KS2013).
"""

from __future__ import annotations

from typing import Any

from harness_ext.data.rows import PairRow
from harness_ext.measures.kinds.rated_pairs import Agreement, rated_pairs
from harness_ext.tasks.task import ROLES, Task, on_data

_STS3K = "c310abbe8a50f38135a67939d3e71a878ef359bb"
_ROWS: dict[str, Any] = {
    "version": 4,
    "needs": PairRow,
    "prepare": lambda row: {**row, "score": row["similarity"]},
}

# ceilings: Spearman's ρ between the means of two random halves of each pair's ratings in STS3k, by 501 people
ROLE_SWAP = rated_pairs(
    "role_swap",
    "The dog bites the man, the man bites the dog. Does the model know who did what to whom?",
    "sentences with the same words in other roles",
    source="STS3k",
    agreements={
        "spearman_adversarial": Agreement("adversarial pairs, without negation", "adversarial", 0.875),
        "spearman_ordinary": Agreement("pairs that are not adversarial", "ordinary", 0.902),
        "spearman_all": Agreement("all pairs, adversarial ones with negation among them", "", 0.909),
    },
    loss=("ordinary", "adversarial"),
    package=__package__,
    published="published/RoleSwapSimilarity.csv",
    **_ROWS,
)

TRANSITIVE = rated_pairs(
    "transitive_similarity",
    "Are sentences of subject, verb and object as similar to the model as they are to people?",
    "sentences of subject, verb and object",
    source="Grefenstette and Sadrzadeh 2011, Kartsaklis and Sadrzadeh 2013",
    **_ROWS,
)

_ROLE_SWAP = Task(
    name="RoleSwapSimilarity",
    measure=ROLE_SWAP,
    construct=ROLES,
    description="Who did what to whom? Cosines of sentence pairs are correlated with people's similarity, where the "
    "same words have other roles (the main score) and where they do not.",
    **on_data("sts3k", _STS3K, "pairs"),
    splits=("test",),
    telling_keys=("spearman_adversarial", "spearman_ordinary"),
)
_TRANSITIVE = Task(
    name="TransitiveSimilarity",
    measure=TRANSITIVE,
    construct=ROLES,
    description="Do cosines of sentences of subject, verb and object follow people's similarity? GS2011 and KS2013, as "
    "cleaned and averaged in the repository of STS3k.",
    **on_data("transitive_sentences", _STS3K),
    splits=("test",),
)

TASKS = (_ROLE_SWAP, _ROLE_SWAP.on_own_data(), _TRANSITIVE, _TRANSITIVE.on_own_data())
