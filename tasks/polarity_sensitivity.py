"""Polarity sensitivity of sentence vectors, on Yelp reviews and on this project's own small dataset.

A split's name is its protocol, so that results of different protocols never mix:
`<pairs>[_trained_on_dev][_limit_<n>]`, where `<pairs>` is `reference` or `system` (for the small task: `mini`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from datasets import Dataset, DatasetDict, concatenate_datasets, load_dataset
from mteb.abstasks.task_metadata import TaskMetadata
from mteb.timing import TimingStack
from tqdm.auto import tqdm

from harness_ext.data.sources import SourceError
from harness_ext.encoders.texts import TextTable
from harness_ext.evaluators.polarity import POLARITY
from harness_ext.evaluators.polarity_classifiers import frozen_polarity, subsample
from harness_ext.evaluators.polarity_items import (
    DIRECTION,
    NO_FINE_TUNING,
    PolarityComparisons,
    PolarityItems,
    PolarityPairs,
    PolarityProtocol,
    joined,
)
from harness_ext.names import PINNED
from harness_ext.tasks.abstask import AbsTaskCompositionality
from harness_ext.tasks.metadata import PSS_CITATION, SENTIMENT, WRITTEN_HERE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from harness_ext.encoders.encoding import TaskEncoder

SEEDS = (0, 1, 2)
"""Of the networks; also of the fine-tuned encoders."""

_PROTOCOL = re.compile(r"(?P<pairs>[a-z]+)(?P<dev>_trained_on_dev)?(_limit_(?P<limit>[1-9]\d*))?")

_CITATION = r"""@inproceedings{li-etal-2018-delete,
  address = {New Orleans, Louisiana},
  author = {Li, Juncen and Jia, Robin and He, He and Liang, Percy},
  booktitle = {Proceedings of the 2018 Conference of the North {A}merican Chapter of the Association for
    Computational Linguistics: Human Language Technologies, Volume 1 (Long Papers)},
  doi = {10.18653/v1/N18-1169},
  pages = {1865--1874},
  title = {Delete, Retrieve, Generate: a Simple Approach to Sentiment and Style Transfer},
  year = {2018},
}"""


@dataclass(frozen=True)
class Protocol:
    """What the name of an eval split says.

    Attributes:
        pairs: The config of `polarity_pairs` whose pairs are asked.
        on_dev: Whether the classifiers are trained on the dev sentences, and accuracy is that on test alone.
        train_limit: The training set is subsampled to this many sentences, stratified; None for all.
    """

    pairs: str
    on_dev: bool
    train_limit: int | None

    @classmethod
    def parse(cls, split: str, configs: tuple[str, ...]) -> Protocol:
        """Read the name of a split.

        Raises:
            ValueError: It is not one; says what is.
        """
        match = _PROTOCOL.fullmatch(split)
        if not match or match["pairs"] not in configs or (match["dev"] and match["pairs"] == "mini"):
            dev = "" if configs == ("mini",) else "[_trained_on_dev]"
            raise ValueError(
                f"{split!r} is not an eval split of this task: {' or '.join(configs)}, then {dev}[_limit_<number of "
                "training sentences>]."
            )
        return cls(match["pairs"], bool(match["dev"]), int(match["limit"]) if match["limit"] else None)

    def roles(self) -> dict[str, str]:
        """What each split of the config `pairs` is used for; where none is to train on, the config `train` is."""
        if self.pairs == "mini":
            return {"train": "train", "pairs": "pair"}
        return {"dev": "train" if self.on_dev else "held_out", "test": "held_out", "pairs": "pair"}


class AbsPolaritySensitivity(AbsTaskCompositionality):
    """Polarity sensitivity on pairs of `polarity_pairs`.

    Attributes:
        configs: The configs of the dataset that its pairs may be of.
    """

    measure = POLARITY
    text_column = "text"
    label_column = "label"
    configs: tuple[str, ...]

    def load_data(self, num_proc: int | None = None, *, timer: TimingStack | None = None, **kwargs: Any) -> None:
        """Put together what each eval split needs: the sentences to train on, those held out, and the pairs.

        Raises:
            SourceError: A file is not to be had; for the training sentences, says how to train on dev.
            ValueError: An eval split is not one of this task's.
        """
        if self.data_loaded:
            return
        with (timer or TimingStack())("Data loading", log_message=f"Loading dataset {self.metadata.name}..."):
            protocols = {split: Protocol.parse(split, self.configs) for split in self.eval_splits}
            self.dataset = DatasetDict({split: self._rows(protocol) for split, protocol in protocols.items()})
        self.set_revision(self.data_revision())
        self.data_loaded = True

    def _rows(self, protocol: Protocol) -> Dataset:
        parts = load_dataset("polarity_pairs", protocol.pairs, revision=PINNED)
        roles = protocol.roles()
        if "train" not in roles.values():
            parts["train"] = self._yelp_train(protocol)
            roles["train"] = "train"
        for split, role in roles.items():
            if role == "train":
                kept = subsample(np.array(parts[split]["label"]), protocol.train_limit, self.seed)
                parts[split] = parts[split].select(kept)
            parts[split] = parts[split].add_column("role", [role] * len(parts[split]))
        return concatenate_datasets([parts[split] for split in roles])

    def _yelp_train(self, protocol: Protocol) -> Dataset:
        try:
            return load_dataset("polarity_pairs", "train", split="train", revision=PINNED)
        except SourceError as error:
            limit = f"_limit_{protocol.train_limit}" if protocol.train_limit else ""
            raise SourceError(
                f"{self.metadata.name} trains on the Yelp training sentences, which are not to be had here. {error}\n"
                "To train on the 4000 dev sentences instead (accuracy is then that on test, and the result says so):\n"
                f"    mteb run -m MODEL -t {self.metadata.name} --eval-splits {protocol.pairs}_trained_on_dev{limit}"
            ) from None

    @property
    def dataset_configs(self) -> tuple[str, ...]:
        """The configs that may be read; whether one was read with other bytes is part of the result."""
        return self.configs if self.configs == ("mini",) else (*self.configs, "train")

    def compare(self, rows: list[dict[str, Any]], encode: TaskEncoder) -> PolarityItems:
        """As the base class says."""
        table = TextTable()
        comparisons = polarity_comparisons(rows, table)
        protocol = Protocol.parse(encode.hf_split, self.configs)
        vectors = encode(table.texts)
        seeds = () if encode.adds_up_words else SEEDS  # the main score is the linear classifier's
        networks = tqdm(seeds, desc=f"{self.metadata.name}: networks", disable=not seeds)
        labelled = list(frozen_polarity(vectors, comparisons, networks))
        return PolarityItems(
            pairs=pair_table(rows),
            answers=joined(*(one.answers for one in labelled)),
            held_out=joined(*(one.held_out for one in labelled)),
            fine_tunings=NO_FINE_TUNING,
            protocol=PolarityProtocol.of(
                {
                    "n_train": [len(comparisons.train)],
                    "train_limit": [protocol.train_limit or 0],
                    "trained_on_dev": [protocol.on_dev],
                }
            ),
        )


def polarity_comparisons(rows: list[dict[str, Any]], table: TextTable) -> PolarityComparisons:
    """Number the texts of the rows.

    Where no sentences are held out, those are the originals of the pairs, as the Yelp test sentences are.

    Args:
        rows: Rows of `polarity_pairs` with their `role`: `train`, `held_out` or `pair`.
        table: Gets every text that is used.
    """
    pairs = [row for row in rows if row["role"] == "pair" and row["removed_by"] is None]
    train = [row for row in rows if row["role"] == "train"]
    held_out = [row for row in rows if row["role"] == "held_out"] or pairs

    def numbers(some: list[dict[str, Any]], column: str = "text") -> NDArray[np.intp]:
        return np.array([table.add(row[column]) for row in some], dtype=np.intp)

    def labels(some: list[dict[str, Any]]) -> NDArray[np.intp]:
        return np.array([row["label"] for row in some], dtype=np.intp)

    def ids(some: list[dict[str, Any]]) -> NDArray[np.str_]:
        return np.array([row["id"] for row in some], dtype=str)

    return PolarityComparisons(
        train=numbers(train),
        train_labels=labels(train),
        held_out=numbers(held_out),
        held_out_labels=labels(held_out),
        held_out_ids=ids(held_out),
        pairs=np.column_stack([numbers(pairs), numbers(pairs, "rewrite")]),
        pair_labels=labels(pairs),
        pair_ids=ids(pairs),
    )


def pair_table(rows: list[dict[str, Any]]) -> PolarityPairs:
    """All pairs among the rows, with the rule that removes one."""
    pairs = [row for row in rows if row["role"] == "pair"]
    directions = list(DIRECTION.values)
    return PolarityPairs(
        pair=np.array([row["id"] for row in pairs], dtype=str),
        direction=np.array([directions[row["label"]] for row in pairs], dtype=str),
        excluded=np.array([row["removed_by"] or "" for row in pairs], dtype=str),
    )


_METADATA: dict[str, Any] = {
    **SENTIMENT,
    "main_score": "fb_linear_pss",
    "bibtex_citation": f"{PSS_CITATION}\n\n{_CITATION}",
}


class PolaritySensitivity(AbsPolaritySensitivity):
    """PSS on the Yelp reference pairs; split `system` has one system's rewrites instead of people's."""

    configs = ("reference", "system")
    metadata = TaskMetadata(
        **{
            **_METADATA,
            "name": "PolaritySensitivity",
            "description": (
                "Does a sentence vector change sides when the sentence does? A sentiment classifier is trained on "
                "vectors of Yelp reviews. The score is the share of pairs of a review and its rewrite with the "
                "opposite sentiment of which both are labelled correctly."
            ),
            "dataset": {"path": "polarity_pairs", "revision": "14a48fa3f49a-1dac1d428823"},
            "eval_splits": ["reference"],
            "date": ("2004-10-12", "2018-12-31"),
            "license": "cc-by-sa-4.0",
            "annotations_creators": "derived",
        }
    )


class PolaritySensitivityMini(AbsPolaritySensitivity):
    """PSS on 120 pairs and 400 training sentences written for it, no download."""

    configs = ("mini",)
    metadata = TaskMetadata(
        **{
            **_METADATA,
            **WRITTEN_HERE,
            "name": "PolaritySensitivityMini",
            "description": (
                "Polarity sensitivity on 400 training sentences and 120 pairs written for this task. Needs no "
                "download and runs in seconds; too small to rank models by."
            ),
            "dataset": {"path": "polarity_pairs", "revision": "1"},
            "eval_splits": ["mini"],
        }
    )
