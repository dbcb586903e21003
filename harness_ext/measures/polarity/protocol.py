"""The protocol of polarity sensitivity that the name of an eval split says.

It is `<pairs>[_trained_on_dev][_limit_<n>]`, where `<pairs>` is `reference` or `system` (for the small task: `mini`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

_PROTOCOL = re.compile(r"(?P<pairs>[a-z]+)(?P<dev>_trained_on_dev)?(_limit_(?P<limit>[1-9]\d*))?")


@dataclass(frozen=True)
class PolarityTraining:
    """The protocol in the name of an eval split.

    Attributes:
        pairs: The config of `polarity_pairs` whose pairs are asked.
        on_dev: Whether the classifiers are trained on the dev sentences, and accuracy is that on test alone.
        train_limit: The training set is subsampled to this many sentences, stratified; None for all.
    """

    pairs: str
    on_dev: bool
    train_limit: int | None

    @classmethod
    def parse(cls, split: str, configs: Sequence[str] = ("reference", "system", "mini", "own")) -> PolarityTraining:
        """Read the name of a split, for a task that may read these configs of the dataset, `train` among them or not.

        Raises:
            ValueError: There is no such split; lists the splits.
        """
        configs = [config for config in configs if config != "train"]
        match = _PROTOCOL.fullmatch(split)
        if not match or match["pairs"] not in configs or (match["dev"] and match["pairs"] == "mini"):
            dev = "" if configs == ["mini"] else "[_trained_on_dev]"
            raise ValueError(
                f"{split!r} is not an eval split of this task: {' or '.join(configs)}, then {dev}[_limit_<number of "
                "training sentences>]."
            )
        return cls(match["pairs"], bool(match["dev"]), int(match["limit"]) if match["limit"] else None)

    def roles(self) -> dict[str, str]:
        """The use of each split of the config `pairs`. Without a split to train on, the config `train` is used."""
        if self.pairs == "mini":
            return {"train": "train", "pairs": "pair"}
        return {"dev": "train" if self.on_dev else "held_out", "test": "held_out", "pairs": "pair"}


def configs_of_split(split: str, configs: Sequence[str]) -> tuple[str, ...]:
    """The configs that a split is made of: its pairs, and the training sentences unless it trains on others.

    Raises:
        ValueError: As `PolarityTraining.parse`.
    """
    protocol = PolarityTraining.parse(split, configs)
    return (protocol.pairs,) if "train" in protocol.roles().values() else (protocol.pairs, "train")
