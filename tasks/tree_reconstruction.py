"""Tree reconstruction error, on the Stanford Sentiment Treebank and on this project's own small set of trees.

A split's name is its protocol, so that results of different ones never mix; see
`harness_ext.catalogue.tree_protocol`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from datasets import Dataset, DatasetDict, concatenate_datasets, load_dataset
from mteb.timing import TimingStack
from tqdm.auto import tqdm

from harness_ext.catalogue.tree_protocol import Protocol, own_folder
from harness_ext.datasets_scripts.sentiment_trees.sentiment_trees import folder_revision
from harness_ext.encoders.encoding import TaskEncoder
from harness_ext.encoders.texts import TextTable
from harness_ext.evaluators.forest import Forest
from harness_ext.evaluators.tree_reconstruction_error import EXACT_FIT, TREE_RECONSTRUCTION, TreeComparisons, TreeItems
from harness_ext.names import PINNED
from harness_ext.tasks.abstask import AbsTaskCompositionality
from harness_ext.tasks.metadata import task_metadata


class AbsTreeReconstruction(AbsTaskCompositionality):
    """Tree reconstruction on trees of `sentiment_trees`."""

    measure = TREE_RECONSTRUCTION
    text_column = "sentence"
    label_column = "label"

    @property
    def folder(self) -> str | None:
        """The folder of one's own that the trees come from, if they do."""
        return own_folder(self.dataset_configs()[0])

    def data_revision(self, split: str | None = None, subset: str | None = None) -> str:
        """As the base class says; trees from a folder have its hash as their revision."""
        return folder_revision(self.folder) if self.folder else super().data_revision(split, subset)

    def load_data(self, num_proc: int | None = None, *, timer: TimingStack | None = None, **kwargs: Any) -> None:
        """Load the trees; each eval split gets its measured trees and the trees to which words are fitted.

        Raises:
            SourceError: The treebank is not available.
            ValueError: An eval split is not one of this task's, or a tree is malformed.
            FileNotFoundError: The user's own folder has no trees.
        """
        if self.data_loaded:
            return
        with (timer or TimingStack())("Data loading", log_message=f"Loading dataset {self.metadata.name}..."):
            trees = load_dataset("sentiment_trees", self.dataset_configs()[0], data_dir=self.folder, revision=PINNED)
            try:
                protocols = {split: Protocol.parse(split, trees) for split in self.eval_splits}
            except ValueError as error:
                raise ValueError(f"{self.metadata.name}: {error}") from None
            self.dataset = DatasetDict({split: _with_roles(trees, protocol) for split, protocol in protocols.items()})
        self.keep_revisions()

    def compare(self, rows: list[dict[str, Any]], encode: TaskEncoder) -> TreeItems:
        """See the base class.

        Raises:
            ValueError: The fit is exact, so there is no main score; names a split with a score.
        """
        # not above: `import mteb` imports this module, and does without torch
        from harness_ext.evaluators.tree_fit import MAX_STEPS, tree_items

        table = TextTable()
        numbers = np.array([table.add(row["sentence"]) for row in rows])
        comparisons = tree_comparisons(rows)
        targets = encode(table.texts)[numbers]
        max_steps = MAX_STEPS if self.max_steps is None else self.max_steps
        with fitting_progress(f"{self.metadata.name}: fitting", max_steps) as on_step:
            items = tree_items(targets, comparisons, max_steps, on_step)
        if items.is_exact():
            raise ValueError(
                f"{self.metadata.name} ({encode.hf_split}): no score for {encode.facts()['model']}, whose sentence "
                f"vectors are reconstructed exactly. The median of the remaining distances (TRE) is "
                f"{items.median_error():.1e}, less than {EXACT_FIT:.0e}, and tre_mean is {items.tre_mean():.1e}. So a "
                "correlation would only show the path of the fit. Either these vectors are compositions of word "
                "vectors, or nearly every sentence has words of its own, which absorb any vector, even a random one. "
                "In the second case, fit the words to other sentences: --eval-splits dev_words_from_train."
            )
        return items


def tree_comparisons(rows: list[dict[str, Any]]) -> TreeComparisons:
    """Collect the trees of an eval split, and mark the fitted and the measured trees."""
    return TreeComparisons(
        row=np.array([row["id"] for row in rows]),
        forest=sentiment_forest(rows),
        fitted=np.array([row["fitted"] for row in rows]),
        measured=np.array([row["measured"] for row in rows]),
        composition=rows[0]["composition"],
    )


def _with_roles(trees: DatasetDict, protocol: Protocol) -> Dataset:
    """Join the trees to which words are fitted and the measured trees, with columns that mark them."""
    parts = []
    for name in dict.fromkeys((protocol.words_from, protocol.trees)):
        n = len(trees[name])
        part = trees[name].add_column("fitted", [name == protocol.words_from] * n)
        part = part.add_column("measured", [name == protocol.trees] * n)
        parts.append(part.add_column("composition", [protocol.composition] * n))
    return concatenate_datasets(parts)


@contextmanager
def fitting_progress(title: str, max_steps: int) -> Iterator[Callable[[float], None]]:
    """Show the progress of a fit that may end early; yields the function to call with the loss of each step."""
    with tqdm(total=max_steps, desc=title, unit="step") as progress:

        def on_step(loss: float) -> None:
            progress.set_postfix(distance=f"{max(loss, 0.0):.4f}", refresh=False)  # rounding may go below zero
            progress.update()

        yield on_step
        progress.total = progress.n


def sentiment_forest(rows: list[dict[str, Any]]) -> Forest:
    """Build the trees of the rows; words are distinguished by their spelling."""
    vocabulary: dict[str, int] = {}
    tree: list[int] = []
    word: list[int] = []
    children: list[tuple[int, int]] = []
    for number, row in enumerate(rows):
        offset, words = len(tree), iter(row["words"])
        for left, right in zip(row["left"], row["right"], strict=True):
            leaf = left < 0
            word.append(vocabulary.setdefault(next(words), len(vocabulary)) if leaf else -1)
            children.append((-1, -1) if leaf else (offset + left, offset + right))
            tree.append(number)
    labels = [label for row in rows for label in row["node_labels"]]
    return Forest(np.array(tree), np.array(word), np.array(children), np.array(labels))


class TreeReconstruction(AbsTreeReconstruction):
    """TRE on the Stanford Sentiment Treebank: the dev sentences, with words fitted to the train sentences."""

    metadata = task_metadata("TreeReconstruction")


class TreeReconstructionMini(AbsTreeReconstruction):
    """TRE on 240 trees over 32 words, no download."""

    metadata = task_metadata("TreeReconstructionMini")
