"""The keys and the declarations of the scores that an encoder's own words add to a measure, see `gain`."""

from __future__ import annotations

from dataclasses import replace

from harness_ext.measures.core.same_vector import SAME_VECTOR
from harness_ext.measures.core.scores import Score, interval_keys

WORDS_FIT = "words_fit"
"""The key of how much of the vectors is their words."""

WORDS_SIGNATURE = "words_signature"
"""The key of how words were weighted and found, in results of `MODEL (own words)`."""

OF_THE_RUN = frozenset({WORDS_FIT, SAME_VECTOR.key})
"""The keys whose values a run knows, and no items do."""


def words_key(main: str) -> str:
    """The key of the main score of the encoder's own words."""
    return f"words_{main}"


def gain_key(main: str) -> str:
    """The key of the gain over the encoder's own words."""
    return f"gain_{main}"


def p_value_key(key: str) -> str:
    """The key of a score's two-sided p-value."""
    return f"{key}_p"


def gain_declarations(main: str, score: Score) -> dict[str, Score]:
    """The keys that the own words add to the scores of a measure -> their declarations.

    Args:
        main: The key of the main score.
        score: Its declaration, from which the others follow.
    """
    low, high = score.range
    source = "Mitchell and Lapata 2010 (the additive model), this project (the control)"
    words = replace(
        score,
        key=words_key(main),
        title=f"{score.title}, of the encoder's own words added up",
        formula=f"{main}, of the nearest encoder that adds up weighted vectors of words, see docs/words.md",
        source=source,
        axes=(),
        interval=False,
        compute=None,
    )
    gain = Score(
        key=gain_key(main),
        title=f"{score.title}, beyond the encoder's own words",
        formula=f"{main} minus {words.key}, over the units that have both; the resamples of both are aligned; an upper "
        "reading, because the weights of words see the texts",
        range=(low - high, high - low),
        direction=score.direction,
        chance=0.0,
        source=source,
        interval=True,
        smallest_effect=score.smallest_effect,
    )
    p_value = Score(
        p_value_key(gain.key),
        f"{gain.key}: p-value",
        "two-sided, that there is no gain: by sign flips if the score is a mean of units, else by resamples",
        (0, 1),
    )
    words_fit = Score(
        WORDS_FIT,
        "how much of the vectors is their words",
        "mean cosine of the vectors of the texts and their weighted bags of words",
        (-1, 1),
        source=source,
    )
    return {
        words.key: words,
        words_fit.key: words_fit,
        gain.key: gain,
        **dict.fromkeys(interval_keys(gain.key), gain),
        p_value.key: p_value,
    }
