"""The protocol of polarity sensitivity that the name of an eval split says.

It is `<pairs>[_trained_on_dev][_limit_<n>]`, where `<pairs>` is `reference` or `system` (for the
small task: `mini`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

_PROTOCOL = re.compile(r"(?P<pairs>[a-z]+)(?P<dev>_trained_on_dev)?(_limit_(?P<limit>[1-9]\d*))?")

CONFIGS = ("reference", "system", "mini", "own")
"""The configs of `polarity_pairs` with pairs."""


@dataclass(frozen=True)
class PolarityTraining:
    """The protocol in the name of an eval split.

    Attributes:
        pairs: The config of `polarity_pairs` whose pairs are asked.
        on_dev: Whether the classifiers are trained on the dev sentences, and accuracy is that on
            test alone.
        train_limit: The training set is subsampled to this many sentences, stratified; None for
            all.
    """

    pairs: str
    on_dev: bool
    train_limit: int | None

    @classmethod
    def parse(
        cls,
        split: str,
        configs: Sequence[str] = CONFIGS,
    ) -> PolarityTraining:
        """Read the name of a split, for a task that may read these configs of the dataset.

        `train` is among them or not.

        Raises:
            ValueError: There is no such split; lists the splits.
        """
        with_pairs = [config for config in configs if config != "train"]
        match = _PROTOCOL.fullmatch(split)
        is_known = match is not None and match["pairs"] in with_pairs
        if match is None or not is_known or (match["dev"] and match["pairs"] == "mini"):
            dev = "" if with_pairs == ["mini"] else "[_trained_on_dev]"
            raise ValueError(
                f"{split!r} is not an eval split of this task: {' or '.join(with_pairs)}, then "
                f"{dev}[_limit_<number of training sentences>]."
            )
        return cls(
            pairs=match["pairs"],
            on_dev=bool(match["dev"]),
            train_limit=int(match["limit"]) if match["limit"] else None,
        )

    def roles(self) -> dict[str, str]:
        """The use of each split of the config `pairs`.

        Without a split to train on, the config `train` is used.
        """
        if self.pairs == "mini":
            return {"train": "train", "pairs": "pair"}
        use_of_dev = "train" if self.on_dev else "held_out"
        return {"dev": use_of_dev, "test": "held_out", "pairs": "pair"}


def configs_of_split(split: str, configs: Sequence[str]) -> tuple[str, ...]:
    """The configs that a split is made of.

    They are its pairs, and the training sentences unless it trains on others.

    Raises:
        ValueError: As `PolarityTraining.parse`.
    """
    protocol = PolarityTraining.parse(split, configs)
    if "train" in protocol.roles().values():
        return (protocol.pairs,)
    return (protocol.pairs, "train")
