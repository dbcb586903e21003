"""Tree reconstruction error, on the Stanford Sentiment Treebank and on this project's own small set of trees.

A split's name is its protocol, so that results of different ones never mix:
`<trees>[_words_from_train][_mean|_linear]`. The trees of `<trees>` are measured. Words are fitted to them too, or to
those of train, and composed by sums unless the name says otherwise.
"""

from __future__ import annotations

import os
import re
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from datasets import Dataset, DatasetDict, concatenate_datasets, load_dataset
from mteb.abstasks.task_metadata import TaskMetadata
from mteb.timing import TimingStack
from tqdm.auto import tqdm

from harness_ext.datasets_scripts.sentiment_trees.sentiment_trees import folder_hash
from harness_ext.encoders.texts import TextTable
from harness_ext.evaluators.forest import COMPOSITIONS, Forest
from harness_ext.evaluators.tree_reconstruction_error import EXACT_FIT, TREE_RECONSTRUCTION, TreeComparisons, TreeItems
from harness_ext.names import PINNED
from harness_ext.tasks.abstask import AbsTaskCompositionality
from harness_ext.tasks.metadata import PSS_CITATION, SENTIMENT, WRITTEN_HERE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from harness_ext.encoders.encoding import TaskEncoder

FOLDER_VARIABLE = "HARNESS_EXT_SENTIMENT_TREES"
"""Names a folder with train.txt, dev.txt and test.txt to be used instead of the public zip."""

_PROTOCOL = re.compile(
    rf"(?P<trees>train|dev|test)(?P<from_train>_words_from_train)?(_(?P<composition>{'|'.join(COMPOSITIONS[1:])}))?"
)

_CITATION = r"""@inproceedings{andreas-2019-measuring,
  author = {Andreas, Jacob},
  booktitle = {International Conference on Learning Representations},
  title = {Measuring Compositionality in Representation Learning},
  url = {https://openreview.net/forum?id=HJz05o0qK7},
  year = {2019},
}

@inproceedings{socher-etal-2013-recursive,
  author = {Socher, Richard and Perelygin, Alex and Wu, Jean and Chuang, Jason and Manning, Christopher D.
    and Ng, Andrew and Potts, Christopher},
  booktitle = {Proceedings of the 2013 Conference on Empirical Methods in Natural Language Processing},
  pages = {1631--1642},
  title = {Recursive Deep Models for Semantic Compositionality Over a Sentiment Treebank},
  url = {https://aclanthology.org/D13-1170},
  year = {2013},
}"""


@dataclass(frozen=True)
class Protocol:
    """What the name of an eval split says.

    Attributes:
        trees: The split of the dataset that is measured.
        words_from: The split that words are fitted to.
        composition: Of `COMPOSITIONS`.
    """

    trees: str
    words_from: str
    composition: str

    @classmethod
    def parse(cls, split: str, trees: Iterable[str]) -> Protocol:
        """Read the name of a split, where there are trees of some splits.

        Raises:
            ValueError: It is not one of those that these trees make possible; says which are.
        """
        there = list(trees)
        if match := _PROTOCOL.fullmatch(split):
            words_from = "train" if match["from_train"] else match["trees"]
            found = cls(match["trees"], words_from, match["composition"] or COMPOSITIONS[0])
            if {found.trees, words_from} <= set(there) and not (match["from_train"] and found.trees == "train"):
                return found
        possible = [*there, *(f"{name}_words_from_train" for name in there if "train" in there and name != "train")]
        raise ValueError(
            f"{split!r} is not an eval split here. There are {', '.join(possible)}, each also with "
            f"{' or '.join(f'_{name}' for name in COMPOSITIONS[1:])} for another composition than the sum."
        )


class AbsTreeReconstruction(AbsTaskCompositionality):
    """Tree reconstruction on trees of `sentiment_trees`.

    Attributes:
        config: The config of the dataset.
    """

    measure = TREE_RECONSTRUCTION
    has_own_words = False  # the model that is fitted is the sum of words itself
    text_column = "sentence"
    label_column = "label"
    config: str

    @property
    def dataset_configs(self) -> tuple[str, ...]:
        """The one config that is read."""
        return (self.config,)

    @property
    def folder(self) -> str | None:
        """The folder of one's own that the trees come from, if they do."""
        return os.environ.get(FOLDER_VARIABLE) or None if self.config == "sst" else None

    def data_revision(self) -> str:
        """As the base class says; trees from a folder have its hash as their revision."""
        return f"local-{folder_hash(Path(self.folder))[:12]}" if self.folder else super().data_revision()

    def load_data(self, num_proc: int | None = None, *, timer: TimingStack | None = None, **kwargs: Any) -> None:
        """Load the trees; each eval split gets those that it measures and those that it fits words to.

        Raises:
            SourceError: The treebank is not to be had.
            ValueError: An eval split is not one of this task's, or a tree is malformed.
            FileNotFoundError: The folder of one's own has no trees.
        """
        if self.data_loaded:
            return
        with (timer or TimingStack())("Data loading", log_message=f"Loading dataset {self.metadata.name}..."):
            trees = load_dataset("sentiment_trees", self.config, data_dir=self.folder, revision=PINNED)
            try:
                protocols = {split: Protocol.parse(split, trees) for split in self.eval_splits}
            except ValueError as error:
                raise ValueError(f"{self.metadata.name}: {error}") from None
            self.dataset = DatasetDict({split: _with_roles(trees, protocol) for split, protocol in protocols.items()})
        self.set_revision(self.data_revision())
        self.data_loaded = True

    def compare(self, rows: list[dict[str, Any]], encode: TaskEncoder) -> TreeItems:
        """As the base class says.

        Raises:
            ValueError: The fit is exact, so that there is no main score; says which split has one.
        """
        # not above: `import mteb` imports this module, and does without torch
        from harness_ext.evaluators.tree_fit import MAX_STEPS, tree_items

        table = TextTable()
        numbers = np.array([table.add(row["sentence"]) for row in rows])
        comparisons = tree_comparisons(rows)
        targets = encode(table.texts)[numbers]
        with fitting_progress(f"{self.metadata.name}: fitting", MAX_STEPS) as on_step:
            items = tree_items(targets, comparisons, on_step=on_step)
        if items.is_exact():
            raise ValueError(
                f"{self.metadata.name} ({encode.hf_split}): no score for {encode.facts()['model']}, whose sentence "
                f"vectors are reconstructed exactly. The median of the distances that remain (TRE) is "
                f"{items.median_error():.1e}, less than {EXACT_FIT:.0e}, and tre_mean {items.tre_mean():.1e}, so that "
                "what could be correlated is how the fit got there. Either these vectors are compositions of word "
                "vectors, or nearly every sentence has words that no other has, which take in any vectors, random ones "
                "too. If so, fit the words to other sentences: --eval-splits dev_words_from_train."
            )
        return items


def tree_comparisons(rows: list[dict[str, Any]]) -> TreeComparisons:
    """Which trees words are fitted to, and which are measured, of the rows of an eval split."""
    return TreeComparisons(
        row=np.array([row["id"] for row in rows]),
        forest=sentiment_forest(rows),
        fitted=np.array([row["fitted"] for row in rows]),
        measured=np.array([row["measured"] for row in rows]),
        composition=rows[0]["composition"],
    )


def _with_roles(trees: DatasetDict, protocol: Protocol) -> Dataset:
    """The trees that words are fitted to and those that are measured, and which are which."""
    parts = []
    for name in dict.fromkeys((protocol.words_from, protocol.trees)):
        n = len(trees[name])
        part = trees[name].add_column("fitted", [name == protocol.words_from] * n)
        part = part.add_column("measured", [name == protocol.trees] * n)
        parts.append(part.add_column("composition", [protocol.composition] * n))
    return concatenate_datasets(parts)


@contextmanager
def fitting_progress(title: str, max_steps: int) -> Iterator[Callable[[float], None]]:
    """A progress bar of a fit that may end before its last step; gives what is to be called with the loss of a step."""
    with tqdm(total=max_steps, desc=title, unit="step") as progress:

        def on_step(loss: float) -> None:
            progress.set_postfix(distance=f"{max(loss, 0.0):.4f}", refresh=False)  # rounding may go below zero
            progress.update()

        yield on_step
        progress.total = progress.n


def sentiment_forest(rows: list[dict[str, Any]]) -> Forest:
    """The trees of the rows; words are distinguished as they are written."""
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


_METADATA: dict[str, Any] = {
    **SENTIMENT,
    "main_score": "compositionality",
    "bibtex_citation": f"{PSS_CITATION}\n\n{_CITATION}",
}


class TreeReconstruction(AbsTreeReconstruction):
    """TRE on the Stanford Sentiment Treebank: the dev sentences, with words fitted to those of train."""

    config = "sst"
    metadata = TaskMetadata(
        **{
            **_METADATA,
            "name": "TreeReconstruction",
            "description": (
                "Is a sentence vector a composition of word vectors? Word vectors are fitted so that their sums give "
                "sentence vectors; the distance that remains (TRE) is correlated with how much the sentiment of a "
                "sentence changes on the way up its parse (WNS). The score is minus that correlation: positive for an "
                "encoder that is compositional in the paper's sense. Words are fitted to other sentences than those "
                "measured, because the paper's own protocol, eval split dev, reconstructs any encoder exactly."
            ),
            "dataset": {"path": "sentiment_trees", "revision": "5bed46c93fbc"},
            "eval_splits": ["dev_words_from_train"],
            "date": ("1996-01-01", "2013-10-31"),
            "license": "not specified",
            "annotations_creators": "human-annotated",
        }
    )


class TreeReconstructionMini(AbsTreeReconstruction):
    """TRE on 240 trees over 32 words, no download."""

    config = "mini"
    metadata = TaskMetadata(
        **{
            **_METADATA,
            **WRITTEN_HERE,
            "name": "TreeReconstructionMini",
            "description": (
                "Tree reconstruction error on 240 labelled trees over 32 words, made for this task. Needs no download "
                "and runs in seconds; too small to rank models by."
            ),
            "dataset": {"path": "sentiment_trees", "revision": "2"},
            "eval_splits": ["test"],
        }
    )
