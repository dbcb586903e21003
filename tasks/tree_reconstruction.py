"""Tree reconstruction error, on the Stanford Sentiment Treebank and on this project's own small set
of trees.

A split's name is its protocol, so that results of different protocols never mix; see
`harness_ext.measures.trees.protocol`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness_ext.common.revisions import PINNED
from harness_ext.measures.trees.protocol import TreeProtocol
from harness_ext.measures.trees.reconstruction_error import TREE_RECONSTRUCTION
from harness_ext.tasks.task import TOO_SMALL, Task, facts_of

if TYPE_CHECKING:
    from datasets import Dataset


class _TreeTask(Task):
    """The name of a split is a protocol: which trees are measured, which words are fitted to, how
    they compose.
    """

    def units_of_split(self, split: str) -> tuple[str, str]:
        """The trees that are measured."""
        return self.configs[0], TreeProtocol.parse(split, ("train", "dev", "test")).trees

    def load(self, split: str, subset: str) -> Dataset:
        """The trees to which words are fitted and the measured trees of a protocol, with columns
        that mark them.
        """
        # not above: declarations are read without it
        from datasets import concatenate_datasets, load_dataset

        (config,) = self.configs
        trees = load_dataset("sentiment_trees", config, revision=PINNED)
        try:
            protocol = TreeProtocol.parse(split, trees)
        except ValueError as error:
            raise ValueError(f"{self.name}: {error}") from None
        parts = []
        for name in dict.fromkeys((protocol.words_from, protocol.trees)):
            part = trees[name]
            n_rows = len(part)
            part = part.add_column("fitted", [name == protocol.words_from] * n_rows)
            part = part.add_column("measured", [name == protocol.trees] * n_rows)
            part = part.add_column("composition", [protocol.composition] * n_rows)
            parts.append(part)
        return concatenate_datasets(parts)


_TREES = _TreeTask(
    name="TreeReconstruction",
    measure=TREE_RECONSTRUCTION,
    description=(
        "Exploratory, in no overall place: is a sentence vector a composition of word vectors? "
        "Word vectors are fitted so that their sums give sentence vectors; the distance that "
        "remains (TRE) is correlated with how much the sentiment of a sentence changes on the way "
        "up its parse (WNS). The score is minus that correlation: positive for an encoder that is "
        "compositional in the paper's sense. Words are fitted to other sentences than those "
        "measured, because the paper's own protocol, eval split dev, reconstructs any encoder "
        "exactly."
    ),
    dataset={"path": "sentiment_trees", "revision": "5bed46c93fbc"},
    splits=("dev_words_from_train",),
    configs=("sst",),
    telling_keys=("compositionality",),
    metadata=facts_of("sentiment_trees"),
)

TASKS = (
    _TREES,
    _TREES.on_own_data(
        description=(
            "Exploratory, in no overall place: tree reconstruction error on 240 labeled trees "
            f"over 32 words, made for this task. {TOO_SMALL}"
        ),
        dataset={"path": "sentiment_trees", "revision": "2"},
        splits=("test",),
    ),
)
