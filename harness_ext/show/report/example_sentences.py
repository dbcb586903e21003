"""Reads the sentences behind items from the dataset, if available. Items hold only ids and
words.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from harness_ext.common.errors import UnknownNameError
from harness_ext.common.names import OWN
from harness_ext.common.revisions import PINNED, pinned_revision
from harness_ext.data.card import dataset_facts
from harness_ext.data.sources import SourceError, without_downloads
from harness_ext.own_data.table import OwnDataError
from harness_ext.own_data.task import place_of
from harness_ext.results.entry import Entry
from harness_ext.tasks.data import data_revision


@dataclass(frozen=True)
class Sentence:
    """A sentence in three parts; the second is highlighted."""

    before: str
    marked: str
    after: str


@dataclass(frozen=True)
class Texts:
    """The sentences of a split.

    Attributes:
        dataset: The dataset's name.
        by_row: Id of the dataset's row -> its sentence; empty if the dataset is not available, or
            none are wanted.
        why_not: The reason why there are no sentences; else empty.
    """

    dataset: str
    by_row: Mapping[str, Sentence]
    why_not: str = ""


def texts_of(entry: Entry) -> Texts:
    """Read the sentences of an entry's rows. Nothing is downloaded."""
    if entry.declared_task.harness == "lm-eval":
        return _texts_of_documents(entry)
    if entry.task.startswith(OWN):
        return _texts_of_own_data(entry)
    dataset = entry.declared_task.dataset["path"]
    try:
        config, split = _place(entry)
        revision = data_revision(entry.declared_task, entry.split, entry.subset)
    except (OSError, ValueError) as error:
        return Texts(dataset, {}, str(error))
    if revision != entry.dataset_revision:
        why_not = (
            f"The results are on revision {entry.dataset_revision} of {dataset}, but the available "
            f"one is {revision}."
        )
        return Texts(dataset, {}, why_not)
    return _read(dataset, config, split)


def _texts_of_own_data(entry: Entry) -> Texts:
    """Read the sentences of a user's own file, if it is as it was."""
    folder = next(parent.parent for parent in entry.file.parents if parent.name == "results")
    try:
        own_rows = place_of(folder, entry.task).rows()
    except (OwnDataError, UnknownNameError) as error:
        return Texts(entry.task, {}, str(error))
    if own_rows.revision != entry.dataset_revision:
        return Texts(entry.task, {}, f"The file of {entry.task} has changed since it was measured.")
    return _shown(entry.task, own_rows.rows)


def _texts_of_documents(entry: Entry) -> Texts:
    """Read the sentences behind a language model's documents. lm-eval's samples name the revision
    of their data.
    """
    from harness_ext.data.builder import builder_class  # not above: it imports datasets

    dataset, _, config = pinned_revision(entry.dataset_revision).partition("/")
    split = "pairs" if entry.measure.unit == "pair" else "naturalistic"
    suffix = builder_class(dataset).revision_suffix(config, split=split)
    if entry.dataset_revision != f"{dataset}/{config}{suffix}":
        why_not = (
            f"The results are on {entry.dataset_revision}, but {dataset}/{config}{suffix} is "
            "available."
        )
        return Texts(dataset, {}, why_not)
    return _read(dataset, config, split)


def _place(entry: Entry) -> tuple[str | None, str]:
    """Find the config and the split of the dataset whose rows are the entry's units."""
    task = entry.declared_task
    units = task.units_of_split(entry.split)
    if units is not None:
        return units
    if entry.subset == "default":
        return task.dataset.get("name"), entry.split
    return entry.subset, entry.split


@lru_cache(maxsize=64)  # the splits of a report, while it is written
def _read(
    dataset: str,
    config: str | None,
    split: str,
) -> Texts:
    """Read the sentences of a split, if the dataset is at hand."""
    import datasets

    try:
        with without_downloads():  # a network must not make a report slower
            rows = datasets.load_dataset(
                dataset,
                config,
                split=split,
                revision=PINNED,
            )
    except (SourceError, ValueError, FileNotFoundError, ConnectionError) as error:
        reason = str(error).splitlines()[0]
        return Texts(dataset, {}, f"{dataset} is not available: {reason}")
    columns = [name for name in _COLUMNS if name in rows.column_names]
    return _shown(dataset, rows.select_columns(columns))


_PAIRS = {"text": "rewrite", "sentence1": "sentence2", "caption": "paraphrase", "first": "second"}
"""Column of a text -> column of the text that it is compared with."""
_SHOWN = ("sentence", *_PAIRS)
"""The columns of which one has the text of a row."""
_COLUMNS = ("id", "span", *_PAIRS.values(), *_SHOWN)
"""The columns that are read."""


def _shown(
    dataset: str,
    rows: Iterable[Mapping[str, Any]],
) -> Texts:
    """The sentences of rows, by their ids; rows without a text have none."""
    by_row: dict[str, Sentence] = {}
    for row in rows:
        if any(map(row.get, _SHOWN)):
            by_row[row["id"]] = _sentence(row)
    return Texts(dataset, by_row)


def _sentence(row: Mapping[str, Any]) -> Sentence:
    """The sentence of a row, its span highlighted, or both texts of a pair."""
    for text, other in _PAIRS.items():
        if text in row:
            return Sentence(row[text], "", f"→ {row[other]}")
    words = row["sentence"].split()
    start, end = row.get("span") or (len(words), len(words))
    return Sentence(
        before=" ".join(words[:start]),
        marked=" ".join(words[start:end]),
        after=" ".join(words[end:]),
    )


def license_of(dataset: str) -> str:
    """Read the license of a dataset from its card."""
    if dataset.startswith(OWN):
        return "that of your file"
    return str(dataset_facts(dataset)["license"])
