"""What the intervals of a difference show, of matched noise and of other references."""

import pytest

from harness_ext.results.effects import Effect, Outcome, Reference, effect
from tests.results.planted_items import entry_at


@pytest.mark.parametrize(
    ("ends", "outcome"),
    [
        ((-0.3, -0.2), Outcome.BELOW),
        ((-0.05, -0.02), Outcome.BELOW_SMALL),
        ((-0.3, 0.2), Outcome.INCONCLUSIVE),
        ((-0.05, 0.02), Outcome.EQUIVALENT),
        ((0.02, 0.05), Outcome.ABOVE_SMALL),
        ((0.2, 0.3), Outcome.ABOVE),
    ],
)
def test_a_difference_has_one_of_six_outcomes_and_from_noise_one_of_two(ends, outcome):
    low, high = ends
    is_above = low > 0
    difference = Effect(low, high, ends, 0.1)
    assert difference.outcome == outcome
    from_noise = Effect(low, high, ends, 0.1, only_above=True)
    assert from_noise.outcome == (Outcome.ABOVE if is_above else Outcome.NOT_ABOVE)
    assert from_noise.outcome.is_above == is_above


@pytest.mark.parametrize(
    ("ends", "outcome"),
    [
        ((-3.5, -1.5), "not above"),
        ((-2, 2), "not above"),
        ((0.2, 0.5), "above"),
    ],
)
def test_an_entry_is_above_noise_or_not(ends, outcome):
    entry = entry_at("RoleSwapSimilarity", "test", ends, ends, ends)
    assert effect(entry, Reference.NOISE).outcome == outcome
    assert effect(entry, Reference.ADDITIVE).outcome != "not above"
