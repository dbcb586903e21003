"""What `check` says of rows that fit: the smallest gain, ties, scales, and which measure they are
for.
"""

from __future__ import annotations

import math

import pytest
from scipy.stats import norm

from harness_ext.own_data.fields import MEASURES, measure_named
from harness_ext.own_data.fitting_measure import guessed_measure, smallest_gain
from harness_ext.own_data.row_errors import OwnRowError, grouped
from harness_ext.own_data.rows import rows_for_measure
from harness_ext.own_data.table import table_of


def rated(numbers):
    """Compounds of two words with these ratings."""
    rows = []
    for number, rating in enumerate(numbers):
        letter = chr(ord("a") + number)
        rows.append({"compound": f"{letter}x {letter}y", "type_score": rating})
    return rows


def read(numbers):
    return rows_for_measure(measure_named("type_token"), table_of(rated(numbers)))


@pytest.mark.parametrize("units", [10, 60, 300])
def test_the_smallest_gain_by_hand(units):
    """Found in 80 % of the cases at .05: z(.975) + z(.8) standard errors.

    That of a mean of n numbers with the variance ½, and Fisher's of a correlation.
    """
    z = norm.ppf(0.975) + norm.ppf(0.8)
    share = MEASURES["idiom_paraphrase"]
    correlation = MEASURES["type_token"]
    of_mean = z * math.sqrt(0.5) / math.sqrt(units)
    assert smallest_gain(share, units) == pytest.approx(of_mean, abs=0.001)
    of_fisher = math.tanh(z * 1 / math.sqrt(units - 3))
    assert smallest_gain(correlation, units) == pytest.approx(of_fisher, abs=0.001)


def test_the_smallest_gain_of_few_units():
    assert smallest_gain(MEASURES["idiom_paraphrase"], 1) == 1
    assert math.isnan(smallest_gain(MEASURES["type_token"], 3))
    assert smallest_gain(MEASURES["type_token"], 4) == pytest.approx(math.tanh(2.8))


def test_half_of_the_units_with_one_number_are_no_tie():
    others = [1, 1.5, 2, 2.5, 4, 4.5, 5]
    assert not read([3] * 7 + others).ties()
    (tie,) = read([3] * 8 + others).ties()
    assert (tie.n_equal, tie.n_all) == (8, 15)
    assert read([3] * 8 + others).ranked_unit_count() == 8


def test_a_scale_that_begins_at_1_is_said_if_it_ends_where_the_other_does():
    five = [1, 2, 3, 4, 5] * 3
    (said,) = read(five).warnings
    assert said.endswith("If your scale begins at 1: ranks do not mind.")
    assert not any("ranks do not mind" in warning for warning in read([*five, 7]).warnings)
    assert not read([0, *five]).warnings
    assert not read([1, 2, 3, 4, 5] * 1 + [1] * 4).warnings  # too few to tell


def test_the_ends_of_a_scale_are_on_it():
    assert not any("outside" in warning for warning in read([0, 5, *range(1, 5)] * 2).warnings)
    below_and_above = read([-0.1, 5.1, *range(1, 5), *range(1, 5)])
    assert "-0.1, 5.1 is outside of the scale, 0 to 5" in " ".join(below_and_above.warnings)


@pytest.mark.parametrize(("n_rows", "more"), [(5, ""), (6, " and 1 more"), (7, " and 2 more")])
def test_five_rows_of_a_kind_are_named(n_rows, more):
    errors = [OwnRowError(f"a.csv, line {n}", "x", "it is {}.", "odd") for n in range(n_rows)]
    (said,) = grouped(errors)
    assert said.count("line") == 5
    assert f"line 4{more}, column" in said


def test_of_measures_with_the_same_columns_one_with_enough_units_is_taken():
    """Pairs with a kind may be of `role_swap`, whose score is of adversarial pairs alone."""
    rows = []
    for number in range(12):
        texts = {"sentence1": f"a {number}", "sentence2": f"b {number}"}
        rows.append({**texts, "similarity": number, "kind": "other"})
    assert guessed_measure(table_of(rows), {}).name != "role_swap"
    for row in rows:
        row["kind"] = "adversarial"
    guessed = guessed_measure(table_of(rows), {})
    assert rows_for_measure(guessed, table_of(rows)).unit_count() >= guessed.fewest_units
