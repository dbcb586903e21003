"""What the tasks of this project share beyond mteb's own `AbsTask`."""

from __future__ import annotations

import json
import logging
import os
import shutil
import tempfile
from abc import abstractmethod
from collections import Counter
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, ClassVar

from datasets import DatasetDict, load_dataset
from mteb.abstasks import AbsTask
from mteb.models import EncoderProtocol
from mteb.timing import TimingStack

from harness_ext.data.builder import builder_class
from harness_ext.encoders.encoding import TaskEncoder
from harness_ext.encoders.identity.revision import has_revision
from harness_ext.evaluators.gain import gain_scores
from harness_ext.store.item_files import DIGEST, WORDS_DIGEST, keep
from harness_ext.store.signature import Signature

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from datasets import Dataset
    from mteb.models import ModelMeta, MTEBModels
    from mteb.types import EncodeKwargs
    from mteb.types.statistics import SplitDescriptiveStatistics

    from harness_ext.evaluators.items import Items, Table
    from harness_ext.evaluators.measure import Measure

logger = logging.getLogger(__name__)

PROMPT = "Given a sentence, encode its semantic properties."
"""The instruction for models that take one, as in the ε-compositionality paper."""


ITEMS_VARIABLE = "HARNESS_EXT_ITEMS"
"""`0` keeps no items."""

WORDS_VARIABLE = "HARNESS_EXT_WORDS"
"""`0` measures no own words, so that there is no gain over them."""

MAX_ITEMS = 2_000_000
"""Rows; of more than these, as a large vocabulary of one's own makes, scores alone are kept."""


class AbsTaskCompositionality(AbsTask):
    """A task that encodes distinct texts once, compares, and keeps what its scores were computed from.

    A subclass sets `metadata` and `measure`, and implements `compare`.

    Attributes:
        measure: How the items are scored.
        has_own_words: Whether the encoder's own words added up are measured too, see `harness_ext.evaluators.gain`.
        items: (split, subset) -> what the scores were computed from, after a run.
        words_items: The same of the encoder's own words.
        model_meta: The name and revision under which a run keeps its results, see
            `harness_ext.harnesses.mteb_results`.
    """

    measure: ClassVar[Measure[Any]]
    abstask_prompt = PROMPT
    text_column = "sentence"
    label_column = "class"
    has_own_words: ClassVar[bool] = True

    def __init__(self, seed: int = 42, **kwargs: Any) -> None:
        super().__init__(seed, **kwargs)
        self.items: dict[tuple[str, str], Items] = {}
        self.words_items: dict[tuple[str, str], Items] = {}
        self.model_meta: ModelMeta | None = None

    @abstractmethod
    def compare(self, rows: list[dict[str, Any]], encode: TaskEncoder) -> Items:
        """Compare what the measure compares, in one split of one subset.

        Args:
            rows: The rows of the dataset.
            encode: Distinct texts -> vectors of shape (n, d), to be called once; `encode.spans` where
                `encode.has_spans`, for the words inside a sentence.
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
        return self.has_own_words and os.environ.get(WORDS_VARIABLE) != "0"

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
                "%s: %d items are more than %d; their scores alone are kept.", self.metadata.name, len(items), MAX_ITEMS
            )
        return len(items) <= MAX_ITEMS and os.environ.get(ITEMS_VARIABLE) != "0"

    def _report_undefined(self, scores: Mapping[str, Any], model: MTEBModels, split: str, subset: str) -> None:
        """Warn of scores that nothing is left to compute from, and refuse a result without its main one."""
        name, place = model.mteb_model_meta.name, f"{self.metadata.name} ({subset}, {split})"
        undefined = [key for key in self.measure.scores.by_key() if key not in scores]
        if self.metadata.main_score in undefined:
            raise ValueError(
                f"{place}: nothing is left to compute the main score {self.metadata.main_score!r} of {name} from. "
                f"What was computed: {scores}"
            )
        if undefined:
            logger.info("%s: not defined for %s, and left out: %s.", place, name, ", ".join(undefined))

    def _signature(self, encode: TaskEncoder, split: str, subset: str) -> Signature:
        dataset = self.metadata.dataset
        return Signature(
            task=self.metadata.name,
            dataset=f"{dataset['path']}@{dataset['revision']}",
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
            if final.exists() and _is_of(final, meta):  # mteb adds this split to the ones already there
                shutil.copy(final, folder)
            elif final.exists():
                logger.warning(
                    "%s was another model's; it is replaced. The items of every model are kept with its results.", final
                )
            named: Any = SimpleNamespace(mteb_model_meta=meta)  # mteb's own name may be that of others too
            super()._save_task_predictions(predictions, named, Path(folder), hf_split, hf_subset)
            Path(folder, final.name).replace(final)

    def load_data(self, num_proc: int | None = None, *, timer: TimingStack | None = None, **kwargs: Any) -> None:
        """Load the eval splits, and no others: the source files of those need not be there.

        From then on the dataset's revision says whether its source files are the pinned ones; not before, so that
        nothing is read when tasks are listed.

        Raises:
            ValueError: There is no such split; says which there are.
            SourceError: A source file cannot be had or is not the pinned one.
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
        self.data_loaded = True
        self.set_revision(self.data_revision())

    def _check_splits(self) -> None:
        there = builder_class(self.metadata.dataset["path"]).SPLITS
        if unknown := [split for split in self.eval_splits if split not in there]:
            raise ValueError(
                f"{self.metadata.name} has no split {', '.join(map(repr, unknown))}. There are: {', '.join(there)}."
            )

    def _load_splits(self, **config: str) -> DatasetDict:
        arguments = {**self.metadata.dataset, **config}
        return DatasetDict({split: load_dataset(**arguments, split=split) for split in self.eval_splits})

    @property
    def dataset_configs(self) -> Sequence[str]:
        """The configs of the dataset that the task reads: mteb's subsets, unless a subclass puts its own together."""
        return self.metadata.hf_subsets

    def data_revision(self) -> str:
        """The revision of the data as it would be loaded now: says whether its source files are the pinned ones.

        Raises:
            OSError: A file cannot be read.
        """
        builder = builder_class(self.metadata.dataset["path"])
        return type(self).metadata.revision + builder.revision_suffix(*self.dataset_configs)

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
        """Put a revision into the task's own metadata, which mteb forgets when the data is unloaded."""
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
    """Whether a file of predictions is this model's."""
    about = json.loads(predictions.read_text(encoding="utf-8")).get("mteb_model_meta", {})
    return has_revision(meta) and bool(about == {"model_name": meta.name, "revision": meta.revision})


def _records(table: Table) -> list[dict[str, Any]]:
    """The rows of a table as dictionaries; NaN is None, which JSON has."""
    columns = table.values()
    rows = zip(*(values.tolist() for values in columns.values()), strict=True)
    return [{name: None if value != value else value for name, value in zip(columns, row, strict=True)} for row in rows]
