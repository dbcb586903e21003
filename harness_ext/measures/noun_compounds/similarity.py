"""What Affinity and Scaled Similarity are computed from: sentences with probes, and the original.

Probes take the place of a compound in its sentence: `syn`, the gold synonym; `words_syn`, synonyms
word by word; `comp`, the one word of the compound that is nearer to the original; `rand`, the mean
over several unrelated expressions. For the paper see `affinity`.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from harness_ext.common.arrays import Flags, Floats, Indices, Names, Texts, Vectors, positions
from harness_ext.data.compounds import CompoundRow, Probe, stands_alone, words_of
from harness_ext.measures.core.fill import Encoded, Encoder, encodable, with_distances
from harness_ext.measures.core.inputs import Span, Text
from harness_ext.measures.core.items import COSINE, Items, Table, column, cosine, text
from harness_ext.measures.core.measure import Rows
from harness_ext.measures.core.scores import LEVEL
from harness_ext.statistics.correlation import group_means
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
        "The same of the gold synonym after every dimension got mean 0 and variance 1 over all "
        "vectors.",
        range=COSINE,
        measured=True,
    )

    def has_number(self, column: str) -> Flags:
        """Only gold synonyms are compared in standardised dimensions, in plans of Affinity,
        as 0.
        """
        if column == "standardised":
            return ~np.isnan(self.standardised)
        return super().has_number(column)


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


class WithHumanScores(NamedTuple):
    """What is correlated, of j compounds.

    Attributes:
        compound: The compounds, shape (j,).
        measured: The mean over the sentences of each, shape (j,).
        human: Its human score, shape (j,).
    """

    compound: Names
    measured: Floats
    human: Floats


@dataclass(frozen=True)
class SimilarityItems(Items):
    """The similarities, and what they are of: m sentences of k compounds."""

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
        """Level -> Sim of every probe in each sentence, shape (m,).

        NaN for all probes of a sentence if one of the vectors is zero.
        """
        return {level: self._sim(level) for level in LEVEL.values}

    def _sim(self, level: str) -> dict[str, Floats]:
        table = self.similarities
        sim: dict[str, Floats] = {}
        for probe in ("syn", "words_syn", "rand", "head", "modifier"):
            rows = self.rows_of(level, probe)
            sim[probe] = self._mean_of_sentences(rows, table.similarity)
        sim["comp"] = np.maximum(sim.pop("head"), sim.pop("modifier"))
        compared = dict(sim)
        if not len(self.rows_of(level, "head")):
            del compared["comp"]
        is_unusable = np.isnan([*compared.values()]).any(axis=0)
        gold = self.rows_of(level, "syn")
        sim["standardised"] = self._mean_of_sentences(gold, table.standardised)
        return {probe: np.where(is_unusable, np.nan, values) for probe, values in sim.items()}

    def rows_of(self, level: str, probe: str) -> Indices:
        """The numbers of the similarities of a probe at a level, shape (n,)."""
        table = self.similarities
        return np.flatnonzero((table.level == level) & (table.probe == probe))

    @cached_property
    def sentence_of(self) -> Indices:
        """The number of the sentence of each similarity."""
        return positions(self.similarities.row, self.sentences.row)

    def _mean_of_sentences(self, rows: Indices, values: Floats) -> Floats:
        """The mean of the values of each sentence's rows among some similarities, numbers of shape
        (n,) and values of all -> shape (m,); NaN for none.
        """
        sentence = self.sentence_of[rows]
        n_sentences = len(self.sentences)
        sums = np.bincount(sentence, values[rows], n_sentences)
        counts = np.bincount(sentence, None, n_sentences)
        with np.errstate(invalid="ignore"):  # 0 / 0: no such probe
            means: Floats = sums / counts
        return means

    def per_compound(self, values: Floats) -> Floats:
        """The mean over the sentences of each compound, (m,) -> (k,); NaN where none is left."""
        return group_means(values, self.of_compound(), len(self.compounds))

    def adjusted(self) -> Flags:
        """Whether the gold synonym of a compound has as many words as it and none of them, (k,).

        It must be so in all sentences. Then as many words of the sentence change as with
        word-by-word synonyms, and counting words tells nothing.
        """
        gold = self.similarities[self.similarities.probe == "syn"]
        pairs = zip(gold.expression.tolist(), gold.compound.tolist(), strict=True)
        has_other_length = [not _are_as_long(synonym, compound) for synonym, compound in pairs]
        excluded = gold.compound[np.array(has_other_length, dtype=bool)]
        is_excluded = np.isin(self.compounds.compound, excluded)
        return ~(self.compounds.shares_word | is_excluded)

    def has_scores(self) -> Flags:
        """Whether a compound has both scores, without which it enters no correlation, shape (k,).

        Data without any comp (Italian) has correlations with type scores alone.
        """
        known: Flags = ~np.isnan([self.compounds.comp, self.compounds.type_score])
        comp, type_score = known
        return comp & type_score if comp.any() else type_score

    def with_human_scores(self, numbers: Floats, correlation: str) -> WithHumanScores:
        """The means per compound of numbers of sentences, shape (m,), beside human scores.

        `correlation` is a value of `CORRELATION` of `over_sentences`.
        """
        compounds = self.compounds
        is_used = self.has_scores()
        if correlation == "spearman_no_overlap":
            is_used &= ~compounds.shares_word
        human = compounds.type_score if correlation == "spearman_type" else compounds.comp
        measured = self.per_compound(numbers)
        return WithHumanScores(compounds.compound[is_used], measured[is_used], human[is_used])


def _are_as_long(expression: str, other: str) -> bool:
    return len(expression.split()) == len(other.split())


class _Comparison(NamedTuple):
    """A comparison of a row's sentence with the same one with a probe."""

    level: str
    row: CompoundRow
    kind: str
    probe: Probe

    def text_of(self, sentence: CompoundRow | Probe) -> Text:
        """What is encoded of a sentence: all of it, or the compound or probe in it."""
        if self.level == "sentence":
            return sentence["sentence"]
        return Span(sentence["sentence"], *sentence["span"])


def similarity_plan(
    rows: Rows,
    split: str = "",
    *,
    with_words: bool = False,
) -> SimilarityItems:
    """Compare each sentence with the same one with a probe, and the compound with the probe.

    Rows are `CompoundRow`s. Sentences of the split `neutral` have no length: all have one frame.
    The head alone and the modifier alone are probes if `with_words`.
    """
    in_context: list[CompoundRow] = rows  # type: ignore[assignment]
    similarities = _similarities(in_context, with_words)
    if with_words:
        standardised = np.where(similarities.probe == "syn", 0, np.nan)
        similarities = replace(similarities, standardised=standardised)
    lengths = [np.nan] * len(in_context)
    if split.startswith("naturalistic"):
        lengths = [len(row["sentence"].split()) for row in in_context]
    sentences = SimilaritySentences.of_columns(
        row=[row["id"] for row in in_context],
        compound=[row["compound"] for row in in_context],
        length=lengths,
    )
    return SimilarityItems(similarities, sentences, _compounds(in_context))


def _similarities(rows: list[CompoundRow], with_words: bool) -> Similarities:
    compared = [
        _Comparison(level, row, kind, probe)
        for level in LEVEL.values
        for row in rows
        if level == "sentence" or stands_alone(row["sentence"], row["span"], row["surface"])
        for kind, probe in _probes(row, with_words)
    ]
    return Similarities.of_columns(
        row=[one.row["id"] for one in compared],
        compound=[one.row["compound"] for one in compared],
        level=[one.level for one in compared],
        probe=[one.kind for one in compared],
        expression=[one.probe["expression"] for one in compared],
        original=[one.text_of(one.row) for one in compared],
        replaced=[one.text_of(one.probe) for one in compared],
    )


def _probes(row: CompoundRow, with_words: bool) -> Iterator[tuple[str, Probe]]:
    yield "syn", row["syn"]
    yield "words_syn", row["words_syn"][0]
    for unrelated in row["rand"]:
        yield "rand", unrelated
    if with_words:
        yield "head", row["head"]
        yield "modifier", row["modifier"]


def _compounds(rows: list[CompoundRow]) -> SimilarityCompounds:
    """The facts about the compounds of `rows`, in the order of first occurrence.

    A compound shares a word with its gold synonym if it does so in any of its rows, as written
    there. Its class is the experts'; in data without experts (Italian) it is that of its score.
    """
    has_experts = any(row["expert_class"] for row in rows)
    last_rows = {row["compound"]: row for row in rows}
    sharing = {row["compound"] for row in rows if _shares_word(row)}
    class_field = "expert_class" if has_experts else "class"
    classes = [row.get(class_field) for row in last_rows.values()]
    return SimilarityCompounds.of_columns(
        compound=[*last_rows],
        class_=[str(class_ or "") for class_ in classes],
        comp=[row["comp"] for row in last_rows.values()],
        type_score=[row["type_score"] for row in last_rows.values()],
        shares_word=[compound in sharing for compound in last_rows],
    )


def _shares_word(row: CompoundRow) -> bool:
    words = words_of(row["surface"].casefold())
    words_of_synonym = words_of(row["syn"]["expression"].casefold())
    return not set(words).isdisjoint(words_of_synonym)


def standardised_fill(plan: SimilarityItems, encode: Encoder) -> SimilarityItems:
    """Fill a plan, the column `standardised` too: against rogue dimensions (NCIMP, appendix C)."""
    plan = encodable(plan, encode)
    table = plan.similarities
    encoded = Encoded.of(plan.distinct_texts, encode)
    of_texts, of_spans = encoded.vectors
    in_z_scores = Encoded(encoded.texts, (_standardised(of_texts), _standardised(of_spans)))
    is_gold = table.probe == "syn"
    standardised = np.full(len(table), np.nan)
    distances = in_z_scores.distances(table.original[is_gold], table.replaced[is_gold])
    standardised[is_gold] = 1 - distances
    filled = with_distances(table, encoded.distances)
    return replace(plan, similarities=replace(filled, standardised=standardised))


def _standardised(vectors: Vectors) -> Vectors:
    return z_scores(vectors, vectors) if len(vectors) else vectors
