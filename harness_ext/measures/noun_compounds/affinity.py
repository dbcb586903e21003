"""Similarity, Affinity and Scaled Similarity of what replaces a noun compound: scores of the items of `similarity`."""

import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from harness_ext.common.arrays import Flags, Floats
from harness_ext.data.compounds import CompoundRow
from harness_ext.data.rows import part_of
from harness_ext.measures.core.old_measure import Measure
from harness_ext.measures.core.old_scores import CLASS, LEVEL, Axis, AxisValues, Scores, count, declared, like, proportion
from harness_ext.measures.core.view import View, first_rows
from harness_ext.measures.core.wording import Consequences, Wording
from harness_ext.measures.noun_compounds.similarity import SimilarityItems, similarity_plan, standardised_fill
from harness_ext.statistics.correlation import known_std, rho, spearman
from harness_ext.statistics.distance import NO_DISTANCE
from harness_ext.statistics.statistic import Statistic, average, mean_of_rows, of_units, spearman_of_rows

CORRELATION = Axis(
    "correlation",
    {
        "spearman": "with comp, the mean of the compound's scores in its sentences",
        "spearman_type": "with the compound's type score",
        "spearman_no_overlap": "with comp, without the compounds that share a word with their gold synonym",
    },
)
AFFINITIES = Axis(
    "measure",
    {
        "sim_syn": "Sim(syn), of the gold synonym",
        "sim_comp": "Sim(comp), of the one word of the compound that is nearer to the original",
        "sim_words_syn": "Sim(words_syn), of the word-by-word synonym",
        "sim_rand": "Sim(rand), mean of the unrelated expressions",
        "affinity_syn_words_syn": "Sim(syn) − Sim(words_syn)",
        "affinity_syn_rand": "Sim(syn) − Sim(rand)",
    },
)
SCALED_SIMILARITIES = Axis(
    "measure",
    {
        "scaled_sim_syn": "Sim_R(syn), of the gold synonym",
        "scaled_sim_words_syn": "Sim_R(words_syn), of the word-by-word synonym",
    },
)


def affinities(items: SimilarityItems, level: str) -> dict[str, Floats]:
    """Each of `AFFINITIES` in each sentence, shape (m,); NaN where one of the vectors is zero."""
    sim = items.sim[level]
    return {
        **{f"sim_{probe}": sim[probe] for probe in ("syn", "comp", "words_syn", "rand")},
        "affinity_syn_words_syn": sim["syn"] - sim["words_syn"],
        "affinity_syn_rand": sim["syn"] - sim["rand"],
    }


def scaled_similarities(items: SimilarityItems, level: str) -> dict[str, Floats]:
    """Each of `SCALED_SIMILARITIES` in each sentence, shape (m,); NaN for a sentence without a scale."""
    sim = items.sim[level]
    room = np.where(1 - sim["rand"] <= NO_DISTANCE, np.nan, 1 - sim["rand"])
    return {f"scaled_sim_{probe}": (sim[probe] - sim["rand"]) / room for probe in ("syn", "words_syn")}


class _OfSentences(NamedTuple):
    """Numbers of each sentence, by the names of an axis: level -> name -> shape (m,), NaN for none."""

    axis: Axis
    numbers: Callable[[SimilarityItems, str], Mapping[str, Floats]]

    def at(self, items: SimilarityItems, axes: AxisValues) -> Floats:
        return self.numbers(items, axes["level"])[axes["measure"]]

    def mean(self, items: SimilarityItems, axes: AxisValues) -> Statistic:
        inside = items.classes() == axes.get("class", items.classes())
        values = np.where(inside, self.at(items, axes), np.nan)
        return mean_of_rows(items.compounds.compound, items.of_compound(), values)

    def score(self, key: str, title: str, formula: str, source: str, *axes: Axis, **attributes: Any) -> Any:
        key = f"{{level}}_{{measure}}_{key}"
        return declared(title, formula, key=key, source=source, axes=(LEVEL, self.axis, *axes), **attributes)

    def means(self, range_: tuple[float, float], source: str) -> dict[str, Any]:
        """Mean and spread over sentences."""
        return {
            "mean": self.score("mean", "mean", "mean over all sentences", source, range=range_, compute=self.mean),
            "std": self.score(
                "std",
                "spread",
                "standard deviation (ddof 1) over all sentences",
                source,
                range=(0, math.inf),
                value=lambda items, axes: known_std(self.at(items, axes)),
            ),
            "mean_of_class": self.score(
                "mean_{class}",
                "mean of a class",
                "mean over the sentences of the compounds that the experts put into the class",
                "this project, by the classes of NCIMP's footnote 14",
                CLASS,
                range=range_,
                compute=self.mean,
            ),
        }

    def correlations(self, source: str) -> dict[str, Any]:
        """Correlations with human scores, and with sentence length."""
        return {
            "correlation": self.score(
                "{correlation}",
                "rank correlation with human scores",
                "Spearman's ρ of the mean per compound with its score, over the compounds that have both scores",
                source,
                CORRELATION,
                range=(-1, 1),
                chance=0,
                compute=lambda items, axes: of_units(rho, *items.correlated(self.at(items, axes), axes["correlation"])),
            ),
            "spearman_p": self.score(
                "spearman_p",
                "p-value of the rank correlation with comp",
                "two-sided p of Spearman's ρ, by its t-distribution",
                "NCIMP, which leaves cells without significance empty",
                range=(0, 1),
                value=lambda items, axes: spearman(*items.correlated(self.at(items, axes), "spearman")[1:])[1],
            ),
            "spearman_length": self.score(
                "spearman_length",
                "rank correlation with sentence length",
                "Spearman's ρ of the value in each naturalistic sentence with its length in words",
                "NCIMP Table 4",
                range=(-1, 1),
                chance=0,
                compute=lambda items, axes: spearman_of_rows(
                    items.sentences.compound, self.at(items, axes), items.sentences.length
                ),
            ),
        }


_AFFINITIES = _OfSentences(AFFINITIES, affinities)
_SCALED_SIMILARITIES = _OfSentences(SCALED_SIMILARITIES, scaled_similarities)


def _adjusted(score: Any, what: str) -> Any:
    """A field like another, whose score is `what`: of the compounds of `SimilarityItems.adjusted` alone."""
    return like(
        score,
        "the same where counting words tells nothing",
        f"{what}, only compounds whose gold synonym has as many words and shares none with them",
        source="this project; NCIMP Tables 14 and 15 leave out shared words",
        key=f"{score.key}_adjusted",
        compute=lambda items, axes: score.compute(items, axes).restrict(items.compounds.compound[items.adjusted()]),
        not_in_interval="",
    )


def _excluded_sentences(
    title: str, formula: str, reason: str, excluded: Callable[[Mapping[str, Floats]], Flags]
) -> Any:
    """The `count` of sentences that are left out for a reason; not defined at a level without vectors.

    `excluded` says of the similarities of `SimilarityItems.sim` whether each sentence is left out, shape (m,).
    """

    def value(items: SimilarityItems, axes: AxisValues) -> float:
        return excluded(items.sim[axes["level"]]).sum() if items.has(axes["level"]) else math.nan

    return count(title, formula, key=f"n_excluded_{reason}_{{level}}", axes=(LEVEL,), value=value)


_COUNTS = {
    "span_level": proportion(
        "whether the encoder gives vectors of words in a sentence",
        "1 if so, else 0",
        value=lambda items, _: int(items.has("span")),
    ),
    "n_excluded_zero_vector": _excluded_sentences(
        "sentences with a zero vector",
        "sentences that are left out because a vector, of theirs or of a probe in them, has no direction",
        "zero_vector",
        lambda sim: np.isnan(sim["syn"]),
    ),
}
_UNSCORED = {
    "n_excluded_unscored": count(
        "compounds without human scores",
        "compounds that enter no correlation for want of comp or of a type score",
        value=lambda items, _: (~items.has_scores()).sum(),
    )
}
_CHOSEN = "the sentences and the synonyms that were chosen for each compound, and the prompt"
_FIELDS = ("id", "compound", "surface", "expert_class", "comp", "type_score", "sentence", "span")


def _forced_choice(items: SimilarityItems, axes: AxisValues) -> Statistic:
    """Of each idiom 1 if its gold synonym wins, 0 if its word-by-word synonym does, ½ for a tie."""
    idioms = items.compounds.class_ == "NC"
    affinity = items.per_compound(affinities(items, axes["level"])["affinity_syn_words_syn"])[idioms]
    choices = np.where(np.abs(affinity) <= NO_DISTANCE, 0.5, affinity > 0)
    return of_units(average, items.compounds.compound[idioms], np.where(np.isnan(affinity), np.nan, choices))


def _spearman_standardised(items: SimilarityItems, axes: AxisValues) -> float:
    sim = items.sim[axes["level"]]
    return spearman(sim["syn"], sim["standardised"])[0]


_FORCED_CHOICE = proportion(
    "how often the synonym of an idiom wins over the word-by-word synonyms",
    "share of the experts' NC compounds with mean Sim(syn) − Sim(words_syn) > 0, ½ for 0",
    direction="higher",
    chance=0.5,
    source="this project, from NCIMP's Affinity",
    key="{level}_forced_choice_nc",
    axes=(LEVEL,),
    interval=True,
    compute=_forced_choice,
    not_in_interval=_CHOSEN,
)


def _view(items: SimilarityItems) -> View:
    """View compounds by the means of Sim over their sentences."""
    compounds = items.compounds
    means = {name: items.per_compound(values) for name, values in affinities(items, "sentence").items()}
    affinity = means["affinity_syn_words_syn"]
    return View(
        {"compound": compounds.compound, "class": compounds.class_, "human score": compounds.comp},
        {"affinity": affinity, **{f"Sim({name})": means[f"sim_{name}"] for name in ("syn", "words_syn", "rand")}},
        np.where(compounds.class_ == "NC", -affinity, np.nan),
        first_rows(compounds.compound, items.sentences),
    )


AFFINITY = Measure(
    name="affinity",
    version=7,
    package=__package__,
    published="published_affinity.csv",
    needs=part_of(CompoundRow, *_FIELDS, "syn", "words_syn", "rand", "head", "modifier"),
    plan=partial(similarity_plan, with_words=True),
    fill=standardised_fill,
    main="sentence_forced_choice_nc",
    headline="span_affinity_syn_words_syn_spearman",
    adjusted="sentence_forced_choice_nc_adjusted",
    unit="compound",
    items=SimilarityItems,
    scores=Scores.of(
        "AffinityScores",
        {
            "forced_choice_nc": _FORCED_CHOICE,
            "forced_choice_nc_adjusted": _adjusted(_FORCED_CHOICE, "the forced choice"),
            **_AFFINITIES.means((-2, 2), "NCIMP Tables 10, 11 and, over both levels, 12"),
            **_AFFINITIES.correlations("NCIMP Tables 2, 3, 5 and 14"),
            "spearman_standardised": declared(
                "whether few dimensions rule the similarities",
                "Spearman's ρ over the sentences of Sim(syn) with Sim(syn) after z-scoring every dimension",
                range=(-1, 1),
                source="NCIMP Table 16",
                key="{level}_sim_syn_spearman_standardised",
                axes=(LEVEL,),
                value=_spearman_standardised,
            ),
            **_COUNTS,
            **_UNSCORED,
        },
    ),
    view=_view,
    wording=Wording(
        question="In the sentence of an idiom, is a synonym of the whole nearer than a word-by-word synonym?",
        score="For {value} of the idioms, the synonym of the whole idiom wins over synonyms of its single words.",
        chance=Consequences(
            "Tossing a coin",
            above="More often than not, the meaning of an idiom is nearer than a paraphrase word by word.",
            below=(
                "More often than not, a silly paraphrase word by word is nearer than the idiom's meaning. Idioms can "
                "mislead paraphrase search and deduplication."
            ),
        ),
        right=(
            "For an idiom (NC), affinity = Sim(syn) − Sim(words_syn) should be above 0: the synonym of the whole keeps "
            "the sentence nearer to the original than synonyms of the single words do."
        ),
    ),
)


def _contrast(items: SimilarityItems, axes: AxisValues) -> Statistic:
    return of_units(average, items.compounds.compound, items.per_compound(items.contrasts(axes["level"])))


_CONTRAST_SYN = declared(
    "how much nearer to its sentence a compound's gold synonym is than unrelated expressions are",
    "mean over compounds of the mean over their sentences of (d(rand) − d(syn)) / (d(rand) + d(syn)), d = 1 − Sim, "
    "mean over the unrelated expressions; 0 where both are 0",
    range=(-1, 1),
    direction="higher",
    chance=0,
    source="this project, from NCIMP's Scaled Similarity",
    key="{level}_contrast_syn",
    axes=(LEVEL,),
    interval=True,
    compute=_contrast,
    smallest_effect=0.05,
    not_in_interval=_CHOSEN,
)

SCALED_SIMILARITY = Measure(
    name="scaled_similarity",
    version=8,
    package=__package__,
    published="published_scaled_similarity.csv",
    needs=part_of(CompoundRow, *_FIELDS, "syn", "words_syn", "rand"),
    plan=similarity_plan,
    main="sentence_contrast_syn",
    headline="span_scaled_sim_syn_mean",
    adjusted="sentence_contrast_syn_adjusted",
    unit="compound",
    items=SimilarityItems,
    scores=Scores.of(
        "ScaledSimilarityScores",
        {
            "contrast_syn": _CONTRAST_SYN,
            "contrast_syn_adjusted": _adjusted(_CONTRAST_SYN, "the mean over compounds"),
            **_SCALED_SIMILARITIES.means((-math.inf, 1), "NCIMP Table 13"),
            **_SCALED_SIMILARITIES.correlations("NCIMP Tables 6 and 15"),
            **_COUNTS,
            "n_excluded_zero_scale": _excluded_sentences(
                "sentences without a scale",
                "sentences that Sim_R leaves out because Sim(rand) = 1: unrelated expressions keep all of the original",
                "zero_scale",
                lambda sim: 1 - sim["rand"] <= NO_DISTANCE,
            ),
            **_UNSCORED,
        },
    ),
    wording=Wording(
        question="Does a compound's synonym keep its sentence nearer to the original than unrelated expressions do?",
        score="From −1 (only the synonym changes the sentence) over 0 (unrelated expressions change it as much) to 1 "
        "(only they change it), a compound's own synonym gets {value}.",
        chance=Consequences(
            "An unrelated expression",
            above="A good paraphrase changes the vector of a sentence less than an unrelated expression does.",
            below="A good paraphrase changes the vector of a sentence more than an unrelated expression does.",
        ),
        right="Every compound should be near 1: its synonym changes the sentence much less than unrelated expressions "
        "do. 0 is chance.",
    ),
)
