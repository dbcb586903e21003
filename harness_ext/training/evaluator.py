"""The tasks as an evaluator of sentence-transformers: scores during training, in its logs and on
the model card.
"""

import csv
import logging
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from typing import Any

import mteb
from mteb.models import ModelMeta
from mteb.models.sentence_transformer_wrapper import SentenceTransformerEncoderWrapper
from sentence_transformers import SentenceTransformer

from harness_ext.common.foreign_code import no_exit
from harness_ext.common.random_states import random_states_kept
from harness_ext.encoders.one_call import depends_on_call
from harness_ext.harnesses.mteb.registration import task_named
from harness_ext.harnesses.mteb.task import AbsTaskCompositionality
from harness_ext.measures.core.baseline_keys import gain_key
from harness_ext.measures.core.scores import interval_keys
from harness_ext.results.ranks import ALPHA
from harness_ext.statistics.paired_difference import difference
from harness_ext.statistics.statistic import Statistic
from harness_ext.tasks import DEMO_TASKS

try:
    from sentence_transformers.sentence_transformer.evaluation import SentenceEvaluator
except ModuleNotFoundError:  # sentence-transformers 5
    from sentence_transformers.evaluation import SentenceEvaluator  # type: ignore[import-not-found, no-redef]

logger = logging.getLogger(__name__)


@contextmanager
def _unnoticed() -> Iterator[None]:
    """Leave the global random states as they were, and mteb's notes on metadata unsaid."""
    of_mteb = logging.getLogger(ModelMeta.__module__)
    level = of_mteb.level
    of_mteb.setLevel(logging.CRITICAL)  # it says "Error" of a vocabulary that it cannot count
    with random_states_kept():
        try:
            yield
        finally:
            of_mteb.setLevel(level)


class CompositionalityEvaluator(SentenceEvaluator):  # type: ignore[misc, unused-ignore]
    """Measures tasks of this project while a model is trained, as `mteb run` would measure it then.

    `<task>_<main score>` and `<task>_gain` (the gain over the encoder's additive baseline), each
    with the ends of its interval, are returned, logged, written to a CSV file and stored for the
    model card. Between a task's name and its score stand subset and split where the task has
    several. The primary metric is the first main score. Random states and the mode of the model
    stay as they are.

    A task that cannot be measured never ends a training: a warning names it, once for each cause,
    and its scores are left out. The primary metric is then NaN, because a trainer may need it to
    choose the best checkpoint. One warning says if a score is significantly worse than at the first
    call.

    Attributes:
        tasks: The tasks. Their data stays loaded.
        name: As of any evaluator: precedes every key, and is the dataset's name on the model card.
        primary_metric: The key of the main score of the first task.
        greater_is_better: Whether more of it is better.
        csv_file: The name of the CSV file in the folder `output_path`.

    Examples:
        >>> CompositionalityEvaluator(["MontagueConsistencyFast"]).primary_metric
        'MontagueConsistencyFast_montague_consistency'
    """

    def __init__(
        self,
        tasks: str | Sequence[str | AbsTaskCompositionality] = DEMO_TASKS,
        *,
        name: str = "",
        batch_size: int = 32,
        gain: bool | None = None,
    ) -> None:
        """Create the tasks; no data is loaded yet.

        Args:
            tasks: Names of tasks of this project for mteb, or such tasks; by default those of
                `harness-ext demo`.
            name: See the class.
            batch_size: Texts per batch.
            gain: Whether a call measures the additive baseline, and so the gain: some 5 000 short
                strings more. By default the first call does, and one after the training.

        Raises:
            UnknownNameError: There is no task of that name.
            ValueError: No task is named, or a task of another project is.
        """
        super().__init__()  # type: ignore[no-untyped-call, unused-ignore]
        given = [tasks] if isinstance(tasks, str) else tasks
        self.tasks: list[AbsTaskCompositionality] = [_task(task) for task in given]
        if not self.tasks:
            raise ValueError(
                "tasks is empty: name at least one task. `harness-ext tasks` lists them."
            )
        first_key = next(iter(_keys(self.tasks[0])))
        self.name = name
        self.primary_metric: str = f"{name}_{first_key}" if name else first_key
        self.greater_is_better = True  # a main score that is better when lower is refused
        name_in_file = f"_{name}" if name else ""
        self.csv_file = f"compositionality_evaluation{name_in_file}_results.csv"
        self._batch_size = batch_size
        self._gain = gain
        self._is_first = True
        self._warned: set[tuple[str, Any]] = set()
        self._first: dict[tuple[str, Any], Statistic] = {}

    @_unnoticed()
    def __call__(  # type: ignore[override, unused-ignore]
        self,
        model: SentenceTransformer,
        output_path: str | None = None,
        epoch: float = -1,
        steps: int = -1,
    ) -> dict[str, float]:
        """Measure the tasks.

        Args:
            model: The model, or any object that mteb evaluates.
            output_path: The folder of the CSV file, which gets a line per call; None for no file.
            epoch: Of the training, for the CSV file; -1 after it.
            steps: In the epoch, for the CSV file; -1 at its end.

        Returns:
            Key -> score, without scores that are not defined, but with the primary metric in any
            case.
        """
        outer = model
        was_training = getattr(model, "training", None)
        for inside in ("module", "_orig_mod"):  # of DataParallel, of torch.compile
            model = getattr(model, inside, model)
        wrapped: Any = model
        if isinstance(model, SentenceTransformer):
            wrapped = SentenceTransformerEncoderWrapper(model)
        keys: list[str] = []
        for task in self.tasks:
            keys += _keys(task)
        scores = {keys[0]: math.nan}
        # words and probes widen the grid of integers: they are in each call, or in none
        is_on_grid = depends_on_call(wrapped, {})
        has_gain = self._is_first or epoch == -1 or is_on_grid
        for task in self.tasks:
            task.with_baselines = has_gain if self._gain is None else self._gain
            scores |= self._measure(task, wrapped)
        self._is_first = False
        if was_training:
            outer.train()
        if output_path is not None:
            cells = dict.fromkeys(keys, "") | scores
            row = {"epoch": epoch, "steps": steps, **cells}
            self._append(Path(output_path, self.csv_file), row)
        metrics: dict[str, float] = self.prefix_name_to_metrics(scores, self.name)
        if hasattr(model, "model_card_data"):
            of_epoch: Any = epoch  # which sentence-transformers types as an integer
            self.store_metrics_in_model_card_data(model, metrics, of_epoch, steps)
        return metrics

    def get_config_dict(self) -> dict[str, Any]:
        """The tasks, for the model card."""
        return {"tasks": [task.metadata.name for task in self.tasks]}

    def _measure(
        self,
        task: AbsTaskCompositionality,
        model: Any,
    ) -> dict[str, float]:
        options: Any = {"batch_size": self._batch_size, "show_progress_bar": False}
        try:
            with no_exit(type(model).__name__):
                task.load_data()
                result = mteb.evaluate(
                    model,
                    task,
                    encode_kwargs=options,
                    cache=None,
                    show_progress_bar=False,
                )
        except Exception as error:  # whatever a stranger's model or data does, the training goes on
            message = (
                "%s is not measured, and the training goes on. Later failures like this are not "
                "reported. %s: %s"
            )
            cause = type(error)
            self._warn_once(cause, message, task.metadata.name, cause.__name__, error)
            return {}
        for place, items in task.items.items():
            now = task.measure.statistic(items, task.measure.main)
            self._compare(task, place, now)
        entries: dict[tuple[str, str], Any] = {}
        for split, entries_of_split in result.task_results[0].scores.items():
            for entry in entries_of_split:
                entries[split, entry["hf_subset"]] = entry
        scores: dict[str, float] = {}
        for key, (place, key_in_file) in _keys(task).items():
            entry = entries.get(place, {})
            if key_in_file in entry:
                scores[key] = entry[key_in_file]
        return scores

    def _compare(
        self, task: AbsTaskCompositionality, place: tuple[str, str], now: Statistic
    ) -> None:
        """Warn if a score is significantly worse than at the first call."""
        first = self._first.setdefault((task.metadata.name, place), now)
        change = difference(now, first)
        if change.p_value < ALPHA and change.value < 0:
            message = (
                "%s (%s, %s) is significantly worse than at the first call: %.3f, and %.3f then (p "
                "= %.1g)."
            )
            self._warn_once(
                place,
                message,
                task.metadata.name,
                *place,
                now.value(),
                first.value(),
                change.p_value,
            )

    def _warn_once(
        self,
        cause: Any,
        message: str,
        task: str,
        *values: Any,
    ) -> None:
        """Warn of a task, once for each cause."""
        if (task, cause) not in self._warned:
            self._warned.add((task, cause))
            logger.warning(message, task, *values)

    def _append(self, file: Path, row: Mapping[str, Any]) -> None:
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            is_new = not file.exists()
            with file.open("a", newline="", encoding="utf-8") as lines:
                writer = csv.DictWriter(lines, row)
                if is_new:
                    writer.writeheader()
                writer.writerow(row)
        except OSError as error:
            logger.warning(
                "%s cannot be written (%s), and the training goes on.", file, error.strerror
            )


def _task(task: str | AbsTaskCompositionality) -> AbsTaskCompositionality:
    """The task, or that of this name."""
    made: Any = task_named(task) if isinstance(task, str) else task
    if not isinstance(made, AbsTaskCompositionality):
        raise ValueError(
            f"{made!r} is no task of this project for mteb. `harness-ext tasks` lists them."
        )
    return made


def _keys(task: AbsTaskCompositionality) -> dict[str, Any]:
    """The evaluator's key -> split and subset, and the key of the result file; the main score
    first.
    """
    places = [*product(task.eval_splits, task.hf_subsets)]
    main = task.measure.main
    scores = {main: main}  # its name in the evaluator's keys -> its key in the result file
    if task.measures_additive:
        scores["gain"] = gain_key(main)
    keys: dict[str, Any] = {}
    for place in places:
        split, subset = place
        start = task.metadata.name
        if len(places) > 1:
            start = f"{start}_{subset}_{split}"
        for name, key in scores.items():
            keys[f"{start}_{name}"] = (place, key)
            ends = zip(interval_keys(name), interval_keys(key), strict=True)
            for name_of_end, key_of_end in ends:
                keys[f"{start}_{name_of_end}"] = (place, key_of_end)
    return keys
