"""The keys and the declarations of the scores that an encoder's own words add to a measure, see `gain`."""

from __future__ import annotations

from dataclasses import replace

from harness_ext.evaluators.scores import Score, interval_keys

WORDS_FIT = "words_fit"
"""The key of how much of the vectors is their words."""


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
        formula=f"{main}, with the mean of the encoder's vectors of the words of a text in the place of its own vector",
        source=source,
        axes=(),
        interval=False,
        statistic=None,
    )
    gain = Score(
        key=gain_key(main),
        title=f"{score.title}, beyond the encoder's own words",
        formula=f"{main} minus {words.key}, over the units that have both; the resamples of both are aligned",
        range=(low - high, high - low),
        direction=score.direction,
        chance=0.0,
        source=source,
        interval=True,
    )
    p_value = Score(
        key=p_value_key(gain.key),
        title=f"{gain.key}: p-value",
        formula="two-sided, that there is no gain: by sign flips if the score is a mean of units, else by resamples",
        range=(0, 1),
        direction="neither",
        chance=None,
        source="this project",
    )
    words_fit = Score(
        key=WORDS_FIT,
        title="how much of the vectors is their words",
        formula="mean cosine of the vectors of the texts and their bags of weighed words (HARNESS_EXT_WORDS=fitted)",
        range=(-1, 1),
        direction="neither",
        chance=None,
        source=source,
    )
    return {
        words.key: words,
        words_fit.key: words_fit,
        gain.key: gain,
        **dict.fromkeys(interval_keys(gain.key), gain),
        p_value.key: p_value,
    }
