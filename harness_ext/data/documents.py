"""Rows of a dataset as the documents of a language model's task."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

from datasets import Dataset, DatasetDict, load_dataset

from harness_ext.data.builder import builder_class

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_SEED = 42


def load_rows(path: str, name: str, split: str) -> list[dict[str, Any]]:
    """The rows of a split of one of this project's datasets.

    Each gets a column `dataset`, so that a saved sample tells what it was made of: `<path>/<name>`, with
    `+unverified` and a hash where a file was used with other bytes than the pinned ones.

    Raises:
        SourceError: A file of the dataset is not to be had.
    """
    dataset = f"{path}/{name}{builder_class(path).revision_suffix(name, split=split)}"
    return [{**row, "dataset": dataset} for row in load_dataset(path, name, split=split)]


def as_documents(
    groups: Iterable[list[dict[str, Any]]], excluded: Mapping[str, int], **other_splits: list[dict[str, Any]]
) -> DatasetDict:
    """The dataset of a task, with the documents as split `test`.

    Args:
        groups: The documents; those of a group stay together. The groups are shuffled, always in the same way, so
            that `--limit` gives some of every class.
        excluded: Key -> how much could not be asked; read after the groups, and a column of every document.
        other_splits: Splits that are no documents to be scored, such as examples to be shown.
    """
    groups = list(groups)
    random.Random(_SEED).shuffle(groups)
    test = [{**doc, **excluded} for group in groups for doc in group]
    splits = {"test": test, **other_splits}
    return DatasetDict({split: Dataset.from_list(docs) for split, docs in splits.items()})
