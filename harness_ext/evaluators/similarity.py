"""Similarity, Affinity and Scaled Similarity: which replacement of a compound keeps the meaning of its sentence?

He, Kramer Vieira, Garcia, Scarton, Idiart, Villavicencio 2025: *Investigating Idiomaticity in Word Representations*,
doi 10.1162/coli_a_00546. With the sentence of a compound, and P the same sentence with a probe in its place:

    Sim(P) = cos(original, P)
    Affinity(Pi, Pj) = Sim(Pi) - Sim(Pj)
    Sim_R(P) = (Sim(P) - Sim(rand)) / (1 - Sim(rand))

Probes: `syn`, the gold synonym; `words_syn`, synonyms word by word; `comp`, the one word of the compound that is nearer
to the original; `rand`, the mean over several unrelated expressions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from harness_ext.evaluators.bootstrap import interval
from harness_ext.evaluators.correlation import spearman
from harness_ext.evaluators.distance import NO_DISTANCE, cosine_distance

if TYPE_CHECKING:
    from numpy.typing import NDArray

CLASSES = ("NC", "PC", "C")
"""Non-compositional (idiomatic), partly compositional, compositional."""


@dataclass(frozen=True)
class Probes:
    """What is compared in each of m sentences, as rows of the vectors.

    Attributes:
        original: The sentence with the compound, shape (m,).
        syn: With its gold synonym, shape (m,).
        words_syn: With its word-by-word synonym, shape (m,).
        rand: With unrelated expressions, shape (m, r).
        words: With one word of the compound only, its head or its modifier, shape (m, 2); None if not compared.
    """

    original: NDArray[np.intp]
    syn: NDArray[np.intp]
    words_syn: NDArray[np.intp]
    rand: NDArray[np.intp]
    words: NDArray[np.intp] | None = None


@dataclass(frozen=True)
class Compounds:
    """What is known about the k compounds and their m sentences.

    Attributes:
        compound: The number of the compound of each sentence, from 0, shape (m,).
        classes: One of `CLASSES` for each compound, or "" for none, shape (k,).
        type_score: Human compositionality, 0 idiomatic to 5 compositional, NaN for none, shape (k,).
        shares_word: Whether the compound has a word in common with its gold synonym, shape (k,).
        length: Sentence length in words, shape (m,); None where it is not to be correlated.
    """

    compound: NDArray[np.intp]
    classes: NDArray[np.str_]
    type_score: NDArray[np.float64]
    shares_word: NDArray[np.bool_]
    length: NDArray[np.intp] | None = None


@dataclass(frozen=True)
class SimilarityResult:
    """What `affinity` and `scaled_similarity` return.

    Attributes:
        scores: Result key, without the level, -> value; NaN where it is not defined.
        values: Measure -> its value in each sentence, NaN for a sentence that is left out, shape (m,).
    """

    scores: dict[str, float]
    values: dict[str, NDArray[np.float64]]


def affinity(vectors: NDArray[np.floating[Any]], probes: Probes, compounds: Compounds) -> SimilarityResult:
    """Similarities and affinities, and how often the gold synonym of an idiom wins over its word-by-word one.

    Args:
        vectors: One vector per distinct sentence (or span in its sentence), shape (n, d).
        probes: What is compared; with `words`.
        compounds: Whose sentences they are.

    Returns:
        Similarities in [-1, 1], affinities in [-2, 2], `forced_choice_nc` in [0, 1].
    """
    sim = _similarities(vectors, probes)
    values = {
        **{f"sim_{probe}": sim[probe] for probe in ("syn", "comp", "words_syn", "rand")},
        "affinity_syn_words_syn": sim["syn"] - sim["words_syn"],
        "affinity_syn_rand": sim["syn"] - sim["rand"],
    }
    per_compound = _per_compound(values["affinity_syn_words_syn"], compounds)
    idiomatic = per_compound[(compounds.classes == "NC") & ~np.isnan(per_compound)]
    choices = np.where(np.abs(idiomatic) <= NO_DISTANCE, 0.5, idiomatic > 0)
    standardised = _cosine(_standardised(vectors, probes.original), _standardised(vectors, probes.syn))
    scores = {
        **_mean_with_interval("forced_choice_nc", choices),
        **_describe(values, compounds),
        "sim_syn_spearman_standardised": spearman(values["sim_syn"], standardised)[0],
        "n_excluded_zero_vector": int(np.isnan(sim["syn"]).sum()),
    }
    return SimilarityResult(scores, values)


def scaled_similarity(vectors: NDArray[np.floating[Any]], probes: Probes, compounds: Compounds) -> SimilarityResult:
    """Similarity to the original on a scale from unrelated expressions, 0, to the original itself, 1.

    Args:
        vectors: One vector per distinct sentence (or span in its sentence), shape (n, d).
        probes: What is compared.
        compounds: Whose sentences they are.

    Returns:
        Scaled similarities are at most 1, and negative for a probe that is less similar than unrelated expressions.
    """
    sim = _similarities(vectors, probes)
    room = 1 - sim["rand"]
    usable = np.isnan(room) | (room > NO_DISTANCE)
    room = np.where(usable, room, np.nan)
    values = {
        f"scaled_sim_{probe}": np.where(usable, (sim[probe] - sim["rand"]) / room, np.nan)
        for probe in ("syn", "words_syn")
    }
    per_compound = _per_compound(values["scaled_sim_syn"], compounds)
    scores = {
        **_mean_with_interval("scaled_sim_syn", per_compound[~np.isnan(per_compound)]),
        **_describe(values, compounds),
        "n_excluded_zero_vector": int(np.isnan(sim["syn"]).sum()),
        "n_excluded_zero_scale": int((~usable).sum()),
    }
    return SimilarityResult(scores, values)


def _similarities(vectors: NDArray[np.floating[Any]], probes: Probes) -> dict[str, NDArray[np.float64]]:
    """Sim of every probe, shape (m,); NaN for all probes of a sentence if one of its vectors is zero."""

    def sim(probe: NDArray[np.intp]) -> NDArray[np.float64]:
        original = np.broadcast_to(probes.original[:, None], probe.shape)
        return 1 - cosine_distance(vectors, original.ravel(), probe.ravel()).reshape(probe.shape)

    found = {
        "syn": sim(probes.syn[:, None])[:, 0],
        "words_syn": sim(probes.words_syn[:, None])[:, 0],
        "rand": sim(probes.rand).mean(axis=1),
    }
    if probes.words is not None:
        found["comp"] = sim(probes.words).max(axis=1)
    unusable = np.isnan(list(found.values())).any(axis=0)
    return {probe: np.where(unusable, np.nan, values) for probe, values in found.items()}


def _describe(values: dict[str, NDArray[np.float64]], compounds: Compounds) -> dict[str, float]:
    return {
        f"{measure}_{stat}": value
        for measure, in_sentence in values.items()
        for stat, value in _statistics(in_sentence, compounds).items()
    }


def _statistics(values: NDArray[np.float64], compounds: Compounds) -> dict[str, float]:
    """The statistics of one measure; those that need human scores or lengths only where there are any."""
    known = ~np.isnan(values)
    found = {
        "mean": values[known].mean() if known.any() else np.nan,
        "std": values[known].std(ddof=1) if known.sum() > 1 else np.nan,
    }
    classes = compounds.classes[compounds.compound]
    for klass in CLASSES:
        inside = known & (classes == klass)
        found[f"mean_{klass}"] = values[inside].mean() if inside.any() else np.nan
    if not np.isnan(compounds.type_score).all():
        per_compound = _per_compound(values, compounds)
        found["spearman"], found["spearman_p"] = spearman(per_compound, compounds.type_score)
        apart = ~compounds.shares_word
        found["spearman_no_overlap"] = spearman(per_compound[apart], compounds.type_score[apart])[0]
    if compounds.length is not None:
        found["spearman_length"] = spearman(values, compounds.length.astype(np.float64))[0]
    return {stat: float(value) for stat, value in found.items()}


def _per_compound(values: NDArray[np.float64], compounds: Compounds) -> NDArray[np.float64]:
    """The mean over the sentences of each compound, NaN where none is left, shape (k,)."""
    known = ~np.isnan(values)
    numbers, n = compounds.compound[known], len(compounds.classes)
    counts = np.bincount(numbers, minlength=n)
    sums = np.bincount(numbers, weights=values[known], minlength=n)
    return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)


def _mean_with_interval(name: str, values: NDArray[np.float64]) -> dict[str, float]:
    low, high = interval((values,), np.mean)
    return {
        name: float(values.mean()) if len(values) else np.nan,
        f"{name}_ci_low": low,
        f"{name}_ci_high": high,
    }


def _standardised(vectors: NDArray[np.floating[Any]], rows: NDArray[np.intp]) -> NDArray[np.float64]:
    """The rows after every dimension got mean 0 and variance 1 over all vectors, against rogue dimensions.

    A dimension that does not vary becomes 0.
    """
    varies = np.ptp(vectors, axis=0) > 0
    spread = np.where(varies, vectors.std(axis=0, dtype=np.float64), 1)
    return np.where(varies, (vectors[rows] - vectors.mean(axis=0, dtype=np.float64)) / spread, 0)


def _cosine(one: NDArray[np.float64], other: NDArray[np.float64]) -> NDArray[np.float64]:
    """The cosine of each row of one with the same row of the other; NaN for a zero row."""
    rows = np.arange(len(one))
    return 1 - cosine_distance(np.concatenate([one, other]), rows, rows + len(one))
