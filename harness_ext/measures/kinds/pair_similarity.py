"""Role swaps, and sentences of subject, verb and object, as rated pairs.

Fodor, De Deyne, Suzuki 2025: *Compositionality and Sentence Meaning*, Computational Linguistics
51(1) (STS3k); Grefenstette and Sadrzadeh 2011, EMNLP (GS2011); Kartsaklis and Sadrzadeh 2013,
EMNLP (KS2013).
"""

from harness_ext.data.rows import PairRow
from harness_ext.measures.core.measure import Row
from harness_ext.measures.core.scores import score
from harness_ext.measures.kinds.rated_pairs import RatedPairItems, RatedPairs, agreement
from harness_ext.statistics.statistic import UnitStatistic, spearman_difference


class Sentences(RatedPairs):
    """Pairs of sentences with people's `similarity`."""

    version = 5
    row = PairRow

    def prepare(self, row: Row) -> Row:
        """The similarity is the score."""
        return {**row, "score": row["similarity"]}


class RoleSwap(Sentences):
    """Role swaps (Fodor et al.).

    A ceiling is Spearman's ρ between the means of two random halves of each pair's ratings in
    STS3k, by 501 people.
    """

    name = "role_swap"
    question = (
        "The dog bites the man, the man bites the dog. Does the model know who did what to whom?"
    )
    pairs = "sentences with the same words in other roles"
    source = "STS3k"
    package = __package__
    published = "published_role_swap.csv"
    main = "spearman_adversarial"
    spearman = None  # type: ignore[assignment]

    @score(
        like=RatedPairs.spearman,
        title="agreement with people on adversarial pairs, without negation",
        formula=(
            "Spearman's ρ of the cosine with people's similarity, over adversarial pairs, without "
            "negation"
        ),
        ceiling=0.875,
    )
    def spearman_adversarial(self, items: RatedPairItems) -> UnitStatistic:
        return agreement(items.pairs[items.pairs.kind == "adversarial"])

    @score(
        like=RatedPairs.spearman,
        title="agreement with people on pairs that are not adversarial",
        formula=(
            "Spearman's ρ of the cosine with people's similarity, over pairs that are not "
            "adversarial"
        ),
        ceiling=0.902,
    )
    def spearman_ordinary(self, items: RatedPairItems) -> UnitStatistic:
        return agreement(items.pairs[items.pairs.kind == "ordinary"])

    @score(
        like=RatedPairs.spearman,
        title="agreement with people on all pairs, adversarial ones with negation among them",
        formula=(
            "Spearman's ρ of the cosine with people's similarity, over all pairs, adversarial "
            "ones with negation among them"
        ),
        ceiling=0.909,
    )
    def spearman_all(self, items: RatedPairItems) -> UnitStatistic:
        return agreement(items.pairs)

    @score(
        title="what the agreement loses from ordinary to adversarial pairs",
        formula="spearman_ordinary − spearman_adversarial",
        range=(-2, 2),
        better="lower",
        chance=0,
        interval=True,
    )
    def spearman_difference(self, items: RatedPairItems) -> UnitStatistic:
        pairs = items.pairs
        return spearman_difference(
            pairs.group,
            pairs.similarity,
            pairs.people,
            more=pairs.kind == "ordinary",
            less=pairs.kind == "adversarial",
        )


class TransitiveSentences(Sentences):
    """Similarity of transitive sentences (Grefenstette, Sadrzadeh; Kartsaklis, Sadrzadeh)."""

    name = "transitive_similarity"
    question = (
        "Are sentences of subject, verb and object as similar to the model as they are to people?"
    )
    pairs = "sentences of subject, verb and object"
    source = "Grefenstette and Sadrzadeh 2011, Kartsaklis and Sadrzadeh 2013"


ROLE_SWAP = RoleSwap()
TRANSITIVE = TransitiveSentences()
