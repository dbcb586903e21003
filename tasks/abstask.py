"""The base class of this project's mteb tasks."""

from __future__ import annotations

import json
import logging
import os
import shutil
import tempfile
from abc import abstractmethod
from collections import Counter
from collections.abc import Mapping
from importlib.metadata import version
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, ClassVar

from datasets import DatasetDict, load_dataset
from mteb.abstasks import AbsTask
from mteb.models import EncoderProtocol
from mteb.timing import TimingStack

from harness_ext.catalogue.every_row import ENCODER_TASKS
from harness_ext.data.builder import builder_class
from harness_ext.encoders.encoding import TaskEncoder
from harness_ext.encoders.identity.revision import has_revision
from harness_ext.evaluators.gain import gain_scores
from harness_ext.evaluators.items import Items, Table
from harness_ext.evaluators.measure import Measure
from harness_ext.store.item_files import DIGEST, MAX_ITEMS, WORDS_DIGEST, keep
from harness_ext.store.signature import Signature

if TYPE_CHECKING:
    from datasets import Dataset
    from mteb.models import ModelMeta, MTEBModels
    from mteb.types import EncodeKwargs
    from mteb.types.statistics import SplitDescriptiveStatistics

logger = logging.getLogger(__name__)

PROMPT = "Given a sentence, encode its semantic properties."
"""The instruction for models that take one, as in the ε-compositionality paper."""


ITEMS_VARIABLE = "HARNESS_EXT_ITEMS"
"""`0` saves no items."""

WORDS_VARIABLE = "HARNESS_EXT_WORDS"
"""`0` measures no own words, so that there is no gain over them."""


class AbsTaskCompositionality(AbsTask):
    """A task that encodes distinct texts once, compares them, and saves the items of its scores.

    A subclass sets `metadata` and `measure`, and implements `compare`.

    Attributes:
        measure: The measure that scores the items.
        max_steps: The most steps of a fit to the vectors; None for as many as the measure takes.
        items: (split, subset) -> items of the scores, after a run.
        words_items: The same of the encoder's own words.
        revisions: (split, subset) -> the revision of its data, once they are loaded; `+unverified` where one of its own
            source files is not the pinned one.
        model_meta: The name and revision under which a run keeps its results, see
            `harness_ext.harnesses.mteb_results`.
    """

    measure: ClassVar[Measure[Any]]
    max_steps: int | None = None
    abstask_prompt = PROMPT
    text_column = "sentence"
    label_column = "class"

    def __init__(self, seed: int = 42, **kwargs: Any) -> None:
        super().__init__(seed, **kwargs)
        self.items: dict[tuple[str, str], Items] = {}
        self.revisions: dict[tuple[str, str], str] = {}
        self.words_items: dict[tuple[str, str], Items] = {}
        self.model_meta: ModelMeta | None = None

    @abstractmethod
    def compare(self, rows: list[dict[str, Any]], encode: TaskEncoder) -> Items:
        """Compute the items of one split of one subset.

        Args:
            rows: The rows of the dataset.
            encode: Distinct texts -> vectors of shape (n, d), called once. If `encode.has_spans`, `encode.with_spans`
                encodes words inside a sentence too.
        """

    def _evaluate_subset(
        self,
        model: MTEBModels,
        data_split: Dataset,
        *,
        hf_split: str,
        hf_subset: str,
        encode_kwargs: EncodeKwargs,
        prediction_folder: Path | None = None,
        num_proc: int | None = None,
        timer: TimingStack,
        **kwargs: Any,
    ) -> dict[str, Any]:
        if not isinstance(model, EncoderProtocol):
            raise TypeError(f"{self.metadata.name} needs a model that encodes texts; {model!r} does not.")
        encode = self.encoder(model, hf_split, hf_subset, encode_kwargs, timer)
        rows = data_split.to_list()
        without_vector = encode.add_compounds(rows)
        with timer("Measuring", split=hf_split, subset=hf_subset):
            items = self.compare(rows, encode)
            scores: dict[str, Any] = self.measure.flat_scores(items)
            scores |= self.own_words_scores(rows, encode, items)
        self._report_undefined(scores, model, hf_split, hf_subset)
        if prediction_folder:
            predictions = {name: _records(table) for name, table in items.tables().items()}
            self._save_task_predictions(predictions, model, prediction_folder, hf_split, hf_subset)
        scores |= without_vector
        scores["signature"] = str(self._signature(encode, hf_split, hf_subset))
        if self._keeps(items):
            self.items[hf_split, hf_subset] = items
            scores[DIGEST] = keep(items)
        return scores

    def encoder(
        self,
        model: EncoderProtocol,
        hf_split: str,
        hf_subset: str,
        encode_kwargs: Mapping[str, Any],
        timer: TimingStack,
    ) -> TaskEncoder:
        """The model as `compare` sees it, in one split of one subset."""
        return TaskEncoder(
            model,
            self.metadata,
            hf_split=hf_split,
            hf_subset=hf_subset,
            encode_kwargs={"show_progress_bar": True, **encode_kwargs},
            timer=timer,
            model_meta=self.model_meta,
        )

    @property
    def measures_own_words(self) -> bool:
        """Whether the encoder's own words are measured beside its texts."""
        return self.measure.own_words and os.environ.get(WORDS_VARIABLE) != "0"

    def own_words_scores(self, rows: list[dict[str, Any]], encode: TaskEncoder, items: Items) -> dict[str, Any]:
        """Measure the encoder's own words: their main score, the gain over them, and the digest of their items.

        Args:
            rows: As of `compare`.
            encode: The encoder of the texts.
            items: Those of the texts.

        Returns:
            Entries of a result file, see `harness_ext.evaluators.gain`; nothing where own words are not measured, or
            the model encodes no single words.
        """
        if not self.measures_own_words:
            return {}
        try:
            words = self.compare(rows, encode.own_words())
        except Exception as error:  # of many kinds: a stranger's encoder may take no single words
            logger.warning(
                "%s: the words of %s cannot be encoded alone, so there is no gain over its own words (%s: %s).",
                *(self.metadata.name, encode.facts()["model"], type(error).__name__, error),
            )
            return {}
        scores: dict[str, Any] = gain_scores(self.measure, items, words)
        if self._keeps(words):
            self.words_items[encode.hf_split, encode.hf_subset] = words
            scores[WORDS_DIGEST] = keep(words)
        return scores

    def _keeps(self, items: Items) -> bool:
        """Whether items are kept beside the scores."""
        if len(items) > MAX_ITEMS:
            logger.warning(
                "%s: %d items are more than %d; only their scores are saved.", self.metadata.name, len(items), MAX_ITEMS
            )
        return len(items) <= MAX_ITEMS and os.environ.get(ITEMS_VARIABLE) != "0"

    def _report_undefined(self, scores: Mapping[str, Any], model: MTEBModels, split: str, subset: str) -> None:
        """Log undefined scores, and refuse a result without its main score."""
        name, place = model.mteb_model_meta.name, f"{self.metadata.name} ({subset}, {split})"
        undefined = [key for key in self.measure.scores.by_key() if key not in scores]
        if self.metadata.main_score in undefined:
            raise ValueError(
                f"{place}: no data is left to compute the main score {self.metadata.main_score!r} of {name}. "
                f"Computed scores: {scores}"
            )
        if undefined:
            logger.info("%s: not defined for %s, and left out: %s.", place, name, ", ".join(undefined))

    def _signature(self, encode: TaskEncoder, split: str, subset: str) -> Signature:
        return Signature(
            task=self.metadata.name,
            dataset=f"{self.metadata.dataset['path']}@{self.revisions[split, subset]}",
            split=split,
            subset=subset,
            measure=f"{self.measure.name}-{self.measure.version}",
            **encode.facts(),
            mteb=version("mteb"),
            sentence_transformers=version("sentence-transformers"),
        )

    def _save_task_predictions(
        self,
        predictions: Mapping[str, Any] | list[Any],
        model: MTEBModels,
        prediction_folder: Path,
        hf_split: str,
        hf_subset: str,
    ) -> None:
        meta = self.model_meta or model.mteb_model_meta
        final = self._predictions_path(prediction_folder)
        with tempfile.TemporaryDirectory(dir=prediction_folder, prefix=".incomplete-") as folder:
            if final.exists() and _is_of(final, meta):  # mteb adds this split to the existing ones
                shutil.copy(final, folder)
            elif final.exists():
                logger.warning(
                    "%s was another model's; it is replaced. The items of every model are kept with its results.", final
                )
            named: Any = SimpleNamespace(mteb_model_meta=meta)  # mteb's own name may not be unique
            super()._save_task_predictions(predictions, named, Path(folder), hf_split, hf_subset)
            Path(folder, final.name).replace(final)

    def load_data(self, num_proc: int | None = None, *, timer: TimingStack | None = None, **kwargs: Any) -> None:
        """Load the eval splits only; the source files of other splits may be missing.

        Loading also adds `+unverified` to the dataset's revision if its source files are not the pinned files. Listing
        tasks does not, so that it reads no files.

        Raises:
            ValueError: There is no such split; lists the splits.
            SourceError: A source file is not available or is not the pinned file.
        """
        if self.data_loaded:
            return
        timer = timer or TimingStack()
        with timer("Data loading", log_message=f"Loading dataset {self.metadata.name}..."):
            self._check_splits()
            if self.metadata.is_multilingual:
                self.dataset = {subset: self._load_splits(name=subset) for subset in self.hf_subsets}
            else:
                self.dataset = self._load_splits()
        with timer("Dataset transform"):
            self.dataset_transform(num_proc=num_proc)
        self.keep_revisions()

    def _check_splits(self) -> None:
        of_dataset = builder_class(self.metadata.dataset["path"]).SPLITS
        there = dict.fromkeys((*of_dataset, *ENCODER_TASKS[self.metadata.name].splits))
        if unknown := [split for split in self.eval_splits if split not in there]:
            raise ValueError(
                f"{self.metadata.name} has no split {', '.join(map(repr, unknown))}. There are: {', '.join(there)}."
            )

    def _load_splits(self, **config: str) -> DatasetDict:
        arguments = {**self.metadata.dataset, **config}
        return DatasetDict({split: load_dataset(**arguments, split=split) for split in self.eval_splits})

    def dataset_configs(self, split: str | None = None, subset: str | None = None) -> tuple[str, ...]:
        """The configs of the dataset that a split of a subset is made of.

        Args:
            split: A split; all if None, also those that are not evaluated.
            subset: A subset; all if None.
        """
        return ENCODER_TASKS[self.metadata.name].dataset_configs(split, subset)

    def data_revision(self, split: str | None = None, subset: str | None = None) -> str:
        """The revision of the data as it would be loaded now: says whether its source files are the pinned ones.

        Args:
            split: A split. All if None: mteb keeps one revision with a result file, and it is that of the worst.
            subset: A subset; all if None.

        Raises:
            OSError: A file cannot be read.
        """
        suffix = builder_class(self.metadata.dataset["path"]).revision_suffix
        return type(self).metadata.revision + suffix(*self.dataset_configs(split, subset), split=split)

    def keep_revisions(self) -> None:
        """Note, once the data is loaded, of which revision it is: as a whole, and each split of each subset."""
        self.data_loaded = True
        self.set_revision(self.data_revision())
        places = product(self.eval_splits, self.hf_subsets)
        self.revisions = {place: self.data_revision(*place) for place in places}

    def rows(self, split: str, subset: str) -> list[dict[str, Any]]:
        """The rows of a split and subset of the loaded data.

        Raises:
            ValueError: The data is not loaded.
        """
        if self.dataset is None:
            raise ValueError(f"{self.metadata.name}: the dataset is not loaded; call load_data() first.")
        data = self.dataset[subset] if self.metadata.is_multilingual else self.dataset
        found: list[dict[str, Any]] = data[split].to_list()
        return found

    def set_revision(self, revision: str) -> None:
        """Set the revision in this task object's own metadata."""
        dataset = {**self.metadata.dataset, "revision": revision}
        self.metadata = self.metadata.model_copy(update={"dataset": dataset})

    def _calculate_descriptive_statistics_from_split(
        self,
        split: str,
        *,
        hf_subset: str | None = None,
        compute_overall: bool = False,
        num_proc: int | None = None,
    ) -> SplitDescriptiveStatistics:
        if self.dataset is None:
            raise ValueError(f"{self.metadata.name}: the dataset is not loaded; call load_data() first.")
        if self.metadata.is_multilingual:
            subsets = [hf_subset] if hf_subset else self.metadata.hf_subsets
            parts = [self.dataset[subset][split] for subset in subsets]
        else:
            parts = [self.dataset[split]]
        texts = [text for part in parts for text in part[self.text_column] if text is not None]
        labels = Counter(str(label) for part in parts for label in part[self.label_column])
        lengths = [len(text) for text in texts]
        return {
            "num_samples": len(texts),
            "number_of_characters": sum(lengths),
            "text_statistics": {
                "total_text_length": sum(lengths),
                "min_text_length": min(lengths),
                "average_text_length": sum(lengths) / len(lengths),
                "max_text_length": max(lengths),
                "unique_texts": len(set(texts)),
            },
            "label_counts": dict(sorted(labels.items())),
        }  # type: ignore[typeddict-unknown-key]


def _is_of(predictions: Path, meta: ModelMeta) -> bool:
    """Whether a file of predictions belongs to this model."""
    about = json.loads(predictions.read_text(encoding="utf-8")).get("mteb_model_meta", {})
    return has_revision(meta) and bool(about == {"model_name": meta.name, "revision": meta.revision})


def _records(table: Table) -> list[dict[str, Any]]:
    """The rows of a table as dictionaries; NaN becomes None, because JSON has no NaN."""
    columns = table.values()
    rows = zip(*(values.tolist() for values in columns.values()), strict=True)
    return [{name: None if value != value else value for name, value in zip(columns, row, strict=True)} for row in rows]
