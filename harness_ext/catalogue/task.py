"""A row of the catalogue."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from harness_ext.evaluators.measure import Measure


@dataclass(frozen=True, kw_only=True, eq=False)
class Task:
    """A task of one of the harnesses.

    Attributes:
        name: The name under which the harness knows it.
        harness: Who runs it.
        module: Its module in `tasks/`, or in `tasks/lm_eval/`.
        measure: The measure.
        description: The question, in a sentence or two.
        dataset: `path` and pinned `revision`; `name`, the config, if there is one.
        languages: Subset -> its languages, such as `eng-Latn`; a single subset is `default`.
        splits: The splits that are measured by default; names of others are protocols.
        configs: The configs of the dataset that may be read. The subsets, each of a config of its name, if empty.
        configs_of_split: Split, `configs` -> the configs that the split is made of. All of them if None.
        quick: Whether it is the small version of another task, which models cannot be ranked by.
        construct: The construct, such as `idiomaticity`. Overall ranks count every construct the same. An exploratory
            task has none, and overall ranks leave it out.
        telling_keys: The keys that sum up a published model: the main score, where its paper has it. None where nothing
            was published.
        about: Other fields of mteb's `TaskMetadata`: reference, date, licence, citation.
    """

    name: str
    harness: Literal["mteb", "lm-eval"]
    module: str
    measure: Measure[Any]
    description: str
    dataset: Mapping[str, str]
    languages: Mapping[str, tuple[str, ...]]
    splits: tuple[str, ...]
    configs: tuple[str, ...] = ()
    configs_of_split: Callable[[str, tuple[str, ...]], tuple[str, ...]] | None = None
    quick: bool = False
    construct: str = ""
    telling_keys: tuple[str, ...] = ()
    about: Mapping[str, Any] = field(default_factory=dict)

    @property
    def subsets(self) -> tuple[str, ...]:
        """The subsets, in order."""
        return tuple(self.languages)

    @property
    def has_subsets(self) -> bool:
        """Whether there are several."""
        return self.subsets != ("default",)

    def dataset_configs(self, split: str | None = None, subset: str | None = None) -> tuple[str, ...]:
        """The configs of the dataset that a split of a subset is made of.

        Args:
            split: A split. All if None, also those that are not evaluated.
            subset: A subset. All if None.
        """
        if split and self.configs_of_split:
            return self.configs_of_split(split, self.configs)
        return self.configs or ((subset,) if subset else self.subsets)
