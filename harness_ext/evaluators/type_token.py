"""Do vectors of noun compounds know how idiomatic the compounds are, as types and in each sentence?

Garcia, Kramer Vieira, Scarton, Idiart, Villavicencio 2021: *Assessing the Representations of Idiomaticity in Vector
Models with a Noun Compound Dataset Labeled at Type and Token Levels*, ACL 2021.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from harness_ext.evaluators.correlation import spearman, spearman_interval
from harness_ext.evaluators.distance import cosine_distance
from harness_ext.evaluators.similarity import CLASSES

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class CompoundVectors:
    """Which vectors belong to each of k compounds, each fed alone.

    Attributes:
        compound: The row of the compound, shape (k,).
        word: The rows of the words of all compounds, shape (p,).
        word_of: The number of the compound that each of these words belongs to, from 0, shape (p,).
    """

    compound: NDArray[np.intp]
    word: NDArray[np.intp]
    word_of: NDArray[np.intp]


@dataclass(frozen=True)
class Tokens:
    """Compounds in m sentences.

    Attributes:
        span: The row of the vector that the compound has inside the sentence, shape (m,).
        compound: The number of the compound, from 0, shape (m,).
        score: Human compositionality in this sentence, NaN for none, shape (m,).
    """

    span: NDArray[np.intp]
    compound: NDArray[np.intp]
    score: NDArray[np.float64]


@dataclass(frozen=True)
class TypeTokenResult:
    """What `phrase_additivity` and `type_token` return.

    Attributes:
        scores: Result key -> value; NaN where it is not defined.
        per_compound: Measure -> its value for each compound, NaN for none, shape (k,).
    """

    scores: dict[str, float]
    per_compound: dict[str, NDArray[np.float64]]


def phrase_additivity(
    vectors: NDArray[np.floating[Any]], alone: CompoundVectors, type_score: NDArray[np.float64]
) -> TypeTokenResult:
    """Is a compound's vector nearer to the sum of its words' vectors the more compositional people find it?

    Args:
        vectors: One vector per distinct text, shape (n, d). The words' are added as they are.
        alone: Which of them are compared.
        type_score: Human compositionality of the compounds, NaN for none, shape (k,).

    Returns:
        ρ in [-1, 1] with its interval, and the cosine of each compound.
    """
    cosine = _cosine_with_sum(vectors, alone, alone.compound, np.arange(len(alone.compound)))
    scores = {
        **_with_interval("phrase_additivity_type_spearman", cosine, type_score),
        "n_excluded_zero_vector_phrase": int(np.isnan(cosine).sum()),
    }
    return TypeTokenResult(scores, {"phrase_additivity": cosine})


def type_token(
    vectors: NDArray[np.floating[Any]],
    alone: CompoundVectors,
    tokens: Tokens,
    type_score: NDArray[np.float64],
    classes: NDArray[np.str_],
) -> TypeTokenResult:
    """Compare compounds inside sentences with the compounds alone, and with each other across sentences.

    Args:
        vectors: One vector per distinct span in its sentence, shape (n, d). Those of words are added as they are.
        alone: The compounds and their words, each fed alone.
        tokens: The compounds in sentences.
        type_score: Human compositionality of the compounds, NaN for none, shape (k,).
        classes: One of `CLASSES` for each compound, or "" for none, shape (k,).

    Returns:
        Correlations in [-1, 1]. `nc_out` and `nc_out_comp`: positive if vectors know idioms. `cross_sentence`:
        between the difference in human scores and the cosine, so negative if vectors know. `spread`: positive.
    """
    k = len(classes)
    out = 1 - cosine_distance(vectors, tokens.span, alone.compound[tokens.compound])
    out_comp = _cosine_with_sum(vectors, alone, tokens.span, tokens.compound)
    unusable = np.isnan(out) | np.isnan(out_comp)
    per_compound = _across_sentences(vectors, tokens, k)
    scores: dict[str, float] = {}
    for name, cosine in (("nc_out", out), ("nc_out_comp", out_comp)):
        usable = np.where(unusable, np.nan, cosine)
        per_compound[name] = np.array([_mean(usable[tokens.compound == number]) for number in range(k)])
        scores |= _with_interval(f"{name}_type_spearman", per_compound[name], type_score)
        scores[f"{name}_token_spearman"] = spearman(usable, tokens.score)[0]
    rho = per_compound["cross_sentence_spearman"]
    for suffix, inside in [("", np.ones(k, dtype=bool)), *((f"_{klass}", classes == klass) for klass in CLASSES)]:
        scores[f"cross_sentence_spearman_mean{suffix}"] = _mean(rho[inside])
        scores[f"cross_sentence_spearman_std{suffix}"] = _std(rho[inside])
    scores |= {
        "spread_spearman": spearman(per_compound["spread_of_cosines"], per_compound["spread_of_scores"])[0],
        "n_excluded_zero_vector": int(unusable.sum()),
        "n_excluded_cross_sentence": int(np.isnan(rho).sum()),
    }
    return TypeTokenResult(scores, per_compound)


def _across_sentences(
    vectors: NDArray[np.floating[Any]], tokens: Tokens, n_compounds: int
) -> dict[str, NDArray[np.float64]]:
    """What the pairs of sentences of each compound say; NaN where there are not three, or where all are tied."""
    found = {
        name: np.full(n_compounds, np.nan)
        for name in ("cross_sentence_spearman", "spread_of_cosines", "spread_of_scores")
    }
    for number in range(n_compounds):
        inside = np.flatnonzero(tokens.compound == number)
        if len(inside) < 3:
            continue
        first, second = np.array(list(combinations(inside, 2))).T
        cosine = 1 - cosine_distance(vectors, tokens.span[first], tokens.span[second])
        # the scores have two decimals: equal differences must not differ in the sixteenth
        difference = np.abs(tokens.score[first] - tokens.score[second]).round(9)
        found["cross_sentence_spearman"][number] = spearman(difference, cosine)[0]
        found["spread_of_cosines"][number] = cosine.std(ddof=1)
        found["spread_of_scores"][number] = tokens.score[inside].std(ddof=1)
    return found


def _cosine_with_sum(
    vectors: NDArray[np.floating[Any]], alone: CompoundVectors, rows: NDArray[np.intp], compound: NDArray[np.intp]
) -> NDArray[np.float64]:
    """The cosine of each of `rows` with the sum of the vectors of the words of its compound, (m,) and (m,) -> (m,)."""
    sums = np.zeros((len(alone.compound), vectors.shape[1]))
    np.add.at(sums, alone.word_of, vectors[alone.word])
    pairs = np.arange(len(rows))
    return 1 - cosine_distance(np.concatenate([vectors[rows], sums]), pairs, len(rows) + compound)


def _with_interval(name: str, x: NDArray[np.float64], y: NDArray[np.float64]) -> dict[str, float]:
    low, high = spearman_interval(x, y)
    return {name: spearman(x, y)[0], f"{name}_ci_low": low, f"{name}_ci_high": high}


def _mean(values: NDArray[np.float64]) -> float:
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else np.nan


def _std(values: NDArray[np.float64]) -> float:
    known = values[~np.isnan(values)]
    return float(known.std(ddof=1)) if len(known) > 1 else np.nan
