"""ε-compositionality: does a compound change its sentence more than its words explain?

Wold, Simon, Velldal, Øvrelid: *Measuring Idiomaticity in Text Embedding Models with ε-compositionality*. For a word b
of a compound, two synonyms a and a' of it, and the sentence c with the place of that word left open (their Eq. 3):

    ε(a, b, c) = d(ac, bc) / d(a, b) - 1          idiomaticity-ε
    ε(a, a', c) = d(ac, a'c) / d(a, a') - 1       baseline-ε
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import stats

from harness_ext.evaluators.bootstrap import interval
from harness_ext.evaluators.distance import NO_DISTANCE, cosine_distance

if TYPE_CHECKING:
    from numpy.typing import NDArray

CLASSES = ("C", "PC", "NC")
"""Compositional, partly compositional, non-compositional (idiomatic)."""


@dataclass(frozen=True)
class EpsilonSamples:
    """What is compared: one sample per compound in a sentence, slot, and ordered pair (a, a') of synonyms.

    Attributes:
        phrase: The vectors of b, a and a' as bare words: their rows, shape (m, 3).
        context: The vectors of bc, ac and a'c, that is of the sentence with b, a and a' in the slot, shape (m, 3).
        compound: The number of the compound, from 0, shape (m,).
        is_head: Whether the slot is the head of the compound, else its modifier, shape (m,).
    """

    phrase: NDArray[np.intp]
    context: NDArray[np.intp]
    compound: NDArray[np.intp]
    is_head: NDArray[np.bool_]

    def __getitem__(self, keep: NDArray[np.bool_]) -> EpsilonSamples:
        return EpsilonSamples(self.phrase[keep], self.context[keep], self.compound[keep], self.is_head[keep])


@dataclass(frozen=True)
class EpsilonResult:
    """What `epsilon_compositionality` returns.

    Attributes:
        scores: Result key -> value.
        rank_share: Per compound, NaN for one without samples, shape (k,).
        idiomaticity: Mean idiomaticity-ε per compound, shape (k,).
        baseline: Mean baseline-ε per compound, shape (k,).
        n_pairs: Samples per compound, shape (k,).
    """

    scores: dict[str, float]
    rank_share: NDArray[np.float64]
    idiomaticity: NDArray[np.float64]
    baseline: NDArray[np.float64]
    n_pairs: NDArray[np.intp]


def epsilon_compositionality(
    vectors: NDArray[np.floating[Any]], samples: EpsilonSamples, classes: NDArray[np.str_]
) -> EpsilonResult:
    """Compute ε-compositionality for all samples, and test idiomaticity-ε against baseline-ε in each class.

    Args:
        vectors: One vector per distinct text, shape (n, d).
        samples: What is compared.
        classes: The class of each compound, one of `CLASSES`, shape (k,).

    Returns:
        All keys of the task, NaN for those that nothing is left to compute from. Distances are in [0, 2], shares and
        p-values in [0, 1], rank-biserial correlations in [-1, 1].
    """
    nonzero = np.any(vectors, axis=1)
    has_direction = nonzero[samples.phrase].all(axis=1) & nonzero[samples.context].all(axis=1)
    samples = samples[has_direction]

    b, a, other = samples.phrase.T
    phrase_distance = np.array([cosine_distance(vectors, a, b), cosine_distance(vectors, a, other)])
    usable = phrase_distance.min(axis=0) > NO_DISTANCE
    samples, phrase_distance = samples[usable], phrase_distance[:, usable]

    bc, ac, other_c = samples.context.T
    context_distance = np.array([cosine_distance(vectors, ac, bc), cosine_distance(vectors, ac, other_c)])
    idiomaticity, baseline = context_distance / phrase_distance - 1
    difference = idiomaticity - baseline

    counts = np.bincount(samples.compound, minlength=len(classes))
    rank_share = np.array(
        [signed_rank_share(difference[samples.compound == compound]) for compound in range(len(classes))]
    )
    scores = _auc(rank_share[(classes == "NC") & (counts > 0)], rank_share[(classes == "C") & (counts > 0)])
    for klass in CLASSES:
        inside = classes[samples.compound] == klass
        scores |= _class_scores(difference[inside], samples.is_head[inside], klass)
        scores[f"n_compounds_{klass}"] = int(((classes == klass) & (counts > 0)).sum())
    for name, distance in (("phrase", phrase_distance), ("context", context_distance)):
        scores[f"{name}_distance_mean"] = distance.mean() if distance.size else np.nan
        scores[f"{name}_distance_std"] = distance.std(ddof=1) if distance.size else np.nan
    scores |= {
        "n_excluded_zero_distance": int((~usable).sum()),
        "n_excluded_zero_vector": int((~has_direction).sum()),
        "n_excluded_no_pairs": int((counts == 0).sum()),
    }

    def per_compound(values: NDArray[np.float64]) -> NDArray[np.float64]:
        sums = np.bincount(samples.compound, weights=values, minlength=len(classes))
        return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)

    return EpsilonResult(
        {key: value if isinstance(value, int) else float(value) for key, value in scores.items()},
        rank_share,
        per_compound(idiomaticity),
        per_compound(baseline),
        counts,
    )


def signed_rank_share(differences: NDArray[np.float64]) -> float:
    """W⁺ / (W⁺ + W⁻) of the Wilcoxon signed-rank statistic: 1 if every difference is positive, 0.5 by chance.

    Zero differences count half to either side, so that an encoder that sees no difference at all is at chance. NaN
    if there are no differences.

    Examples:
        >>> signed_rank_share(np.array([3.0, -1.0, 2.0]))  # ranks 3, 1, 2: W⁺ = 5, W⁻ = 1
        0.8333333333333334
    """
    n = len(differences)
    return float(_signed_rank_test(differences, "asymptotic").statistic / (n * (n + 1) / 2)) if n else np.nan


def _signed_rank_test(differences: NDArray[np.float64], method: str = "auto") -> Any:
    return stats.wilcoxon(differences, zero_method="zsplit", alternative="greater", method=method)


def _class_scores(difference: NDArray[np.float64], is_head: NDArray[np.bool_], klass: str) -> dict[str, float]:
    share = signed_rank_share(difference)
    return {
        f"n_pairs_{klass}": len(difference),
        f"p_value_{klass}": _signed_rank_test(difference).pvalue if len(difference) else np.nan,
        f"rank_share_{klass}": share,
        f"rank_biserial_{klass}": 2 * share - 1,
        f"rank_share_modifier_{klass}": signed_rank_share(difference[~is_head]),
        f"rank_share_head_{klass}": signed_rank_share(difference[is_head]),
    }


def _auc(idiomatic: NDArray[np.float64], literal: NDArray[np.float64]) -> dict[str, float]:
    """P(idiomatic > literal), ties ½, with its bootstrap interval; compounds are resampled within their class."""

    def auc(x: NDArray[np.float64], y: NDArray[np.float64], axis: int = -1) -> NDArray[np.float64]:
        n, m = x.shape[axis], y.shape[axis]
        ranks = stats.rankdata(np.concatenate([x, y], axis=axis), axis=axis)
        u = ranks[..., :n].sum(axis=-1) - n * (n + 1) / 2  # Mann-Whitney
        share: NDArray[np.float64] = u / (n * m)
        return share

    low, high = interval((idiomatic, literal), auc)
    value = float(auc(idiomatic, literal)) if len(idiomatic) and len(literal) else np.nan
    return {"auc_nc_vs_c": value, "auc_nc_vs_c_ci_low": low, "auc_nc_vs_c_ci_high": high}
