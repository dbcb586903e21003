"""Similarity, Affinity and Scaled Similarity: which replacement of a compound keeps the meaning of its sentence?

He, Kramer Vieira, Garcia, Scarton, Idiart, Villavicencio 2025: *Investigating Idiomaticity in Word Representations*,
doi 10.1162/coli_a_00546 (NCIMP). With the sentence of a compound, and P the same sentence with a probe in its place:

    Sim(P) = cos(original, P)
    Affinity(Pi, Pj) = Sim(Pi) - Sim(Pj)
    Sim_R(P) = (Sim(P) - Sim(rand)) / (1 - Sim(rand))
    contrast = (d(rand) - d(syn)) / (d(rand) + d(syn)), d = 1 - Sim; this project's

Probes: `syn`, the gold synonym; `words_syn`, synonyms word by word; `comp`, the one word of the compound that is nearer
to the original; `rand`, the mean over several unrelated expressions. This module makes the items; what is computed from
them stands in `affinity`.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from harness_ext.common.arrays import Array, Flags, Floats, Indices, Names, Texts, positions
from harness_ext.data.compounds import CompoundRow, Probe, stands_alone, words_of
from harness_ext.measures.core.fill import Encoded, Encoder, compared, encodable
from harness_ext.measures.core.inputs import Span
from harness_ext.measures.core.items import COSINE, Items, Table, column, cosine, text
from harness_ext.measures.core.old_measure import Rows
from harness_ext.measures.core.old_scores import LEVEL
from harness_ext.statistics.correlation import group_means
from harness_ext.statistics.distance import NO_DISTANCE
from harness_ext.statistics.standardization import z_scores


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

    def of_compound(self) -> Indices:
        """The number of the compound of each sentence, shape (m,)."""
        return positions(self.sentences.compound, self.compounds.compound)

    def classes(self) -> Names:
        """The class of the compound of each sentence, shape (m,)."""
        return self.compounds.class_[self.of_compound()]

    @cached_property
    def sim(self) -> dict[str, dict[str, Floats]]:
        """Level -> Sim of every probe in each sentence, shape (m,); NaN for all if one of the vectors is zero."""
        return {level: self._sim(self.similarities[self.similarities.level == level]) for level in LEVEL.values}

    def _sim(self, at_level: Similarities) -> dict[str, Floats]:
        def mean(probe: str, values: str = "similarity") -> Floats:
            here = at_level[at_level.probe == probe]
            place, n = positions(here.row, self.sentences.row), len(self.sentences)
            with np.errstate(invalid="ignore"):  # 0 / 0: no such probe
                means: Floats = np.bincount(place, getattr(here, values), n) / np.bincount(place, None, n)
            return means

        sim = {probe: mean(probe) for probe in ("syn", "words_syn", "rand")}
        sim["comp"] = np.maximum(mean("head"), mean("modifier"))
        compared = sim if "head" in at_level.probe else sim.keys() - {"comp"}
        unusable = np.isnan([sim[probe] for probe in compared]).any(axis=0)
        sim["standardised"] = mean("syn", "standardised")
        return {probe: np.where(unusable, np.nan, values) for probe, values in sim.items()}

    def per_compound(self, values: Floats) -> Floats:
        """The mean over the sentences of each compound, (m,) -> (k,); NaN where none is left."""
        return group_means(values, self.of_compound(), len(self.compounds))

    def contrasts(self, level: str) -> Floats:
        """The contrast of gold synonym and unrelated expressions in each sentence, mean over the latter, shape (m,).

        Where the two change places it changes its sign alone, so that an encoder to which they are alike has 0. It is
        in [-1, 1]; 0 where nothing has a distance, NaN where one of the vectors is zero.
        """
        unrelated = self.similarities[(self.similarities.level == level) & (self.similarities.probe == "rand")]
        sentence = positions(unrelated.row, self.sentences.row)
        of_rand, of_syn = 1 - unrelated.similarity, 1 - self.sim[level]["syn"][sentence]
        both = of_rand + of_syn
        with np.errstate(divide="ignore", invalid="ignore"):  # 0 / 0
            contrasts = np.where(both <= NO_DISTANCE, 0, (of_rand - of_syn) / both)
        return group_means(contrasts, sentence, len(self.sentences))

    def adjusted(self) -> Flags:
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
        return comp & type_score if comp.any() else type_score

    def correlated(self, values: Floats, correlation: str) -> tuple[Array, ...]:
        """What is correlated with each other: compounds, values of them and human scores, each of shape (j,)."""
        used = self.has_scores()
        if correlation == "spearman_no_overlap":
            used &= ~self.compounds.shares_word
        scores = self.compounds.type_score if correlation == "spearman_type" else self.compounds.comp
        return self.compounds.compound[used], self.per_compound(values)[used], scores[used]


def similarity_plan(rows: Rows, split: str = "", *, with_words: bool = False) -> SimilarityItems:
    """Compare each sentence with the same one with a probe in the compound's place, and the compound with the probe.

    Rows are `CompoundRow`s. Sentences of the split `neutral` have no length: all have one frame. The head alone and the
    modifier alone are probes if `with_words`.
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
            if level == "span" and not stands_alone(row["sentence"], row["span"], row["surface"]):
                continue
            for kind, probe in probes(row):
                texts = [Span(one["sentence"], *one["span"]) for one in (row, probe)]
                whole = [text.sentence for text in texts]
                yield (row["id"], row["compound"], level, kind, probe["expression"],
                       *(whole if level == "sentence" else texts))  # fmt: skip

    has_length = split.startswith("naturalistic")
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
    return replace(plan, similarities=replace(compared(table, encoded.distances), standardised=standardised))
