"""Views of models: figures of each compound, phrase, pair or tree, and its distance from the right result."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy

from harness_ext.common.arrays import Array, Floats, Names
from harness_ext.measures.core.items import Items, positions
from harness_ext.measures.core.measure import Measure
from harness_ext.measures.epsilon.items import EpsilonItems
from harness_ext.measures.montague.items import MontagueItems
from harness_ext.measures.noun_compounds.affinity import affinities
from harness_ext.measures.noun_compounds.similarity import SimilarityItems
from harness_ext.statistics.correlation import group_means
from harness_ext.statistics.statistic import UnitStatistic, auc, average

_ASKED = re.compile(r"-(template\d+-order\d+|cloze\d+|letter\d+)$")
"""What the id of a language model's document adds to the dataset's row."""


@dataclass(frozen=True)
class View:
    """The results of a model in one split and subset, a row per unit.

    Attributes:
        facts: Column -> values, shape (n,), the same for all models; the first names the unit.
        figures: Column -> numbers of the model, shape (n,), NaN for none; the first sums the unit up.
        wrong: Each unit's distance from the right result, shape (n,); NaN if no result is right.
        rows: A row of the dataset that the unit is in, shape (n,). None if there are no sentences to show.
    """

    facts: Mapping[str, Array]
    figures: Mapping[str, Floats]
    wrong: Floats
    rows: Names | None


def view_of(measure: Measure[Any], items: Items) -> View | None:
    """View the units of items.

    Units have their values in the main score and the means of their measured numbers, as declared; a measure has a view
    of its own where this does not tell which unit is wrong.

    Returns:
        The view of the first table with units and measured numbers, or else of the first with units; None if neither
        units nor main score have any number.
    """
    if own := _OWN.get(measure.name):
        return own(items)
    tables = [table for table in items.tables().values() if measure.unit in table.columns()]
    for table in sorted(tables, key=lambda table: not table.measured()):
        columns = table.values()
        names, first, group = np.unique(columns[measure.unit], return_index=True, return_inverse=True)
        figures = {name: columns[name].astype(float) for name in table.measured() if columns[name].dtype.kind in "fb"}
        value, wrong = _values_of_units(measure, items, names)
        if figures or not np.isnan(value).all():
            means = {name: group_means(values, group, len(names)) for name, values in figures.items()}
            facts = {measure.unit: names}
            for other in (table, *tables):
                known = _facts(other, measure.unit, names).items()
                facts |= {name: of_units for name, of_units in known if other is table or of_units.dtype.kind == "U"}
            of_main = {} if np.isnan(value).all() else {f"value in {measure.main}": value}
            ids = columns.get("row", columns.get("id", columns[measure.unit]))[first]
            rows = np.array([_ASKED.sub("", name) for name in ids.tolist()])
            return View(facts, {**of_main, **means}, wrong, rows)
    return None


def _facts(table: Any, unit: str, names: Names) -> dict[str, Array]:
    """What is the same in all rows of each unit; nothing if the table lacks one."""
    columns = table.values()
    units, first, group = np.unique(columns[unit], return_index=True, return_inverse=True)
    if not np.isin(names, units).all():
        return {}
    rows = first[np.searchsorted(units, names)]
    given = columns.keys() - {unit, "row", "id", *table.measured()}
    return {
        name: values[rows]
        for name, values in columns.items()
        if name in given and np.array_equal(values, values[first][group], equal_nan=values.dtype.kind == "f")
    }


def _values_of_units(measure: Measure[Any], items: Items, names: Names) -> tuple[Floats, Floats]:
    """Compute the value of each unit in the main score, and its distance from the right value; NaN if unknown."""
    statistic = measure.of_all_units(items, measure.main)
    score, _ = measure.scores.by_key()[measure.main]
    value, wrong = np.full((2, len(names)), np.nan)
    if isinstance(statistic, UnitStatistic) and score.direction != "neither" and np.isin(statistic.units, names).all():
        place = np.searchsorted(names, statistic.units)
        first = statistic.values[0]
        if statistic.formula is average:
            value[place], wrong[place] = first, np.abs(first - score.range[score.direction == "higher"])
        elif statistic.formula is auc:
            value[place] = first
            wrong[place] = np.where(statistic.groups[0], 1 - _percentiles(first), _percentiles(first))
    return value, wrong


def _percentiles(values: Floats) -> Floats:
    """Rank values from 0 to 1, NaN left out, shape (n,)."""
    n = np.count_nonzero(~np.isnan(values))
    ranks: Floats = scipy.stats.rankdata(values, nan_policy="omit")
    return (ranks - 1) / (n - 1) if n > 1 else np.full(len(values), np.nan)


def _by_rank(facts: Mapping[str, Array], measured: tuple[str, Floats], expected: Floats, rows: Names) -> View:
    """View units of a correlation by the difference of ranks between what was measured and what is expected."""
    name, values = measured
    difference = _percentiles(values) - _percentiles(np.where(np.isnan(values), np.nan, expected))
    return View(facts, {name: values, "difference of ranks": difference}, np.abs(difference), rows)


def _epsilon(items: EpsilonItems) -> View:
    """View compounds by their rank shares: of NC the lower, and of C the higher, the more wrong."""
    compounds, shares = items.compounds, items.rank_shares
    is_nc, is_c = compounds.class_ == "NC", compounds.class_ == "C"
    rank = _percentiles(np.where(is_nc | is_c, shares, np.nan))
    facts = {"compound": compounds.compound, "class": compounds.class_}
    wrong = np.where(is_nc, 1 - rank, rank)
    return View(facts, {"rank share": shares}, wrong, _rows_of(compounds.compound, items.samples))


def _rated_pairs(items: Any) -> View:
    """View pairs of sentences: cosine against people's similarity."""
    pairs = items.pairs
    facts = {"pair": pairs.row, "kind": pairs.kind, "similarity by people": pairs.people}
    return _by_rank(facts, ("cos", pairs.similarity), pairs.people, pairs.row)


def _pair_classes(items: Any) -> View:
    """View pairs: of a class that should be near, the farther the more wrong; of another, the nearer."""
    pairs = items.pairs
    rank = _percentiles(pairs.similarity)
    facts = {"pair": pairs.row, "kind": pairs.kind}
    return View(facts, {"cos": pairs.similarity}, np.where(pairs.is_same, 1 - rank, rank), pairs.row)


def _type_token(items: Any) -> View:
    """View compounds: cosine with their words against people's scores."""
    compounds = items.compounds
    facts = {"compound": compounds.compound, "class": compounds.class_, "human score": compounds.type_score}
    measured = "cos, words", items.per_compound("phrase_additivity")
    return _by_rank(facts, measured, compounds.type_score, _rows_of(compounds.compound, items.sentences))


def _tree_reconstruction(items: Any) -> View:
    """View trees: how far a vector is from the best composition, against how seldom its sentiment switches."""
    trees = items.used()
    facts = {"tree": trees.row, "words": trees.words.astype(float), "node switching": trees.wns}
    return _by_rank(facts, ("TRE", trees.error), -trees.wns, trees.row)


def _affinity(items: SimilarityItems) -> View:
    """View compounds by the means of Sim over their sentences."""
    compounds = items.compounds
    means = {name: items.per_compound(values) for name, values in affinities(items, "sentence").items()}
    affinity = means["affinity_syn_words_syn"]
    return View(
        {"compound": compounds.compound, "class": compounds.class_, "human score": compounds.comp},
        {"affinity": affinity, **{f"Sim({name})": means[f"sim_{name}"] for name in ("syn", "words_syn", "rand")}},
        np.where(compounds.class_ == "NC", -affinity, np.nan),
        _rows_of(compounds.compound, items.sentences),
    )


def _rows_of(compounds: Names, table: Any) -> Names:
    """The first row of each compound in a table with both, shape (k,); empty for none."""
    first = dict(zip(table.compound.tolist()[::-1], table.row.tolist()[::-1], strict=True))
    return np.array([first.get(name, "") for name in compounds.tolist()])


def _montague(items: MontagueItems) -> View:
    """View phrases of an adjective and a noun: how many of the two tests of set theory each fails, and by how much."""
    singles = items.singles
    types = items.adjectives.type[positions(singles.adjective, items.adjectives.adjective)]
    farther = np.maximum(singles.to_adjective, singles.to_noun) - singles.between_words
    nearer_noun = singles.to_adjective - singles.to_noun
    by_type = np.where(types == "S-I", farther, -farther), np.where(np.char.startswith(types, "S-"), -1, 1)
    misses = np.array([by_type[0], by_type[1] * nearer_noun])
    wrong = np.where(types == "A", np.nan, misses.max(axis=0))
    figures = {
        "tests failed": np.where(np.isnan(wrong), np.nan, (misses > 0).sum(axis=0)),
        "d to adjective": singles.to_adjective,
        "d to noun": singles.to_noun,
        "d of adjective and noun": singles.between_words,
    }
    phrases = np.char.add(np.char.add(singles.adjective, " "), singles.noun)
    return View({"phrase": phrases, "type": types}, figures, wrong, None)


_OWN: Mapping[str, Callable[[Any], View]] = {
    "affinity": _affinity,
    "epsilon": _epsilon,
    "merge_opposites": _pair_classes,
    "montague": _montague,
    "pair_classes": _pair_classes,
    "role_swap": _rated_pairs,
    "rated_pairs": _rated_pairs,
    "transitive_similarity": _rated_pairs,
    "tree_reconstruction": _tree_reconstruction,
    "type_token": _type_token,
}
"""Measure -> its own view."""
