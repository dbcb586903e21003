"""Polarity sensitivity of sentence vectors, on Yelp reviews and on this project's own small
dataset.

A split's name is its protocol, so that results of different protocols never mix; see
`harness_ext.measures.polarity.protocol`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from harness_ext.common.revisions import PINNED
from harness_ext.measures.polarity.protocol import PolarityTraining, configs_of_split
from harness_ext.measures.polarity.sensitivity import POLARITY
from harness_ext.tasks.task import POLARITY_OF_SENTENCES, TOO_SMALL, Task, facts_of

if TYPE_CHECKING:
    from datasets import Dataset

_SEED = 42  # of the choice of training sentences


class _PolarityTask(Task):
    """The name of a split is a protocol: which pairs, and what the classifiers are trained on."""

    def dataset_configs(
        self, split: str | None = None, subset: str | None = None
    ) -> tuple[str, ...]:
        """The pairs, and the training sentences unless a protocol trains on others."""
        return configs_of_split(split, self.configs) if split else self.configs

    def units_of_split(self, split: str) -> tuple[str, str]:
        """The pairs."""
        return PolarityTraining.parse(split, self.configs).pairs, "pairs"

    def load(self, split: str, subset: str) -> Dataset:
        """Training sentences, held-out sentences and pairs of a protocol, each row with its
        role.
        """
        # not above: declarations are read without it
        from datasets import concatenate_datasets, load_dataset

        from harness_ext.measures.polarity.classifiers import subsample

        training = PolarityTraining.parse(split, self.configs)
        parts = load_dataset("polarity_pairs", training.pairs, revision=PINNED)
        roles = training.roles()
        if "train" not in roles.values():
            parts["train"] = _yelp_train(self, training)
            roles["train"] = "train"
        for name, role in roles.items():
            if role == "train":
                chosen = subsample(np.array(parts[name]["label"]), training.train_limit, _SEED)
                parts[name] = parts[name].select(chosen)
            n_rows = len(parts[name])
            parts[name] = parts[name].add_column("role", [role] * n_rows)
        return concatenate_datasets([parts[name] for name in roles])


def _yelp_train(task: Task, training: PolarityTraining) -> Dataset:
    from datasets import load_dataset

    from harness_ext.data.sources import SourceError

    try:
        return load_dataset("polarity_pairs", "train", split="train", revision=PINNED)
    except SourceError as error:
        limit = f"_limit_{training.train_limit}" if training.train_limit else ""
        split = f"{training.pairs}_trained_on_dev{limit}"
        raise SourceError(
            f"{task.name} trains on the Yelp training sentences, which are not available here. "
            f"{error}\n"
            "To train on the 4000 dev sentences instead (accuracy is then on test alone, and the "
            "result says so):\n"
            f"    mteb run -m MODEL -t {task.name} --eval-splits {split}\n"
            f'    measure(encode, "{task.name}", split="{split}")'
        ) from None


_POLARITY = _PolarityTask(
    name="PolaritySensitivity",
    measure=POLARITY,
    category=POLARITY_OF_SENTENCES,
    description=(
        "Does a sentence vector change sides when the sentence does? A sentiment classifier is "
        "trained on vectors of Yelp reviews. The score is the share of pairs in which a review and "
        "its rewrite with the opposite sentiment are both labeled correctly."
    ),
    dataset={"path": "polarity_pairs", "revision": "14a48fa3f49a-1dac1d428823"},
    splits=("reference",),
    configs=("reference", "system", "train"),
    telling_keys=("fb_linear_pss", "fb_linear_pss_neg_to_pos", "ft_linear_pss"),
    metadata=facts_of("polarity_pairs"),
)

TASKS = (
    _POLARITY,
    _POLARITY.on_own_data(
        description=(
            "Polarity sensitivity on 400 training sentences and 120 pairs written for this task. "
        )
        + TOO_SMALL,
        dataset={"path": "polarity_pairs", "revision": "1"},
        splits=("mini",),
        in_demo=True,
    ),
)
