"""What the tasks of this project share beyond mteb's own `AbsTask`."""

from __future__ import annotations

import logging
import math
import shutil
import tempfile
from abc import abstractmethod
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mteb.abstasks import AbsTask
from mteb.models import EncoderProtocol

from harness_ext.data.builder import builder_class
from harness_ext.encoders.encoding import TaskEncoder

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from datasets import Dataset
    from mteb.models import MTEBModels
    from mteb.timing import TimingStack
    from mteb.types import EncodeKwargs
    from mteb.types.statistics import SplitDescriptiveStatistics

logger = logging.getLogger(__name__)

PROMPT = "Given a sentence, encode its semantic properties."
"""The instruction for models that take one, as in the ε-compositionality paper."""


class AbsTaskCompositionality(AbsTask):
    """A task that encodes distinct texts once, measures, and never writes half a file.

    A subclass sets `metadata` and implements `measure`.
    """

    abstask_prompt = PROMPT
    text_column = "sentence"
    label_column = "class"

    def __init__(self, seed: int = 42, **kwargs: Any) -> None:
        super().__init__(seed, **kwargs)
        self._mark_unverified()

    @abstractmethod
    def measure(self, rows: list[dict[str, Any]], encode: TaskEncoder) -> tuple[dict[str, float], list[dict[str, Any]]]:
        """Measure one split of one subset.

        Args:
            rows: The rows of the dataset.
            encode: Distinct texts -> vectors of shape (n, d), to be called once; `encode.spans` where
                `encode.has_spans`, for the words inside a sentence.

        Returns:
            The scores, NaN for what is not defined on these rows, and what they were computed from, for
            `--prediction-folder`: one dictionary per item.
        """

    def main_score_key(self, scores: Mapping[str, Any]) -> str:
        """Which of the scores is the main one; for tasks where that depends on what the model can do."""
        return self.metadata.main_score

    def _add_main_score(self, scores: Mapping[str, Any]) -> None:
        scores["main_score"] = scores[self.main_score_key(scores)]  # type: ignore[index]

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
    ) -> dict[str, float]:
        if not isinstance(model, EncoderProtocol):
            raise TypeError(f"{self.metadata.name} needs a model that encodes texts; {model!r} does not.")
        name = model.mteb_model_meta.name

        encode = TaskEncoder(
            model,
            self.metadata,
            hf_split=hf_split,
            hf_subset=hf_subset,
            encode_kwargs={"show_progress_bar": True, **encode_kwargs},
            timer=timer,
        )
        rows = data_split.to_list()
        without_vector = encode.add_compounds(rows)
        with timer("Measuring", split=hf_split, subset=hf_subset):
            measured, predictions = self.measure(rows, encode)
        measured |= without_vector
        scores = {key: value for key, value in measured.items() if math.isfinite(value)}
        if undefined := ", ".join(key for key in measured if key not in scores):
            logger.warning(
                "%s (%s, %s): not defined for %s, and left out: %s.",
                *(self.metadata.name, hf_subset, hf_split, name, undefined),
            )
        if (main_score := self.main_score_key(scores)) not in scores:
            raise ValueError(
                f"{self.metadata.name} ({hf_subset}, {hf_split}): nothing is left to compute the main score "
                f"{main_score!r} of {name} from. What was computed: {scores}"
            )
        if prediction_folder:
            self._save_task_predictions(predictions, model, prediction_folder, hf_split, hf_subset)
        return scores

    def _save_task_predictions(
        self,
        predictions: Mapping[str, Any] | list[Any],
        model: MTEBModels,
        prediction_folder: Path,
        hf_split: str,
        hf_subset: str,
    ) -> None:
        final = self._predictions_path(prediction_folder)
        with tempfile.TemporaryDirectory(dir=prediction_folder, prefix=".incomplete-") as folder:
            if final.exists():  # mteb adds this split to the ones already there
                shutil.copy(final, folder)
            super()._save_task_predictions(predictions, model, Path(folder), hf_split, hf_subset)
            Path(folder, final.name).replace(final)

    def unload_data(self) -> None:
        """As mteb's, which also forgets a task's own metadata."""
        super().unload_data()
        self._mark_unverified()

    @property
    def dataset_configs(self) -> Sequence[str]:
        """The configs of the dataset that the task reads: mteb's subsets, unless a subclass puts its own together."""
        return self.metadata.hf_subsets

    def _mark_unverified(self) -> None:
        """Make the dataset's revision say whether its source files are the pinned ones."""
        dataset = self.metadata.dataset
        builder = builder_class(dataset["path"])
        suffix = max(builder.revision_suffix(config) for config in self.dataset_configs)
        if suffix and not dataset["revision"].endswith(suffix):
            marked = {**dataset, "revision": dataset["revision"] + suffix}
            self.metadata = self.metadata.model_copy(update={"dataset": marked})

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
