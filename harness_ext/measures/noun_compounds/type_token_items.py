"""What type and token idiomaticity are computed from: compounds in sentences, alone, and the sums of their words."""

import logging
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np

from harness_ext.common.arrays import Flags, Floats, Indices, Names, Texts, positions
from harness_ext.data.compounds import stands_alone, words_of
from harness_ext.measures.core.inputs import Span, Sum
from harness_ext.measures.core.items import Items, Table, column, cosine, text
from harness_ext.measures.core.old_measure import Rows
from harness_ext.measures.core.old_scores import LEVEL, Axis
from harness_ext.statistics.correlation import group_means, members, spearman

logger = logging.getLogger(__name__)

ALONE = Axis(
    "alone",
    {
        "nc_out": "with the compound fed alone",
        "nc_out_comp": "with the sum of the vectors of the words, each fed alone",
    },
)


@dataclass(frozen=True)
class AloneSimilarities(Table):
    """One row per comparison with a compound or the words fed alone."""

    comparison: Names = column(
        "phrase_additivity, the compound alone with the sum of the words; nc_out, the compound in a sentence with "
        "itself alone; nc_out_comp, the compound in a sentence with the sum of the words.",
    )
    row: Names = column("Id of the dataset's row whose sentence it is; empty without a sentence.")
    compound: Names = column("The compound.")
    first: Texts = text("The compound, alone or in its sentence.")
    second: Texts = text("The compound alone, or the sum of the words.")
    similarity: Floats = cosine("Cosine, in [-1, 1]; none for a zero vector.", "first", "second")


@dataclass(frozen=True)
class SentencePairs(Table):
    """One row per pair of sentences of a compound and level, of compounds with three sentences or more."""

    level: Names = column("Which vectors are compared: sentence or span.")
    compound: Names = column("The compound.")
    row: Names = column("Id of the dataset's row of the one sentence.")
    other_row: Names = column("That of the other.")
    first: Texts = text("The one sentence, or the compound in it.")
    second: Texts = text("The other.")
    similarity: Floats = cosine("Cosine, in [-1, 1]; none for a zero vector.", "first", "second")


@dataclass(frozen=True)
class TypeTokenSentences(Table):
    """One row per row of the dataset."""

    row: Names = column("Id of the dataset's row: a compound in a sentence.")
    compound: Names = column("The compound.")
    score: Floats = column("Human score in this sentence, 0 idiomatic to 5 compositional.")
    has_sentence: Flags = column("Whether the sentence is known.")


@dataclass(frozen=True)
class TypeTokenCompounds(Table):
    """One row per compound."""

    compound: Names = column("The compound.")
    class_: Names = column("C, PC or NC by the experts' label; empty where there is none.")
    type_score: Floats = column("Human score as a type, 0 idiomatic to 5 compositional.")


@dataclass(frozen=True)
class TypeTokenItems(Items):
    """The cosines, and the sentences and compounds that they are of."""

    alone: AloneSimilarities
    pairs: SentencePairs
    sentences: TypeTokenSentences
    compounds: TypeTokenCompounds

    @property
    def has_spans(self) -> bool:
        """Whether there are vectors of words in a sentence."""
        return bool(np.isin(self.alone.comparison, list(ALONE.values)).any())

    @property
    def phrases(self) -> Indices:
        """The numbers of the compounds that are compared with the sum of their words, shape (n,)."""
        return self.indices(self.compared("phrase_additivity").compound)

    def compared(self, comparison: str) -> AloneSimilarities:
        """The rows of one kind; those in sentences without a zero vector in `nc_out` or `nc_out_comp`."""
        rows = self.alone[self.alone.comparison == comparison]
        if comparison in ALONE.values:
            in_sentences = (self.alone.similarity[self.alone.comparison == one] for one in ALONE.values)
            rows = rows[~np.isnan(sum(in_sentences))]
        return rows

    def per_compound(self, comparison: str) -> Floats:
        """The mean cosine of each compound, NaN for none, shape (number of compounds,)."""
        rows = self.compared(comparison)
        return group_means(rows.similarity, self.indices(rows.compound), len(self.compounds))

    def indices(self, compounds: Names) -> Indices:
        """Where the compounds stand in the table of compounds, shape (m,) -> (m,)."""
        return positions(compounds, self.compounds.compound)

    @cached_property
    def across_sentences(self) -> dict[str, dict[str, Floats]]:
        """Level -> what the pairs of sentences of each compound say; NaN for one without pairs.

        Shapes (number of compounds,): `rho` of the differences in human scores with the cosines, NaN also where one of
        both does not vary; `spread_of_cosines` and `spread_of_scores`, standard deviations (ddof 1).
        """
        return {level: self._across_sentences(level) for level in LEVEL.values}

    def _across_sentences(self, level: str) -> dict[str, Floats]:
        pairs, n = self.pairs[self.pairs.level == level], len(self.compounds)
        one, other = (
            self.sentences.score[positions(rows, self.sentences.row)] for rows in (pairs.row, pairs.other_row)
        )
        # the scores have two decimals: equal differences and spreads must not differ in the sixteenth
        difference = np.abs(one - other).round(9)
        used = self.sentences[self.sentences.has_sentence & ~np.isnan(self.sentences.score)]
        of_pair, of_sentence = (members(self.indices(rows.compound), n) for rows in (pairs, used))
        across = np.full((3, n), np.nan)
        for compound in np.flatnonzero([len(rows) for rows in of_pair]):
            cosines, scores = pairs.similarity[of_pair[compound]], used.score[of_sentence[compound]]
            across[0, compound], _ = spearman(difference[of_pair[compound]], cosines)
            across[1:, compound] = cosines.std(ddof=1), scores.std(ddof=1).round(9)
        return dict(zip(("rho", "spread_of_cosines", "spread_of_scores"), across, strict=True))


def type_token_plan(rows: Rows, _: str = "") -> TypeTokenItems:
    """Compare compounds in sentences with each other, and with the compounds and the sums of their words alone.

    Rows without a sentence, or a score in it, are only counted.
    """
    for field, what in (("sentence", "a sentence in NCIMP"), ("token_score", "a score in NCTTI")):
        if misses := [row["id"] for row in rows if row[field] is None]:
            logger.warning("type_token: left out without %s: %s.", what, ", ".join(misses))
    used = [row for row in rows if row["sentence"] is not None and row["token_score"] is not None]
    of_compound = {row["compound"]: row for row in rows}
    inside = {
        row["id"]: Span(row["sentence"], *row["span"])
        for row in used
        if stands_alone(row["sentence"], row["span"], row["surface"])
    }

    sentences: dict[str, Rows] = {}
    for row in used:
        sentences.setdefault(row["compound"], []).append(row)
    named = [(row["id"], row["compound"]) for row in used if row["id"] in inside]
    alone = [
        *(("phrase_additivity", "", name, name, Sum(tuple(words_of(name)))) for name in sentences),
        *(("nc_out", id_, name, inside[id_], Span.whole(name)) for id_, name in named),
        *(("nc_out_comp", id_, name, inside[id_], Sum(tuple(map(Span.whole, words_of(name))))) for id_, name in named),
    ]
    of_one = [pair for rows in sentences.values() if len(rows) >= 3 for pair in combinations(rows, 2)]
    pairs = [
        *(("sentence", a["compound"], a["id"], b["id"], a["sentence"], b["sentence"]) for a, b in of_one),
        *(
            ("span", a["compound"], a["id"], b["id"], inside[a["id"]], inside[b["id"]])
            for a, b in of_one
            if a["id"] in inside and b["id"] in inside
        ),
    ]
    return TypeTokenItems(
        AloneSimilarities.of_rows(alone),
        SentencePairs.of_rows(pairs),
        TypeTokenSentences.of_rows(
            (row["id"], row["compound"], row["token_score"], row["sentence"] is not None) for row in rows
        ),
        TypeTokenCompounds.of_rows(
            (name, row["expert_class"] or "", row["type_score"]) for name, row in of_compound.items()
        ),
    )
