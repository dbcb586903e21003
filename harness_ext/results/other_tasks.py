"""How much of other tasks of mteb is vocabulary: results of `MODEL` beside those of `MODEL (own words)`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from harness_ext.json_files import DamagedFileError
from harness_ext.model_name import ModelName
from harness_ext.names import model_and_experiment, name_in_experiment
from harness_ext.results.load import ResultModel, mteb_files, result_model
from harness_ext.store.mteb_files import read_result_file
from harness_ext.tasks import ENCODER_TASKS


@dataclass(frozen=True)
class OtherTask:
    """The main scores of a model and of its own words, in a split and subset of a task that is not of this project.

    Attributes:
        task: The task's name.
        split: The split.
        subset: The subset.
        model: The model's name.
        revision: Its revision.
        score: Its main score.
        words: The main score of its own words.
        interval: The 95 % interval of the gain; None if unknown, as results hold no scores of single pairs or queries.
            `predictions.with_intervals` adds it.
        no_interval: Why predictions gave none; empty otherwise.
    """

    task: str
    split: str
    subset: str
    model: str
    revision: str
    score: float
    words: float
    interval: tuple[float, float] | None = None
    no_interval: str = ""

    @property
    def gain(self) -> float:
        """The score minus that of own words."""
        return self.score - self.words


def other_scores(folder: Path) -> Iterator[tuple[tuple[str, str, str], ResultModel, float]]:
    """Yield task, split and subset, model, and main score of mteb's other tasks below a folder.

    Damaged files are left out: they are not of this project.
    """
    for file in mteb_files(folder):
        if file.stem in ENCODER_TASKS or file.stem == "model_meta":
            continue
        try:
            result = read_result_file(file)
        except DamagedFileError:
            continue
        for split, records in result.scores.items():
            for record in records:
                if isinstance(score := record.values.get("main_score"), int | float):
                    yield (result.task_name, split, record.hf_subset), result_model(file), float(score)


def other_tasks(folder: Path) -> list[OtherTask]:
    """Pair the results of mteb below a folder, by task, subset, split and model: `MODEL` and `MODEL (own words)`."""
    scores: dict[tuple[str, str, str, str, str], dict[bool, float]] = {}
    for place, measured, score in other_scores(folder):
        plain, experiment = model_and_experiment(measured.name)
        name = ModelName.parse(plain)
        model = name_in_experiment(str(name.but(**{"own words": None})), experiment)
        scores.setdefault((*place, model, measured.revision), {})["own words" in name.options] = score
    return [OtherTask(*place, both[False], both[True]) for place, both in sorted(scores.items()) if len(both) == 2]
