"""Role swaps on STS3k, transitive sentences of GS2011 and KS2013, and both on pairs written for this project.

Fodor, De Deyne, Suzuki 2025: *Compositionality and Sentence Meaning*, Computational Linguistics 51(1) (STS3k);
Grefenstette and Sadrzadeh 2011, EMNLP (GS2011); Kartsaklis and Sadrzadeh 2013, EMNLP (KS2013).
"""

from harness_ext.data.rows import PairRow
from harness_ext.measures.core.old_scores import AxisValues, declared
from harness_ext.measures.kinds.kind import Row
from harness_ext.measures.kinds.rated_pairs import Agreement, RatedPairItems, RatedPairs
from harness_ext.statistics.statistic import Statistic, spearman_difference
from harness_ext.tasks.task import ROLES, Task, on_data

_STS3K = "c310abbe8a50f38135a67939d3e71a878ef359bb"


class Sentences(RatedPairs):
    """Pairs of sentences with people's `similarity`."""

    version = 5
    needs = PairRow

    def prepare(self, row: Row) -> Row:
        """The similarity is the score."""
        return {**row, "score": row["similarity"]}


def _loss(items: RatedPairItems, _: AxisValues) -> Statistic:
    pairs = items.pairs
    more, less = (pairs.kind == kind for kind in ("ordinary", "adversarial"))
    return spearman_difference(pairs.group, pairs.similarity, pairs.people, more, less)


class RoleSwap(Sentences):
    """The dog bites the man, the man bites the dog. Does the model know who did what to whom?"""

    name = "role_swap"
    pairs = "sentences with the same words in other roles"
    source = "STS3k"
    package = __package__
    published = "published/RoleSwapSimilarity.csv"
    main = "spearman_adversarial"
    # ceilings: Spearman's ρ between the means of two random halves of each pair's ratings in STS3k, by 501 people
    agreements = (
        Agreement("spearman_adversarial", "adversarial pairs, without negation", "adversarial", 0.875),
        Agreement("spearman_ordinary", "pairs that are not adversarial", "ordinary", 0.902),
        Agreement("spearman_all", "all pairs, adversarial ones with negation among them", "", 0.909),
    )
    spearman_difference = declared(
        "what the agreement loses from ordinary to adversarial pairs",
        "spearman_ordinary − spearman_adversarial",
        range=(-2, 2),
        direction="lower",
        chance=0,
        interval=True,
        compute=_loss,
    )


class TransitiveSentences(Sentences):
    """Are sentences of subject, verb and object as similar to the model as they are to people?"""

    name = "transitive_similarity"
    pairs = "sentences of subject, verb and object"
    source = "Grefenstette and Sadrzadeh 2011, Kartsaklis and Sadrzadeh 2013"


ROLE_SWAP, TRANSITIVE = RoleSwap().measure(), TransitiveSentences().measure()

_ROLE_SWAP = Task(
    name="RoleSwapSimilarity",
    measure=ROLE_SWAP,
    category=ROLES,
    description="Who did what to whom? Cosines of sentence pairs are correlated with people's similarity, where the "
    "same words have other roles (the main score) and where they do not.",
    **on_data("sts3k", _STS3K, "pairs"),
    splits=("test",),
    telling_keys=("spearman_adversarial", "spearman_ordinary"),
)
_TRANSITIVE = Task(
    name="TransitiveSimilarity",
    measure=TRANSITIVE,
    category=ROLES,
    description="Do cosines of sentences of subject, verb and object follow people's similarity? GS2011 and KS2013, as "
    "cleaned and averaged in the repository of STS3k.",
    **on_data("transitive_sentences", _STS3K),
    splits=("test",),
)

TASKS = (_ROLE_SWAP, _ROLE_SWAP.on_own_data(), _TRANSITIVE, _TRANSITIVE.on_own_data())
