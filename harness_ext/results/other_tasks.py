"""How much of other tasks of mteb is vocabulary: results of `MODEL` beside those of `MODEL (additive)`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path
from typing import Any

from harness_ext.common.experiments import model_and_experiment, name_in_experiment
from harness_ext.common.json_files import DamagedFileError
from harness_ext.common.model_name import ModelName
from harness_ext.measures.core.baseline_keys import ADDITIVE_FIT, ADDITIVE_SIGNATURE
from harness_ext.results.load import is_own, mteb_files, result_model
from harness_ext.store.mteb_files import read_result_file
from harness_ext.tasks import ENCODER_TASKS


@dataclass(frozen=True)
class OtherTask:
    """The main scores of a model and of its additive baseline, in a split and subset of a task of others.

    Attributes:
        score: The model's.
        additive: That of its additive baseline.
        additive_fit: How much of its vectors is their words; None if the results do not say it.
        additive_signature: How words were weighed and found; empty if the results do not say it.
    """

    task: str
    split: str
    subset: str
    model: str
    revision: str
    score: float
    additive: float
    additive_fit: float | None = None
    additive_signature: str = ""

    @property
    def gain(self) -> float:
        """The score minus that of the additive baseline."""
        return self.score - self.additive


def other_tasks(folder: Path) -> list[OtherTask]:
    """Pair the results of mteb below a folder, by task, split, subset and model: `MODEL` and `MODEL (additive)`.

    Damaged files are left out: they are not of this project.
    """
    scores: dict[tuple[str, str, str, str, str], dict[bool, Mapping[str, Any]]] = {}
    for file in mteb_files(folder):
        if file.stem in ENCODER_TASKS or file.stem == "model_meta" or is_own(file):
            continue
        try:
            result = read_result_file(file)
        except DamagedFileError:
            continue
        measured = result_model(file)
        plain, experiment = model_and_experiment(measured.name)
        name = ModelName.parse(plain)
        model = name_in_experiment(str(name.but(additive=None)), experiment)
        for split, record in ((split, record) for split, records in result.scores.items() for record in records):
            if isinstance(record.values.get("main_score"), int | float):
                place = result.task_name, split, record.hf_subset, model, measured.revision
                scores.setdefault(place, {})["additive" in name.options] = record.values
    return [
        OtherTask(
            *place,
            both[False]["main_score"],
            both[True]["main_score"],
            both[True].get(ADDITIVE_FIT),
            both[True].get(ADDITIVE_SIGNATURE, ""),
        )
        for place, both in sorted(scores.items(), key=itemgetter(0))
        if len(both) == 2
    ]
