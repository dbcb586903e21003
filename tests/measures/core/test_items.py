"""Tables and items: what they hold, how they are cut, and that their digest tells them apart."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest

from harness_ext.common.arrays import Flags, Floats, Integers, Names
from harness_ext.measures.core.items import Items, Table, column


@dataclass(frozen=True)
class Comparisons(Table):
    word: Names = column("The word.")
    class_: Names = column("Its class.")
    distance: Floats = column("How far, in [0, 2].")
    place: Integers = column("Where, from 0.")
    right: Flags = column("Whether it holds.")


@dataclass(frozen=True)
class Facts(Table):
    n_train: Integers = column("Rows that were trained on.")


@dataclass(frozen=True)
class Places(Table):
    word: Names = column("A word.")
    place: Integers = column("Its place.")
    distance: Floats = column("A distance.", measured=True)


@dataclass(frozen=True)
class SomeItems(Items):
    comparisons: Comparisons
    facts: Facts


def some_items():
    comparisons = Comparisons(
        word=["red", "wild", "red"],
        class_=["a", "", "a"],
        distance=[0.5, np.nan, 0],
        place=[0, 1, 2],
        right=[True, False, True],
    )
    return SomeItems(comparisons, Facts([7]))


def test_a_table_is_columns_of_its_types():
    table = some_items().comparisons
    assert len(table) == 3
    types = [values.dtype.kind for values in table.values().values()]
    assert types == ["U", "U", "f", "i", "b"]
    of_red = table[table.word == "red"]
    assert of_red.place.tolist() == [0, 2]
    last_and_first = table[np.array([2, 0])]
    assert last_and_first.distance.tolist() == [0, 0.5]
    of_class = table.columns()["class"]
    assert of_class == ("class_", str, "Its class.")  # `class` itself is a keyword
    classes = table.values()["class"]
    assert classes.tolist() == ["a", "", "a"]


@pytest.mark.parametrize(
    "distance",
    [
        [0.5],
        [[0.5, 1, 0]],
        [0.5, 1, 0, 0],
    ],
)
def test_columns_of_other_lengths_are_named(distance):
    table = some_items().comparisons
    said = r"Comparisons: the column 'distance' has shape .*, \(3,\) expected"
    with pytest.raises(ValueError, match=said):
        replace(table, distance=distance)


def test_rows_of_a_plan_are_made_by_names():
    rows = [{"place": 1, "word": "red"}, {"word": "wild", "place": 2}]
    table = Places.of_rows(rows)
    assert table.word.tolist() == ["red", "wild"]
    assert table.place.tolist() == [1, 2]
    assert np.isnan(table.distance).all()  # an encoder measures it
    assert len(Places.of_rows([])) == 0
    wrong_rows = {
        "place": {"word": "red"},
        "wrod": {"word": "", "place": 1, "wrod": ""},
    }
    for name, wrong in wrong_rows.items():
        said = f"Places: row 2 of a plan needs word, place.*: {name}$"
        with pytest.raises(ValueError, match=said):
            Places.of_rows([rows[0], wrong])


def test_items_restricted_to_some_units():
    words = np.array(["red", "blue"])
    restricted = some_items().restrict("word", words)
    assert restricted.comparisons.place.tolist() == [0, 2]
    assert len(restricted.facts) == 1
    assert len(restricted) == 3
    assert SomeItems.table_types() == {"comparisons": Comparisons, "facts": Facts}


def test_the_digest_is_of_all_that_is_held():
    items = some_items()
    assert items.digest() == some_items().digest()
    table = items.comparisons
    other_tables = [
        replace(table, word=["red", "wild", "re"]),
        replace(table, word=["red", "wildred", ""]),
        replace(table, distance=[0.5, np.nan, 1e-300]),
        replace(table, distance=[0.5, 0, 0]),
        replace(table, place=[0, 1, 3]),
        replace(table, right=[True, False, False]),
        replace(table, word=table.class_, class_=table.word),
        table[np.array([1, 0, 2])],
        table[:2],
    ]
    all_items = [items]
    for other in other_tables:
        all_items.append(replace(items, comparisons=other))
    for other in (Facts([8]), Facts([])):
        all_items.append(replace(items, facts=other))
    digests = {some.digest() for some in all_items}
    assert len(digests) == len(all_items) == 12
