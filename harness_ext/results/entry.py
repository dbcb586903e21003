"""An entry of a results folder: the scores of a model in a task, split and subset, from any
harness.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from html import escape
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from harness_ext.common.errors import unknown_name
from harness_ext.common.experiments import model_and_experiment, prompt_of_experiment
from harness_ext.common.names import OWN, REFERENCE_MODELS, data_name
from harness_ext.common.revisions import UNVERIFIED
from harness_ext.measures.core.baseline_keys import (
    BASELINES,
    Baseline,
    additive_error_key,
    difference_of_key,
)
from harness_ext.measures.core.items import Items
from harness_ext.measures.core.measure import Measure
from harness_ext.measures.core.scores import chance_key, interval_keys
from harness_ext.measures.core.wording import Wording
from harness_ext.statistics.confidence_interval import confidence_interval
from harness_ext.statistics.paired_difference import (
    Difference,
    Sample,
    difference,
    difference_of,
    differences,
)
from harness_ext.statistics.statistic import DifferenceStatistic, Statistic
from harness_ext.store.item_files import DIGEST, ItemsError, read_items
from harness_ext.store.signature import Signature
from harness_ext.tasks import declared_task
from harness_ext.tasks.task import Task

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True, eq=False)
class Entry:
    """The scores of a model in a split and subset of a task; its items are read once, and its
    scores resampled once.

    Attributes:
        task: The task's name.
        model: The model's name.
        subset: `default` where there are none.
        split: The split, which is the protocol.
        revision: The model's revision.
        dataset_revision: The dataset's; with `+unverified` and a hash where files of this split and
            subset were not the pinned ones.
        scores: Result key -> value, of the declared scores.
        main_score: The main one.
        signature: Identifies the scores; None in results that another program made.
        digests: Of the items, and of those of the encoder's baselines, by their keys in the file,
            as far as there are.
        file: The result file.
    """

    task: str
    subset: str
    split: str
    model: str
    revision: str
    dataset_revision: str
    scores: Mapping[str, float]
    main_score: float
    signature: Signature | None
    digests: Mapping[str, str]
    file: Path

    @property
    def measured_on(self) -> tuple[str, str, str]:
        """Task, subset and split."""
        return self.task, self.subset, self.split

    @property
    def data(self) -> str:
        """Subset and split, marked if the rows came from other files than the pinned files."""
        name = data_name(self.subset, self.split)
        return f"{name} {UNVERIFIED}" if UNVERIFIED in self.dataset_revision else name

    @property
    def declared_task(self) -> Task:
        """The declaration of the task."""
        measure = self.signature.measure_name if self.signature else ""
        return declared_task(self.task, measure)

    @property
    def is_part(self) -> bool:
        """Whether only some of the documents were asked about (lm-eval's `--limit`,
        `--samples`).
        """
        return self.split.endswith("]")

    @property
    def measure(self) -> Measure[Any]:
        """The measure of the task."""
        return self.declared_task.measure

    @property
    def wording(self) -> Wording:
        """The sentences about its split."""
        wordings = self.declared_task.wordings
        return wordings.get(self.split, self.measure.wording())

    @property
    def is_baseline(self) -> bool:
        """Whether it is of a control encoder."""
        return self.model in REFERENCE_MODELS

    @property
    def is_of_another_version(self) -> bool:
        """Whether its signature names another version of the measure than today's."""
        signature = self.signature
        return signature is not None and signature.measure != self.measure.definition

    @property
    def how_to_repeat(self) -> str:
        """A sentence with the command that makes the result again, with items."""
        model, experiment = model_and_experiment(self.model)
        name = prompt_of_experiment(experiment)
        if name is not None:
            return (
                f"Make it anew: remove {self.file}, then harness-ext sweep -t {self.task} --models "
                f"and --prompts with files that name {model} and the instruction {name}"
            )
        if self.task.startswith(OWN):
            return (
                f"Make it anew: remove {self.file}, then harness-ext measure {self.measure.name} "
                f'FILE -m "{model}" '
                f"--name {self.task.removeprefix(OWN)}"
            )
        settings = f", with the settings of {experiment}" if experiment else ""
        return (
            f'Make it anew: mteb run -m "{model}" -t {self.task} --overwrite-strategy '
            f"always{settings}"
        )

    def interval(self, key: str | None = None) -> tuple[float, float] | None:
        """The 95 % interval of a score, by default the main one; None if it has none."""
        low_key, high_key = interval_keys(key or self.measure.main)
        low = self.scores.get(low_key)
        high = self.scores.get(high_key)
        return None if low is None or high is None else (low, high)

    def chance(self) -> tuple[float, float] | None:
        """The least and the most that count as chance; None where that has no meaning.

        A measured chance is the score of random answers, up to the end of its interval. Answers by
        words alone get less, so no score counts as below it.
        """
        score = self.measure.main_declaration
        measured = self.interval(chance_key(self.measure.main))
        if measured:
            return score.range[0], measured[1]
        return None if score.chance is None else (score.chance, score.chance)

    def items(self) -> Items:
        """The items that the scores were computed from.

        Raises:
            ItemsError: They are not there or damaged; says which file, and how to get them.
        """
        return self._items

    def baseline_items(self, baseline: Baseline) -> Items:
        """The items that the scores of a baseline of the encoder were computed from. Raises what
        `items` does.
        """
        if baseline not in self._of_baselines:
            made_by = f"an earlier version, or without its {baseline.name}"
            items = self._stored(baseline.items, baseline.name, made_by)
            self._of_baselines[baseline] = items
        return self._of_baselines[baseline]

    @property
    def digest(self) -> str | None:
        """Of its items; None where there are none."""
        return self.digests.get(DIGEST)

    @cached_property
    def _items(self) -> Items:
        return self._stored(DIGEST, "items", "another program, or with HARNESS_EXT_ITEMS=0")

    @cached_property
    def _of_baselines(self) -> dict[Baseline, Items]:
        return {}

    def _stored(
        self,
        key: str,
        what: str,
        made_by: str,
    ) -> Items:
        if key not in self.digests:
            raise ItemsError(
                f"{self.file} has no {what}: it was made by {made_by}. {self.how_to_repeat}"
            )
        return read_items(self.file, self.measure.items, self.digests[key])

    def has_items(self, key: str) -> bool:
        """Whether there are items to resample a score from."""
        difference = difference_of_key(key, self.measure.compared_keys)
        if difference is not None and difference.baseline.items not in self.digests:
            return False
        return DIGEST in self.digests

    def forget_items(self) -> None:
        """Let go of the items, which are large; what was resampled stays."""
        forgotten = [*vars(self).pop("_of_baselines", {}).values()]
        if "_items" in vars(self):
            forgotten.append(vars(self).pop("_items"))
        for items in forgotten:
            items.kept_statistics.clear()  # those of two kinds of units hold the items

    def recomputed(self) -> dict[str, float]:
        """All scores that follow from the items. Raises what `items` does."""
        scores = self.measure.flat_scores(self.items())
        return {**scores, **self.against_baselines()}

    def against_baselines(self) -> dict[str, float]:
        """The scores of its baselines, and how far it lies above them, from the items.

        Returns:
            Key -> value, for the baselines that it has items of.

        Raises:
            ItemsError: As `items` and `baseline_items`.
        """
        scores: dict[str, float] = {}
        for baseline in BASELINES:
            if baseline.items in self.digests:
                of_baseline = self.baseline_items(baseline)
                for key in self.measure.compared_keys:
                    scores |= self.measure.baseline_scores(
                        baseline, self.items(), of_baseline, self._additive_error(key), key
                    )
        return scores

    def _additive_error(self, key: str) -> float:
        return self.scores.get(additive_error_key(key, self.measure.main), 0.0)

    def statistic(self, key: str) -> Statistic:
        """The statistic of a resampled score, or of how far the encoder lies above one of its
        baselines.

        Raises:
            UnknownNameError: The measure has no such score.
            ItemsError: As `items` and `baseline_items`.
        """
        if key not in (declared := self.measure.declarations):
            raise unknown_name("key", key, declared)
        difference = difference_of_key(key, self.measure.compared_keys)
        if difference is not None:
            return self.measure.difference_statistic(
                self.items(),
                self.baseline_items(difference.baseline),
                self._additive_error(difference.key),
                difference.key,
            )
        return self.measure.statistic(self.items(), key)

    @cached_property
    def _resampled(self) -> dict[Any, Any]:
        return {}

    def sample(self, key: str) -> Sample:
        """A score with its resamples. Raises what `statistic` does."""
        if key not in self._resampled:
            self._resampled[key] = Sample.of(self.statistic(key))
        return self._resampled[key]

    def interval_at(
        self,
        level: float,
        key: str,
    ) -> tuple[float, float]:
        """The interval of a score at another level than 95 %, NaN if not defined. Raises what
        `statistic` does.
        """
        if (level, key) not in self._resampled:
            statistic = self.statistic(key)
            self._resampled[level, key] = _interval_of(statistic, level)
        low, high = self._resampled[level, key]
        return low, high

    def difference(
        self,
        other: Entry,
        key: str,
    ) -> Difference:
        """How a score differs from another entry's, over the units that both have. Raises what
        `statistic` does.
        """
        sample = self.sample(key)
        other_sample = other.sample(key)
        if np.array_equal(sample.names, other_sample.names):
            return differences(sample, [other_sample])[0]
        return difference(self.statistic(key), other.statistic(key))

    def to_pandas(self) -> pandas.DataFrame:
        """Every score as a DataFrame, with the columns of `Results.to_pandas`."""
        return Results((self,), ()).to_pandas(all_scores=True)

    def _repr_html_(self) -> str:
        return self.to_pandas()._repr_html_()


def _interval_of(
    statistic: Statistic,
    level: float,
) -> tuple[float, float]:
    """The interval of a statistic, or of a difference of two."""
    if isinstance(statistic, DifferenceStatistic):
        gain = difference_of(statistic, level)
        return gain.low, gain.high
    return confidence_interval(statistic, level)


def by_data(entries: Iterable[Entry]) -> Iterator[list[Entry]]:
    """Yield the entries of each task, subset and split.

    Args:
        entries: In an order in which these follow each other, as `load_results` sorts them.
    """
    for _, same in groupby(entries, key=lambda entry: entry.measured_on):
        yield list(same)


def of_other_definitions(entries: Iterable[Entry]) -> str:
    """Say in a sentence which definitions of measures entries are of that are not today's; empty if
    there are none.
    """
    definitions: list[str] = []
    for entry in entries:
        if entry.signature and entry.is_of_another_version:
            definitions.append(entry.signature.measure)
    if not definitions:
        return ""
    n = len(definitions)
    subject = "1 result is" if n == 1 else f"{n:,} results are"
    names = ", ".join(sorted({*definitions}))
    return f"{subject} of other definitions than today's, and their figures too: {names}."


_PLACE_COLUMNS = ("model", "revision", "task", "subset", "split", "dataset_revision")
"""Columns of `Results.to_pandas` that are attributes of an entry."""


_COLUMNS = (
    *_PLACE_COLUMNS,
    "score",
    "value",
    "low",
    "high",
    "chance",
    "better",
    "is_main",
)


def _keys_without_ends(entry: Entry) -> list[str]:
    """The keys of an entry's scores, the main one first, without the ends of intervals."""
    main = entry.measure.main
    ends: set[str] = set()
    for key in entry.scores:
        ends |= {*interval_keys(key)}
    left_out = {main, *ends}
    return [main, *(key for key in entry.scores if key not in left_out)]


"""The columns of `Results.to_pandas`."""


@dataclass(frozen=True)
class Results:
    """A results folder, or a part of it.

    Attributes:
        entries: As `load_results` gives them, in the order of the tasks in the documentation, then
            by subset, split, and model.
        problems: A message per file that could not be read.
    """

    entries: tuple[Entry, ...]
    problems: tuple[str, ...]

    def to_pandas(self, *, all_scores: bool = False) -> pandas.DataFrame:
        """The scores as a DataFrame: one row per entry and score.

        Args:
            all_scores: Whether every score has a row, not only the main score.

        Returns:
            Columns: model, revision, task, subset, split, dataset_revision, score (its key), value,
            low and high (the ends of the 95 % interval, NaN where there is none), chance (NaN where
            that has no meaning), better (`higher`, `lower` or `neither`), is_main.
        """
        import pandas  # takes half a second

        frame = pandas.DataFrame(self.records(all_scores=all_scores), columns=_COLUMNS)
        return frame.astype(dict.fromkeys(("value", "low", "high", "chance"), float))

    def records(self, *, all_scores: bool = False) -> Iterator[dict[str, Any]]:
        """The rows of `to_pandas` as dictionaries, None for NaN."""
        for entry in self.entries:
            main = entry.measure.main
            place = {name: getattr(entry, name) for name in _PLACE_COLUMNS}
            for key in _keys_without_ends(entry) if all_scores else [main]:
                score, _ = entry.measure.declarations[key]
                low, high = entry.interval(key) or (None, None)
                value = entry.main_score if key == main else entry.scores[key]
                yield {
                    **place,
                    "score": key,
                    "value": float(value),
                    "low": low,
                    "high": high,
                    "chance": score.chance,
                    "better": score.better,
                    "is_main": key == main,
                }

    def _repr_html_(self) -> str:
        html: str = self.to_pandas()._repr_html_()
        for problem in self.problems:
            html += f"<p>{escape(problem)} It is left out.</p>"
        return html
