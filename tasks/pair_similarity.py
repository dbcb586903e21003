"""Role swaps on STS3k, transitive sentences of GS2011 and KS2013, and both on pairs written for
this project.

Fodor, De Deyne, Suzuki 2025: *Compositionality and Sentence Meaning*, Computational Linguistics
51(1) (STS3k); Grefenstette and Sadrzadeh 2011, EMNLP (GS2011); Kartsaklis and Sadrzadeh 2013, EMNLP
(KS2013).
"""

from harness_ext.measures.kinds.pair_similarity import ROLE_SWAP, TRANSITIVE
from harness_ext.tasks.task import ROLES, Task, on_data

_COMMIT = "c310abbe8a50f38135a67939d3e71a878ef359bb"

# with groups by first words
_ROLE_SWAP_REVISION = f"{_COMMIT}-2"

# with the verbs of each pair
_TRANSITIVE_REVISION = f"{_COMMIT}-2"

_ROLE_SWAP = Task(
    name="RoleSwapSimilarity",
    measure=ROLE_SWAP,
    category=ROLES,
    description=(
        "Who did what to whom? Cosines of sentence pairs are correlated with people's similarity, "
        "where the same words have other roles (the main score) and where they do not."
    ),
    **on_data("sts3k", _ROLE_SWAP_REVISION, "pairs"),
    splits=("test",),
    telling_keys=("spearman_adversarial", "spearman_ordinary"),
)
_TRANSITIVE = Task(
    name="TransitiveSimilarity",
    measure=TRANSITIVE,
    category=ROLES,
    description=(
        "Do cosines of sentences of subject, verb and object follow people's similarity? GS2011 "
        "and KS2013, as cleaned and averaged in the repository of STS3k."
    ),
    **on_data("transitive_sentences", _TRANSITIVE_REVISION),
    splits=("test",),
)

_TRANSITIVE_MINI = _TRANSITIVE.on_own_data(
    dataset={"path": "transitive_sentences", "name": "mini", "revision": "2"}
)

TASKS = (_ROLE_SWAP, _ROLE_SWAP.on_own_data(), _TRANSITIVE, _TRANSITIVE_MINI)
