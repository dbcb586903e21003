"""The declaration of a task: a measure on data, for one of the harnesses.

Where the rows of a split are not those of the dataset's split, a subclass says how they are made.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from harness_ext.data.card import dataset_facts
from harness_ext.data.citations import cite

if TYPE_CHECKING:
    from datasets import Dataset

    from harness_ext.measures.core.items import Items
    from harness_ext.measures.core.measure import EncoderMeasure, Measure, Rows
    from harness_ext.measures.core.wording import Wording


NOUN_COMPOUNDS = "idiomaticity of noun compounds"
MODIFIERS = "modifiers"
POLARITY_OF_SENTENCES = "polarity"
ROLES = "roles of words"
VERBAL_IDIOMS = "verbal idioms"
OPPOSITES = "opposites"
CATEGORIES = (NOUN_COMPOUNDS, MODIFIERS, POLARITY_OF_SENTENCES, "", ROLES, VERBAL_IDIOMS, OPPOSITES)
"""What tasks measure, in the order of the documentation; a task without a category is
exploratory.
"""

ENGLISH = {"default": ("eng-Latn",)}

_LANGUAGES = {
    "bg": "bul-Cyrl",
    "de": "deu-Latn",
    "en": "eng-Latn",
    "fr": "fra-Latn",
    "it": "ita-Latn",
    "pt": "por-Latn",
    "tr": "tur-Latn",
    "zh": "zho-Hans",
}
"""A config's name -> its language, as mteb writes it."""

WRITTEN_HERE: dict[str, Any] = {
    "date": ("2026-11-01", "2026-11-30"),
    "domains": ["Written"],
    "license": "cc0-1.0",
    "annotations_creators": "expert-annotated",
    "sample_creation": "created",
}
"""Data written for this project."""

TOO_SMALL = "Needs no download and runs in seconds; too small to rank models by."


def languages_of(dataset: str) -> dict[str, tuple[str, ...]]:
    """The configs of a dataset but `mini`, and their languages: those of their names, else that of
    its card.

    Raises:
        ValueError: The language of a config is not known; names the card and the config.
    """
    card = dataset_facts(dataset)
    languages: dict[str, tuple[str, ...]] = {}
    for entry in card["configs"]:
        config = entry["config_name"]
        code = config if len(config) == 2 else card["language"][0]
        if code not in _LANGUAGES:
            raise ValueError(
                f"{dataset}/README.md: the language of the config {config} is not in _LANGUAGES of "
                "task.py."
            )
        languages[config] = (_LANGUAGES[code],)
    languages.pop("mini", None)
    return languages


def facts_of(dataset: str) -> dict[str, Any]:
    """What the card of a dataset says for mteb's `TaskMetadata`: reference, date, domains, license,
    citation.
    """
    card = dataset_facts(dataset)
    facts = {"license": card["license"], **card["mteb"]}
    keys = facts.pop("cite")
    facts["date"] = tuple(facts["date"])
    facts["bibtex_citation"] = cite(*keys)
    return facts


def on_data(
    path: str,
    revision: str,
    name: str = "",
) -> dict[str, Any]:
    """The fields of a `Task` on a dataset.

    Args:
        path: The dataset, a folder of `datasets_scripts`.
        revision: The revision to pin.
        name: A config, the only subset; each config but `mini` is a subset if empty.

    Returns:
        `dataset` and `metadata`; and `configs` for one config, `languages` for several.
    """
    fields: dict[str, Any] = {"metadata": facts_of(path)}
    if name:
        fields["dataset"] = {"path": path, "name": name, "revision": revision}
        fields["configs"] = (name,)
    else:
        fields["dataset"] = {"path": path, "revision": revision}
        fields["languages"] = languages_of(path)
    return fields


@dataclass(frozen=True, kw_only=True, eq=False)
class Task:
    """A task for mteb.

    Attributes:
        harness: Who runs it.
        name: The name under which the harness knows it.
        description: The question, in a sentence or two.
        dataset: `path` and pinned `revision`; `name`, the config, if there is one.
        languages: Subset -> its languages, such as `eng-Latn`; a single subset is `default`.
        splits: The splits that are measured by default; names of others are protocols.
        configs: The configs of the dataset that may be read. The subsets, each of a config of its
            name, if empty.
        quick: Whether it is the small version of another task, which models cannot be ranked by.
        in_demo: Whether `harness-ext demo` runs it: of each sort of data one task that takes
            seconds.
        category: The category, such as `idiomaticity`, which overall places count as one; empty if
            exploratory.
        wordings: Split -> the sentences about it, where they are not those of the measure.
        telling_keys: The keys that sum up a published model: the main score, where its paper has
            it. None where nothing was published.
        metadata: Other fields of mteb's `TaskMetadata`: reference, date, license, citation.
    """

    harness: ClassVar[Literal["mteb", "lm-eval"]] = "mteb"
    name: str
    measure: Measure[Any]
    description: str
    dataset: Mapping[str, str]
    languages: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: ENGLISH)
    splits: tuple[str, ...]
    configs: tuple[str, ...] = ()
    quick: bool = False
    in_demo: bool = False
    category: str = ""
    wordings: Mapping[str, Wording] = field(default_factory=dict)
    telling_keys: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)

    @property
    def encoder_measure(self) -> EncoderMeasure[Any]:
        """The measure of a task for mteb, which plans and fills."""
        # not above: for the types alone
        from harness_ext.measures.core.measure import EncoderMeasure

        assert isinstance(self.measure, EncoderMeasure), f"{self.name} is no task of encoders"
        return self.measure

    @property
    def subsets(self) -> tuple[str, ...]:
        """The subsets, in order."""
        return tuple(self.languages)

    @property
    def has_subsets(self) -> bool:
        """Whether there are several."""
        return self.subsets != ("default",)

    def dataset_configs(
        self, split: str | None = None, subset: str | None = None
    ) -> tuple[str, ...]:
        """The configs of the dataset that a split of a subset is made of; by default of all,
        evaluated or not.
        """
        return self.configs or ((subset,) if subset else self.subsets)

    def units_of_split(self, split: str) -> tuple[str, str] | None:
        """The config, and the split of it, whose rows are measured, where a split is a protocol;
        else None.
        """
        return None

    def load(self, split: str, subset: str) -> Dataset:
        """The rows of a split of a subset.

        Args:
            split: A split of the dataset. A subclass may read it as a protocol, and join several
                splits.
            subset: One of `subsets`: a config of the dataset, or `default` where there is one
                subset alone.

        Returns:
            A row for each example, with the columns of the dataset and those that a subclass adds.

        Raises:
            ValueError: There is no such split; lists those that there are.
            SourceError: A source file is not available or is not the pinned file.
        """
        from datasets import load_dataset  # not above: declarations are read without it

        splits = self.dataset_splits(subset)
        if split not in splits:
            place = f" in {subset!r}" if split in self.dataset_splits() else ""
            raise ValueError(
                f"{self.name} has no split {split!r}{place}. There are: {', '.join(splits)}."
            )
        dataset = dict(self.dataset)
        if self.has_subsets:
            dataset["name"] = subset
        return load_dataset(**dataset, split=split)

    def planned(self, rows: Rows, split: str) -> Items:
        """The items of rows of a split before an encoder has seen them. Raises what
        `EncoderMeasure.planned` does.
        """
        items: Items = self.encoder_measure.planned(rows, split)
        return items

    def dataset_splits(self, subset: str = "") -> tuple[str, ...]:
        """The splits of the dataset, or of a subset of it; also those that are not measured by
        default.
        """
        # not above: declarations are read without it
        from harness_ext.data.builder import builder_class

        builder = builder_class(self.dataset["path"])
        config = self.dataset.get("name", subset)
        splits = builder.SPLITS_OF.get(config, builder.SPLITS)
        return tuple(dict.fromkeys((*splits, *self.splits)))

    def own_revision(self) -> str | None:
        """The revision of a user's own data in the dataset's place; None if there is none."""
        return None

    def on_own_data(self, **changed: Any) -> Task:
        """The same task on small data written for this project, by default the config `mini` of its
        dataset.
        """
        fields: dict[str, Any] = {
            "name": f"{self.name}Mini",
            "description": f"{self.description} On data written for this project. {TOO_SMALL}",
            "dataset": {"path": self.dataset["path"], "name": "mini", "revision": "1"},
            "languages": ENGLISH,
            "configs": ("mini",),
            "quick": True,
            "telling_keys": (),
            "metadata": {**self.metadata, **WRITTEN_HERE},
        }
        return replace(self, **{**fields, **changed})


@dataclass(frozen=True, kw_only=True, eq=False)
class LanguageModelTask(Task):
    """A task for lm-eval.

    Attributes:
        module: The module of `tasks/lm_eval/` that asks a language model.
    """

    harness = "lm-eval"
    module: str
