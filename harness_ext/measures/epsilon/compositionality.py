"""ε-compositionality: does a compound change its sentence more than the single words explain?

Wold, Simon, Velldal, Øvrelid: *Measuring Idiomaticity in Text Embedding Models with ε-compositionality*. For a word b
of a compound, two synonyms a and a' of it, and the sentence c with the place of that word left open (their Eq. 3):

    ε(a, b, c) = d(ac, bc) / d(a, b) - 1          idiomaticity-ε
    ε(a, a', c) = d(ac, a'c) / d(a, a') - 1       baseline-ε

An example by all-MiniLM-L6-v2: in a sentence with *black box* (NC), b is *black*, a is *dark* and a' is *bleak*.

    d(dark, black)   .336     d(ac, bc)    .111     ε(a, b, c)    -.669
    d(dark, bleak)   .593     d(ac, a'c)   .146     ε(a, a', c)   -.753     difference .084

*Black box* has 36 such differences: of three sentences, two slots, six ordered pairs of synonyms. Their rank share,
W⁺ / (W⁺ + W⁻) of the signed-rank statistic, is .563, and that of *application form* (C) is .164. The main score is the
share of all pairs of an NC and a C compound in which the NC compound has the higher rank share.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import scipy

from harness_ext.common.arrays import Floats, Indices
from harness_ext.data.compounds import CompoundRow
from harness_ext.data.rows import part_of
from harness_ext.measures.core.measure import Measure
from harness_ext.measures.core.scores import CLASS, AxisValues, Scores, correlation, count, declared, like, proportion
from harness_ext.measures.core.wording import Consequences, Wording
from harness_ext.measures.epsilon.items import SLOT, EpsilonItems, epsilon_plan, epsilon_view, rank_share_of
from harness_ext.statistics.correlation import known_mean, known_std
from harness_ext.statistics.statistic import Statistic, UnitStatistic, auc, of_rows, of_units


def _idiomatic_above_literal(shares: str) -> Callable[[EpsilonItems, AxisValues], Statistic]:
    """The AUC of these rank shares; compounds are drawn within their class."""

    def statistic(items: EpsilonItems, _: AxisValues) -> Statistic:
        compounds, classes = items.compounds.compound, items.compounds.class_
        return of_units(auc, compounds, getattr(items, shares), groups=[classes == "NC", classes == "C"])

    return statistic


def _rank_share(items: EpsilonItems, axes: AxisValues) -> UnitStatistic:
    """Of the samples of a class, or of one slot in it; drawn are compounds, each with all its samples."""
    return of_rows(rank_share_of, *items.differences(axes))


def _rank_biserial(items: EpsilonItems, axes: AxisValues) -> Statistic:
    share = _rank_share(items, axes)
    return replace(share, formula=lambda numbers, times: 2 * share.formula(numbers, times) - 1)


def _p_value(items: EpsilonItems, axes: AxisValues) -> float:
    _, differences = items.differences(axes)
    if not len(differences):
        return np.nan
    return float(scipy.stats.wilcoxon(differences, zero_method="zsplit", alternative="greater").pvalue)


def _of_distances(formula: Callable[[Floats], float], kind: str) -> Callable[[EpsilonItems, AxisValues], float]:
    """What a formula makes of the distances of the usable samples and of their baselines, of `phrase` or `context`."""

    def value(items: EpsilonItems, _: AxisValues) -> float:
        distances = (getattr(items.usable, f"{ending}{kind}_distance") for ending in ("", "baseline_"))
        return formula(np.concatenate([*distances]))

    return value


@dataclass(frozen=True)
class EpsilonScores(Scores):
    """The scores of ε-compositionality; arrays over `CLASS`, those of slots over `SLOT` and `CLASS`."""

    auc_nc_vs_c: float = proportion(
        "idiomatic against compositional compounds",
        "P(rank share of a random NC compound > that of a random C compound), ties ½",
        direction="higher",
        chance=0.5,
        source="this project, from the rank shares of EPS §4",
        interval=True,
        compute=_idiomatic_above_literal("rank_shares"),
        not_in_interval="the sentences and the synonyms that were chosen for each compound, and the prompt",
    )
    auc_nc_vs_c_adjusted: float = like(
        auc_nc_vs_c,
        "idiomatic against compositional compounds whose words look alike",
        "that probability for what least squares over all classes leave of the rank shares after letters of modifier "
        "and head, mean trigram overlap of word and synonym, Zipf frequencies of modifier, head and synonyms",
        source="this project",
        compute=_idiomatic_above_literal("adjusted_rank_shares"),
        not_in_interval="",
    )
    p_value: Floats = proportion(
        "p-value of idiomaticity-ε > baseline-ε",
        "Wilcoxon signed-rank test of idiomaticity-ε − baseline-ε over the class's samples, one-sided; "
        "ε = d(sentences with two words) / d(the bare words) − 1",
        source="EPS Table 1",
        key="p_value_{class}",
        axes=(CLASS,),
        value=_p_value,
    )
    rank_share: Floats = proportion(
        "rank share: how often an idiomatic reading wins",
        "W⁺/(W⁺+W⁻) of idiomaticity-ε − baseline-ε over the class's samples, zeros ½",
        chance=0.5,
        source="EPS Table 1, there called rank-biserial, in %",
        key="rank_share_{class}",
        axes=(CLASS,),
        compute=_rank_share,
    )
    rank_biserial: Floats = correlation(
        "matched rank-biserial correlation",
        "(W⁺−W⁻)/(W⁺+W⁻) = 2 · rank share − 1",
        source="EPS Table 1, as the correlation is usually defined",
        key="rank_biserial_{class}",
        axes=(CLASS,),
        compute=_rank_biserial,
    )
    rank_share_slot: Floats = like(
        rank_share,
        "rank share of one slot",
        "the rank share over the class's samples in which that slot is replaced",
        source="EPS Table 4",
        key="rank_share_{slot}_{class}",
        axes=(SLOT, CLASS),
    )
    n_pairs: Indices = count(
        "samples",
        "pairs of an idiomaticity-ε and a baseline-ε",
        source="EPS §4",
        key="n_pairs_{class}",
        axes=(CLASS,),
        value=lambda items, axes: len(items.differences(axes)[0]),
    )
    n_compounds: Indices = count(
        "compounds",
        "compounds with a sample",
        source="EPS §4",
        key="n_compounds_{class}",
        axes=(CLASS,),
        value=lambda items, axes: len(np.unique(items.differences(axes)[0])),
    )
    phrase_distance_mean: float = declared(
        "mean distance of bare words",
        "mean of d over all (a, b) and (a, a')",
        range=(0, 2),
        source="EPS Table 3",
        value=_of_distances(known_mean, "phrase"),
    )
    phrase_distance_std: float = like(
        phrase_distance_mean,
        "spread of the distances of bare words",
        "standard deviation (ddof 1) of d over all (a, b) and (a, a')",
        value=_of_distances(known_std, "phrase"),
    )
    context_distance_mean: float = like(
        phrase_distance_mean,
        "mean distance of sentences",
        "mean of d over all (ac, bc) and (ac, a'c)",
        value=_of_distances(known_mean, "context"),
    )
    context_distance_std: float = like(
        phrase_distance_mean,
        "spread of the distances of sentences",
        "standard deviation (ddof 1) of d over all (ac, bc) and (ac, a'c)",
        value=_of_distances(known_std, "context"),
    )
    n_excluded_zero_distance: int = count(
        "samples without an ε",
        "d(a, b) or d(a, a') is zero",
        value=lambda items, _: items.samples.has_zero_distance.sum(),
    )
    n_excluded_zero_vector: int = count(
        "samples with a zero vector",
        "a vector has no direction",
        value=lambda items, _: items.samples.has_zero_vector.sum(),
    )
    n_excluded_no_pairs: int = count(
        "compounds without a sample",
        "scored compounds with fewer than two synonyms for a slot, or none usable",
        value=lambda items, _: (np.isnan(items.rank_shares) & (items.compounds.class_ != "")).sum(),
    )
    n_excluded_unscored: int = count(
        "compounds without a class",
        "compounds that nobody has scored",
        value=lambda items, _: (items.compounds.class_ == "").sum(),
    )


EPSILON = Measure(
    name="epsilon",
    version=7,
    package=__package__,
    published="published.csv",
    needs=part_of(CompoundRow, "id", "compound", "class", "surface", "sentence", "span", "words_syn"),
    plan=epsilon_plan,
    main="auc_nc_vs_c",
    adjusted="auc_nc_vs_c_adjusted",
    unit="compound",
    items=EpsilonItems,
    scores=EpsilonScores,
    view=epsilon_view,
    wording=Wording(
        question="A black box is no box that is black. Does the model treat idioms differently from literal compounds?",
        score=(
            "Of an idiomatic and a literal compound, the idiomatic one is explained less by the single words in "
            "{value} of all cases."
        ),
        chance=Consequences(
            "Tossing a coin",
            above="Idioms change their sentences beyond their words more than literal compounds do.",
            below="Literal compounds change their sentences beyond their words more than idioms do.",
        ),
        right=(
            "An idiomatic compound (NC) should have a rank share near 1, a literal compound (C) near 0. A rank share "
            "is the share of comparisons in which the compound changes its sentence more than the single words explain."
        ),
    ),
)
