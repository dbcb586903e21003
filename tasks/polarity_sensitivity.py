"""Polarity sensitivity of sentence vectors, on Yelp reviews and on this project's own small dataset.

A split's name is its protocol, so that results of different protocols never mix; see
`harness_ext.catalogue.polarity_protocol`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from datasets import Dataset, DatasetDict, concatenate_datasets, load_dataset
from mteb.timing import TimingStack
from tqdm.auto import tqdm

from harness_ext.arrays import Names, Places
from harness_ext.catalogue.polarity_protocol import Protocol
from harness_ext.data.sources import SourceError
from harness_ext.encoders.encoding import TaskEncoder
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
from harness_ext.tasks.metadata import task_metadata

SEEDS = (0, 1, 2)
"""Seeds of the networks and of the fine-tuned encoders."""


class AbsPolaritySensitivity(AbsTaskCompositionality):
    """Polarity sensitivity on pairs of `polarity_pairs`."""

    measure = POLARITY
    text_column = "text"
    label_column = "label"

    def load_data(self, num_proc: int | None = None, *, timer: TimingStack | None = None, **kwargs: Any) -> None:
        """Assemble the data of each eval split: training sentences, held-out sentences, and pairs.

        Raises:
            SourceError: A file is not available; for the training sentences, tells how to train on dev.
            ValueError: An eval split is not one of this task's.
        """
        if self.data_loaded:
            return
        with (timer or TimingStack())("Data loading", log_message=f"Loading dataset {self.metadata.name}..."):
            protocols = {split: Protocol.parse(split, self.dataset_configs()) for split in self.eval_splits}
            self.dataset = DatasetDict({split: self._rows(protocol) for split, protocol in protocols.items()})
        self.keep_revisions()

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
            split = f"{protocol.pairs}_trained_on_dev{f'_limit_{protocol.train_limit}' if protocol.train_limit else ''}"
            raise SourceError(
                f"{self.metadata.name} trains on the Yelp training sentences, which are not available here. {error}\n"
                "To train on the 4000 dev sentences instead (accuracy is then on test alone, and the result says so):\n"
                f"    mteb run -m MODEL -t {self.metadata.name} --eval-splits {split}\n"
                f'    polarity_sensitivity(encode, split="{split}")'
            ) from None

    def compare(self, rows: list[dict[str, Any]], encode: TaskEncoder) -> PolarityItems:
        """See the base class."""
        table = TextTable()
        comparisons = polarity_comparisons(rows, table)
        protocol = Protocol.parse(encode.hf_split, self.dataset_configs())
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

    Without held-out sentences, the originals of the pairs take their place; in Yelp they are the test sentences.

    Args:
        rows: Rows of `polarity_pairs` with their `role`: `train`, `held_out` or `pair`.
        table: Receives every text in use.
    """
    pairs = [row for row in rows if row["role"] == "pair" and row["removed_by"] is None]
    train = [row for row in rows if row["role"] == "train"]
    held_out = [row for row in rows if row["role"] == "held_out"] or pairs

    def numbers(some: list[dict[str, Any]], column: str = "text") -> Places:
        return np.array([table.add(row[column]) for row in some], dtype=np.intp)

    def labels(some: list[dict[str, Any]]) -> Places:
        return np.array([row["label"] for row in some], dtype=np.intp)

    def ids(some: list[dict[str, Any]]) -> Names:
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
    """List all pairs among the rows, with the rule that removes each, if any."""
    pairs = [row for row in rows if row["role"] == "pair"]
    directions = list(DIRECTION.values)
    return PolarityPairs(
        pair=np.array([row["id"] for row in pairs], dtype=str),
        direction=np.array([directions[row["label"]] for row in pairs], dtype=str),
        excluded=np.array([row["removed_by"] or "" for row in pairs], dtype=str),
    )


class PolaritySensitivity(AbsPolaritySensitivity):
    """PSS on the Yelp reference pairs; split `system` has the rewrites of a system instead of people's."""

    metadata = task_metadata("PolaritySensitivity")


class PolaritySensitivityMini(AbsPolaritySensitivity):
    """PSS on 120 pairs and 400 training sentences written for it, no download."""

    metadata = task_metadata("PolaritySensitivityMini")
