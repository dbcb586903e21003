"""The keys and the declarations of the scores that the additive baseline and matched noise add to a
measure.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from harness_ext.measures.core.same_vector import ALONE, N_TEXTS, SAME_VECTOR
from harness_ext.measures.core.scores import Score, interval_keys

ADDITIVE_FIT = "additive_fit"
"""The key of how much of the vectors is their words."""

ADDITIVE_ERROR = "additive_error"
"""The key of how far the score of the additive baseline depends on its probes."""

ADDITIVE_SIGNATURE = "additive_signature"
"""The key of how words were weighed and found, in results of `MODEL (additive)`."""

OF_THE_RUN = frozenset(
    {ADDITIVE_FIT, ADDITIVE_ERROR, SAME_VECTOR.key, N_TEXTS.key, ALONE.key},
)
"""Keys that cannot be recomputed from items."""


class Baseline(NamedTuple):
    """What is made of an encoder, and compared in the same way on the same data.

    Attributes:
        name: In sentences.
        prefix: Of the key of its main score.
        over: Prefix of the key of how far the encoder lies above it.
        items: The key of the digest of its items.
    """

    name: str
    prefix: str
    over: str
    items: str

    def score_key(self, main: str) -> str:
        """The key of its main score."""
        return f"{self.prefix}_{main}"

    def difference_key(self, main: str) -> str:
        """The key of the main score minus that of the baseline."""
        return f"{self.over}_{main}"


NOISE_KINDS = {
    "text": "a random vector per text",
    "neighbors": "a random vector per pair of neighboring words",
}
"""Kind of matched noise -> what moves the bags."""

ADDITIVE = Baseline("additive baseline", "additive", "gain", "additive_items")
NOISE = Baseline("matched noise", "noise", "over_noise", "noise_items")
BASELINES = (ADDITIVE, NOISE)


class Difference(NamedTuple):
    """What a score is the difference of.

    Attributes:
        baseline: The baseline that the encoder is compared with.
        key: The key of the score by which it is.
    """

    baseline: Baseline
    key: str


def difference_of_key(key: str, compared: Iterable[str]) -> Difference | None:
    """What the score of a key is the difference of; None for other keys.

    Args:
        key: The key.
        compared: The keys of the scores that baselines are measured of.
    """
    for score_key in compared:
        for baseline in BASELINES:
            if baseline.difference_key(score_key) == key:
                return Difference(baseline, score_key)
    return None


def additive_error_key(key: str, main: str) -> str:
    """The key of how far a score of the additive baseline depends on its probes."""
    return ADDITIVE_ERROR if key == main else f"{ADDITIVE_ERROR}_{key}"


def noise_kind_key(kind: str, main: str) -> str:
    """The key of the main score of a kind of matched noise."""
    return NOISE.score_key(f"{kind}_{main}")


def keys_of_the_run(compared: Sequence[str]) -> frozenset[str]:
    """The keys of a measure that cannot be recomputed from items: of noise, those of the stronger
    kind are kept.

    Args:
        compared: The keys of the scores that baselines are measured of, the main score first.
    """
    main = compared[0]
    errors = {additive_error_key(key, main) for key in compared}
    kinds = {noise_kind_key(kind, key) for kind in NOISE_KINDS for key in compared}
    return OF_THE_RUN | errors | kinds


def has_first_noise(scores: Mapping[str, float], main: str) -> bool:
    """Whether the matched noise of a result is of the first definition, that of version 1.0: no
    claim follows from it.
    """
    has_noise = NOISE.score_key(main) in scores
    return has_noise and noise_kind_key("text", main) not in scores


def additive_key(main: str) -> str:
    """The key of the main score of the additive baseline."""
    return ADDITIVE.score_key(main)


def gain_key(main: str) -> str:
    """The key of the gain over the additive baseline."""
    return ADDITIVE.difference_key(main)


def p_value_key(key: str) -> str:
    """The key of a score's two-sided p-value."""
    return f"{key}_p"


_SOURCE = "Mitchell and Lapata 2010 (the additive model), this project (the baseline)"


def baseline_declarations(
    main: str, score: Score, error_key: str = ADDITIVE_ERROR
) -> Mapping[str, Score]:
    """The keys that baselines add to the scores of a measure -> their declarations, from the main
    score's, or another score's that baselines are measured of.
    """
    declared: dict[str, Score] = {}
    for baseline in BASELINES:
        declared |= _declarations(baseline, main, score, error_key)
    fit = Score(
        ADDITIVE_FIT,
        "how much of the vectors is their words",
        "mean cosine of the vectors of texts of two words or more and their bags of words",
        (-1, 1),
        source=_SOURCE,
    )
    low, high = score.range
    error = Score(
        error_key,
        f"{additive_key(main)}: what depends on its probes",
        "standard error of the score over random strings of words, from halves of them; intervals "
        "of differences from the additive baseline and from matched noise have it too",
        (0, high - low),
        source=_SOURCE,
    )
    declared |= {fit.key: fit, error.key: error}
    for kind, moved_by in NOISE_KINDS.items():
        key = noise_kind_key(kind, main)
        formula = f"{main}, of bags moved by {moved_by}; {NOISE.score_key(main)} is the higher kind"
        declared[key] = replace(
            declared[NOISE.score_key(main)],
            key=key,
            title=f"{score.title}, of matched noise of {kind}",
            formula=formula,
        )
    return declared


def _declarations(
    baseline: Baseline,
    main: str,
    score: Score,
    error_key: str,
) -> dict[str, Score]:
    """Its main score, the difference from it with its interval, and the p-value of that."""
    low, high = score.range
    own = replace(
        score,
        key=baseline.score_key(main),
        title=f"{score.title}, of {baseline.name}",
        formula=f"{main}, of the encoder's {baseline.name}, see docs/additive_baseline.md",
        source=_SOURCE,
        axes=(),
        interval=False,
        resampled=False,
    )
    difference = Score(
        key=baseline.difference_key(main),
        title=f"{score.title}, above {baseline.name}",
        formula=(
            f"{main} minus {own.key}, over the units that have both; the resamples of both are "
            f"aligned; the interval has {error_key} too"
        ),
        range=(low - high, high - low),
        better=score.better,
        chance=0.0,
        source=_SOURCE,
        interval=True,
        smallest_effect=score.smallest_effect,
    )
    p_value = Score(
        p_value_key(difference.key),
        f"{difference.key}: p-value",
        "two-sided, that there is none: by sign flips if the score is a mean of units, else by "
        "resamples; then as much nearer to 1 as the interval is wider",
        (0, 1),
    )
    ends = dict.fromkeys(interval_keys(difference.key), difference)
    return {own.key: own, difference.key: difference, **ends, p_value.key: p_value}
