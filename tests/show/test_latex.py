"""A table for a paper."""

from __future__ import annotations

from harness_ext.show.listing import Listing


def test_a_caption_for_a_paper_names_no_command():
    note = "Intervals are of 95 %.\nTerms: harness-ext explain terms"
    rows = (("m", ".5"),)
    latex = Listing(("model", "score"), rows, title="Own", note=note).latex()
    assert "Own. Intervals are of 95" in latex
    assert "harness-ext" not in latex
