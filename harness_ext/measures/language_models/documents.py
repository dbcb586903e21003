"""The rows of a dataset that a language model's task makes documents from."""

from typing import Any

from datasets import load_dataset

from harness_ext.data.builder import builder_class

SMALL_CLASS = 20


def load_rows(
    path: str,
    name: str,
    split: str,
) -> list[dict[str, Any]]:
    """Load the rows of a split of one of this project's datasets.

    Each row gets a column `dataset`, so that a saved sample names its data: `<path>/<name>`, with
    `+unverified` and a hash if a file in use differs from the pinned file.

    Raises:
        SourceError: A file of the dataset is not available.
    """
    dataset = f"{path}/{name}{builder_class(path).revision_suffix(name, split=split)}"
    return [{**row, "dataset": dataset} for row in load_dataset(path, name, split=split)]


def few_compounds(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Pick the rows of a small version: the first row of each of `SMALL_CLASS` compounds of each
    class.
    """
    taken: dict[str, dict[str, dict[str, Any]]] = {}
    for row in rows:
        of_class = taken.setdefault(str(row["class"]), {})
        if len(of_class) < SMALL_CLASS:
            of_class.setdefault(row["compound"], row)
    return [row for of_class in taken.values() for row in of_class.values()]
