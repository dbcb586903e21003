"""A table for a paper."""

from __future__ import annotations

from dataclasses import replace

import pytest

from harness_ext.show.listing import Listing
from harness_ext.show.result_tables import summary
from tests.results.planted_items import entry_at


def test_a_caption_for_a_paper_names_no_command():
    note = "Intervals are of 95 %.\nTerms: harness-ext explain terms"
    rows = (("m", ".5"),)
    latex = Listing(("model", "score"), rows, title="Own", note=note).latex()
    assert "Own. Intervals are of 95" in latex
    assert "harness-ext" not in latex


@pytest.mark.parametrize("models", [["a/one"], ["a/one", "a/other"]])
def test_the_table_of_main_scores_says_measure_data_and_number_of_units(models):
    """As its reader has no other table beside it."""
    entry = entry_at("RoleSwapSimilarity", "test", (1, 3), n=41)
    other = entry_at("EpsilonCompositionality", "naturalistic", (1, 3), n=77)
    several = len(models) > 1
    entries = []
    for place in [entry, other] if several else [entry]:
        for model in models:
            entries.append(replace(place, model=model))
    tables = [listing.latex() for listing in summary(entries)]
    (table,) = [text for text in tables if "Measure: role\\_swap" in text]
    assert f"main score {entry.measure.main}".replace("_", "\\_") in table
    assert "Data: RoleSwapSimilarity, test; n = 41 (group)." in table
    assert "In brackets are 95 \\% intervals" in table
    assert "harness-ext" not in table
    if several:
        assert "(1) Measure: role\\_swap" in table
        assert "(2) Measure: epsilon" in table
        assert "n = 77 (compound)." in table
