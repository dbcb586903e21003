"""Do vectors of noun compounds know how idiomatic the compounds are, as types and in each sentence?

Garcia, Kramer Vieira, Scarton, Idiart, Villavicencio 2021: *Assessing the Representations of
Idiomaticity in Vector Models with a Noun Compound Dataset Labeled at Type and Token Levels*, ACL
2021 (NCTTI). Three questions:

1. Is a compound nearer to the sum of the words, or to itself, fed alone the more compositional
   people find it?
2. Is it the farther from itself in another sentence the more people's scores in the two differ?
3. Does it spread over its sentences as people's scores do?

The second is the paper's Experiment 2 but for one thing: there, the human side is the Euclidean
distance of three scores, of the compound, of its head and of its modifier, of which only the
compound's are published.
"""

from typing import NamedTuple

import numpy as np

from harness_ext.common.arrays import Flags, Floats, Names
from harness_ext.data.compounds import PartOfCompound, TypeTokenRow, words_of
from harness_ext.data.rows import part_of
from harness_ext.data.word_frequencies import zipf_frequency
from harness_ext.measures.core.fill import Encoder, fill
from harness_ext.measures.core.measure import EncoderMeasure, Rows
from harness_ext.measures.core.scores import CLASS, COUNT, LEVEL, Axis, number, score
from harness_ext.measures.core.view import View, first_rows
from harness_ext.measures.core.wording import Consequences, Wording
from harness_ext.measures.noun_compounds.type_token_items import (
    ALONE,
    TypeTokenItems,
    type_token_plan,
)
from harness_ext.statistics.correlation import known_std, partial_rho, rho, spearman
from harness_ext.statistics.statistic import Statistic, average, of_units, spearman_of_rows

FREQUENCY = Axis(
    "frequency",
    {
        "type_spearman_frequency": (
            "of the mean cosine of the compound in its sentences with its frequency"
        ),
        "token_spearman_frequency": (
            "of the cosine of the compound in each sentence with its frequency"
        ),
    },
)
CORRELATION = Axis(
    "of",
    {
        "type_spearman": "of the mean cosine of the compound in its sentences with its type score",
        "token_spearman": ("of the cosine of the compound in each sentence with its score there"),
        **FREQUENCY.values,
    },
)


def rho_of_similarities(similarity: Floats, scores: Floats, times: Floats) -> Floats:
    """Spearman's ρ of cosines with human scores, which is 0 where the cosines are all equal.

    Where every compound is the sum of the words, as for an encoder that adds up words, no compound
    is ranked above another.

    Args:
        similarity: The cosine of each compound, shape (n,).
        scores: Its human score, shape (n,).
        times: How many times each compound is in each sample, shape (m, n).

    Returns:
        ρ of each sample, shape (m,).
    """
    correlation = rho(similarity, scores, times)
    return np.where(_are_equal(similarity, times), 0.0, correlation)


def partial_rho_of_similarities(
    similarity: Floats, scores: Floats, lengths: Floats, times: Floats
) -> Floats:
    """As `rho_of_similarities`, with the length of compounds, shape (n,), held constant."""
    correlation = partial_rho(similarity, scores, lengths, times)
    return np.where(_are_equal(similarity, times), 0.0, correlation)


def _are_equal(similarity: Floats, times: Floats) -> Flags:
    """Whether the cosines in each sample are all equal, shapes (n,) and (m, n) -> (m,)."""
    is_drawn = times > 0
    least = np.where(is_drawn, similarity, 1).min(axis=1, initial=1)
    most = np.where(is_drawn, similarity, -1).max(axis=1, initial=-1)
    return least == most


def letters(compounds: Names) -> Floats:
    """How many letters each compound has, shape (n,).

    Examples:
        >>> letters(np.array(["tea cup", "caixa-forte"]))
        array([ 6., 10.])
    """
    counts = [sum(map(str.isalpha, compound)) for compound in compounds.tolist()]
    return np.array(counts, dtype=np.float64)


def zipf_frequencies(compounds: Names) -> Floats:
    """The mean Zipf frequency of the words of each compound; NaN where one is not listed, (n,)."""
    frequencies = [_mean_frequency(compound) for compound in compounds.tolist()]
    return np.array(frequencies, dtype=np.float64)


def _mean_frequency(compound: str) -> float:
    return float(np.mean([zipf_frequency(word) for word in words_of(compound)]))


class Compared(NamedTuple):
    """What a correlation is of, each of shape (n,).

    Attributes:
        compound: The compounds, once, or once per sentence.
        similarity: Cosines.
        human: Human scores.
    """

    compound: Names
    similarity: Floats
    human: Floats


def compared_types(items: TypeTokenItems, alone: str) -> Compared:
    """The compounds with their mean cosines and type scores."""
    compounds = items.compounds
    return Compared(compounds.compound, items.per_compound(alone), compounds.type_score)


def compared_tokens(items: TypeTokenItems, alone: str) -> Compared:
    """The compounds in sentences with their cosines and scores there."""
    rows = items.compared(alone)
    return Compared(rows.compound, rows.similarity, items.human_scores(rows.row))


def compared_with_frequency(items: TypeTokenItems, alone: str, frequency: str) -> Compared:
    """The same of a value of `FREQUENCY`, with frequencies in the place of human scores."""
    is_of_types = frequency == "type_spearman_frequency"
    compared = compared_types(items, alone) if is_of_types else compared_tokens(items, alone)
    return compared._replace(human=zipf_frequencies(compared.compound))


class TypeToken(EncoderMeasure[TypeTokenItems]):
    """Type and token idiomaticity (Garcia et al.)."""

    name = "type_token"
    version = 8
    question = "Do the model and people find the same compounds compositional?"
    package = __package__
    published = "published_type_token.csv"
    row = part_of(
        TypeTokenRow,
        "id",
        "compound",
        "surface",
        "expert_class",
        "type_score",
        "token_score",
        "sentence",
        "span",
        modifier=PartOfCompound,
        head=PartOfCompound,
    )
    examples = (
        {"compound": "black box", "type_score": "1.2"},
        {"compound": "tea cup", "type_score": "4.7"},
    )
    items = TypeTokenItems
    unit = "compound"
    main = "phrase_additivity_type_spearman"
    headline = "nc_out_token_spearman"
    adjusted = "phrase_additivity_type_spearman_adjusted"
    additive = False  # it compares with the sum of words itself

    def plan(self, rows: Rows, split: str) -> TypeTokenItems:
        """Compare compounds in sentences and alone, see `type_token_plan`."""
        return type_token_plan(rows, split)

    def fill(self, plan: TypeTokenItems, encode: Encoder) -> TypeTokenItems:
        """Compare words inside sentences by all of their last layers, one after the other."""
        return fill(plan, encode, layer_pooling="concatenate")

    def wording(self) -> Wording:
        """Word the question and the main score."""
        return Wording(
            self.question,
            score=(
                "Ordered by nearness to the sum of their words, the compounds agree with people's "
                "order at a rank correlation of {value}."
            ),
            chance=Consequences(
                "A random order",
                above=(
                    "The more literal people find a compound, the more it is the sum of the words "
                    "to the model."
                ),
                below=(
                    "The order is upside down: idioms are more the sum of their words to the model "
                    "than literal compounds."
                ),
            ),
            right=(
                "The more compositional people find a compound (0 to 5), the nearer it should be "
                "to the sum of the words. A difference of ranks of 1 goes from one end of all "
                "compounds to the other."
            ),
        )

    @score(
        title=(
            "whether compounds are the sum of their words as far as people find them compositional"
        ),
        formula=(
            "Spearman's ρ over compounds of cos(compound, sum of the words), all fed alone, with "
            "the type score; 0 if every compound is the sum of the words"
        ),
        range=(-1, 1),
        better="higher",
        chance=0,
        source=(
            "this project, from NCTTI's NC_outComp, for encoders without vectors of words in a "
            "sentence"
        ),
        interval=True,
    )
    def phrase_additivity_type_spearman(self, items: TypeTokenItems) -> Statistic:
        types = compared_types(items, "phrase_additivity")
        return of_units(rho_of_similarities, *types)

    @score(
        like=phrase_additivity_type_spearman,
        key="{alone}_type_spearman",
        axes=[ALONE],
        title="compositionality of types",
        formula=(
            "Spearman's ρ over compounds of the mean cosine of the compound in its sentences with "
            "the type score"
        ),
        source="NCTTI Table 5, type level",
    )
    def type_spearman(self, items: TypeTokenItems, alone: str) -> Statistic:
        types = compared_types(items, alone)
        return of_units(rho_of_similarities, *types)

    @score(
        like=phrase_additivity_type_spearman,
        title="the same among compounds of equal length",
        formula=(
            "Spearman's partial ρ: ranks of cosines and of type scores, each regressed on those of "
            "letters in the compound"
        ),
        source="this project",
    )
    def phrase_additivity_type_spearman_adjusted(self, items: TypeTokenItems) -> Statistic:
        types = compared_types(items, "phrase_additivity")
        return of_units(partial_rho_of_similarities, *types, letters(types.compound))

    @score(
        like=type_spearman,
        key="{alone}_type_spearman_adjusted",
        title="compositionality of types among compounds of equal length",
        formula=(
            "Spearman's partial ρ: ranks of mean cosines and of type scores, each regressed on "
            "those of letters"
        ),
        source="this project",
    )
    def type_spearman_adjusted(self, items: TypeTokenItems, alone: str) -> Statistic:
        types = compared_types(items, alone)
        return of_units(partial_rho_of_similarities, *types, letters(types.compound))

    @score(
        key="{alone}_token_spearman",
        axes=[ALONE],
        title="compositionality in sentences",
        formula=(
            "Spearman's ρ over sentences of the cosine of the compound in the sentence with its "
            "score there"
        ),
        range=(-1, 1),
        better="higher",
        chance=0,
        source="NCTTI Table 5, token level",
        interval=True,
    )
    def token_spearman(self, items: TypeTokenItems, alone: str) -> Statistic:
        """Compounds are drawn, each with all its sentences."""
        return spearman_of_rows(*compared_tokens(items, alone))

    @score(
        key="{alone}_{frequency}",
        axes=[ALONE, FREQUENCY],
        title="whether the frequency of a compound tells how near it is",
        formula=(
            "Spearman's ρ over compounds, or over sentences, of that cosine with the mean Zipf "
            "frequency of the compound's words (English, wordfreq); the paper has the frequency of "
            "the compound in a corpus"
        ),
        range=(-1, 1),
        chance=0,
        source="NCTTI Table 5, frequency",
    )
    def spearman_frequency(
        self,
        items: TypeTokenItems,
        alone: str,
        frequency: str,
    ) -> Statistic:
        return spearman_of_rows(*compared_with_frequency(items, alone, frequency))

    @number(
        key="{alone}_{of}_p",
        axes=[ALONE, CORRELATION],
        title="p-value of a rank correlation",
        formula=(
            "two-sided p of Spearman's ρ, by its t-distribution; sentences count as independent, "
            "as in the paper"
        ),
        range=(0, 1),
        source="NCTTI Table 5",
    )
    def spearman_p(
        self,
        items: TypeTokenItems,
        alone: str,
        correlation: str,
    ) -> float:
        if correlation == "type_spearman":
            compared = compared_types(items, alone)
        elif correlation == "token_spearman":
            compared = compared_tokens(items, alone)
        else:
            compared = compared_with_frequency(items, alone, correlation)
        _, p_value = spearman(compared.similarity, compared.human)
        return p_value

    @score(
        key="{level}_cross_sentence_spearman_mean",
        axes=[LEVEL],
        title="whether sentences differ in vectors where they do in human scores",
        formula=(
            "mean over compounds of Spearman's ρ of |difference of scores| with the cosine of its "
            "pairs of sentences"
        ),
        range=(-1, 1),
        better="lower",
        chance=0,
        source=("NCTTI Table 6, there with distances of three scores, of which one is published"),
    )
    def cross_sentence_mean(self, items: TypeTokenItems, level: str) -> Statistic:
        return of_units(average, items.compounds.compound, items.across_sentences[level].rho)

    @number(
        key="{level}_cross_sentence_spearman_std",
        axes=[LEVEL],
        title="spread of that ρ",
        formula="standard deviation (ddof 1) over compounds of ρ",
        range=(0, 2),
        source="NCTTI Table 6",
    )
    def cross_sentence_std(self, items: TypeTokenItems, level: str) -> float:
        return known_std(items.across_sentences[level].rho)

    @score(
        like=cross_sentence_mean,
        key="{level}_cross_sentence_spearman_mean_{class}",
        axes=[LEVEL, CLASS],
        title="the same in a class",
        formula="mean of ρ over the compounds that the experts put into the class",
        source="NCTTI Table 6",
    )
    def cross_sentence_mean_of_class(
        self, items: TypeTokenItems, level: str, class_: str
    ) -> Statistic:
        is_of_class = items.compounds.class_ == class_
        rho_of_class = items.across_sentences[level].rho[is_of_class]
        return of_units(average, items.compounds.compound[is_of_class], rho_of_class)

    @number(
        like=cross_sentence_std,
        key="{level}_cross_sentence_spearman_std_{class}",
        axes=[LEVEL, CLASS],
        title="spread of that ρ in a class",
        formula=(
            "standard deviation (ddof 1) of ρ over the compounds that the experts put into the "
            "class"
        ),
    )
    def cross_sentence_std_of_class(
        self,
        items: TypeTokenItems,
        level: str,
        class_: str,
    ) -> float:
        is_of_class = items.compounds.class_ == class_
        return known_std(items.across_sentences[level].rho[is_of_class])

    @score(
        title="whether compounds spread over their sentences as human scores do",
        formula=(
            "Spearman's ρ over compounds of the standard deviation of their cosines across "
            "sentences, of spans, with that of their scores"
        ),
        range=(-1, 1),
        better="higher",
        chance=0,
        source="NCTTI §4.4, Experiment 3",
    )
    def spread_spearman(self, items: TypeTokenItems) -> Statistic:
        spans = items.across_sentences["span"]
        compounds = items.compounds.compound
        return of_units(rho, compounds, spans.spread_of_cosines, spans.spread_of_scores)

    @number(
        title="p-value of that rank correlation",
        formula="two-sided p of Spearman's ρ, by its t-distribution",
        range=(0, 1),
        source="NCTTI §4.4, Experiment 3",
    )
    def spread_spearman_p(self, items: TypeTokenItems) -> float:
        spans = items.across_sentences["span"]
        _, p_value = spearman(spans.spread_of_cosines, spans.spread_of_scores)
        return p_value

    @number(
        title="whether the encoder gives vectors of words in a sentence",
        formula="1 if so, else 0",
        range=(0, 1),
    )
    def span_level(self, items: TypeTokenItems) -> int:
        return int(items.has_spans)

    @number(
        title="rows without a sentence",
        formula="scores of compounds whose sentence is not known",
        range=COUNT,
    )
    def n_excluded_no_sentence(self, items: TypeTokenItems) -> int:
        return int((~items.sentences.has_sentence).sum())

    @number(
        title="rows without a score in their sentence",
        formula="sentences that nobody has scored",
        range=COUNT,
    )
    def n_excluded_no_score(self, items: TypeTokenItems) -> int:
        return int(np.isnan(items.sentences.score).sum())

    @number(
        title="compounds of one word whose modifier and head are not given",
        formula="compounds without words to add up",
        range=COUNT,
    )
    def n_excluded_one_word(self, items: TypeTokenItems) -> int:
        compounds = items.compounds.compound
        left_out = np.delete(compounds, items.phrases)
        return sum(len(words_of(compound)) < 2 for compound in left_out.tolist())

    @number(
        title="compounds without a type score",
        formula="compounds that are scored in their sentences only",
        range=COUNT,
    )
    def n_excluded_no_type_score(self, items: TypeTokenItems) -> int:
        return int(np.isnan(items.compounds.type_score[items.phrases]).sum())

    @number(
        title="compounds with a zero vector",
        formula="the compound alone or the sum of the words has no direction",
        range=COUNT,
    )
    def n_excluded_zero_vector_phrase(self, items: TypeTokenItems) -> int:
        return int(np.isnan(items.compared("phrase_additivity").similarity).sum())

    @number(
        title="sentences with a zero vector",
        formula="the compound in the sentence, alone, or the sum of the words has no direction",
        range=COUNT,
    )
    def n_excluded_zero_vector(self, items: TypeTokenItems) -> float:
        if not items.has_spans:
            return np.nan
        n_sentences = int((items.alone.comparison == "nc_out").sum())
        return n_sentences - len(items.compared("nc_out"))

    @number(
        key="n_excluded_cross_sentence_{level}",
        axes=[LEVEL],
        title="compounds without a ρ across sentences",
        formula=(
            "compounds with fewer than three sentences, with scores that are all the same, or with "
            "a zero vector"
        ),
        range=COUNT,
    )
    def n_excluded_cross_sentence(self, items: TypeTokenItems, level: str) -> float:
        if level == "span" and not items.has_spans:
            return np.nan
        return int(np.isnan(items.across_sentences[level].rho[items.phrases]).sum())

    def view(self, items: TypeTokenItems) -> View:
        """View compounds: cosine with their words against people's scores."""
        compounds = items.compounds
        facts = {
            "compound": compounds.compound,
            "class": compounds.class_,
            "human score": compounds.type_score,
        }
        measured = ("cos, words", items.per_compound("phrase_additivity"))
        rows = first_rows(compounds.compound, items.sentences)
        return View.by_rank(facts, measured, compounds.type_score, rows)


TYPE_TOKEN = TypeToken()
