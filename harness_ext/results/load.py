"""Reading a results folder: one entry per model, task, split and subset. A damaged file is named and left out."""

from __future__ import annotations

import json
import math
import reprlib
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from harness_ext.results.items import DIGEST, ItemsError, read_items
from harness_ext.results.signature import Signature
from harness_ext.tasks import TASKS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from harness_ext.abstask import AbsTaskCompositionality
    from harness_ext.evaluators.items import Items

TASK_BY_NAME: Mapping[str, type[AbsTaskCompositionality]] = {task.metadata.name: task for task in TASKS}
"""This project's tasks."""

UNVERIFIED = "+unverified"

_ROUNDING = 1e-5
"""What other programs round off."""


class ResultError(ValueError):
    """A result file is damaged; the message names it and what is wrong."""


@dataclass(frozen=True, eq=False)
class Entry:
    """What one model got in one split and subset of one task.

    Attributes:
        task: The task's name.
        subset: The subset, `default` where there are none.
        split: The split, which is the protocol.
        model: The model's name.
        revision: The model's revision.
        dataset_revision: The dataset's; ends in `+unverified` where files were not the pinned ones.
        scores: Result key -> value, of the declared scores.
        main_score: The main one.
        signature: What the scores are of; None in results of other makers.
        digest: Of the items; None where there are none.
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
    digest: str | None
    file: Path

    @property
    def data(self) -> str:
        """Subset and split, and whether the rows came from other files than the pinned ones."""
        subset = "" if self.subset == "default" else f"{self.subset} "
        return f"{subset}{self.split}{f' {UNVERIFIED}' if self.dataset_revision.endswith(UNVERIFIED) else ''}"

    @property
    def task_class(self) -> type[AbsTaskCompositionality]:
        """The task."""
        return TASK_BY_NAME[self.task]

    def interval(self) -> tuple[float, float] | None:
        """The 95 % interval of the main score."""
        low, high = (self.scores.get(f"{self.task_class.measure.main}_ci_{end}") for end in ("low", "high"))
        return None if low is None or high is None else (low, high)

    def items(self) -> Items:
        """What the scores were computed from.

        Raises:
            ItemsError: They are not there or damaged; says which file, and how to get them.
        """
        if self.digest is None:
            raise ItemsError(
                f"{self.file} has no items: it was made by another program, or with HARNESS_EXT_ITEMS=0. Make it anew: "
                f'mteb run -m "{self.model}" -t {self.task} --overwrite-strategy always'
            )
        return read_items(self.file, self.task_class.measure.items, (self.split, self.subset), self.digest)


class KeptEntry(Entry):
    """An entry that reads its items once."""

    @classmethod
    def of(cls, entry: Entry, **changed: Any) -> Self:
        """The same entry, with other values of some attributes."""
        return cls(**{one.name: getattr(entry, one.name) for one in fields(Entry)} | changed)

    @cached_property
    def _items(self) -> Items:
        return super().items()

    def items(self) -> Items:
        """As the base class says."""
        return self._items


@dataclass(frozen=True)
class Results:
    """A results folder.

    Attributes:
        entries: In the order of the tasks in the documentation, then by subset, split, and model.
        problems: What could not be read: a message each, which names the file.
    """

    entries: tuple[Entry, ...]
    problems: tuple[str, ...]


def load_results(
    folder: str | Path, tasks: Sequence[str] | None = None, models: Sequence[str] | None = None
) -> Results:
    """Read the results of this project's tasks.

    Args:
        folder: The `--output-folder` of `mteb run`.
        tasks: Names of tasks; all of this project's if None.
        models: Names of models; all if None.

    Raises:
        FileNotFoundError: There is no such folder, or nothing of these tasks and models in it; says what to do.
    """
    folder = Path(folder)
    if unknown := sorted(set(tasks or ()) - TASK_BY_NAME.keys()):
        raise FileNotFoundError(f"{', '.join(unknown)}: no such task. There are: {', '.join(TASK_BY_NAME)}.")
    if not folder.is_dir():
        raise FileNotFoundError(f"{folder}: no such folder. Name the --output-folder of `mteb run`.")
    wanted = tasks or list(TASK_BY_NAME)
    entries: list[Entry] = []
    problems: list[str] = []
    for file in sorted(result_files(folder)):
        if file.stem in wanted:
            try:
                entries += [entry for entry in read_result(file) if models is None or entry.model in models]
            except ResultError as error:
                problems.append(str(error))
    if not entries and not problems:
        raise FileNotFoundError(
            f"{folder}: no result in it ({', '.join(wanted)}; {', '.join(models) if models else 'any model'}). "
            f"Make one with: mteb run -m MODEL -t {wanted[0]} --output-folder {folder}"
        )
    order = {name: place for place, name in enumerate(TASK_BY_NAME)}
    entries.sort(key=lambda entry: (order[entry.task], entry.subset, entry.split, entry.model, entry.revision))
    return Results(tuple(entries), tuple(problems))


def result_files(folder: Path) -> Iterator[Path]:
    """Those of all tasks, as mteb lays them out: results/model/revision/Task.json, or below experiments/name/."""
    for pattern in ("results/*/*/*.json", "results/*/*/experiments/*/*.json"):
        yield from folder.glob(pattern)


def read_result(file: Path) -> list[Entry]:
    """The entries of a result file of one of this project's tasks.

    Raises:
        ResultError: It is damaged; names the file.
    """
    content = _read_json(file)
    scores, revision = content.get("scores"), content.get("dataset_revision")
    if content.get("task_name") != file.stem or not isinstance(scores, dict) or not isinstance(revision, str):
        raise ResultError(
            f"{file} is not a result of {file.stem}: task_name, dataset_revision or scores are not as mteb writes them."
        )
    name, model_revision = _model(file)
    return [
        Entry(
            task=file.stem,
            subset=_of_type(entry, "hf_subset", str, file),
            split=str(split),
            model=name,
            revision=model_revision,
            dataset_revision=revision,
            main_score=_main_score(entry, file),
            scores=_numbers(entry, file),
            signature=_signature(entry, file),
            digest=_of_type(entry, DIGEST, str, file) if DIGEST in entry else None,
            file=file,
        )
        for split, found in scores.items()
        for entry in _entries(found, split, file)
    ]


def _read_json(file: Path) -> dict[str, Any]:
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise ResultError(f"{file} cannot be read: {error}") from error
    if not isinstance(content, dict):
        raise ResultError(f"{file} holds no JSON object.")
    return content


def _entries(found: Any, split: str, file: Path) -> list[dict[str, Any]]:
    if not isinstance(found, list) or not all(isinstance(entry, dict) for entry in found):
        raise ResultError(f"{file}: the scores of the split {split!r} are no list of entries.")
    subsets = [_of_type(entry, "hf_subset", str, file) for entry in found]
    if len(set(subsets)) < len(subsets):
        raise ResultError(f"{file}: the split {split!r} has a subset twice.")
    return found


def _of_type(entry: dict[str, Any], key: str, kind: type, file: Path) -> Any:
    if not isinstance(entry.get(key), kind):
        raise ResultError(f"{file}: {key} is {reprlib.repr(entry.get(key))}, {kind.__name__} expected.")
    return entry[key]


def _main_score(entry: dict[str, Any], file: Path) -> float:
    value: float = _number(entry.get("main_score"), "main_score", file)
    measure = TASK_BY_NAME[file.stem].measure
    score, _ = measure.declarations()[measure.main]
    if not score.range[0] - _ROUNDING <= value <= score.range[1] + _ROUNDING:
        raise ResultError(f"{file}: main_score is {value}, outside of {score.range[0]:g} to {score.range[1]:g}.")
    if abs(value - entry.get(measure.main, value)) > _ROUNDING:
        raise ResultError(f"{file}: main_score is {value}, but {measure.main} is {entry[measure.main]}.")
    return value


def _numbers(entry: dict[str, Any], file: Path) -> dict[str, float]:
    declared = TASK_BY_NAME[file.stem].measure.declarations()
    return {key: _number(entry[key], key, file) for key in declared if key in entry}


def _number(value: Any, key: str, file: Path) -> Any:
    try:
        if not isinstance(value, bool) and isinstance(value, int | float) and math.isfinite(value):
            return value
    except OverflowError:  # an integer of hundreds of digits
        pass
    raise ResultError(f"{file}: {key} is {reprlib.repr(value)}, a number expected.")


def _signature(entry: dict[str, Any], file: Path) -> Signature | None:
    if "signature" not in entry:
        return None
    try:
        return Signature.parse(_of_type(entry, "signature", str, file))
    except ValueError as error:
        raise ResultError(f"{file}: {error}") from error


def _model(file: Path) -> tuple[str, str]:
    """Name and revision, from model_meta.json beside the file if it can be read, else from the folders."""
    folder = file.parent
    in_experiment = folder.parent.name == "experiments"
    revision_folder = folder.parents[1] if in_experiment else folder
    try:
        name = _read_json(folder / "model_meta.json").get("name")
    except ResultError:
        name = None
    if not isinstance(name, str):
        name = revision_folder.parent.name.replace("__", "/")
    return f"{name} [{folder.name}]" if in_experiment else name, revision_folder.name
