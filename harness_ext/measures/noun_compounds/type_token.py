"""Do vectors of noun compounds know how idiomatic the compounds are, as types and in each sentence?

Garcia, Kramer Vieira, Scarton, Idiart, Villavicencio 2021: *Assessing the Representations of Idiomaticity in Vector
Models with a Noun Compound Dataset Labeled at Type and Token Levels*, ACL 2021 (NCTTI). Three questions:

1. Is a compound nearer to the sum of the words, or to itself, fed alone the more compositional people find it?
2. Is it the farther from itself in another sentence the more people's scores in the two differ?
3. Does it spread over its sentences as people's scores do?

The second is the paper's Experiment 2 but for one thing: there, the human side is the Euclidean distance of three
scores, of the compound, of its head and of its modifier, of which only the compound's are published.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from harness_ext.common.arrays import Array, Floats, Names, positions
from harness_ext.data.compounds import TypeTokenRow, words_of
from harness_ext.data.rows import part_of
from harness_ext.data.word_frequencies import zipf_frequency
from harness_ext.measures.core.fill import fill
from harness_ext.measures.core.old_measure import Measure
from harness_ext.measures.core.old_scores import (
    CLASS,
    LEVEL,
    Axis,
    AxisValues,
    Scores,
    correlation,
    count,
    declared,
    like,
    proportion,
)
from harness_ext.measures.core.view import View, first_rows
from harness_ext.measures.core.wording import Consequences, Wording
from harness_ext.measures.noun_compounds.type_token_items import ALONE, TypeTokenItems, type_token_plan
from harness_ext.statistics.correlation import known_std, partial_rho, rho, spearman
from harness_ext.statistics.statistic import Statistic, average, of_units, spearman_of_rows

FREQUENCY = Axis(
    "frequency",
    {
        "type_spearman_frequency": "of the mean cosine of the compound in its sentences with its frequency",
        "token_spearman_frequency": "of the cosine of the compound in each sentence with its frequency",
    },
)
OF = Axis(
    "of",
    {
        "type_spearman": "of the mean cosine of the compound in its sentences with its type score",
        "token_spearman": "of the cosine of the compound in each sentence with its score there",
        **FREQUENCY.values,
    },
)


def rho_of_similarities(formula: Callable[..., Floats], similarity: Floats, *others: Floats) -> Floats:
    """A rank correlation of cosines, which is 0 where they are all equal.

    Where every compound is the sum of the words, as for an encoder that adds up words, no compound is ranked above
    another.

    The formula is `rho` or `partial_rho`. The others are type scores, the lengths that a partial correlation holds
    constant, each of shape (n,), and the number of times that each compound is in each sample, shape (m, n).
    """
    drawn = others[-1] > 0
    least = np.where(drawn, similarity, 1).min(axis=1, initial=1)
    most = np.where(drawn, similarity, -1).max(axis=1, initial=-1)
    return np.where(least == most, 0.0, formula(similarity, *others))


def _type_spearman_adjusted(items: TypeTokenItems, axes: AxisValues) -> Statistic:
    letters = [sum(map(str.isalpha, name)) for name in items.compounds.compound.tolist()]
    return _of_types(items, axes, np.array(letters, dtype=np.float64), formula=partial_rho)


def _of_types(items: TypeTokenItems, axes: AxisValues, *given: Floats, formula: Callable[..., Floats]) -> Statistic:
    compounds, similarity = items.compounds, items.per_compound(axes.get("alone", "phrase_additivity"))
    of_similarities = partial(rho_of_similarities, formula)
    return of_units(of_similarities, compounds.compound, similarity, compounds.type_score, *given)


def _frequencies(compounds: Names) -> Floats:
    """The mean Zipf frequency of the words of each compound; NaN where one is not listed, shape (n,)."""
    return np.array([np.mean([*map(zipf_frequency, words_of(name))]) for name in compounds.tolist()], dtype=np.float64)


def _correlated(items: TypeTokenItems, axes: AxisValues) -> tuple[Names, Floats, Floats]:
    """What a correlation of `OF` is of: compounds, cosines, and people's scores or frequencies, each of shape (n,)."""
    of = axes.get("of", axes.get("frequency", "token_spearman"))
    if of.startswith("type"):
        names, similarity = items.compounds.compound, items.per_compound(axes["alone"])
        scores = items.compounds.type_score
    else:
        rows = items.compared(axes["alone"])
        names, similarity = rows.compound, rows.similarity
        scores = items.sentences.score[positions(rows.row, items.sentences.row)]
    return names, similarity, _frequencies(names) if of in FREQUENCY.values else scores


def _cross_sentence(items: TypeTokenItems, axes: AxisValues) -> tuple[Names, Floats]:
    """The compounds, or those of a class, and the ρ across the sentences of each."""
    rhos, classes = items.across_sentences[axes["level"]]["rho"], items.compounds.class_
    inside = classes == axes.get("class", classes)
    return items.compounds.compound[inside], rhos[inside]


def _spreads(items: TypeTokenItems) -> tuple[Floats, Floats]:
    """The spreads of cosines and of human scores of each compound over its sentences."""
    spans = items.across_sentences["span"]
    return spans["spread_of_cosines"], spans["spread_of_scores"]


def _n_zero_vectors(items: TypeTokenItems, _: AxisValues) -> float:
    n_compared = (items.alone.comparison == "nc_out").sum() - len(items.compared("nc_out"))
    return int(n_compared) if items.has_spans else np.nan


def _n_without_rho(items: TypeTokenItems, axes: AxisValues) -> float:
    n = np.isnan(items.across_sentences[axes["level"]]["rho"][items.phrases]).sum()
    return int(n) if items.has_spans or axes["level"] == "sentence" else np.nan


@dataclass(frozen=True)
class TypeTokenScores(Scores):
    """The scores of type and token idiomaticity; arrays over `ALONE`, or `LEVEL` and `CLASS`."""

    phrase_additivity_type_spearman: float = correlation(
        "whether compounds are the sum of their words as far as people find them compositional",
        "Spearman's ρ over compounds of cos(compound, sum of the words), all fed alone, with the type score; 0 if "
        "every compound is the sum of the words",
        direction="higher",
        source="this project, from NCTTI's NC_outComp, for encoders without vectors of words in a sentence",
        interval=True,
        compute=partial(_of_types, formula=rho),
    )
    type_spearman: Floats = like(
        phrase_additivity_type_spearman,
        "compositionality of types",
        "Spearman's ρ over compounds of the mean cosine of the compound in its sentences with the type score",
        source="NCTTI Table 5, type level",
        key="{alone}_type_spearman",
        axes=(ALONE,),
    )
    phrase_additivity_type_spearman_adjusted: float = like(
        phrase_additivity_type_spearman,
        "the same among compounds of equal length",
        "Spearman's partial ρ: ranks of cosines and of type scores, each regressed on those of letters in the compound",
        source="this project",
        compute=_type_spearman_adjusted,
    )
    type_spearman_adjusted: Floats = like(
        type_spearman,
        "compositionality of types among compounds of equal length",
        "Spearman's partial ρ: ranks of mean cosines and of type scores, each regressed on those of letters",
        source="this project",
        key="{alone}_type_spearman_adjusted",
        compute=_type_spearman_adjusted,
    )
    token_spearman: Floats = correlation(
        "compositionality in sentences",
        "Spearman's ρ over sentences of the cosine of the compound in the sentence with its score there",
        direction="higher",
        source="NCTTI Table 5, token level",
        key="{alone}_token_spearman",
        axes=(ALONE,),
        compute=lambda items, axes: spearman_of_rows(*_correlated(items, axes)),
    )
    spearman_frequency: Floats = correlation(
        "whether the frequency of a compound tells how near it is",
        "Spearman's ρ over compounds, or over sentences, of that cosine with the mean Zipf frequency of the compound's "
        "words (English, wordfreq); the paper has the frequency of the compound in a corpus",
        source="NCTTI Table 5, frequency",
        key="{alone}_{frequency}",
        axes=(ALONE, FREQUENCY),
        compute=lambda items, axes: spearman_of_rows(*_correlated(items, axes)),
    )
    spearman_p: Floats = proportion(
        "p-value of a rank correlation",
        "two-sided p of Spearman's ρ, by its t-distribution; sentences count as independent, as in the paper",
        source="NCTTI Table 5",
        key="{alone}_{of}_p",
        axes=(ALONE, OF),
        value=lambda items, axes: spearman(*_correlated(items, axes)[1:])[1],
    )
    cross_sentence_mean: Floats = correlation(
        "whether sentences differ in vectors where they do in human scores",
        "mean over compounds of Spearman's ρ of |difference of scores| with the cosine of its pairs of sentences",
        direction="lower",
        source="NCTTI Table 6, there with distances of three scores, of which one is published",
        key="{level}_cross_sentence_spearman_mean",
        axes=(LEVEL,),
        compute=lambda items, axes: of_units(average, *_cross_sentence(items, axes)),
    )
    cross_sentence_std: Floats = declared(
        "spread of that ρ",
        "standard deviation (ddof 1) over compounds of ρ",
        range=(0, 2),
        source="NCTTI Table 6",
        key="{level}_cross_sentence_spearman_std",
        axes=(LEVEL,),
        value=lambda items, axes: known_std(_cross_sentence(items, axes)[1]),
    )
    cross_sentence_mean_of_class: Floats = like(
        cross_sentence_mean,
        "the same in a class",
        "mean of ρ over the compounds that the experts put into the class",
        source="NCTTI Table 6",
        key="{level}_cross_sentence_spearman_mean_{class}",
        axes=(LEVEL, CLASS),
    )
    cross_sentence_std_of_class: Floats = like(
        cross_sentence_std,
        "spread of that ρ in a class",
        "standard deviation (ddof 1) of ρ over the compounds that the experts put into the class",
        key="{level}_cross_sentence_spearman_std_{class}",
        axes=(LEVEL, CLASS),
    )
    spread_spearman: float = correlation(
        "whether compounds spread over their sentences as human scores do",
        "Spearman's ρ over compounds of the standard deviation of their cosines across sentences, of spans, with that "
        "of their scores",
        direction="higher",
        source="NCTTI §5",
        compute=lambda items, _: of_units(rho, items.compounds.compound, *_spreads(items)),
    )
    spread_spearman_p: float = proportion(
        "p-value of that rank correlation",
        "two-sided p of Spearman's ρ, by its t-distribution",
        source="NCTTI §5, Experiment 3",
        value=lambda items, _: spearman(*_spreads(items))[1],
    )
    span_level: int = proportion(
        "whether the encoder gives vectors of words in a sentence",
        "1 if so, else 0",
        value=lambda items, _: int(items.has_spans),
    )
    n_excluded_no_sentence: int = count(
        "rows without a sentence",
        "scores whose sentence is not in NCIMP",
        value=lambda items, _: (~items.sentences.has_sentence).sum(),
    )
    n_excluded_no_score: int = count(
        "rows without a score",
        "sentences that nobody has scored",
        value=lambda items, _: np.isnan(items.sentences.score).sum(),
    )
    n_excluded_no_type_score: int = count(
        "compounds without a type score",
        "compounds that are scored in their sentences only",
        value=lambda items, _: np.isnan(items.compounds.type_score[items.phrases]).sum(),
    )
    n_excluded_zero_vector_phrase: int = count(
        "compounds with a zero vector",
        "the compound alone or the sum of the words has no direction",
        value=lambda items, _: np.isnan(items.compared("phrase_additivity").similarity).sum(),
    )
    n_excluded_zero_vector: float = count(
        "sentences with a zero vector",
        "the compound in the sentence, alone, or the sum of the words has no direction",
        value=_n_zero_vectors,
    )
    n_excluded_cross_sentence: Array = count(
        "compounds without a ρ across sentences",
        "compounds with fewer than three sentences, with scores that are all the same, or with a zero vector",
        key="n_excluded_cross_sentence_{level}",
        axes=(LEVEL,),
        value=_n_without_rho,
    )


def _view(items: TypeTokenItems) -> View:
    """View compounds: cosine with their words against people's scores."""
    compounds = items.compounds
    facts = {"compound": compounds.compound, "class": compounds.class_, "human score": compounds.type_score}
    measured = "cos, words", items.per_compound("phrase_additivity")
    return View.by_rank(facts, measured, compounds.type_score, first_rows(compounds.compound, items.sentences))


TYPE_TOKEN = Measure(
    name="type_token",
    version=7,
    package=__package__,
    published="published_type_token.csv",
    needs=part_of(
        TypeTokenRow, "id", "compound", "surface", "expert_class", "type_score", "token_score", "sentence", "span"
    ),
    plan=type_token_plan,
    fill=partial(fill, layer_pooling="concatenate"),
    main="phrase_additivity_type_spearman",
    headline="nc_out_type_spearman",
    adjusted="phrase_additivity_type_spearman_adjusted",
    unit="compound",
    items=TypeTokenItems,
    scores=TypeTokenScores,
    additive=False,  # it compares with the sum of words itself
    view=_view,
    wording=Wording(
        question="Do the model and people find the same compounds compositional?",
        score=(
            "Ordered by nearness to the sum of their words, the compounds agree with people's order at a rank "
            "correlation of {value}."
        ),
        chance=Consequences(
            "A random order",
            above="The more literal people find a compound, the more it is the sum of the words to the model.",
            below="The order is upside down: idioms are more the sum of their words to the model than literal "
            "compounds.",
        ),
        right=(
            "The more compositional people find a compound (0 to 5), the nearer it should be to the sum of the words. "
            "A difference of ranks of 1 goes from one end of all compounds to the other."
        ),
    ),
    examples=({"compound": "black box", "type_score": "1.2"}, {"compound": "tea cup", "type_score": "4.7"}),
)
