"""How often `harness-ext compare` is wrong: pairs of planted models whose difference is known.

    python benchmarks/comparison_simulation.py --pairs 400

For each kind of main score (a share, a mean, a rank correlation, an AUC) pairs of models are planted as items. The
units have something in common, as real compounds do, and each model adds noise of its own. Without a planted difference
p must be uniform and the 95 % interval must hold 0 in 95 % of the pairs; a planted one, of about the size that lies
between neighbours in the published tables, must be found. Prints the table of docs/comparing.md.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import stats
from tqdm import tqdm

from harness_ext.evaluators.affinity import AFFINITY
from harness_ext.evaluators.epsilon import EPSILON, EpsilonCompounds, EpsilonItems, EpsilonSamples
from harness_ext.evaluators.scaled_similarity import SCALED_SIMILARITY
from harness_ext.evaluators.similarity import Similarities, SimilarityCompounds, SimilarityItems, SimilaritySentences
from harness_ext.evaluators.statistics.bootstrap import p_value, percentile_interval
from harness_ext.evaluators.type_token import (
    TYPE_TOKEN,
    AloneSimilarities,
    SentencePairs,
    TypeTokenCompounds,
    TypeTokenItems,
    TypeTokenSentences,
)
from harness_ext.results.compare import ALPHA

if TYPE_CHECKING:
    from collections.abc import Callable

    from harness_ext.evaluators.items import Items
    from harness_ext.evaluators.measure import Measure

N_COMPOUNDS = 280
SAMPLES_PER_COMPOUND = 12
CLASSES = np.array(["NC", "PC", "C"])[np.arange(N_COMPOUNDS) % 3]
NAMES = np.array([f"compound {number}" for number in range(N_COMPOUNDS)])


def similarity_items(rng: np.random.Generator, common: dict[str, Any], shift: float) -> SimilarityItems:
    """A sentence per compound; a positive shift makes the gold synonym more similar."""
    n = N_COMPOUNDS
    sims = {
        "syn": common["syn"] + rng.normal(scale=0.1, size=n) + shift,
        "words_syn": common["words_syn"] + rng.normal(scale=0.1, size=n),
        "rand": np.full(n, 0.2) + rng.normal(scale=0.02, size=n),
    }
    values = np.clip(np.concatenate(list(sims.values())), -1, 1)
    names = np.tile(NAMES, len(sims))
    probes = np.repeat(list(sims), n)
    return SimilarityItems(
        Similarities(
            names, names, np.full(len(names), "sentence"), probes, probes, values, np.full(len(names), np.nan)
        ),
        SimilaritySentences(NAMES, NAMES, np.full(n, np.nan)),
        SimilarityCompounds(NAMES, CLASSES, common["score"], common["score"], np.zeros(n, dtype=bool)),
    )


def type_token_items(rng: np.random.Generator, common: dict[str, Any], shift: float) -> TypeTokenItems:
    """Cosines that follow the human scores, the more the greater the shift."""
    follows = 0.15 + shift
    cosines = follows * common["score"] / 5 + 0.3 * common["syn"] + rng.normal(scale=0.15, size=N_COMPOUNDS)
    nothing = np.array([], dtype=str)
    return TypeTokenItems(
        AloneSimilarities(np.full(N_COMPOUNDS, "phrase_additivity"), np.full(N_COMPOUNDS, ""), NAMES, np.tanh(cosines)),
        SentencePairs(nothing, nothing, nothing, nothing, np.array([])),
        TypeTokenSentences(NAMES, NAMES, common["score"], np.ones(N_COMPOUNDS, dtype=bool)),
        TypeTokenCompounds(NAMES, CLASSES, common["score"]),
    )


def epsilon_items(rng: np.random.Generator, common: dict[str, Any], shift: float) -> EpsilonItems:
    """Twelve samples per compound; a positive shift makes idiomatic compounds stand out."""
    compound = np.repeat(NAMES, SAMPLES_PER_COMPOUND)
    stands_out = 0.3 * common["syn"] + (0.05 + shift) * (CLASSES == "NC")
    effect = np.repeat(stands_out, SAMPLES_PER_COMPOUND) + rng.normal(scale=0.3, size=len(compound))
    one = np.ones(len(compound))
    words = np.full(len(compound), "word")
    slots = np.tile(["modifier", "head"], len(compound) // 2)
    samples = EpsilonSamples(compound, compound, slots, words, words, words, one, np.clip(one + effect, 0, 2), one, one)
    return EpsilonItems(samples, EpsilonCompounds(NAMES, CLASSES, *np.full((3, len(NAMES)), np.nan)))


@dataclass(frozen=True)
class World:
    """A kind of main score: its measure, how a model is planted, and the shift that is to be found."""

    kind: str
    measure: Measure[Any]
    items: Callable[[np.random.Generator, dict[str, Any], float], Items]
    shift: float


WORLDS = (
    World("share of 93 idioms (Affinity)", AFFINITY, similarity_items, 0.15),
    World("mean over 280 compounds (Scaled Similarity)", SCALED_SIMILARITY, similarity_items, 0.05),
    World("rank correlation of 280 compounds (TypeToken)", TYPE_TOKEN, type_token_items, 0.2),
    World("AUC of 94 against 93 compounds (ε)", EPSILON, epsilon_items, 0.15),
)


def drawn_difference(world: World, rng: np.random.Generator, shift: float) -> tuple[float, np.ndarray]:
    """The difference of two models that are measured on the same new compounds, and its resamples."""
    common = {
        "syn": rng.normal(0.55, 0.2, N_COMPOUNDS),
        "words_syn": rng.normal(0.55, 0.15, N_COMPOUNDS),
        "score": rng.uniform(0, 5, N_COMPOUNDS),
    }
    one, other = world.items(rng, common, shift), world.items(rng, common, 0.0)
    measure = world.measure
    value, base = (measure.score(each).flat()[measure.main] for each in (one, other))
    return value - base, measure.resamples(one, measure.main) - measure.resamples(other, measure.main)


def row(world: World, n_pairs: int, seed: int) -> str:
    """The line of the table."""
    rng = np.random.default_rng(seed)
    null = [drawn_difference(world, rng, 0.0)[1] for _ in tqdm(range(n_pairs), desc=world.kind, leave=False)]
    p_values = np.array([p_value(drawn) for drawn in null])
    covered = np.mean([low <= 0 <= high for low, high in map(percentile_interval, null)])
    planted = [drawn_difference(world, rng, world.shift) for _ in tqdm(range(n_pairs), desc="planted", leave=False)]
    truth = np.mean([difference for difference, _ in planted])
    found = np.mean([p_value(drawn) < ALPHA and difference > 0 for difference, drawn in planted])
    holds = np.mean([low <= truth <= high for low, high in (percentile_interval(drawn) for _, drawn in planted)])
    ks = stats.kstest(p_values, "uniform").pvalue
    cells = (
        *(world.kind, n_pairs, f"{np.mean(p_values < ALPHA):.3f}", f"{ks:.2f}", f"{covered:.3f}"),
        *(f"{truth:+.3f}", f"{holds:.3f}", f"{found:.3f}"),
    )
    return "| " + " | ".join(map(str, cells)) + " |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=400, help="pairs of models per line and world (default 400)")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    print("| main score | pairs | p < .05 | uniform: KS p | interval holds 0 | planted | interval holds it | found |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for world in WORLDS:
        print(row(world, arguments.pairs, arguments.seed), flush=True)


if __name__ == "__main__":
    main()
