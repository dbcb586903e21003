"""`harness-ext relate`: correlations with other scores as a table."""

from __future__ import annotations

from collections.abc import Sequence

from harness_ext.results.relate import Correlation, Relation, what_n_shows
from harness_ext.show.comparison_tables import signed
from harness_ext.show.listing import Listing

_HEADER = ("task", "data", "score", "related to", "ρ", "95 % interval", "models", "families", "partial ρ", "interval",
           "models of it")  # fmt: skip


def relation_table(relations: Sequence[Relation]) -> Listing:
    """List relations, with a note on the power of so few models.

    Args:
        relations: At least one.
    """
    rows = []
    for each in relations:
        plain = each.plain
        of_partial = (*_cells(each.partial), str(each.partial.n_models)) if each.partial else ("", "", "")
        rows.append((*each.ours, each.other, *_cells(plain), str(plain.n_models), str(plain.n_families), *of_partial))
    n = max(each.plain.n_models for each in relations)
    low, high = what_n_shows(n)
    note = (
        "A positive ρ means that models with better scores here have better scores there. Intervals come from "
        "resampling families, the models of one publisher each; few families give intervals that are too short. Of "
        f"{len(relations)} intervals about one in twenty misses. Partial: with the number of parameters and the mean "
        f"STS score held fixed. With {n} models, a ρ of .5 has the interval {signed(low)} to {signed(high)}."
    )
    return Listing(_HEADER, tuple(rows), "relations to other scores", note, figures=7, labels=4)


def _cells(correlation: Correlation) -> tuple[str, str]:
    defined = correlation.low == correlation.low  # not NaN
    interval = f"{signed(correlation.low)} to {signed(correlation.high)}" if defined else ""
    return signed(correlation.rho) if correlation.rho == correlation.rho else "", interval
