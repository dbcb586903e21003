"""Similarity of sentence pairs as people see it: the scores of role swaps and of transitive sentences.

The cosine of the two vectors of each pair is correlated with people's similarity. Fodor, De Deyne, Suzuki 2025:
*Compositionality and Sentence Meaning*, Computational Linguistics 51(1) (STS3k); Grefenstette and Sadrzadeh 2011, EMNLP
(GS2011); Kartsaklis and Sadrzadeh 2013, EMNLP (KS2013).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NotRequired, TypedDict

from harness_ext.arrays import Floats, Integers, Names, Texts
from harness_ext.framework.items import Items, Table, column, cosine, text
from harness_ext.framework.measure import Measure, Rows
from harness_ext.framework.scores import Place, Scores, correlation, declared, like, zero_vectors
from harness_ext.framework.wording import Consequences, Wording
from harness_ext.statistics.statistic import Statistic, spearman_difference, spearman_of_rows

CEILING_ADVERSARIAL, CEILING_ORDINARY, CEILING_ALL = 0.875, 0.902, 0.909
"""Spearman's ρ between the means of two random halves of each pair's ratings in STS3k, by 501 people."""


class PairRow(TypedDict):
    """What a row must have; pairs of one kind and group are resampled together, or pairs with one first sentence."""

    id: str
    sentence1: str
    sentence2: str
    similarity: float
    kind: NotRequired[str]
    group: NotRequired[str]


@dataclass(frozen=True)
class PairSimilarities(Table):
    """One row per pair of sentences."""

    row: Names = column("Id of the dataset's row.")
    sentence1: Integers = column("Number of the first sentence, in the order of appearance.")
    sentence2: Integers = column("Number of the second sentence.")
    kind: Names = column("adversarial, ordinary or negation; empty where there are no kinds.")
    group: Names = column("Pairs that are resampled together.")
    people: Floats = column("Similarity by people, 0 to 1.")
    first: Texts = text("The first sentence.")
    second: Texts = text("The second sentence.")
    similarity: Floats = cosine("Cosine of the two sentences, in [-1, 1]; none for a zero vector.", "first", "second")


@dataclass(frozen=True)
class PairSimilarityItems(Items):
    """The pairs."""

    pairs: PairSimilarities


def _spearman(kind: str | None) -> Any:
    def statistic(items: PairSimilarityItems, _: Place) -> Statistic:
        pairs = items.pairs[items.pairs.kind == kind] if kind else items.pairs
        return spearman_of_rows(pairs.group, pairs.similarity, pairs.people)

    return statistic


def _difference(items: PairSimilarityItems, _: Place) -> Statistic:
    pairs = items.pairs
    ordinary, adversarial = (pairs.kind == kind for kind in ("ordinary", "adversarial"))
    return spearman_difference(pairs.group, pairs.similarity, pairs.people, ordinary, adversarial)


_ZERO_VECTORS = zero_vectors("pairs", lambda items: items.pairs.similarity)


@dataclass(frozen=True)
class RoleSwapScores(Scores):
    """The scores of role swaps."""

    spearman_adversarial: float = correlation(
        "agreement with people where the same words have other roles",
        "Spearman's ρ of the cosine with people's similarity, over the adversarial pairs without negation",
        direction="higher",
        interval=True,
        ceiling=CEILING_ADVERSARIAL,
        source="STS3k",
        statistic=_spearman("adversarial"),
    )
    spearman_ordinary: float = like(
        spearman_adversarial,
        "agreement with people on ordinary pairs",
        "the same over the pairs that are not adversarial",
        ceiling=CEILING_ORDINARY,
        statistic=_spearman("ordinary"),
    )
    spearman_all: float = like(
        spearman_adversarial,
        "agreement with people on all pairs",
        "the same over all pairs, adversarial pairs with negation among them",
        ceiling=CEILING_ALL,
        statistic=_spearman(None),
    )
    spearman_difference: float = declared(
        "what the agreement loses where roles are swapped",
        "spearman_ordinary − spearman_adversarial",
        range=(-2, 2),
        direction="lower",
        chance=0,
        interval=True,
        statistic=_difference,
    )
    n_excluded_zero_vector: int = _ZERO_VECTORS


@dataclass(frozen=True)
class TransitiveScores(Scores):
    """The scores of transitive sentences."""

    spearman: float = correlation(
        "agreement with people on sentences of subject, verb and object",
        "Spearman's ρ of the cosine with people's similarity, over the pairs",
        direction="higher",
        interval=True,
        source="Grefenstette and Sadrzadeh 2011, Kartsaklis and Sadrzadeh 2013",
        statistic=_spearman(None),
    )
    n_excluded_zero_vector: int = _ZERO_VECTORS


def pair_similarity_plan(rows: Rows, _: str = "") -> PairSimilarityItems:
    """Compare the sentences of each pair; rows are `PairRow`s."""
    texts = ("sentence1", "sentence2")
    numbers = {text: number for number, text in enumerate(dict.fromkeys(row[name] for row in rows for name in texts))}

    def pair(row: dict[str, Any]) -> tuple[Any, ...]:
        first, second = (row[name] for name in texts)
        # sentences would link all pairs of KS2013
        group = f"{row.get('kind', '')} {row['group']}" if "group" in row else str(numbers[first])
        kind = row.get("kind", "")
        return row["id"], numbers[first], numbers[second], kind, group, row["similarity"], first, second

    return PairSimilarityItems(PairSimilarities.of_rows(map(pair, rows)))


_ROLE_SWAP_WORDING = Wording(
    question="The dog bites the man, the man bites the dog. Does the model know who did what to whom?",
    score=(
        "On sentences with the same words in other roles, its similarities agree with people's judgements at a rank "
        "correlation of {value}."
    ),
    chance=Consequences(
        "A random order",
        above="Of these sentences, those that people find alike look more alike to the model too.",
        below="The order is upside down: those that people find alike look less alike to the model.",
    ),
    right=(
        "The more alike people find the sentences of a pair, the more alike they should be to the model. A difference "
        "of ranks of 1 goes from one end of all pairs to the other."
    ),
)

ROLE_SWAP = Measure(
    name="role_swap",
    version=4,
    question="Do cosines follow people's similarity where the same words have other roles?",
    needs=PairRow,
    plan=pair_similarity_plan,
    main="spearman_adversarial",
    unit="group",
    items=PairSimilarityItems,
    scores=RoleSwapScores,
    wording=_ROLE_SWAP_WORDING,
)

_TRANSITIVE_WORDING = Wording(
    question="Are sentences of subject, verb and object as similar to the model as they are to people?",
    score="Its similarities of such sentences agree with people's judgements at a rank correlation of {value}.",
    chance=Consequences(
        "A random order",
        above="Sentences that people find alike look more alike to the model too. The figure says how closely.",
        below="The order is upside down: sentences that people find alike look less alike to the model.",
    ),
    right=(
        "The more alike people find the sentences of a pair, the more alike they should be to the model. A difference "
        "of ranks of 1 goes from one end of all pairs to the other."
    ),
)

TRANSITIVE = Measure(
    name="transitive_similarity",
    version=4,
    question="Do cosines of sentences of subject, verb and object follow people's similarity?",
    needs=PairRow,
    plan=pair_similarity_plan,
    main="spearman",
    unit="group",
    items=PairSimilarityItems,
    scores=TransitiveScores,
    wording=_TRANSITIVE_WORDING,
)
