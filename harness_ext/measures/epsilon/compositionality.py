"""ε-compositionality: does a compound change its sentence more than the single words explain?

Wold, Simon, Velldal, Øvrelid: *Measuring Idiomaticity in Text Embedding Models with
ε-compositionality* (EPS). For a word b of a compound, two synonyms a and a' of it, and the sentence
c with the place of that word left open (their Eq. 3):

    ε(a, b, c) = d(ac, bc) / d(a, b) - 1          idiomaticity-ε
    ε(a, a', c) = d(ac, a'c) / d(a, a') - 1       baseline-ε

d is the cosine distance of the encoder's vectors; a, a' and b are encoded alone. Baseline-ε is the
paper's term, and has nothing to do with the additive baseline.

An example by all-MiniLM-L6-v2: in a sentence with *black box* (NC), b is *black*, a is *dark* and
a' is *bleak*.

    d(dark, black)   .336     d(ac, bc)    .111     ε(a, b, c)    -.669
    d(dark, bleak)   .593     d(ac, a'c)   .146     ε(a, a', c)   -.753     difference .084

*Black box* has 36 such differences: of three sentences, two slots, six ordered pairs of synonyms.
Their rank share, W⁺ / (W⁺ + W⁻) of the signed-rank statistic, is .563, and that of *application
form* (C) is .164. The main score is the share of all pairs of an NC and a C compound in which the
NC compound has the higher rank share.
"""

from dataclasses import replace

import numpy as np
import scipy

from harness_ext.common.arrays import Floats, Names
from harness_ext.data.compounds import CompoundRow
from harness_ext.data.rows import part_of
from harness_ext.measures.core.measure import EncoderMeasure, Rows
from harness_ext.measures.core.scores import CLASS, COUNT, number, score
from harness_ext.measures.core.view import View, first_rows, percentiles
from harness_ext.measures.core.wording import Consequences, Wording
from harness_ext.measures.epsilon.items import SLOT, EpsilonItems, EpsilonSamples, epsilon_plan
from harness_ext.statistics.correlation import (
    known_mean,
    known_std,
    ranks,
    ranks_within,
    residuals,
)
from harness_ext.statistics.statistic import Statistic, UnitStatistic, auc, of_rows, of_units


def epsilon(context_distance: Floats, phrase_distance: Floats) -> Floats:
    """ε(a, b, c) = d(ac, bc) / d(a, b) - 1, EPS Eq. 3: at least -1, shape (m,).

    Args:
        context_distance: d(ac, bc), of the sentences with either word, shape (m,).
        phrase_distance: d(a, b), of the bare words, above 0, shape (m,).

    Examples:
        >>> epsilon(np.array([0.111, 0.146]), np.array([0.336, 0.593])).round(2)  # as above
        array([-0.67, -0.75])
    """
    return context_distance / phrase_distance - 1


def idiomaticity_epsilon(samples: EpsilonSamples) -> Floats:
    """ε(a, b, c) of each sample, shape (m,)."""
    return epsilon(samples.context_distance, samples.phrase_distance)


def baseline_epsilon(samples: EpsilonSamples) -> Floats:
    """ε(a, a', c) of each sample, shape (m,)."""
    return epsilon(samples.baseline_context_distance, samples.baseline_phrase_distance)


def epsilon_differences(samples: EpsilonSamples) -> Floats:
    """Idiomaticity-ε − baseline-ε of each sample, shape (m,)."""
    return idiomaticity_epsilon(samples) - baseline_epsilon(samples)


def resampled_rank_shares(differences: Floats, times: Floats) -> Floats:
    """The rank share of each of m resamples: W⁺ / (W⁺ + W⁻) of the Wilcoxon signed-rank statistic.

    It is 1 if all differences are positive, and .5 by chance. Zero differences count half to either
    side, so that an encoder that sees no difference at all is at chance.

    Args:
        differences: Of n samples, shape (n,).
        times: How many times each sample counts in each of m resamples, shape (m, n).

    Returns:
        Values in [0, 1], NaN where there are no differences, shape (m,).
    """
    positive = (np.sign(differences) + 1) / 2
    won = (times * ranks(np.abs(differences), times)) @ positive
    n = times.sum(axis=1)
    with np.errstate(invalid="ignore"):  # 0 / 0: no differences
        share: Floats = won / (n * (n + 1) / 2)
    return share


def positive_rank_share(differences: Floats) -> float:
    """W⁺ / (W⁺ + W⁻) of the Wilcoxon signed-rank statistic; see `resampled_rank_shares`.

    Examples:
        >>> positive_rank_share(np.array([3.0, -1.0, 2.0]))  # ranks 3, 1, 2: W⁺ = 5, W⁻ = 1
        0.8333333333333334
    """
    once = np.ones((1, len(differences)))
    return float(resampled_rank_shares(differences, once)[0])


def differences_of_class(
    items: EpsilonItems,
    class_: str,
    slot: str = "",
) -> tuple[Names, Floats]:
    """Idiomaticity-ε − baseline-ε of the usable samples of a class, or of one slot in it.

    Returns:
        The compound of each sample, and its difference, shapes (m,).
    """
    samples = items.usable
    is_asked = items.classes_of_usable == class_
    if slot:
        is_asked = is_asked & (samples.slot == slot)
    return samples.compound[is_asked], epsilon_differences(samples)[is_asked]


def rank_shares(items: EpsilonItems) -> Floats:
    """The signed-rank share of each compound, in [0, 1]; NaN for one without usable samples, shape
    (k,).
    """
    differences = epsilon_differences(items.usable)
    ranks_of_samples = ranks_within(np.abs(differences), items.compound_of_usable)
    positive = (np.sign(differences) + 1) / 2
    n = len(items.compounds)
    won = np.bincount(items.compound_of_usable, ranks_of_samples * positive, n)
    total = np.bincount(items.compound_of_usable, ranks_of_samples, n)
    with np.errstate(invalid="ignore"):  # 0 / 0: no samples
        shares: Floats = won / total
    return shares


def idiomatic_above_literal(items: EpsilonItems, shares: Floats) -> Statistic:
    """The AUC of rank shares, NC against C."""
    classes = items.compounds.class_
    return of_units(auc, items.compounds.compound, shares, groups=[classes == "NC", classes == "C"])


class Epsilon(EncoderMeasure[EpsilonItems]):
    """ε-compositionality (Wold et al.)."""

    name = "epsilon"
    version = 8
    question = (
        "A black box is no box that is black. Does the model treat idioms differently from literal "
        "compounds?"
    )
    package = __package__
    published = "published.csv"
    row = part_of(
        CompoundRow, "id", "compound", "class", "surface", "sentence", "span", "words_syn"
    )
    items = EpsilonItems
    unit = "compound"
    main = "auc_nc_vs_c"
    adjusted = "auc_nc_vs_c_adjusted"

    def plan(self, rows: Rows, split: str) -> EpsilonItems:
        """Compare words, and sentences with them, see `epsilon_plan`."""
        return epsilon_plan(rows)

    def wording(self) -> Wording:
        """Word the question and the main score."""
        return Wording(
            self.question,
            score=(
                "Of an idiomatic and a literal compound, the idiomatic one is explained less by "
                "the single words in {value} of all cases."
            ),
            chance=Consequences(
                "Tossing a coin",
                above=(
                    "Idioms change their sentences beyond their words more than literal compounds "
                    "do."
                ),
                below=(
                    "Literal compounds change their sentences beyond their words more than idioms "
                    "do."
                ),
            ),
            right=(
                "An idiomatic compound (NC) should have a rank share near 1, a literal compound "
                "(C) near 0. A rank share is the part of the signed ranks of its comparisons that "
                "says: the compound changes its sentence more than the single words explain."
            ),
        )

    @score(
        title="idiomatic against compositional compounds",
        formula=(
            "P(rank share of a random NC compound > that of a random C compound), ties ½; the rank "
            "share of a compound is W⁺/(W⁺+W⁻) of idiomaticity-ε − baseline-ε over its samples"
        ),
        range=(0, 1),
        better="higher",
        chance=0.5,
        source="this project, from the rank shares of EPS §4",
        interval=True,
        not_in_interval=(
            "the sentences and the synonyms that were chosen for each compound, and the prompt"
        ),
    )
    def auc_nc_vs_c(self, items: EpsilonItems) -> Statistic:
        """Class is a group: the smaller of both says of how many units the score is."""
        return idiomatic_above_literal(items, rank_shares(items))

    @score(
        like=auc_nc_vs_c,
        title="idiomatic against compositional compounds whose words look alike",
        formula=(
            "that probability for what least squares over all classes leave of the rank shares "
            "after letters of modifier and head, mean trigram overlap of word and synonym, Zipf "
            "frequencies of modifier, head and synonyms"
        ),
        source="this project",
        not_in_interval="",
    )
    def auc_nc_vs_c_adjusted(self, items: EpsilonItems) -> Statistic:
        """The residuals of rank shares after how words look and how frequent they are."""
        is_scored = items.compounds.class_ != ""
        scored = np.where(is_scored, rank_shares(items), np.nan)
        return idiomatic_above_literal(items, residuals(scored, *items.surface()))

    @number(
        key="p_value_{class}",
        axes=[CLASS],
        title="p-value of idiomaticity-ε > baseline-ε",
        formula=(
            "Wilcoxon signed-rank test of idiomaticity-ε − baseline-ε over the class's samples, "
            "one-sided; idiomaticity-ε = d(ac, bc)/d(a, b) − 1 and baseline-ε = "
            "d(ac, a'c)/d(a, a') − 1, of a word b of the compound, two synonyms a and a' of it, "
            "and the sentence c around it; d = 1 − cos"
        ),
        range=(0, 1),
        source="EPS Table 1",
    )
    def p_value(self, items: EpsilonItems, class_: str) -> float:
        _, differences = differences_of_class(items, class_)
        if not len(differences):
            return np.nan
        test = scipy.stats.wilcoxon(differences, zero_method="zsplit", alternative="greater")
        return float(test.pvalue)

    @score(
        key="rank_share_{class}",
        axes=[CLASS],
        title="rank share: the part of the signed ranks that says idiomatic",
        formula="W⁺/(W⁺+W⁻) of idiomaticity-ε − baseline-ε over the class's samples, zeros ½",
        range=(0, 1),
        chance=0.5,
        source="EPS Table 1, there called rank-biserial, in %",
    )
    def rank_share(self, items: EpsilonItems, class_: str) -> UnitStatistic:
        """Compounds are drawn, each with all its samples."""
        compounds, differences = differences_of_class(items, class_)
        return of_rows(resampled_rank_shares, compounds, differences)

    @score(
        key="rank_biserial_{class}",
        axes=[CLASS],
        title="matched rank-biserial correlation",
        formula="(W⁺−W⁻)/(W⁺+W⁻) = 2 · rank share − 1",
        range=(-1, 1),
        chance=0,
        source="EPS Table 1, as the correlation is usually defined",
    )
    def rank_biserial(self, items: EpsilonItems, class_: str) -> Statistic:
        share = self.rank_share(items, class_)
        return replace(share, formula=lambda rows, times: 2 * share.formula(rows, times) - 1)

    @score(
        like=rank_share,
        key="rank_share_{slot}_{class}",
        axes=[SLOT, CLASS],
        title="rank share of one slot",
        formula="the rank share over the class's samples in which that slot is replaced",
        source="EPS Table 4",
    )
    def rank_share_slot(
        self,
        items: EpsilonItems,
        slot: str,
        class_: str,
    ) -> UnitStatistic:
        compounds, differences = differences_of_class(items, class_, slot)
        return of_rows(resampled_rank_shares, compounds, differences)

    @number(
        key="n_pairs_{class}",
        axes=[CLASS],
        title="samples",
        formula="pairs of an idiomaticity-ε and a baseline-ε",
        range=COUNT,
        source="EPS §4",
    )
    def n_pairs(self, items: EpsilonItems, class_: str) -> int:
        compounds, _ = differences_of_class(items, class_)
        return len(compounds)

    @number(
        like=n_pairs,
        key="n_compounds_{class}",
        title="compounds",
        formula="compounds with a sample",
    )
    def n_compounds(self, items: EpsilonItems, class_: str) -> int:
        compounds, _ = differences_of_class(items, class_)
        return len(np.unique(compounds))

    @number(
        title="mean distance of bare words",
        formula="mean of d over all (a, b) and (a, a')",
        range=(0, 2),
        source="EPS Table 3",
    )
    def phrase_distance_mean(self, items: EpsilonItems) -> float:
        return known_mean(_phrase_distances(items))

    @number(
        like=phrase_distance_mean,
        title="spread of the distances of bare words",
        formula="standard deviation (ddof 1) of d over all (a, b) and (a, a')",
    )
    def phrase_distance_std(self, items: EpsilonItems) -> float:
        return known_std(_phrase_distances(items))

    @number(
        like=phrase_distance_mean,
        title="mean distance of sentences",
        formula="mean of d over all (ac, bc) and (ac, a'c)",
    )
    def context_distance_mean(self, items: EpsilonItems) -> float:
        return known_mean(_context_distances(items))

    @number(
        like=phrase_distance_mean,
        title="spread of the distances of sentences",
        formula="standard deviation (ddof 1) of d over all (ac, bc) and (ac, a'c)",
    )
    def context_distance_std(self, items: EpsilonItems) -> float:
        return known_std(_context_distances(items))

    @number(
        title="samples without an ε",
        formula="d(a, b) or d(a, a') is zero",
        range=COUNT,
    )
    def n_excluded_zero_distance(self, items: EpsilonItems) -> int:
        return int(items.samples.has_zero_distance.sum())

    @number(
        title="samples with a zero vector",
        formula="a vector has no direction",
        range=COUNT,
    )
    def n_excluded_zero_vector(self, items: EpsilonItems) -> int:
        return int(items.samples.has_zero_vector.sum())

    @number(
        title="compounds with a slot of fewer than two synonyms",
        formula=(
            "scored compounds with fewer than two synonyms for modifier or head, which EPS leaves "
            "out"
        ),
        range=COUNT,
        source="EPS §4",
    )
    def n_excluded_no_pairs(self, items: EpsilonItems) -> int:
        is_scored = items.compounds.class_ != ""
        n_slots = np.zeros(len(items.compounds), dtype=int)
        for slot in SLOT.values:
            compounds_of_slot = items.samples.compound[items.samples.slot == slot]
            n_slots += np.isin(items.compounds.compound, compounds_of_slot)
        return int((is_scored & (n_slots < len(SLOT.values))).sum())

    @number(
        title="compounds without a usable sample",
        formula="scored compounds none of whose samples has both ε",
        range=COUNT,
    )
    def n_excluded_no_samples(self, items: EpsilonItems) -> int:
        is_scored = items.compounds.class_ != ""
        return int((is_scored & np.isnan(rank_shares(items))).sum())

    @number(
        title="compounds without a class",
        formula="compounds that nobody has scored",
        range=COUNT,
    )
    def n_excluded_unscored(self, items: EpsilonItems) -> int:
        return int((items.compounds.class_ == "").sum())

    def view(self, items: EpsilonItems) -> View:
        """View compounds by their rank shares: of NC the lower, and of C the higher, the more
        wrong.
        """
        compounds = items.compounds
        shares = rank_shares(items)
        is_nc = compounds.class_ == "NC"
        is_c = compounds.class_ == "C"
        rank = percentiles(np.where(is_nc | is_c, shares, np.nan))
        return View(
            facts={"compound": compounds.compound, "class": compounds.class_},
            figures={"rank share": shares},
            wrong=np.where(is_nc, 1 - rank, rank),
            rows=first_rows(compounds.compound, items.samples),
        )


def _phrase_distances(items: EpsilonItems) -> Floats:
    samples = items.usable
    return np.concatenate([samples.phrase_distance, samples.baseline_phrase_distance])


def _context_distances(items: EpsilonItems) -> Floats:
    samples = items.usable
    return np.concatenate([samples.context_distance, samples.baseline_context_distance])


EPSILON = Epsilon()
