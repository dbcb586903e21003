"""Role swaps, and sentences of subject, verb and object, as rated pairs.

Fodor, De Deyne, Suzuki 2025: *Compositionality and Sentence Meaning*, Computational Linguistics
51(1) (STS3k); Grefenstette and Sadrzadeh 2011, EMNLP (GS2011); Kartsaklis and Sadrzadeh 2013,
EMNLP (KS2013).
"""

from collections import Counter
from dataclasses import dataclass

import numpy as np

from harness_ext.common.arrays import Names
from harness_ext.data.rows import PairRow, TransitiveRow
from harness_ext.measures.core.items import column
from harness_ext.measures.core.measure import Row, Rows
from harness_ext.measures.core.scores import COUNT, number, score
from harness_ext.measures.kinds.rated_pairs import (
    RatedPairItems,
    RatedPairs,
    RatedPairTable,
    agreement,
)
from harness_ext.statistics.statistic import UnitStatistic, spearman_difference
from harness_ext.statistics.within_groups import spearman_within


class Sentences(RatedPairs):
    """Pairs of sentences with people's `similarity`."""

    version = 6
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


@dataclass(frozen=True)
class TransitivePairTable(RatedPairTable):
    """One row per pair of sentences."""

    verbs: Names = column("The verbs of the two sentences; empty where the data names none.")


@dataclass(frozen=True)
class TransitiveItems(RatedPairItems):
    """Pairs of sentences of subject, verb and object."""

    pairs: TransitivePairTable


class TransitiveSentences(Sentences):
    """Similarity of transitive sentences (Grefenstette, Sadrzadeh; Kartsaklis, Sadrzadeh).

    Where the same two verbs stand in many pairs, as in GS2011, people's similarity depends on the
    verbs alone to a large part. So pairs are resampled by the verb of the first sentence, and
    `spearman_within_verbs` leaves out what differs between verbs.
    """

    name = "transitive_similarity"
    question = (
        "Are sentences of subject, verb and object as similar to the model as they are to people?"
    )
    pairs = "sentences of subject, verb and object"
    source = "Grefenstette and Sadrzadeh 2011, Kartsaklis and Sadrzadeh 2013"
    row = TransitiveRow
    items = TransitiveItems
    further_compared = ("spearman_within_verbs",)
    order = ("spearman", "spearman_within_verbs", "n_excluded_single_verb_pair")

    def prepare(self, row: Row) -> Row:
        """Pairs with verbs and without a group are those of the first verb."""
        prepared = super().prepare(row)
        verbs = row.get("verbs")
        if verbs and row.get("group") is None:
            prepared["group"] = verbs.split()[0]
        return prepared

    def plan(self, rows: Rows, split: str) -> TransitiveItems:
        """Compare the two sentences of each row."""
        pairs = super().plan(rows, split).pairs
        verbs = [row.get("verbs") or "" for row in rows]
        return TransitiveItems(TransitivePairTable(**vars(pairs), verbs=np.array(verbs, dtype=str)))

    @score(
        like=RatedPairs.spearman,
        title="agreement with people among pairs with the same two verbs",
        formula=(
            "Pearson's r of the ranks of the cosine and of people's similarity over all pairs, "
            "after the mean rank of all pairs with the same two verbs is taken away from each; "
            "where the data names the verbs"
        ),
    )
    def spearman_within_verbs(self, items: TransitiveItems) -> UnitStatistic:
        pairs = items.pairs
        return spearman_within(pairs.group, pairs.similarity, pairs.people, pairs.verbs)

    @number(
        title="pairs whose two verbs stand in no other pair",
        formula="pairs that say nothing of spearman_within_verbs, because no other has their verbs",
        range=COUNT,
    )
    def n_excluded_single_verb_pair(self, items: TransitiveItems) -> int:
        pairs = items.pairs
        is_known = ~np.isnan(pairs.similarity) & (pairs.verbs != "")
        pairs_of_verbs = Counter(pairs.verbs[is_known].tolist())
        return sum(n == 1 for n in pairs_of_verbs.values())


ROLE_SWAP = RoleSwap()
TRANSITIVE = TransitiveSentences()
