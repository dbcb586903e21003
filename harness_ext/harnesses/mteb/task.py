"""mteb's classes of this project's tasks, made from their declarations."""

from __future__ import annotations

import hashlib
import json
import logging
import os
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, Self

from datasets import DatasetDict
from mteb.abstasks import AbsTask
from mteb.abstasks.task_metadata import TaskMetadata
from mteb.models import EncoderProtocol
from mteb.timing import TimingStack
from tqdm.auto import tqdm

from harness_ext.common.revisions import OWN_ROWS
from harness_ext.common.wraps import attribute
from harness_ext.encoders.additive_baseline import FEWEST, FEWEST_OF_QUICK
from harness_ext.encoders.batches import EncodingError
from harness_ext.encoders.encoding import TaskEncoder
from harness_ext.harnesses.mteb.baselines import measure_baselines
from harness_ext.measures.core.baseline_keys import Baseline
from harness_ext.measures.core.fill import encodable
from harness_ext.measures.core.items import Items
from harness_ext.measures.core.measure import EncoderMeasure
from harness_ext.measures.core.same_vector import (
    ALONE,
    ENOUGH,
    N_TEXTS,
    SAME_VECTOR,
    same_vectors,
    same_vectors_message,
)
from harness_ext.measures.core.undefined import check_main_score
from harness_ext.store.item_files import DIGEST, MAX_ITEMS, keep
from harness_ext.store.signature import Signature
from harness_ext.tasks.data import data_revision, load_rows
from harness_ext.tasks.task import Task

if TYPE_CHECKING:
    from datasets import Dataset
    from mteb.models import ModelMeta, MTEBModels
    from mteb.types import EncodeKwargs
    from mteb.types.statistics import SplitDescriptiveStatistics

logger = logging.getLogger(__name__)

PROMPT = "Given a sentence, encode its semantic properties."
"""The instruction for models that take one, as in the ε-compositionality paper."""

_WITHOUT_VECTORS = {
    "cross-encoder": "which scores pairs of texts",
    "late-interaction": "which gives a vector to each token",
}
"""Type of a model in mteb's metadata -> what it does instead of giving a vector per text."""


class AbsTaskCompositionality(AbsTask):
    """A task that encodes distinct texts once, compares them, and saves the items of its scores.

    `task_class` makes the subclass of a declared task.

    Attributes:
        declared: The declaration.
        measure: Its measure, which scores the items.
        items: (split, subset) -> items of the scores, after a run.
        baseline_items: The same of the encoder's baselines, by baseline.
        revisions: (split, subset) -> the revision of its loaded data: that of the dataset, with
            `+unverified` where a source file is not the pinned one, and `+own` where the rows are
            not those of the dataset.
        with_baselines: Whether an evaluation measures baselines too, if the measure has them.
        model_meta: The name and revision under which a run keeps its results, see
            `harness_ext.harnesses.mteb.results`.
    """

    declared: ClassVar[Task]
    measure: ClassVar[EncoderMeasure[Any]]
    abstask_prompt = PROMPT

    def __init__(self, seed: int = 42, **kwargs: Any) -> None:
        super().__init__(seed, **kwargs)
        self.items: dict[tuple[str, str], Items] = {}
        self.revisions: dict[tuple[str, str], str] = {}
        self.baseline_items: dict[tuple[str, str], dict[Baseline, Items]] = {}
        self.with_baselines = True
        self.model_meta: ModelMeta | None = None
        # of the rows as they were loaded
        self._fingerprints: dict[tuple[str, str], str | None] = {}
        self._n_texts: dict[tuple[str, str], int] = {}  # of each split and subset

    def filter_eval_splits(self, eval_splits: Sequence[str] | None) -> Self:
        """Keep these splits, and the subsets that have one of them."""
        return super().filter_eval_splits(eval_splits)._with_a_split()

    def filter_languages(self, *args: Any, **kwargs: Any) -> Self:
        """Keep the subsets in these languages that have one of the splits."""
        return super().filter_languages(*args, **kwargs)._with_a_split()

    def _with_a_split(self) -> Self:
        if len(self.hf_subsets) > 1:
            having = []
            for subset in self.hf_subsets:
                splits = set(self.declared.dataset_splits(subset))
                if not splits.isdisjoint(self.eval_splits):
                    having.append(subset)
            self.hf_subsets = having or self.hf_subsets  # loading says which splits there are
        return self

    def evaluate(
        self,
        model: MTEBModels,
        *args: Any,
        **kwargs: Any,
    ) -> Any:
        """Evaluate a model as mteb does; one without a vector per text is refused as by
        `encoder`.
        """
        self._check_has_vectors(model)  # before mteb says in another way what the wrapper is
        return super().evaluate(model, *args, **kwargs)

    def _check_has_vectors(self, model: MTEBModels) -> None:
        meta = model.mteb_model_meta
        for kind in meta.model_type:
            what = _WITHOUT_VECTORS.get(kind)
            if what:
                raise EncodingError(
                    f"{meta.name} is a {kind} model, {what}, but {self.metadata.name} compares "
                    "vectors of texts. In tasks of pairs and triplets, `harness_ext.measure` "
                    "takes it as a function of two texts."
                )

    def _evaluate_subset(
        self,
        model: MTEBModels,
        data_split: Dataset,
        *,
        hf_split: str,
        hf_subset: str,
        encode_kwargs: EncodeKwargs,
        timer: TimingStack,
        **kwargs: Any,
    ) -> dict[str, Any]:
        if not isinstance(model, EncoderProtocol):
            raise TypeError(
                f"{self.metadata.name} needs a model that encodes texts; {model!r} does not."
            )
        encode = self.encoder(model, hf_split, hf_subset, encode_kwargs, timer)
        rows = data_split.to_list()
        self.mark_changed_rows(data_split, hf_split, hf_subset)
        without_vector = encode.add_compounds(rows)
        is_shown = encode_kwargs.get("show_progress_bar", True)
        with timer("Measuring", split=hf_split, subset=hf_subset):
            plan = self.planned(rows, hf_split)
            del rows  # many take as much memory as the plan
            self._n_texts[hf_split, hf_subset] = len(plan.texts())
            self.expect(plan, encode)
            with self._bar(hf_split, hf_subset, is_shown) as bar:
                items: Items = self.measure.fill(plan, encode)
                bar.update(self._n_texts[hf_split, hf_subset])
                scores: dict[str, Any] = self.measure.flat_scores(items)
                scores |= self.same_vector_scores(plan, encode, items)
                scores |= self.alone_scores(plan, encode)
                bar.set_postfix_str("then words and probes of the baselines")
                scores |= self.scores_of_baselines(plan, encode, items)
        place = f"{self.metadata.name} ({hf_subset}, {hf_split})"
        name = str(model.mteb_model_meta.name)
        check_main_score(self.measure, scores, items, place, name)
        undefined = [key for key in self.measure.by_key if key not in scores]
        if undefined:
            keys = ", ".join(undefined)
            logger.info("%s: not defined for %s, and left out: %s.", place, name, keys)
        scores |= without_vector
        signature = self.signature(hf_split, hf_subset, encode.facts())
        scores["signature"] = str(signature)
        self.items[hf_split, hf_subset] = items
        if self._keeps(items):
            scores[DIGEST] = keep(items)
        return scores

    def _bar(
        self,
        split: str,
        subset: str,
        is_shown: bool,
    ) -> tqdm[NoReturn]:
        """A bar over the texts of the whole task, from the place of a split and subset on."""
        places = [*product(self.eval_splits, self.hf_subsets)]
        for place in places if is_shown else ():
            if place not in self._n_texts:
                split_of_place, _ = place
                plan = self.planned(self.rows(*place), split_of_place)
                self._n_texts[place] = len(plan.texts())
        n_texts = [self._n_texts.get(place, 0) for place in places]
        before = sum(n_texts[: places.index((split, subset))])
        return tqdm(
            total=sum(n_texts),
            initial=before,
            desc=self.metadata.name,
            unit=" texts",
            disable=not is_shown,
        )

    def encoder(
        self,
        model: EncoderProtocol,
        hf_split: str,
        hf_subset: str,
        encode_kwargs: Mapping[str, Any],
        timer: TimingStack,
    ) -> TaskEncoder:
        """The model as the measure sees it, in one split of one subset.

        Raises:
            EncodingError: By its type in mteb's metadata, the model has no vector per text; names
                it.
        """
        self._check_has_vectors(model)
        return TaskEncoder(
            model,
            self.metadata,
            hf_split=hf_split,
            hf_subset=hf_subset,
            encode_kwargs={"show_progress_bar": True, **encode_kwargs},
            timer=timer,
            model_meta=self.model_meta,
            fewest_permutations=FEWEST_OF_QUICK if self.declared.quick else FEWEST,
        )

    def expect(self, plan: Items, encode: TaskEncoder) -> None:
        """Say to an encoder whose vectors depend on the call what this task will ask for."""
        if not encode.is_of_one_call:
            return
        texts = encodable(plan, encode).texts()
        texts_of_baseline: list[str] = []
        if encode.is_additive:
            texts_of_baseline = texts
        elif self.measures_baselines:
            texts_of_baseline = plan.of_baselines().texts()
        encode.expect(texts, texts_of_baseline)

    @property
    def measures_baselines(self) -> bool:
        """Whether an evaluation measures baselines."""
        return self.with_baselines and self.measures_additive

    @property
    def measures_additive(self) -> bool:
        """Whether there is an additive baseline to measure beside the texts, and the environment
        does not forbid it.
        """
        return self.measure.additive and os.environ.get("HARNESS_EXT_ADDITIVE") != "0"

    def same_vector_scores(
        self,
        plan: Items,
        encode: TaskEncoder,
        items: Items,
    ) -> dict[str, int]:
        """Count the pairs of different texts with the same vector, if texts are compared, and warn
        of them.
        """
        pairs = same_vectors(plan, items)
        if pairs is None:
            return {}
        if pairs:
            logger.warning(
                "%s, %s: %s",
                self.metadata.name,
                encode.facts()["model"],
                same_vectors_message(pairs),
            )
        return {SAME_VECTOR.key: len(pairs), N_TEXTS.key: len(plan.texts())}

    def alone_scores(
        self,
        plan: Items,
        encode: TaskEncoder,
    ) -> dict[str, float]:
        """Encode three texts once more, each alone; warn, and return their cosine, if that changes
        their vectors.
        """
        if encode.is_of_one_call:  # the grid of a single text would be a point
            return {}
        task = self.metadata.name
        model = encode.facts()["model"]
        try:
            cosine = encode.cosine_alone(plan.texts())
        except Exception as error:  # of many kinds: a stranger's encoder may take no single text
            logger.warning(
                "%s, %s: no text can be encoded alone (%s: %s).",
                task,
                model,
                type(error).__name__,
                error,
            )
            return {}
        if cosine >= ENOUGH:
            return {}
        fault = (
            "the vectors depend on what else is encoded, as by padding without a mask: a text's "
            "cosine with itself"
        )
        logger.warning("%s, %s: %s, encoded alone, is %.2f.", task, model, fault, cosine)
        return {ALONE.key: cosine}

    def scores_of_baselines(
        self,
        plan: Items,
        encode: TaskEncoder,
        items: Items,
    ) -> dict[str, Any]:
        """Measure the encoder's baselines: their main scores, how far it lies above them, digests
        of their items.

        Nothing where they are not measured, or the model encodes no single words.
        """
        if not self.measures_baselines:
            return {}
        try:
            with_noise = os.environ.get("HARNESS_EXT_NOISE") != "0"
            measured = measure_baselines(self.measure, plan, encode, items, with_noise=with_noise)
        except Exception as error:  # of many kinds: a stranger's encoder may take no single words
            logger.warning(
                "%s: no additive baseline of %s, whose words cannot be encoded alone or weighed "
                "(%s: %s).",
                self.metadata.name,
                encode.facts()["model"],
                type(error).__name__,
                error,
            )
            return {}
        scores: dict[str, Any] = measured.scores(self.measure, items)
        self.baseline_items[encode.hf_split, encode.hf_subset] = measured.items
        for baseline, baseline_items in measured.items.items():
            if self._keeps(baseline_items):
                scores[baseline.items] = keep(baseline_items)
        return scores

    def _keeps(self, items: Items) -> bool:
        """Whether items are kept beside the scores."""
        if len(items) > MAX_ITEMS:
            logger.warning(
                "%s: %d items are more than %d; only their scores are saved.",
                self.metadata.name,
                len(items),
                MAX_ITEMS,
            )
        return len(items) <= MAX_ITEMS and os.environ.get("HARNESS_EXT_ITEMS") != "0"

    def signature(
        self,
        split: str,
        subset: str,
        facts: Mapping[str, str],
    ) -> Signature:
        """Say what scores depend on: the loaded data, and the facts about an encoder."""
        return Signature(
            task=self.metadata.name,
            dataset=f"{self.metadata.dataset['path']}@{self.revisions[split, subset]}",
            split=split,
            subset=subset,
            measure=self.measure.definition,
            **facts,
            mteb=version("mteb"),
            sentence_transformers=version("sentence-transformers"),
        )

    def load_data(
        self,
        num_proc: int | None = None,
        *,
        timer: TimingStack | None = None,
        **kwargs: Any,
    ) -> None:
        """Load the eval splits only; the source files of other splits may be missing.

        Loading also adds `+unverified` to the dataset's revision if its source files are not the
        pinned files. Listing tasks does not, so that it reads no files.

        Raises:
            ValueError: There is no such split; lists the splits.
            SourceError: A source file is not available or is not the pinned file.
        """
        if self.data_loaded:
            return
        with (timer or TimingStack())(
            "Data loading", log_message=f"Loading dataset {self.metadata.name}..."
        ):
            loaded: dict[str, DatasetDict] = {}
            self._fingerprints = {}
            for subset in self.hf_subsets:
                loaded[subset] = DatasetDict()
                for split in self.eval_splits:
                    rows = load_rows(self.declared, split, subset)
                    loaded[subset][split] = rows
                    self._fingerprints[split, subset] = _fingerprint(rows)
        self.dataset = loaded if self.metadata.is_multilingual else loaded["default"]
        self.data_loaded = True
        self.set_revision(data_revision(self.declared))
        self.revisions = {
            place: data_revision(self.declared, *place)
            for place in product(self.eval_splits, self.hf_subsets)
        }

    def rows(
        self,
        split: str,
        subset: str,
    ) -> list[dict[str, Any]]:
        """The rows of a split and subset of the loaded data. Raises what `data` does."""
        return self.data(split, subset).to_list()

    def planned(self, rows: list[dict[str, Any]], split: str) -> Items:
        """The items of rows before an encoder has seen them. Raises what `EncoderMeasure.planned`
        does.
        """
        if self.measure is self.declared.measure:
            return self.declared.planned(rows, split)
        items: Items = self.measure.planned(rows, split)  # a subclass has a measure of its own
        return items

    def data(self, split: str, subset: str) -> Dataset:
        """A split and subset of the loaded data.

        Raises:
            ValueError: The data is not loaded.
        """
        if self.dataset is None:
            raise ValueError(
                f"{self.metadata.name}: the dataset is not loaded; call load_data() first."
            )
        splits = self.dataset[subset] if self.metadata.is_multilingual else self.dataset
        return splits[split]

    def mark_changed_rows(
        self,
        data: Dataset,
        split: str,
        subset: str,
    ) -> None:
        """Add `+own` and a hash to the revision where rows are not those of the dataset, such as a
        subclass's.
        """
        place = (split, subset)
        fingerprint = _fingerprint(data)
        if fingerprint is not None and self._fingerprints.get(place) == fingerprint:
            return
        pinned = data_revision(self.declared, split, subset)
        self.revisions.setdefault(place, pinned)
        rows = data.to_list()
        if rows != load_rows(self.declared, split, subset).to_list():
            written = json.dumps(rows, sort_keys=True)
            digest = hashlib.sha256(written.encode()).hexdigest()
            self.revisions[place] = f"{pinned}{OWN_ROWS}-{digest[:12]}"
            self.set_revision(self.revisions[place])

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
        subsets = [hf_subset] if hf_subset else self.metadata.hf_subsets
        n_rows = 0
        lengths: list[int] = []
        for subset in subsets:
            rows = self.rows(split, subset)
            plan = self.planned(rows, split)
            n_rows += len(rows)
            lengths += map(len, plan.texts())
        return {
            "num_samples": n_rows,
            "number_of_characters": sum(lengths),
            "text_statistics": {
                "total_text_length": sum(lengths),
                "min_text_length": min(lengths),
                "average_text_length": sum(lengths) / len(lengths),
                "max_text_length": max(lengths),
                "unique_texts": len(lengths),
            },
        }  # type: ignore[typeddict-unknown-key]


def _fingerprint(rows: Dataset) -> str | None:
    """A hash by `datasets` of how rows were made; None if this version of it has none."""
    return attribute(rows, "datasets:Dataset._fingerprint")


@cache  # a task has one class, as long as the program runs
def task_class(task: Task) -> type[AbsTaskCompositionality]:
    """The class of a declared task, `harness_ext.tasks.NAME`."""
    attributes = {
        "__module__": "harness_ext.tasks",
        "__doc__": task.description,
        "declared": task,
        "measure": task.encoder_measure,
        "metadata": _metadata(task),
    }
    return type(task.name, (AbsTaskCompositionality,), attributes)


class _Metadata(TaskMetadata):
    """mteb's metadata, with the descriptive statistics beside the declarations."""

    @property
    def descriptive_stat_path(self) -> Path:
        """The file of the statistics, by split."""
        return Path(str(files("harness_ext.tasks"))) / "descriptive_stats" / f"{self.name}.json"


def _without_kind(entry: str) -> str:
    """An entry of BibTeX without what kind it is of, such as `@article`."""
    _, _, rest = entry.partition("{")
    return rest


def _metadata(task: Task) -> TaskMetadata:
    languages = {subset: list(codes) for subset, codes in task.languages.items()}
    entries = task.metadata.get("bibtex_citation", "").split("\n\n")
    citation = "\n\n".join(sorted(entries, key=_without_kind))
    return _Metadata(
        **{
            "type": "Compositionality",
            "category": "t2t",
            "modalities": ["text"],
            "prompt": PROMPT,
            "task_subtypes": [],
            "dialect": [],
            **task.metadata,
            "bibtex_citation": citation or None,
            "name": task.name,
            "description": task.description,
            "dataset": dict(task.dataset),
            "eval_splits": list(task.splits),
            "eval_langs": languages if task.has_subsets else languages["default"],
            "main_score": task.measure.main,
        }
    )
