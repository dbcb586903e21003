"""The lists of columns that overall places are over: a model with a score in every column of a list
has a place on it.

A list has all columns of the full tasks that are measured by default, in English or in all
languages. Exploratory tasks stay out, and `MergeOpposites`, which asks for a use of vectors. A list
changes with a release alone.
"""

from collections.abc import Mapping
from importlib.resources import files
from typing import NamedTuple

from harness_ext.data.tables import read_table


class ListedColumn(NamedTuple):
    """A column of a list, on the data that its task pins.

    Attributes:
        measure: The measure with its version, as in signatures.
        splits: The split; of several, such as the authors' sentences and the same from a public
            table, the first that a model was measured in counts.
    """

    task: str
    subset: str
    measure: str
    splits: tuple[str, ...]


def _columns_of_list(name: str) -> tuple[ListedColumn, ...]:
    columns = []
    for line in read_table(files("harness_ext.tasks") / "overall.csv"):
        if name in line["lists"].split("; "):
            column = ListedColumn(
                task=line["task"],
                subset=line["subset"],
                measure=line["measure"],
                splits=tuple(line["splits"].split("; ")),
            )
            columns.append(column)
    return tuple(columns)


LISTS: Mapping[str, tuple[ListedColumn, ...]] = {
    "english": _columns_of_list("english"),
    "all": _columns_of_list("all"),
}
"""Name -> its columns."""
