"""Similarity, Affinity and Scaled Similarity: which replacement of a compound keeps the meaning of its sentence?

He, Kramer Vieira, Garcia, Scarton, Idiart, Villavicencio 2025: *Investigating Idiomaticity in Word Representations*,
doi 10.1162/coli_a_00546 (NCIMP). With the sentence of a compound, and P the same sentence with a probe in its place:

    Sim(P) = cos(original, P)
    Affinity(Pi, Pj) = Sim(Pi) - Sim(Pj)
    Sim_R(P) = (Sim(P) - Sim(rand)) / (1 - Sim(rand))

Probes: `syn`, the gold synonym; `words_syn`, synonyms word by word; `comp`, the one word of the compound that is nearer
to the original; `rand`, the mean over several unrelated expressions. This module makes the items; what is computed from
them stands in `affinity` and `scaled_similarity`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from harness_ext.arrays import Array, Flags, Floats, Names, Places, Texts
from harness_ext.data.compounds import CompoundRow, Probe, words_of
from harness_ext.evaluators.axes import LEVEL
from harness_ext.evaluators.fill import Encoded, Encoder, encodable
from harness_ext.evaluators.items import COSINE, Items, Table, column, cosine, positions, text
from harness_ext.evaluators.scores import COUNT, Axis
from harness_ext.evaluators.texts import Span
from harness_ext.statistics.correlation import (
    group_means,
    known_std,
    rho,
    spearman,
)
from harness_ext.statistics.standardization import z_scores
from harness_ext.statistics.statistic import Statistic, mean_of_rows, of_units, spearman_of_rows

CORRELATION = Axis(
    "correlation",
    {
        "spearman": "with comp, the mean of the compound's scores in its sentences",
        "spearman_type": "with the compound's type score",
        "spearman_no_overlap": "with comp, without the compounds that share a word with their gold synonym",
    },
)


@dataclass(frozen=True)
class Similarities(Table):
    """One row per probe in a sentence and level."""

    row: Names = column("Id of the dataset's row: a compound in a sentence.")
    compound: Names = column("The compound.")
    level: Names = column("Which vectors are compared: sentence or span.")
    probe: Names = column("What replaces the compound: syn, words_syn, rand, head or modifier.")
    expression: Names = column("The words that do.")
    original: Texts = text("The sentence, or the compound in it.")
    replaced: Texts = text("The sentence with the probe, or the probe in it.")
    similarity: Floats = cosine(
        "Sim: cosine with the original, in [-1, 1]; none for a zero vector.", "original", "replaced"
    )
    standardised: Floats = column(
        "The same of the gold synonym after every dimension got mean 0 and variance 1 over all vectors.",
        range=COSINE,
        measured=True,
    )

    def has_number(self, column: str) -> Flags:
        """Only gold synonyms are compared in standardised dimensions, and only in plans of Affinity, as 0."""
        return ~np.isnan(self.standardised) if column == "standardised" else super().has_number(column)


@dataclass(frozen=True)
class SimilaritySentences(Table):
    """One row per row of the dataset."""

    row: Names = column("Id of the dataset's row: a compound in a sentence.")
    compound: Names = column("The compound.")
    length: Floats = column("Length in words; none for neutral sentences, all of one frame.")


@dataclass(frozen=True)
class SimilarityCompounds(Table):
    """One row per compound."""

    compound: Names = column("The compound.")
    class_: Names = column("C, PC or NC by the experts' label; empty where there is none.")
    comp: Floats = column("Mean human score in its sentences, 0 idiomatic to 5 compositional.")
    type_score: Floats = column("Human score as a type, 0 idiomatic to 5 compositional.")
    shares_word: Flags = column("Whether it has a word in common with its gold synonym.")


@dataclass(frozen=True)
class SimilarityItems(Items):
    """The similarities, and the sentences and compounds that they are of: m sentences of k compounds."""

    similarities: Similarities
    sentences: SimilaritySentences
    compounds: SimilarityCompounds

    def has(self, level: str) -> bool:
        """Whether there are vectors of that level."""
        return bool((self.similarities.level == level).any())

    def of_compound(self) -> Places:
        """The number of the compound of each sentence, shape (m,)."""
        return positions(self.sentences.compound, self.compounds.compound)

    def classes(self) -> Names:
        """The class of the compound of each sentence, shape (m,)."""
        classes: Names = self.compounds.class_[self.of_compound()]
        return classes

    def sim(self, level: str) -> dict[str, Floats]:
        """Sim of every probe in each sentence, shape (m,); NaN for all of them if one of the vectors is zero."""
        return self._sims[level]

    @cached_property
    def _sims(self) -> dict[str, dict[str, Floats]]:
        return {level: self._sim(self.similarities[self.similarities.level == level]) for level in LEVEL.values}

    def _sim(self, at_level: Similarities) -> dict[str, Floats]:
        def mean(probe: str, values: str = "similarity") -> Floats:
            here = at_level[at_level.probe == probe]
            place, n = positions(here.row, self.sentences.row), len(self.sentences)
            with np.errstate(invalid="ignore"):  # 0 / 0: no such probe
                means: Floats = np.bincount(place, getattr(here, values), n) / np.bincount(place, None, n)
            return means

        found = {probe: mean(probe) for probe in ("syn", "words_syn", "rand")}
        found["comp"] = np.maximum(mean("head"), mean("modifier"))
        compared = found if "head" in at_level.probe else found.keys() - {"comp"}
        unusable = np.isnan([found[probe] for probe in compared]).any(axis=0)
        found["standardised"] = mean("syn", "standardised")
        return {probe: np.where(unusable, np.nan, values) for probe, values in found.items()}

    def per_compound(self, values: Floats) -> Floats:
        """The mean over the sentences of each compound, (m,) -> (k,); NaN where none is left."""
        return group_means(values, self.of_compound(), len(self.compounds))

    def controlled(self) -> Flags:
        """Whether the gold synonym of a compound has as many words as it, and none of them, in all sentences, (k,).

        Then as many words of the sentence change as with word-by-word synonyms, and counting words tells nothing.
        """
        gold = self.similarities[self.similarities.probe == "syn"]
        other_length = [
            len(words.split()) != len(name.split()) for words, name in zip(gold.expression, gold.compound, strict=True)
        ]
        excluded = np.isin(self.compounds.compound, gold.compound[np.array(other_length, dtype=bool)])
        return ~(self.compounds.shares_word | excluded)

    def has_scores(self) -> Flags:
        """Whether a compound has both scores, without which it enters no correlation, shape (k,).

        Data without any comp (Italian) has correlations with type scores alone.
        """
        known: Flags = ~np.isnan([self.compounds.comp, self.compounds.type_score])
        comp, type_score = known
        found: Flags = comp & type_score if comp.any() else type_score
        return found

    def correlated(self, values: Floats, correlation: str) -> tuple[Array, ...]:
        """What is correlated with each other: compounds, values of them and human scores, each of shape (j,)."""
        used = self.has_scores()
        if correlation == "spearman_no_overlap":
            used &= ~self.compounds.shares_word
        scores = self.compounds.type_score if correlation == "spearman_type" else self.compounds.comp
        return self.compounds.compound[used], self.per_compound(values)[used], scores[used]


def similarity_plan(rows: list[dict[str, Any]], split: str = "", *, with_words: bool = False) -> SimilarityItems:
    """Compare each sentence with the same one with a probe in the compound's place, and the compound with the probe.

    Args:
        rows: `CompoundRow`s.
        split: Sentences of the split `naturalistic` have a length; all neutral sentences have one frame.
        with_words: Whether the head alone and the modifier alone are compared.
    """
    in_context: list[CompoundRow] = rows  # type: ignore[assignment]

    def probes(row: CompoundRow) -> Iterator[tuple[str, Probe]]:
        yield "syn", row["syn"]
        yield "words_syn", row["words_syn"][0]
        yield from (("rand", probe) for probe in row["rand"])
        if with_words:
            yield from (("head", row["head"]), ("modifier", row["modifier"]))

    def compared(level: str) -> Iterator[tuple[Any, ...]]:
        for row in in_context:
            for kind, probe in probes(row):
                texts = [Span.of(each["sentence"], each["span"]) for each in (row, probe)]
                whole = [text.sentence for text in texts]
                yield (row["id"], row["compound"], level, kind, probe["expression"],
                       *(whole if level == "sentence" else texts))  # fmt: skip

    has_length = split == "naturalistic"
    sentences = SimilaritySentences.of_rows(
        (row["id"], row["compound"], len(row["sentence"].split()) if has_length else np.nan) for row in in_context
    )
    similarities = Similarities.of_rows(row for level in LEVEL.values for row in compared(level))
    if with_words:
        standardised = np.where(similarities.probe == "syn", 0, np.nan)
        similarities = replace(similarities, standardised=standardised)
    return SimilarityItems(similarities, sentences, _compounds(in_context))


def _compounds(rows: list[CompoundRow]) -> SimilarityCompounds:
    """The facts about the compounds of `rows`, in the order of first occurrence.

    A compound shares a word with its gold synonym if it does so in any of its rows, as written there. Its class is the
    experts'; in data without experts (Italian) it is that of its score.
    """
    of_experts = any(row["expert_class"] for row in rows)
    one_row = {row["compound"]: row for row in rows}

    def words(expression: str) -> set[str]:
        return set(words_of(expression.casefold()))

    sharing = {row["compound"] for row in rows if words(row["surface"]) & words(row["syn"]["expression"])}
    return SimilarityCompounds.of_columns(
        compound=[*one_row],
        class_=[(row["expert_class"] if of_experts else row.get("class")) or "" for row in one_row.values()],
        comp=[row["comp"] for row in one_row.values()],
        type_score=[row["type_score"] for row in one_row.values()],
        shares_word=[compound in sharing for compound in one_row],
    )


def standardised_fill(plan: SimilarityItems, encode: Encoder) -> SimilarityItems:
    """Fill a plan, the column `standardised` too: against rogue dimensions (NCIMP, appendix C)."""
    plan = encodable(plan, encode)
    table = plan.similarities
    encoded = Encoded.of(plan.compared_texts(), encode)
    vectors, spans = (z_scores(of_level, of_level) if len(of_level) else of_level for of_level in encoded.vectors)
    is_syn = table.probe == "syn"
    standardised = np.full(len(table), np.nan)
    gold = table.original[is_syn], table.replaced[is_syn]
    standardised[is_syn] = 1 - Encoded(encoded.places, (vectors, spans)).distances(*gold)
    return replace(plan, similarities=replace(encoded.compared(table), standardised=standardised))


# What the declarations of both measures' scores share.
MEAN: dict[str, Any] = {
    "title": "mean",
    "formula": "mean over all sentences",
    "key": "{level}_{measure}_mean",
}
STD: dict[str, Any] = {
    "title": "spread",
    "formula": "standard deviation (ddof 1) over all sentences",
    "range": (0, math.inf),
    "key": "{level}_{measure}_std",
}
MEAN_OF_CLASS: dict[str, Any] = {
    "title": "mean of a class",
    "formula": "mean over the sentences of the compounds that the experts put into the class",
    "source": "this project, by the classes of NCIMP's footnote 14",
    "key": "{level}_{measure}_mean_{class}",
}
RANK_CORRELATION: dict[str, Any] = {
    "title": "rank correlation with human scores",
    "formula": "Spearman's ρ of the mean per compound with its score, over the compounds that have both scores",
    "range": (-1, 1),
    "chance": 0,
    "key": "{level}_{measure}_{correlation}",
}
SPEARMAN_P: dict[str, Any] = {
    "title": "p-value of the rank correlation with comp",
    "formula": "two-sided p of Spearman's ρ, by its t-distribution",
    "range": (0, 1),
    "source": "NCIMP, which leaves cells without significance empty",
    "key": "{level}_{measure}_spearman_p",
}
SPEARMAN_LENGTH: dict[str, Any] = {
    "title": "rank correlation with sentence length",
    "formula": "Spearman's ρ of the value in each naturalistic sentence with its length in words",
    "range": (-1, 1),
    "chance": 0,
    "source": "NCIMP Table 4",
    "key": "{level}_{measure}_spearman_length",
}
SPAN_LEVEL: dict[str, Any] = {
    "title": "whether the encoder gives vectors of words in a sentence",
    "formula": "1 if so, else 0",
    "range": (0, 1),
    "source": "this project",
}
CONTROL = "only compounds whose gold synonym has as many words and shares none with them"
N_ZERO_VECTOR: dict[str, Any] = {
    "title": "sentences with a zero vector",
    "formula": "sentences that are left out because a vector, of theirs or of a probe in them, has no direction",
    "range": COUNT,
    "source": "this project",
    "key": "n_excluded_zero_vector_{level}",
    "axes": (LEVEL,),
}
N_UNSCORED: dict[str, Any] = {
    "title": "compounds without human scores",
    "formula": "compounds that enter no correlation for want of comp or of a type score",
    "range": COUNT,
    "source": "this project",
}


def sentence_statistic(items: SimilarityItems, values: Floats, place: Mapping[str, str]) -> Statistic:
    """A mean, a mean of a class, or a correlation; resampled are the compounds.

    Args:
        items: What the values are of.
        values: Of one measure in each sentence, NaN for none, shape (m,).
        place: The place of the score on its axes.
    """
    if "correlation" in place:
        return of_units(rho, *items.correlated(values, place["correlation"]))
    inside = items.classes() == place.get("class", items.classes())
    return mean_of_rows(items.compounds.compound, items.of_compound(), np.where(inside, values, np.nan))


def length_statistic(items: SimilarityItems, values: Floats) -> Statistic:
    """The correlation of values, as of `sentence_statistic`, with the words of the sentences."""
    return spearman_of_rows(items.compounds.compound[items.of_compound()], values, items.sentences.length)


def descriptives(items: SimilarityItems, values: list[dict[str, Floats]]) -> dict[str, Any]:
    """What both measures say besides.

    Args:
        items: What the values are of.
        values: For each of `LEVEL`, measure -> its value in each sentence, NaN for none, shape (m,).

    Returns:
        Field of the scores -> its value, an array over levels and measures where it has these axes.
    """

    def each(compute: Callable[[Floats], float]) -> Floats:
        return np.array([[compute(one) for one in of_level.values()] for of_level in values])

    return {
        "std": each(known_std),
        "spearman_p": each(lambda one: spearman(*items.correlated(one, "spearman")[1:])[1]),
        "span_level": int(items.has("span")),
        "n_excluded_zero_vector": n_excluded(items, [np.isnan(items.sim(level)["syn"]) for level in LEVEL.values]),
        "n_excluded_unscored": int((~items.has_scores()).sum()),
    }


def n_excluded(items: SimilarityItems, excluded: list[Flags]) -> Array:
    """How many sentences are excluded at each of `LEVEL`; NaN for one at which the encoder gives no vectors."""
    n = [int(of_level.sum()) for of_level in excluded]
    return np.array([n if items.has(level) else np.nan for level, n in zip(LEVEL.values, n, strict=True)], dtype=object)
