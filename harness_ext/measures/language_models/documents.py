"""Documents of a language model's task, made from the rows of a dataset."""

import random
from collections.abc import Iterable, Mapping
from typing import Any

from datasets import Dataset, DatasetDict, load_dataset

from harness_ext.data.builder import builder_class

_SEED = 42

SMALL_CLASS = 20


def load_rows(path: str, name: str, split: str) -> list[dict[str, Any]]:
    """Load the rows of a split of one of this project's datasets.

    Each row gets a column `dataset`, so that a saved sample names its data: `<path>/<name>`, with `+unverified` and a
    hash if a file in use differs from the pinned file.

    Raises:
        SourceError: A file of the dataset is not available.
    """
    dataset = f"{path}/{name}{builder_class(path).revision_suffix(name, split=split)}"
    return [{**row, "dataset": dataset} for row in load_dataset(path, name, split=split)]


def few_compounds(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Pick the rows of a small version: the first row of each of `SMALL_CLASS` compounds of each class."""
    taken: dict[str, dict[str, dict[str, Any]]] = {}
    for row in rows:
        of_class = taken.setdefault(str(row["class"]), {})
        if len(of_class) < SMALL_CLASS:
            of_class.setdefault(row["compound"], row)
    return [row for of_class in taken.values() for row in of_class.values()]


def as_documents(
    groups: Iterable[list[dict[str, Any]]], excluded: Mapping[str, int], **other_splits: list[dict[str, Any]]
) -> DatasetDict:
    """Make the dataset of a task: the documents as split `test`, and other splits, such as examples for the prompt.

    The documents of a group stay together; the groups are shuffled, always in the same way, so that `--limit` takes
    documents of every class. The numbers of excluded rows, read after the groups, are columns of every document.
    """
    groups = list(groups)
    random.Random(_SEED).shuffle(groups)
    test = [{**doc, **excluded} for group in groups for doc in group]
    splits = {"test": test, **other_splits}
    return DatasetDict({split: Dataset.from_list(docs) for split, docs in splits.items()})
