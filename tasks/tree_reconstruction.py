"""Tree reconstruction error, on the Stanford Sentiment Treebank and on this project's own small set of trees.

A split's name says the composition, so that results of different ones never mix: `test` (sum), `test_mean`,
`test_linear`.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from datasets import DatasetDict, load_dataset
from mteb.abstasks.task_metadata import TaskMetadata
from mteb.timing import TimingStack
from tqdm.auto import tqdm

from harness_ext.abstask import AbsTaskCompositionality
from harness_ext.datasets_scripts.sentiment_trees.sentiment_trees import folder_hash
from harness_ext.encoders.texts import TextTable
from harness_ext.evaluators.forest import COMPOSITIONS, Forest, tree_impurity, weighted_node_switching
from harness_ext.tasks.metadata import PSS_CITATION, PSS_REFERENCE, SENTIMENT, WRITTEN_HERE

if TYPE_CHECKING:
    from harness_ext.encoders.encoding import TaskEncoder

FOLDER_VARIABLE = "HARNESS_EXT_SENTIMENT_TREES"
"""Names a folder with train.txt, dev.txt and test.txt to be used instead of the public zip."""

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


class _AbsTreeReconstruction(AbsTaskCompositionality):
    text_column = "sentence"
    label_column = "label"
    config: str

    @property
    def dataset_configs(self) -> tuple[str, ...]:
        """The one config that is read."""
        return (self.config,)

    @property
    def _folder(self) -> str | None:
        return os.environ.get(FOLDER_VARIABLE) or None if self.config == "sst" else None

    def data_revision(self) -> str:
        """As the base class says; trees from a folder have its hash as their revision."""
        return f"local-{folder_hash(Path(self._folder))[:12]}" if self._folder else super().data_revision()

    def load_data(self, num_proc: int | None = None, *, timer: TimingStack | None = None, **kwargs: Any) -> None:
        """Load the trees; each eval split gets those of its split, and the composition that its name says.

        Raises:
            SourceError: The treebank is not to be had.
            ValueError: An eval split is not one of this task's, or a tree is malformed.
        """
        if self.data_loaded:
            return
        with (timer or TimingStack())("Data loading", log_message=f"Loading dataset {self.metadata.name}..."):
            trees = load_dataset("sentiment_trees", self.config, data_dir=self._folder)
            self.dataset = DatasetDict()
            for split in self.eval_splits:
                base, _, composition = split.partition("_")
                if base not in trees or composition not in {"", *COMPOSITIONS[1:]}:
                    raise ValueError(
                        f"{split!r} is not an eval split of {self.metadata.name}: {', '.join(trees)}, each also with "
                        f"{' or '.join(f'_{name}' for name in COMPOSITIONS[1:])} for another composition than the sum."
                    )
                part = trees[base]
                self.dataset[split] = part.add_column("composition", [composition or "sum"] * len(part))
        self.mark_revision()  # the first download has recorded its hash
        self.data_loaded = True

    def measure(self, rows: list[dict[str, Any]], encode: TaskEncoder) -> tuple[dict[str, float], list[dict[str, Any]]]:
        # not above: `import mteb` imports this module, and does without torch
        from harness_ext.evaluators.tree_reconstruction import MAX_STEPS, reconstruct, tree_reconstruction_scores

        table = TextTable()
        numbers = np.array([table.add(row["sentence"]) for row in rows])
        targets = encode(table.texts)[numbers]
        forest = sentiment_forest(rows)
        wns, impurity = weighted_node_switching(forest), tree_impurity(forest)
        one_word, zero = np.isnan(wns), ~np.any(targets, axis=1)
        usable = ~(one_word | zero)
        scores: dict[str, float] = {
            "n_trees": int(usable.sum()),
            "n_excluded_single_word": int(one_word.sum()),
            "n_excluded_zero_vector": int((zero & ~one_word).sum()),
        }
        if not usable.any():
            return scores, []
        with tqdm(total=MAX_STEPS, desc=f"{self.metadata.name}: fitting", unit="step") as progress:

            def on_step(loss: float) -> None:
                progress.set_postfix(distance=f"{loss:.4f}", refresh=False)
                progress.update()

            fit = reconstruct(targets[usable], forest[usable], rows[0]["composition"], on_step=on_step)
        scores |= tree_reconstruction_scores(fit.error, wns[usable], impurity[usable])
        scores |= {"n_steps": fit.n_steps, "converged": int(fit.converged)}
        kept = [row for row, use in zip(rows, usable, strict=True) if use]
        predictions = [
            {"id": row["id"], "tre": float(error), "wns": float(switching), "ti": float(impure)}
            for row, error, switching, impure in zip(kept, fit.error, wns[usable], impurity[usable], strict=True)
        ]
        return scores, predictions


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


class TreeReconstruction(_AbsTreeReconstruction):
    """TRE on the test sentences of the Stanford Sentiment Treebank."""

    config = "sst"
    metadata = TaskMetadata(
        name="TreeReconstruction",
        description=(
            "Is a sentence vector a composition of word vectors? Word vectors are fitted so that their sums give the "
            "sentence vectors; the distance that remains (TRE) is correlated with how much the sentiment of a "
            "sentence changes on the way up its parse (WNS). The score is minus that correlation, as in the paper: "
            "positive for an encoder that is compositional in its sense."
        ),
        reference=PSS_REFERENCE,
        dataset={"path": "sentiment_trees", "revision": "trainDevTestTrees_PTB"},
        eval_splits=["test"],
        eval_langs=["eng-Latn"],
        main_score="compositionality",
        date=("1996-01-01", "2013-10-31"),
        domains=["Reviews", "Written"],
        license="not specified",
        annotations_creators="human-annotated",
        sample_creation="found",
        bibtex_citation=f"{PSS_CITATION}\n\n{_CITATION}",
        **SENTIMENT,
    )


class TreeReconstructionMini(_AbsTreeReconstruction):
    """TRE on 60 trees written for it, no download."""

    config = "mini"
    metadata = TaskMetadata(
        name="TreeReconstructionMini",
        description=(
            "Tree reconstruction error on 60 labelled trees written for this task. Needs no download and runs in "
            "seconds; too small to rank models by."
        ),
        reference=PSS_REFERENCE,
        dataset={"path": "sentiment_trees", "revision": "1"},
        eval_splits=["test"],
        eval_langs=["eng-Latn"],
        main_score="compositionality",
        bibtex_citation=f"{PSS_CITATION}\n\n{_CITATION}",
        **SENTIMENT,
        **WRITTEN_HERE,
    )
