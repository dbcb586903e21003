"""What type and token idiomaticity are computed from: compounds in sentences, and alone."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import combinations
from typing import NamedTuple

import numpy as np

from harness_ext.common.arrays import Flags, Floats, Indices, Names, Texts, positions
from harness_ext.data.compounds import stands_alone, words_of
from harness_ext.measures.core.inputs import Span, Sum, Text
from harness_ext.measures.core.items import Items, Table, column, cosine, text
from harness_ext.measures.core.measure import Row, Rows
from harness_ext.measures.core.scores import LEVEL, Axis
from harness_ext.statistics.correlation import group_means, members, rho_of_known

_say_once = cache(logging.getLogger(__name__).warning)
"""Rows may be planned several times, as by `check` and by a run."""

ALONE = Axis(
    "alone",
    {
        "nc_out": "with the compound fed alone",
        "nc_out_comp": "with the sum of the vectors of the words, each fed alone",
    },
)
FEWEST_SENTENCES = 3
"""Of fewer sentences of a compound, no two are compared: their pairs have no rank correlation."""
_N_NAMED = 5
"""So many rows that are left out are named."""
DECIMALS = 9
"""Human scores have two: equal differences and spreads must not differ in the sixteenth."""


@dataclass(frozen=True)
class AloneSimilarities(Table):
    """One row per comparison with a compound or the words fed alone."""

    comparison: Names = column(
        "phrase_additivity, the compound alone with the sum of the words; nc_out, the compound in "
        "a sentence with itself alone; nc_out_comp, the compound in a sentence with the sum of the "
        "words."
    )
    row: Names = column("Id of the dataset's row whose sentence it is; empty without a sentence.")
    compound: Names = column("The compound.")
    first: Texts = text("The compound, alone or in its sentence.")
    second: Texts = text("The compound alone, or the sum of the words.")
    similarity: Floats = cosine("Cosine, in [-1, 1]; none for a zero vector.", "first", "second")


@dataclass(frozen=True)
class SentencePairs(Table):
    """One row per pair of sentences of a compound and level, of compounds with three or more."""

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


class AcrossSentences(NamedTuple):
    """What the pairs of sentences of each compound say, each of shape (number of compounds,).

    Attributes:
        rho: Of the differences in human scores with the cosines; NaN where one of both does not
            vary, and for a compound without pairs.
        spread_of_cosines: Their standard deviation (ddof 1); NaN for a compound without pairs.
        spread_of_scores: The same of human scores.
    """

    rho: Floats
    spread_of_cosines: Floats
    spread_of_scores: Floats


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
        """The numbers of the compounds that are compared with the sum of their words, shape
        (n,).
        """
        return self.indices(self.compared("phrase_additivity").compound)

    def compared(self, comparison: str) -> AloneSimilarities:
        """The rows of one kind; of those in sentences, only where both kinds have a cosine."""
        rows = self.alone[self.alone.comparison == comparison]
        if comparison not in ALONE.values:
            return rows
        out = self.alone[self.alone.comparison == "nc_out"]
        out_comp = self.alone[self.alone.comparison == "nc_out_comp"]
        has_zero_vector = np.isnan(out.similarity + out_comp.similarity)
        return rows[~has_zero_vector]

    def per_compound(self, comparison: str) -> Floats:
        """The mean cosine of each compound, NaN for none, shape (number of compounds,)."""
        rows = self.compared(comparison)
        return group_means(rows.similarity, self.indices(rows.compound), len(self.compounds))

    def indices(self, compounds: Names) -> Indices:
        """Where the compounds stand in the table of compounds, shape (m,) -> (m,)."""
        return positions(compounds, self.compounds.compound)

    def human_scores(self, rows: Names) -> Floats:
        """The human score in the sentence of each of the dataset's rows, shape (m,) -> (m,)."""
        return self.sentences.score[positions(rows, self.sentences.row)]

    @cached_property
    def across_sentences(self) -> dict[str, AcrossSentences]:
        """Level -> what the pairs of sentences say."""
        return {level: self._across_sentences(level) for level in LEVEL.values}

    def _across_sentences(self, level: str) -> AcrossSentences:
        n_compounds = len(self.compounds)
        pairs = self.pairs[self.pairs.level == level]
        difference = np.abs(self.human_scores(pairs.row) - self.human_scores(pairs.other_row))
        difference = difference.round(DECIMALS)
        is_used = self.sentences.has_sentence & ~np.isnan(self.sentences.score)
        used = self.sentences[is_used]
        pairs_of_compounds = members(self.indices(pairs.compound), n_compounds)
        sentences_of_compounds = members(self.indices(used.compound), n_compounds)
        across = AcrossSentences(
            np.full(n_compounds, np.nan),
            np.full(n_compounds, np.nan),
            np.full(n_compounds, np.nan),
        )
        for compound, pairs_of_compound in enumerate(pairs_of_compounds):
            if not len(pairs_of_compound):
                continue
            cosines = pairs.similarity[pairs_of_compound]
            scores = used.score[sentences_of_compounds[compound]]
            across.rho[compound] = rho_of_known(difference[pairs_of_compound], cosines)
            across.spread_of_cosines[compound] = cosines.std(ddof=1)
            across.spread_of_scores[compound] = scores.std(ddof=1).round(DECIMALS)
        return across


class _WithAlone(NamedTuple):
    """A comparison with a compound or the words fed alone: a row of `AloneSimilarities`."""

    comparison: str
    row: str
    compound: str
    first: Text
    second: Text


class _Pair(NamedTuple):
    """Two sentences of a compound: a row of `SentencePairs`."""

    level: str
    one: Row
    other: Row
    first: Text
    second: Text


def type_token_plan(rows: Rows, split: str = "") -> TypeTokenItems:
    """Compare compounds in sentences with each other, and with them and the sums of words alone.

    A compound is compared with the sum of its words if people have scored it, as a type or in a
    sentence. A compound of one word, whose modifier and head are not given, has no such sum. Rows
    without a sentence have no part in scores of sentences. Splits are planned alike.
    """
    _say_what_is_left_out(rows, "sentence")
    _say_what_is_left_out(rows, "token_score")
    in_sentences = [row for row in rows if row["sentence"] is not None and _is_scored(row)]
    scored_in_sentences = [row for row in in_sentences if row["token_score"] is not None]
    spans = {
        row["id"]: Span(row["sentence"], *row["span"])
        for row in in_sentences
        if stands_alone(row["sentence"], row["span"], row["surface"])
    }
    return TypeTokenItems(
        alone=_alone(rows, in_sentences, spans),
        pairs=_pairs(scored_in_sentences, spans),
        sentences=TypeTokenSentences.of_columns(
            row=[row["id"] for row in rows],
            compound=[row["compound"] for row in rows],
            score=[row["token_score"] for row in rows],
            has_sentence=[row["sentence"] is not None for row in rows],
        ),
        compounds=_compounds(rows),
    )


def _is_scored(row: Row) -> bool:
    return row["token_score"] is not None or row["type_score"] is not None


def _say_what_is_left_out(rows: Rows, field: str) -> None:
    without = [row["id"] for row in rows if row[field] is None]
    if without:
        named = ", ".join(without[:_N_NAMED])
        more = f" and {len(without) - _N_NAMED} more" if len(without) > _N_NAMED else ""
        _say_once(f"type_token: rows without {field}, which some scores need: {named}{more}.")


def _words_of_compounds(rows: Rows) -> dict[str, list[str]]:
    """Compound -> its words: its modifier and its head where they are given."""
    words_of_compounds: dict[str, list[str]] = {}
    for row in rows:
        words_of_compounds.setdefault(row["compound"], words_of(row["compound"]))
        modifier = row.get("modifier")
        head = row.get("head")
        if isinstance(modifier, str) and isinstance(head, str):  # no probes, as of other measures
            words_of_compounds[row["compound"]] = [modifier, head]
    return words_of_compounds


def _alone(rows: Rows, in_sentences: Rows, spans: dict[str, Span]) -> AloneSimilarities:
    words_of_compounds = _words_of_compounds(rows)
    several_words = {name for name, words in words_of_compounds.items() if len(words) > 1}
    scored = [row["compound"] for row in (*in_sentences, *filter(_is_scored, rows))]
    inside = [row for row in in_sentences if row["id"] in spans]
    inside = [row for row in inside if row["compound"] in several_words]
    compared: list[_WithAlone] = []
    for name in dict.fromkeys(scored):
        if name in several_words:
            words = Sum(tuple(words_of_compounds[name]))
            compared.append(_WithAlone("phrase_additivity", "", name, name, words))
    for row in inside:
        whole = Span.whole(row["compound"])
        compared.append(_WithAlone("nc_out", row["id"], row["compound"], spans[row["id"]], whole))
    for row in inside:
        words = Sum(tuple(map(Span.whole, words_of_compounds[row["compound"]])))
        compared.append(
            _WithAlone("nc_out_comp", row["id"], row["compound"], spans[row["id"]], words)
        )
    return AloneSimilarities.of_columns(
        comparison=[one.comparison for one in compared],
        row=[one.row for one in compared],
        compound=[one.compound for one in compared],
        first=[one.first for one in compared],
        second=[one.second for one in compared],
    )


def _pairs(rows: Rows, spans: dict[str, Span]) -> SentencePairs:
    pairs: list[_Pair] = []
    for one, other in _pairs_of_rows(rows):
        pairs.append(_Pair("sentence", one, other, one["sentence"], other["sentence"]))
    for one, other in _pairs_of_rows(rows):
        if one["id"] in spans and other["id"] in spans:
            pairs.append(_Pair("span", one, other, spans[one["id"]], spans[other["id"]]))
    return SentencePairs.of_columns(
        level=[pair.level for pair in pairs],
        compound=[pair.one["compound"] for pair in pairs],
        row=[pair.one["id"] for pair in pairs],
        other_row=[pair.other["id"] for pair in pairs],
        first=[pair.first for pair in pairs],
        second=[pair.second for pair in pairs],
    )


def _pairs_of_rows(rows: Rows) -> Iterator[tuple[Row, Row]]:
    """All pairs of rows of a compound with enough of them."""
    rows_of_compounds: dict[str, Rows] = {}
    for row in rows:
        rows_of_compounds.setdefault(row["compound"], []).append(row)
    for rows_of_compound in rows_of_compounds.values():
        if len(rows_of_compound) >= FEWEST_SENTENCES:
            yield from combinations(rows_of_compound, 2)


def _compounds(rows: Rows) -> TypeTokenCompounds:
    """The compounds in the order of first occurrence, each as its last row says."""
    last_rows = {row["compound"]: row for row in rows}
    return TypeTokenCompounds.of_columns(
        compound=[*last_rows],
        class_=[row["expert_class"] or "" for row in last_rows.values()],
        type_score=[row["type_score"] for row in last_rows.values()],
    )
